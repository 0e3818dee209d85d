//! Profiles made here, message by message.

use super::draft_of;
use crate::base::Error;
use crate::columns::Memory;
use crate::read::facts::{Facts, GraphOrigin, Vendor};
use std::path::Path;

/// A varint.
fn number(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(u8::try_from(value & 0x7f).unwrap_or(0) | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap_or(0));
    bytes
}

fn of_number(field: u64, value: u64) -> Vec<u8> {
    [number(field << 3), number(value)].concat()
}

fn of_bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [number(field << 3 | 2), number(value.len() as u64), value.to_vec()].concat()
}

/// Texts of stats and names of events, in the order of their numbers.
const NAMES: [&str; 9] = [
    "correlation_id",
    "kernel_details",
    "hlo_op",
    "hlo_module",
    "name",
    "step_num",
    "jit(f)/transpose(jvp(mul))",
    "device_vendor",
    "cuda_graph_id",
];

enum Stat {
    Number(&'static str, u64),
    Text(&'static str, &'static str),
}

fn place(name: &str) -> u64 {
    NAMES.iter().position(|known| *known == name).expect("a name") as u64
}

fn stat(stat: &Stat) -> Vec<u8> {
    match stat {
        Stat::Number(key, value) => [of_number(1, place(key)), of_number(4, *value)].concat(),
        Stat::Text(key, text) => match NAMES.contains(text) {
            true => [of_number(1, place(key)), of_number(7, place(text))].concat(),
            false => [of_number(1, place(key)), of_bytes(5, text.as_bytes())].concat(),
        },
    }
}

/// An event: number of its name, start and length in picoseconds.
fn event(name: u64, start: u64, length: u64, stats: &[Stat]) -> Vec<u8> {
    let stats = stats.iter().flat_map(|own| of_bytes(4, &stat(own)));
    [of_number(1, name), of_number(2, start), of_number(3, length)]
        .concat()
        .into_iter()
        .chain(stats)
        .collect()
}

fn line(id: u64, name: &str, events: &[Vec<u8>]) -> Vec<u8> {
    let events = events.iter().flat_map(|event| of_bytes(4, event));
    [of_number(1, id), of_bytes(2, name.as_bytes()), of_number(3, 1)]
        .concat()
        .into_iter()
        .chain(events)
        .collect()
}

/// A plane whose names stand after its lines.
fn plane(name: &str, lines: &[Vec<u8>], names: &[&str], stats: &[Stat]) -> Vec<u8> {
    let mut bytes = of_bytes(2, name.as_bytes());
    lines.iter().for_each(|line| bytes.extend(of_bytes(3, line)));
    let entry = |at: usize, name: &str| {
        let message = [of_number(1, at as u64), of_bytes(2, name.as_bytes())].concat();
        [of_number(1, at as u64), of_bytes(2, &message)].concat()
    };
    names.iter().enumerate().for_each(|(at, name)| bytes.extend(of_bytes(4, &entry(at, name))));
    NAMES.iter().enumerate().for_each(|(at, name)| bytes.extend(of_bytes(5, &entry(at, name))));
    stats.iter().for_each(|own| bytes.extend(of_bytes(6, &stat(own))));
    of_bytes(1, &bytes)
}

fn profile() -> Vec<u8> {
    use Stat::{Number, Text};
    let details = "regs:64 static_shared:16 dynamic_shared:32 grid:4,2,1 block:256,1,1";
    let op =
        [Text("hlo_op", "mul.1"), Text("hlo_module", "jit_f"), Text("name", "jit(f)/transpose(jvp(mul))")];
    let kernel =
        event(0, 3_000_400, 1_000_300, &[Number("correlation_id", 7), Text("kernel_details", details)]);
    let [a, b, c] = op;
    let call = event(0, 1_000_000, 500_000, &[Number("correlation_id", 7), a, b, c]);
    let of_graph = event(
        0,
        5_000_000,
        1_000_000,
        &[Number("correlation_id", 9), Text("kernel_details", details), Number("cuda_graph_id", 3)],
    );
    let gpu = plane(
        "/device:GPU:0",
        &[line(13, "Stream #13(Kernel)", &[kernel.clone(), of_graph]), line(9, "XLA Ops", &[kernel])],
        &["mul_kernel"],
        &[Text("device_vendor", "Nvidia")],
    );
    let step = event(1, 900_000, 4_000_000, &[Number("step_num", 3)]);
    let host = plane(
        "/host:CPU",
        &[line(1, "Host Threads/42", &[call]), line(2, "python3", &[step])],
        &["cuLaunchKernel", "train"],
        &[],
    );
    [gpu, host].concat()
}

fn read(bytes: &[u8]) -> Result<Facts, Error> {
    let path = Path::new("run.xplane.pb");
    draft_of(path, bytes.len() as u64, bytes, &Memory::default())?.finish(path)
}

#[test]
fn work_belongs_to_the_op_of_its_call() {
    let facts = read(&profile()).expect("a profile");
    let text = |id| facts.strings.get(id);
    assert_eq!((facts.kernels.len(), facts.api_calls.len()), (2, 1), "lines that tools derive are left out");
    assert_eq!(text(facts.kernels.long_name[..][0]), "mul_kernel");
    // The line begins at 1 ns; times count from the step, which begins first.
    assert_eq!(facts.work.span[..][0], crate::base::time::Span::new(2100, 3101));
    assert_eq!(facts.kernels.graph[..], [GraphOrigin::None, GraphOrigin::Node]);
    let config = facts.launch_configs[facts.kernels.config[..][0].index()];
    assert_eq!((config.grid, config.block, config.registers), ([4, 2, 1], [256, 1, 1], Some(64)));
    let texts: Vec<&str> = facts.ranges.texts.iter().map(|says| text(says.text)).collect();
    let expected = ["Thunk:#name=transpose(jvp(mul)),hlo_op=mul.1#", "XlaModule:#hlo_module=jit_f#", "train"];
    assert_eq!(texts, expected);
    assert_eq!(facts.work.correlation[..][0], facts.keys.api_calls[..][0]);
    assert_eq!((facts.recorder.vendor, facts.threads.len()), (Vendor::Nvidia, 2));
    // All calls of the other line lie in its ranges.
    let thread = facts.api_calls.thread[..][0].some().expect("a thread");
    assert_eq!(text(facts.threads[thread.index()].name), "python3");
}

/// An op may make several calls; the next execution of a module begins where its first op comes again after others.
#[test]
fn executions_of_a_module_are_told_by_its_first_op() {
    use Stat::{Number, Text};
    let modules = |ops: &[&'static str]| {
        let of = |at: usize, op: &'static str| {
            let start = 1_000_000 * (at as u64 + 1);
            let stats =
                [Number("correlation_id", at as u64), Text("hlo_op", op), Text("hlo_module", "jit_f")];
            let work = [Number("correlation_id", at as u64), Text("kernel_details", "grid:1,1,1")];
            (event(0, start, 100_000, &stats), event(0, start + 200_000, 100_000, &work))
        };
        let (calls, work): (Vec<_>, Vec<_>) = ops.iter().enumerate().map(|(at, op)| of(at, op)).unzip();
        let gpu = plane("/device:GPU:0", &[line(1, "Stream #1", &work)], &["mul_kernel"], &[]);
        let host = plane("/host:CPU", &[line(1, "Host Threads/4", &calls)], &["cuLaunchKernel"], &[]);
        let facts = read(&[gpu, host].concat()).expect("a profile");
        let texts = facts.ranges.by_thread.iter().flat_map(|thread| thread.text[..].iter());
        let said = texts.map(|text| facts.strings.get(facts.ranges.texts[text.index()].text));
        said.filter(|text| text.starts_with("XlaModule:")).count()
    };
    assert_eq!(modules(&["a", "a", "b", "a", "a", "b"]), 2);
    assert_eq!(modules(&["a", "b", "c", "a", "b"]), 2);
    assert_eq!(modules(&["a", "a", "a"]), 3, "a module of one op");
}

