//! What the rows of a trace become.

use super::{CALL, KERNEL, count, op, read, span, trace};
use crate::base::diagnostics::DiagnosticCode;
use crate::base::ids::{ApiCallId, WorkId};
use crate::base::time::Span;
use crate::read::facts::Vendor;
use crate::read::facts::{GraphOrigin, NO_CORRELATION, NO_SEQUENCE};

#[test]
fn a_launch_and_its_kernel_are_joined() {
    let add = op(
        "aten::add",
        ["10", "4.001"],
        r#""Sequence number": 9, "Fwd thread id": 0, "Input Dims": [[8, 3], []]"#,
    );
    let facts = read(&trace(&[KERNEL, CALL, &add]));
    assert_eq!(facts.work.span[WorkId::new(0)], Span::new(5_500, 8_750));
    assert_eq!(facts.api_calls.span[ApiCallId::new(0)], Span::new(1_000, 3_000));
    assert_eq!(facts.work.correlation[WorkId::new(0)], facts.keys.api_calls[ApiCallId::new(0)]);
    assert_ne!(facts.work.correlation[WorkId::new(0)], NO_CORRELATION);
    assert_eq!(
        facts.work.process[WorkId::new(0)].some().map(|process| facts.processes[process.index()].pid()),
        Some(7)
    );
    let name = |id| facts.strings.get(id);
    assert_eq!(name(facts.kernels.short_name[WorkId::new(0)]), "add");
    assert_eq!(name(facts.kernels.long_name[WorkId::new(0)]), "void at::add<float>(int)");
    let config = facts.launch_configs[facts.kernels.config[WorkId::new(0)].index()];
    assert_eq!((config.grid, config.block), ([64, 2, 1], [128, 1, 1]));
    assert_eq!(
        (config.registers, config.static_shared_bytes, config.dynamic_shared_bytes),
        (Some(32), None, Some(1024))
    );
    let thread = &facts.threads[0];
    assert_eq!((thread.pid(), thread.tid()), (7, 8));
    let ranges = &facts.ranges.by_thread[0];
    assert_eq!(ranges.span[..], [Span::new(0, 4_001)]);
    let says = facts.ranges.texts[0];
    assert_eq!((name(says.text), name(says.sizes), says.is_operator), ("aten::add", "[[8, 3], []]", true));
    assert_eq!(facts.keys.sequences[0][..], [9]);
    assert!(!facts.keys.operators[0].is_node);
    assert_eq!(facts.devices.len(), 1);
    assert!(facts.host.os_calls.is_none());
}

#[test]
fn calls_of_two_processes_own_nothing_that_both_may_own() {
    let other = CALL.replace("\"pid\": 7", "\"pid\": 9");
    let facts = read(&trace(&[CALL, &other, KERNEL]));
    assert_eq!(facts.processes.len(), 2);
    assert_eq!(facts.work.correlation[WorkId::new(0)], NO_CORRELATION);
    assert!(facts.work.process[WorkId::new(0)].is_none());
    // Of two calls of one process, the first to start.
    let later = CALL.replace("\"ts\": 11", "\"ts\": 12").replace("cudaLaunchKernel", "cuLaunchKernel");
    let facts = read(&trace(&[&later, CALL, KERNEL]));
    assert_eq!(facts.work.correlation[WorkId::new(0)], facts.keys.api_calls[ApiCallId::new(1)]);
    assert_eq!(facts.keys.api_calls[ApiCallId::new(0)], NO_CORRELATION);
}

