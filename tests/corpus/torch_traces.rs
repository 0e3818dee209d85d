//! Real traces of torch.profiler: what is read of them equals what an independent program counts; damaged and unusual files say
//! what is wrong with them.

use dlprof_core::{ApiCallId, Capture, DiagnosticCode, Error, GraphOrigin, ReadOptions, WorkId, WorkKind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder of the traces, where it is.
pub(crate) fn traces() -> Option<PathBuf> {
    dlprof_generate::corpus::folder().map(|folder| folder.join("kineto"))
}

fn read(path: &Path) -> Result<Capture, Error> {
    Capture::read(path, &ReadOptions::default())
}

/// The files below a folder whose names begin with a text.
fn beginning_with(folder: &Path, text: &str) -> Option<PathBuf> {
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).unwrap_or("").to_owned();
    files.filter(|path| path.is_file()).find(|path| name(path).starts_with(text))
}

/// The trace that a reference is about.
pub(crate) fn trace_of(folder: &Path, reference: &str) -> PathBuf {
    let trace = match reference.strip_prefix("dlrm-") {
        Some(worker) => beginning_with(&folder.join("nv-v100-dlrm-8rank"), &format!("{worker}_")),
        None => beginning_with(folder, &format!("{reference}.json")),
    };
    trace.unwrap_or_else(|| panic!("the trace of {reference}"))
}

#[test]
fn what_is_read_is_what_an_independent_program_counts() {
    let Some(folder) = traces() else { return };
    let mut compared = 0;
    for entry in std::fs::read_dir(folder.join("reference/oracle")).expect("references") {
        let reference = entry.expect("an entry").path();
        let stem = reference.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        let expected: Value =
            serde_json::from_slice(&std::fs::read(&reference).expect("a reference")).expect("JSON");
        let capture = read(&trace_of(&folder, &stem)).unwrap_or_else(|error| panic!("{stem}: {error}"));
        check_counts(&stem, &capture, &expected);
        check_times(&stem, &capture, &expected);
        compared += 1;
    }
    assert!(compared > 25, "the references are complete");
}

fn check_counts(stem: &str, capture: &Capture, expected: &Value) {
    let counts = &expected["counts"];
    let is_operator = |text: &dlprof_core::RangeTextId| capture.ranges.texts[text.index()].is_operator;
    let ranges = || capture.ranges.lists().flat_map(|list| &list.text);
    let graphs = capture.kernels.graph.iter().chain(&capture.transfers.graph);
    let works = (0..capture.work.len()).map(WorkId::new);
    let mut devices: Vec<i64> =
        capture.work.device.iter().map(|device| capture.devices[device.index()].device_id).collect();
    devices.sort_unstable();
    devices.dedup();
    let found = [
        ("operators", ranges().filter(|text| is_operator(text)).count()),
        ("annotations", ranges().filter(|text| !is_operator(text)).count()),
        ("python_frames", capture.host.python.span.len()),
        ("calls", capture.api_calls.len()),
        ("kernels", capture.kernels.len()),
        ("copies", capture.copies.len()),
        ("memsets", capture.memsets()),
        ("graph_items", graphs.filter(|graph| **graph == GraphOrigin::Node).count()),
        ("syncs", capture.syncs.kind.len()),
        ("overheads", capture.host.overheads.span.len()),
        ("streams", capture.streams.len()),
    ];
    for (what, found) in found {
        // The same stream of two processes, of which one is unknown, is two here.
        if what != "streams" || capture.processes.len() < 2 {
            assert_eq!(counts[what], found, "{stem}: {what}");
        }
    }
    assert_eq!(counts["devices_used"], serde_json::json!(devices), "{stem}: GPUs");
    let without_call = works.filter(|&work| capture.launches.api[work].some().is_none()).count();
    assert_eq!(expected["unassociated"]["without_call"], without_call, "{stem}: GPU work without a call");
}

fn check_times(stem: &str, capture: &Capture, expected: &Value) {
    const YEAR_2000: i64 = 946_684_800_000_000_000;
    let captured = expected["capture"]["captured_ns"].as_i64().filter(|&ns| ns >= YEAR_2000);
    assert_eq!(capture.source.captured_ns, captured, "{stem}: when it began");
    let mut kernels: BTreeMap<&str, [i64; 2]> = BTreeMap::new();
    let mut copies: BTreeMap<&str, [i64; 3]> = BTreeMap::new();
    for work in (0..capture.work.len()).map(WorkId::new) {
        let length = capture.work.span[work].length();
        let bytes = |at: usize| capture.transfers.bytes[..][at - capture.kernels.len()].cast_signed();
        match capture.work_kind(work) {
            WorkKind::Kernel => {
                let sums = kernels.entry(capture.strings.get(capture.kernels.long_name[work])).or_default();
                *sums = [sums[0] + 1, sums[1] + length];
            }
            kind => {
                let name = if kind == WorkKind::Copy { capture.copy_kind_name(work) } else { "memset" };
                let sums = copies.entry(name).or_default();
                *sums = [sums[0] + 1, sums[1] + length, sums[2] + bytes(work.index())];
            }
        }
    }
    let of = |row: &Value, key: &str| row[key].as_i64().unwrap_or_else(|| panic!("{key} of {row}"));
    let listed = expected["kernels"].as_object().expect("kernels");
    assert_eq!(kernels.len(), listed.len(), "{stem}: names of kernels");
    for (name, row) in listed {
        let wanted = [of(row, "launches"), of(row, "gpu_time_ns")];
        assert_eq!(kernels.get(name.as_str()), Some(&wanted), "{stem}: {name}");
    }
    let mut wanted: BTreeMap<&str, [i64; 3]> = BTreeMap::new();
    for row in expected["copies"].as_array().expect("copies") {
        let sums = wanted.entry(row["kind"].as_str().expect("a kind")).or_default();
        *sums = [sums[0] + of(row, "count"), sums[1] + of(row, "gpu_time_ns"), sums[2] + of(row, "bytes")];
    }
    assert_eq!(copies, wanted, "{stem}: copies and memsets");
    let mut calls: BTreeMap<&str, [i64; 2]> = BTreeMap::new();
    for call in (0..capture.api_calls.len()).map(ApiCallId::new) {
        let sums = calls.entry(capture.strings.get(capture.api_calls.name[call])).or_default();
        *sums = [sums[0] + 1, sums[1] + capture.api_calls.span[call].length()];
    }
    let wanted: BTreeMap<&str, [i64; 2]> = expected["api_calls"]
        .as_object()
        .expect("calls")
        .iter()
        .map(|(name, row)| (name.as_str(), [of(row, "calls"), of(row, "time_ns")]))
        .collect();
    assert_eq!(calls, wanted, "{stem}: API calls");
}

