//! Ops, steps and GPU times of real traces of torch.profiler: equal to what an independent program says, and backward ops to the
//! flows that PyTorch wrote.

use super::torch_traces::{trace_of, traces};
use dlprof_core::{
    Capture, ClockChoice, DefaultRange, Direction, Judged, KeyNodeChoice, OpCallId, RangeChoice, ReadOptions,
    Table as _, UNASSOCIATED, Value as Cell, View, definition,
};
use flate2::read::MultiGzDecoder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

/// Every reference, with the profile of all iterations of its trace on the clock of the CPU.
fn each_reference(check: impl Fn(&str, &Judged, &Value)) {
    let Some(folder) = traces() else { return };
    let mut compared = 0;
    for entry in std::fs::read_dir(folder.join("reference/oracle")).expect("references") {
        let reference = entry.expect("an entry").path();
        let stem = reference.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        let expected =
            serde_json::from_slice(&std::fs::read(&reference).expect("a reference")).expect("JSON");
        check(&stem, &whole(&trace_of(&folder, &stem)), &expected);
        compared += 1;
    }
    assert!(compared > 25, "the references are complete");
}

/// The profile of all iterations of a trace on the clock of the CPU.
pub(crate) fn whole(path: &Path) -> Judged {
    let capture = Capture::read(path, &ReadOptions::default())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let index = capture.index(&KeyNodeChoice::Find).expect("an index");
    let range =
        RangeChoice { otherwise: DefaultRange::All, clock: ClockChoice::Cpu, ..RangeChoice::default() };
    index.profile(&range).expect("a profile").into()
}

fn number(row: &Value, key: &str) -> i64 {
    row[key].as_i64().unwrap_or_else(|| panic!("{key} of {row}"))
}

/// Texts and numbers of a row.
pub(crate) type Row = (Vec<String>, Vec<i64>);

/// The rows of a table: texts and numbers by column.
pub(crate) fn rows(judged: &Judged, table: &str, text: &[&str], numbers: &[&str]) -> Vec<Row> {
    let table = (definition(table).expect("a table").build)(judged);
    let view = View::of(table.as_ref());
    let place = |key: &&str| (0..view.columns()).find(|&at| view.header(at).key == *key).expect("a column");
    let (text, numbers): (Vec<_>, Vec<_>) =
        (text.iter().map(place).collect(), numbers.iter().map(place).collect());
    let as_text = |row, at| match view.value(row, at) {
        Cell::Text(text) => text.to_string(),
        cell => panic!("no text: {cell:?}"),
    };
    let as_number = |row, at| match view.value(row, at) {
        Cell::Int(number) => number,
        cell => panic!("no number: {cell:?}"),
    };
    let row = |row| {
        let texts = text.iter().map(|&at| as_text(row, at)).collect();
        (texts, numbers.iter().map(|&at| as_number(row, at)).collect())
    };
    (0..view.rows()).map(row).collect()
}

#[test]
fn ops_steps_and_times_are_those_of_an_independent_program() {
    each_reference(|stem, judged, expected| {
        check_operators(stem, judged, expected);
        check_ops(stem, judged, expected);
        check_times(stem, judged, expected);
        check_steps(stem, judged, expected);
        check_words(stem, judged);
    });
}

/// Nothing that is said of a trace speaks of nsys.
fn check_words(stem: &str, judged: &Judged) {
    let text = |sentence: &dlprof_core::Sentence| sentence.text(|ns| ns.to_string());
    let findings =
        judged.findings().iter().flat_map(|found| [text(&found.problem), text(&found.recommendation)]);
    for said in findings.chain([text(&dlprof_core::verdict_detail(judged))]) {
        for word in ["nsys", "NVTX", "--trace", "--sample", "--cuda-"] {
            assert!(!said.contains(word), "{stem}: {said}");
        }
    }
}