#[test]
fn calls_of_hip_say_what_their_kernels_lack() {
    let call = |name: &str| {
        format!(
            r#"{{"ph": "X", "cat": "cuda_runtime", "name": "{name}", "pid": 7, "tid": 8, "ts": 1, "dur": 2,
            "args": {{"correlation": 5, "grid": [4, 1, 1], "block": [64, 1, 1], "bytes": 300}}}}"#
        )
    };
    let item = |category: &str, name: &str| {
        format!(
            r#"{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": 2, "tid": 0, "ts": 5, "dur": 2,
            "args": {{"device": 2, "stream": 0, "correlation": 5, "kind": "Dispatch Kernel"}}}}"#
        )
    };
    let kernel = item("kernel", "Cijk_Ailk");
    let facts = read(&trace(&[&call("hipLaunchKernel"), &kernel]));
    assert_eq!(facts.recorder.vendor, Vendor::Amd);
    assert_eq!(facts.launch_configs[facts.kernels.config[WorkId::new(0)].index()].grid, [4, 1, 1]);
    let facts = read(&trace(&[&call("hipGraphLaunch"), &kernel]));
    assert_eq!(facts.kernels.graph[WorkId::new(0)], GraphOrigin::Node);
    assert_eq!(facts.launch_configs[facts.kernels.config[WorkId::new(0)].index()].grid, [0, 0, 0]);

    let copy = item("gpu_memcpy", "Memcpy HtoD (Host -> Device)");
    let facts = read(&trace(&[&call("hipMemcpyWithStream"), &copy]));
    assert_eq!((facts.transfers.bytes[..].to_vec(), facts.unsized_transfers.transfer.len()), (vec![300], 0));
    let fill = item("kernel", "__amd_rocclr_fillBufferAligned.kd");
    let facts = read(&trace(&[&fill, &copy]));
    assert_eq!((facts.kernels.len(), facts.copies.len(), facts.memsets()), (0, 1, 1));
    assert_eq!(facts.unsized_transfers.transfer.len(), 2, "nobody says how many bytes");
}

#[test]
fn the_only_gpu_has_the_number_of_its_work() {
    let head =
        r#"{"deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X", "warpSize": 64}], "traceEvents": "#;
    let kernel = KERNEL.replace("\"device\": 0", "\"device\": 9").replace("\"pid\": 0", "\"pid\": 9");
    let memory = r#"{"ph": "i", "name": "[memory]", "pid": 7, "tid": 8, "ts": 4, "args": {"Device Type": 1, "Device Id": 0, "Bytes": 1}}"#;
    let facts = read(&format!("{head} [{kernel}, {memory}]}}"));
    let gpus: Vec<(i64, Option<&str>)> =
        facts.devices.iter().map(|gpu| (gpu.device_id, gpu.name.as_deref())).collect();
    assert_eq!(gpus, [(9, Some("AMD Instinct MI300X"))]);
    // Where work ran on several, nothing says which is described.
    let facts = read(&format!("{head} [{kernel}, {KERNEL}]}}"));
    assert_eq!(facts.devices.iter().map(|gpu| gpu.device_id).collect::<Vec<_>>(), [0, 9]);
}