/// What is counted of a file.
fn count(capture: &Capture, code: DiagnosticCode) -> u64 {
    capture.diagnostics.counted(code)
}

/// Kernels, copies, calls and operators.
fn sizes(capture: &Capture) -> [usize; 4] {
    let operators = capture.ranges.lists().flat_map(|list| &list.text);
    let operators = operators.filter(|text| capture.ranges.texts[text.index()].is_operator).count();
    [capture.kernels.len(), capture.copies.len(), capture.api_calls.len(), operators]
}

/// A file with its numbers of kernels, copies, calls and operators, and what is said about it how often.
type OddFile = (&'static str, [usize; 4], &'static [(DiagnosticCode, u64)]);

#[test]
fn odd_files_are_read_as_far_as_they_can_be() {
    use DiagnosticCode::{
        BadInterval, BrokenClock, CutTrace, ProcessUnknown, RepeatedEvent, UnreadableEvent,
    };
    const WHOLE: [usize; 4] = [14, 2, 21, 70];
    let Some(folder) = traces().map(|folder| folder.join("odd")) else { return };
    let whole = read(&folder.join("whole.json")).expect("a trace");
    assert_eq!(sizes(&whole), WHOLE);
    assert_eq!(whole.recorder.vendor, dlprof_core::Vendor::Amd);
    assert!(whole.kineto.as_ref().is_some_and(|notes| !notes.is_list));
    let files: [OddFile; 12] = [
        ("bom-array.json", WHOLE, &[(DiagnosticCode::TraceWithoutHead, 1)]),
        ("infinity.json", WHOLE, &[]),
        ("string-times.json", WHOLE, &[]),
        ("many-digits.json", WHOLE, &[]),
        ("exponent.json", WHOLE, &[]),
        ("negative-duration.json", WHOLE, &[(BadInterval, 2)]),
        ("twice.json", WHOLE, &[(RepeatedEvent, 14)]),
        ("quotes-in-names.json", [14, 2, 21, 69], &[(UnreadableEvent, 1)]),
        ("windows-paths.json", WHOLE, &[]),
        ("control-characters.json", WHOLE, &[]),
        ("not-utf8.json", WHOLE, &[]),
        ("zero-times.json", WHOLE, &[(BrokenClock, 29)]),
    ];
    for (name, expected, counted) in files {
        let capture = read(&folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(sizes(&capture), expected, "{name}");
        for code in [BadInterval, BrokenClock, CutTrace, RepeatedEvent, UnreadableEvent] {
            let wanted = counted.iter().find(|(known, _)| *known == code).map_or(0, |(_, count)| *count);
            assert_eq!(count(&capture, code), wanted, "{name}: {}", code.key());
        }
        if !["negative-duration.json", "zero-times.json"].contains(&name) {
            assert_eq!(capture.work.span[..], whole.work.span[..], "{name}: times");
        }
    }
    let texts = |name: &str| {
        let capture = read(&folder.join(name)).expect("a trace");
        let texts = capture.ranges.texts.iter().map(|says| capture.strings.get(says.text).to_owned());
        texts.collect::<Vec<_>>()
    };
    assert!(texts("windows-paths.json").contains(&r"torch\cuda\__init__.py(219): _lazy_init".to_owned()));
    assert!(texts("control-characters.json").contains(&"a\u{1}b\nc".to_owned()));
    assert!(texts("not-utf8.json").contains(&"a\u{fffd}\u{fffd}b".to_owned()));

    for name in ["cut-off.json", "cut-off.json.gz"] {
        let capture = read(&folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(count(&capture, CutTrace), 1, "{name}");
        assert!(sizes(&capture)[3] > 10, "{name}: what is whole is read");
    }
    let two = read(&folder.join("two-processes.json")).expect("a trace");
    assert_eq!((two.processes.len(), count(&two, ProcessUnknown)), (2, 32));
    assert!(two.launches.api.iter().all(|call| call.some().is_none()), "nothing says whose an item is");
}

#[test]
fn what_is_not_a_trace_is_one_clear_error() {
    let Some(folder) = traces().map(|folder| folder.join("odd")) else { return };
    for (name, found) in [
        ("no-events.json", "it has no events"),
        ("not-kineto.json", "not one of PyTorch's profiler"),
        ("legacy-autograd.json", "before PyTorch 1.8"),
        ("expect.json", "it has no list `traceEvents`"),
    ] {
        let error = read(&folder.join(name)).expect_err(name);
        assert!(matches!(error, Error::NotATrace { .. }), "{name}: {error}");
        assert!(error.to_string().contains(found) && error.to_string().contains(name), "{name}: {error}");
    }
}