fn check_operators(stem: &str, judged: &Judged, expected: &Value) {
    let columns = ["calls", "self_gpu_time_ns", "total_gpu_time_ns"];
    let found: BTreeMap<String, Vec<i64>> = rows(judged, "operators", &["operator"], &columns)
        .into_iter()
        .map(|(text, numbers)| (text.concat(), numbers))
        .collect();
    let wanted: BTreeMap<String, Vec<i64>> = expected["operators"]
        .as_object()
        .expect("operators")
        .iter()
        .map(|(name, row)| {
            (name.clone(), ["calls", "self_gpu_ns", "total_gpu_ns"].map(|key| number(row, key)).to_vec())
        })
        .collect();
    assert_eq!(found, wanted, "{stem}");
}

/// Names without the annotations and modules around.
fn check_ops(stem: &str, judged: &Judged, expected: &Value) {
    let capture = &judged.capture;
    let wanted: BTreeMap<(String, &str), [i64; 2]> = expected["ops"]
        .as_array()
        .expect("ops")
        .iter()
        .filter(|row| number(row, "items") > 0)
        .map(|row| {
            let direction = row["direction"].as_str().filter(|word| *word != "none").unwrap_or("");
            let name = row["name"].as_str().expect("a name").to_owned();
            ((name, direction), [number(row, "items"), number(row, "gpu_time_ns")])
        })
        .collect();
    let mut found: BTreeMap<(String, &str), [i64; 2]> = BTreeMap::new();
    let mut loose = [0; 2];
    for call in capture.op_calls.ids() {
        let label = &capture.description.labels[capture.op_calls.label[call].index()];
        let work = capture.work_by_call.get(call.index());
        let time: i64 = work.iter().map(|&work| capture.work.span[work].length()).sum();
        let count = i64::try_from(work.len()).expect("few");
        let name = capture.names.get(label.name);
        let key = |name: &str| (name.to_owned(), label.direction.as_str());
        let sums = match name.starts_with(UNASSOCIATED) {
            true => &mut loose,
            false if count == 0 => continue,
            false => {
                let mut tails = name.match_indices('/').map(|(at, _)| key(&name[at + 1..]));
                let known = tails.find(|tail| wanted.contains_key(tail));
                found.entry(known.unwrap_or_else(|| key(name))).or_default()
            }
        };
        *sums = [sums[0] + count, sums[1] + time];
    }
    assert_eq!(found, wanted, "{stem}");
    let of_none = &expected["unassociated"];
    assert_eq!(loose, ["items", "gpu_time_ns"].map(|key| number(of_none, key)), "{stem}: of no op");
}

const TIMES: [&str; 7] = [
    "busy_ns",
    "idle_ns",
    "compute_ns",
    "communication_ns",
    "copy_ns",
    "exposed_communication_ns",
    "exposed_copy_ns",
];

fn check_times(stem: &str, judged: &Judged, expected: &Value) {
    let mut found: BTreeMap<i64, [i64; 7]> = BTreeMap::new();
    let columns: Vec<&str> = ["device_id"].into_iter().chain(TIMES).collect();
    for (_, row) in rows(judged, "gpu_time", &[], &columns) {
        let sums = found.entry(row[0]).or_default();
        sums.iter_mut().zip(&row[1..]).for_each(|(sum, time)| *sum += time);
    }
    for row in expected["gpu"].as_array().expect("GPUs") {
        let device = number(row, "device");
        for (at, key) in TIMES.iter().enumerate().filter(|(_, key)| **key != "idle_ns") {
            assert_eq!(found[&device][at], number(row, key), "{stem}: {key} of GPU {device}");
        }
    }
}