#[test]
fn what_is_cut_or_holds_no_work_is_an_error() {
    let whole = profile();
    for length in 1..whole.len() {
        match read(&whole[..length]) {
            Ok(facts) => assert!(length < whole.len() && !facts.work.is_empty(), "a whole plane"),
            Err(Error::DamagedProfile { .. } | Error::Unread { .. }) => {}
            Err(error) => panic!("{length} bytes: {error}"),
        }
    }
    let cpu = read(&plane("/host:CPU", &[], &[], &[])).expect_err("no work").to_string();
    assert_eq!(cpu, "`run.xplane.pb` is an XPlane profile of a run on the CPU: no GPU was used (0 steps)");
    let idle = read(&plane("/device:GPU:0", &[], &[], &[])).expect_err("no work").to_string();
    assert!(idle.contains("no kernel was recorded"), "{idle}");
    let steps = line(1, "Steps", &[event(0, 0, 5, &[]), event(0, 5, 5, &[])]);
    let tpu = read(&plane("/device:TPU:0", &[steps], &["0"], &[])).expect_err("no work").to_string();
    assert!(tpu.contains("a TPU with 2 steps"), "{tpu}");
}

/// Bytes that are changed give an error or facts, and never a panic.
#[test]
fn changed_bytes_do_no_harm() {
    let whole = profile();
    for at in 0..whole.len() {
        for value in [0, 0x7f, 0x80, 0xff] {
            let mut changed = whole.clone();
            changed[at] = value;
            drop(read(&changed));
        }
    }
}