#[test]
fn a_gpu_that_merged_traces_describe_twice_is_one() {
    let gpu =
        |id: u32| format!(r#"{{"id": {id}, "name": "NVIDIA H100", "computeMajor": 9, "computeMinor": 0}}"#);
    let listed = [0, 1, 0, 1].map(gpu).join(", ");
    let facts = read(&format!(r#"{{"deviceProperties": [{listed}], "traceEvents": [{KERNEL}]}}"#));
    assert_eq!(facts.devices.iter().map(|gpu| gpu.device_id).collect::<Vec<_>>(), [0, 1]);
}

/// A kernel with the number of a call that is not there is no kernel of those that are.
#[test]
fn kernels_of_calls_that_are_not_in_the_trace_are_counted() {
    let other = KERNEL.replace("\"correlation\": 5", "\"correlation\": 6");
    assert_ne!(other, KERNEL);
    let count =
        |events: &[&str]| read(&trace(events)).kineto.as_ref().map(|notes| notes.kernels_of_other_calls);
    assert_eq!((count(&[CALL, KERNEL]), count(&[CALL, KERNEL, &other])), (Some(0), Some(1)));
}

#[test]
fn why_there_are_no_kernels_is_said_once() {
    use DiagnosticCode::{CutTrace, OtherDevice, TraceWithoutKernels};
    let add = op("aten::add", ["10", "4"], "");
    let mtia = CALL.replace("cuda_runtime", "mtia_ccp_events");
    let whole = trace(&[&add, CALL]);
    let cases = [
        (whole.clone(), TraceWithoutKernels),
        (trace(&[&add, &mtia]), OtherDevice),
        (whole[..whole.len() - 10].to_owned(), CutTrace),
    ];
    for (text, expected) in cases {
        let facts = read(&text);
        for code in [CutTrace, OtherDevice, TraceWithoutKernels] {
            assert_eq!(count(&facts, code), u64::from(code == expected), "{text}");
        }
    }
}

#[test]
fn most_operators_that_are_left_out_are_counted_by_their_numbers() {
    let left_out = |step: i64| {
        let ops: Vec<String> = (1..=60)
            .map(|number| {
                op("aten::add", [&number.to_string(), "1"], &format!("\"External id\": {}", number * step))
            })
            .collect();
        let events: Vec<&str> = ops.iter().map(String::as_str).chain([CALL, KERNEL]).collect();
        count(&read(&trace(&events)), DiagnosticCode::ThinnedTrace)
    };
    assert_eq!((left_out(1), left_out(5), left_out(50)), (0, 0, 2951 - 60));
}

#[test]
fn call_stacks_of_operators_say_that_stacks_were_recorded() {
    let with_stack = |args: &str| {
        let facts = read(&trace(&[&op("aten::add", ["10", "4"], args), KERNEL]));
        facts.kineto.as_ref().is_some_and(|notes| notes.with_stack)
    };
    assert!(with_stack(r#""Call stack": "train.py(3): step;train.py(9): main""#));
    assert!(!with_stack(r#""Call stack": """#));
}

/// Kernels of one graph launch, in a trace of whole microseconds: five that look the same are five, unless the launch is there
/// twice as well.
#[test]
fn kernels_without_a_length_are_repeated_only_where_their_call_is() {
    let kernel = KERNEL.replace("\"dur\": 3.25", "\"dur\": 0");
    assert_ne!(kernel, KERNEL);
    let facts = read(&trace(&[CALL, &kernel, &kernel, &kernel, &kernel, &kernel]));
    assert_eq!((facts.kernels.len(), count(&facts, DiagnosticCode::RepeatedEvent)), (5, 0));
    let facts = read(&trace(&[CALL, &kernel, CALL, &kernel]));
    assert_eq!((facts.kernels.len(), facts.api_calls.len()), (1, 1));
}

#[test]
fn records_that_stand_there_twice_count_once() {
    let add = |start| op("aten::add", [start, "2"], r#""External id": 4"#);
    let other = op("aten::add", ["1", "2"], r#""External id": 5"#);
    let facts = read(&trace(&[&add("1"), KERNEL, CALL, &add("1"), &other, &add("3"), KERNEL, CALL]));
    assert_eq!((facts.ranges.len(), facts.kernels.len(), facts.api_calls.len()), (3, 1, 1));
    assert_eq!(count(&facts, DiagnosticCode::RepeatedEvent), 3);
}

#[test]
fn names_of_2021_say_what_is_an_operator() {
    let event = |name: &str| span(name, "Operator", ["1", "1"], r#", "args": {"Sequence number": -1}"#);
    let events = ["aten::add", "AddBackward0", "ProfilerStep#1", "CopyBackwards", "x_backward12"].map(event);
    let facts = read(&trace(&events.each_ref().map(String::as_str)));
    let is_operator: Vec<bool> = facts.ranges.texts.iter().map(|says| says.is_operator).collect();
    assert_eq!(is_operator, [true, true, false, false, true]);
    assert!(facts.keys.sequences[0].iter().all(|&number| number == NO_SEQUENCE));
    let stream = r#"{"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": "stream 7", "ts": 1, "dur": 1, "args": {"device": 0}}"#;
    assert_eq!(read(&trace(&[stream])).streams[0].number, 7);
}

#[test]
fn frames_allocations_and_collectives_have_tables() {
    let frame = |name: &str, times| {
        span(name, "python_function", times, r#", "args": {"Python id": 1, "Python parent id": null}"#)
    };
    let (inner, outer) = (frame("nn.Module: Linear_0", ["2", "1"]), frame("train.py(3): step", ["2", "5"]));
    let memory = r#"{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 7, "tid": 8, "ts": 4,
        "args": {"Device Type": 1, "Device Id": 0, "Addr": 1, "Bytes": -512, "Total Allocated": 1024, "Total Reserved": 2048}}"#;
    let host =
        memory.replace("\"Device Type\": 1", "\"Device Type\": 0").replace(", \"Total Reserved\": 2048", "");
    let collective = KERNEL.replace(
        "\"unknown\"",
        r#""Collective name": "allreduce", "In msg nelems": 10, "Out msg nelems": 10, "Group size": 8, "dtype": "Float",
        "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "unknown""#,
    );
    let facts = read(&trace(&[&inner, &outer, memory, &host, KERNEL, &collective.replace("15.5", "25")]));
    let python = &facts.host.python;
    let names: Vec<&str> = python.name.iter().map(|&name| facts.strings.get(name)).collect();
    assert_eq!(names, ["train.py(3): step", "nn.Module: Linear_0"], "in the order in which they open");
    let allocator = &facts.allocator;
    assert_eq!(
        (&allocator.bytes[..], allocator.allocated[..].to_vec()),
        (&[-512, -512][..], vec![1024, 1024])
    );
    assert_eq!(allocator.reserved[..], [2048, u64::MAX]);
    assert_eq!((allocator.time[..][0], allocator.device[..][1].is_none()), (2_000, true));
    assert_eq!(
        (facts.collectives.work[..].to_vec(), facts.collectives.collective[..].to_vec()),
        (vec![WorkId::new(1)], vec![0])
    );
    let said = &facts.about.collectives[0];
    assert_eq!(
        (said.name.as_str(), said.data_type.as_str(), said.group_size, said.in_elements),
        ("allreduce", "Float", Some(8), Some(10))
    );
}

/// Ranks whose traces a tool merged have the same correlation ids, GPUs and streams: labels tell them apart.
#[test]
fn work_of_merged_ranks_belongs_to_calls_with_its_label() {
    let labelled = |label: &str| {
        let call = CALL.replacen("\"pid\": 7", &format!("\"pid\": \"[{label}] 7\""), 1);
        [call, KERNEL.replacen("\"pid\": 0", &format!("\"pid\": \"[{label}] 0\""), 1)]
    };
    let [call_a, kernel_a] = labelled("TP00");
    let [call_b, kernel_b] = labelled("TP01");
    let facts = read(&trace(&[&call_a, &kernel_a, &kernel_b, &call_b]));
    assert_eq!((facts.kernels.len(), facts.processes.len()), (2, 2));
    let process = |row: usize| facts.work.process[WorkId::new(row)];
    assert_ne!(process(0), process(1));
    for row in 0..2 {
        let key = facts.work.correlation[WorkId::new(row)];
        let call = facts.keys.api_calls.iter().position(|&of_call| of_call == key).expect("a call");
        let thread = facts.api_calls.thread[..][call].some().expect("a thread");
        assert_eq!(process(row), facts.process_of(thread));
    }
    assert_eq!(count(&facts, DiagnosticCode::MergedRanks), 2);
    // Without labels nothing says whose the work is.
    let other = CALL.replacen("\"pid\": 7", "\"pid\": 9", 1);
    let facts = read(&trace(&[CALL, &other, KERNEL]));
    assert!(facts.work.process[WorkId::new(0)].is_none());
    assert_eq!(count(&facts, DiagnosticCode::MergedRanks), 0);
}