fn check_steps(stem: &str, judged: &Judged, expected: &Value) {
    let steps = expected["iterations"].as_array().expect("iterations");
    if steps.len() < 3 {
        return;
    }
    let iterations = &judged.index.iterations;
    assert_eq!(iterations.key_node.as_ref().map(|node| node.name.as_str()), Some("ProfilerStep"), "{stem}");
    let columns: Vec<&str> = ["iteration", "device_id"].into_iter().chain(TIMES).collect();
    let times = rows(judged, "gpu_time", &[], &columns);
    for (step, place) in steps.iter().zip(1_u32..) {
        let span = iterations.span(place);
        assert_eq!([span.start, span.end], ["start_ns", "stop_ns"].map(|key| number(step, key)), "{stem}");
        let text = format!("ProfilerStep#{}", number(step, "number"));
        assert_eq!(iterations.label(place), Some(text.as_str()), "{stem}");
        for gpu in step["gpu"].as_array().expect("GPUs") {
            let is_it = |row: &&Row| row.1[..2] == [place.into(), number(gpu, "device")];
            let (_, found) = times.iter().find(is_it).expect("a row");
            let wanted: Vec<i64> = TIMES.iter().map(|key| number(gpu, key)).collect();
            assert_eq!(found[2..], wanted, "{stem}: {text} {TIMES:?}");
        }
    }
}

/// The text of a trace.
fn text_of(path: &Path) -> String {
    let bytes = std::fs::read(path).expect("a trace");
    let mut text = Vec::new();
    match bytes.starts_with(&[0x1f, 0x8b]) {
        true => drop(MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text).expect("a packed trace")),
        false => text = bytes,
    }
    String::from_utf8(text).expect("UTF-8")
}

/// A thread, and a time on it in nanoseconds from the first event.
type Place = (i64, i64);

/// Where flows from forward to backward begin and end. None where times are so large that numbers with a fraction do not hold them.
fn flows(text: &str) -> Option<Vec<[Place; 2]>> {
    let trace: Value = serde_json::from_str(text).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let ns = |event: &Value| {
        let microseconds = event["ts"].as_f64().expect("a time");
        #[expect(clippy::cast_possible_truncation, reason = "a time in this century")]
        (microseconds < 9e12).then(|| (microseconds * 1000.0).round() as i64)
    };
    let zero = events.iter().filter(|event| event["ph"] == "X").map(ns).min()??;
    let mut ends: BTreeMap<i64, [Option<Place>; 2]> = BTreeMap::new();
    for event in events.iter().filter(|event| event["cat"] == "fwdbwd" || event["cat"] == "forward_backward")
    {
        let thread = event["tid"].as_i64().or_else(|| event["tid"].as_str()?.parse().ok()).expect("a thread");
        let place = (thread, ns(event)? - zero);
        let pair = ends.entry(event["id"].as_i64().expect("a flow")).or_default();
        pair[usize::from(event["ph"] == "f")] = Some(place);
    }
    Some(ends.into_values().filter_map(|[start, end]| Some([start?, end?])).collect())
}

/// The innermost op call at a place.
fn op_call_at(capture: &Capture, (tid, time): Place) -> Option<OpCallId> {
    let calls = &capture.op_calls;
    let is_there = |call: &OpCallId| {
        let (span, thread) = (calls.span[*call], calls.thread[*call].some());
        span.start <= time
            && time < span.end.max(span.start + 1)
            && thread.is_some_and(|thread| capture.threads[thread.index()].tid() == tid)
    };
    calls
        .ids()
        .filter(is_there)
        .max_by_key(|call| (calls.span[*call].start, std::cmp::Reverse(calls.span[*call].end)))
}

#[test]
fn backward_ops_are_those_of_the_flows() {
    let Some(folder) = traces() else { return };
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).expect("traces") {
        let path = entry.expect("an entry").path();
        if !path.is_file() || path.extension().is_some_and(|extension| extension == "md") {
            continue;
        }
        let Some(flows) = flows(&text_of(&path)).filter(|flows| !flows.is_empty()) else { continue };
        let capture = Capture::read(&path, &ReadOptions::default()).expect("a trace");
        for [from, to] in flows {
            let (Some(forward), Some(backward)) = (op_call_at(&capture, from), op_call_at(&capture, to))
            else {
                continue;
            };
            let label = &capture.description.labels[capture.op_calls.label[backward].index()];
            // Nodes that only stand around others own nothing.
            if label.direction == Direction::Backward && !capture.op_calls.forward[backward].is_none() {
                assert_eq!(capture.op_calls.forward[backward], forward, "{} {from:?} {to:?}", path.display());
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "flows of several traces: {compared}");
}
