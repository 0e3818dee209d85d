//! The file around the events: keys, blocks, packed parts, and files that are something else.

use super::{CALL, KERNEL, count, op, read, read_by, read_bytes, span, texts, trace};
use crate::base::Error;
use crate::base::diagnostics::DiagnosticCode;
use crate::base::ids::{ApiCallId, WorkId};
use crate::read::kineto::reading::EventReader;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{Read, Write};

#[test]
fn keys_may_stand_in_any_order() {
    let event = r#"{"args": {"correlation": 5}, "dur": 2, "ts": 1, "tid": 8, "pid": 7, "name": "cudaLaunchKernel",
        "unknown": [{"x": "]"}], "cat": "cuda_runtime", "ph": "X"}"#;
    let head = r#""with_stack": 1, "distributedInfo": {"rank": 3, "world_size": 8, "backend": "nccl", "nccl_version": "2.21.5"},
        "baseTimeNanoseconds": 1700000000000000000, "cuda_runtime_version": 12040,
        "metadata": {"ENV": "SECRET \"}] "}, "deviceProperties": [{"id": 0, "name": "NVIDIA A100", "computeMajor": 8,
        "computeMinor": 0, "numSms": 108, "maxThreadsPerMultiprocessor": 2048, "warpSize": 32}]"#;
    let events = format!(r#""traceEvents": [{event}, {KERNEL}]"#);
    for text in [
        format!("{{{head}, {events}}}"),
        format!("{{{events}, {head}}}"),
        format!("{{{head},{events},\"x\": null}}"),
    ] {
        let facts = read(&text);
        let notes = facts.kineto.as_ref().expect("a trace");
        assert!(notes.with_stack && !notes.record_shapes);
        assert_eq!(
            (notes.rank, notes.world_size, notes.nccl_version.as_deref()),
            (Some(3), Some(8), Some("2.21.5"))
        );
        assert_eq!(facts.source.captured_ns, Some(1_700_000_000_000_001_000));
        assert_eq!(facts.system.cuda_version.as_deref(), Some("12.4"));
        let gpu = &facts.devices[0];
        assert_eq!(
            (gpu.compute_capability, gpu.warps_per_sm, gpu.sm_count),
            (Some((8, 0)), Some(64), Some(108))
        );
        assert_eq!((facts.api_calls.len(), facts.kernels.len()), (1, 1));
        assert_eq!(facts.work.correlation[WorkId::new(0)], facts.keys.api_calls[ApiCallId::new(0)]);
        let all = (0..facts.strings.len()).map(|at| facts.strings.get(crate::base::ids::StrId::new(at)));
        assert!(all.into_iter().all(|text| !text.contains("SECRET")), "metadata are not kept");
    }
}

/// Where the reader meets the end of a block must not matter.
#[test]
fn blocks_of_any_size_give_the_same() {
    struct Slowly<'a>(&'a [u8], usize);
    impl Read for Slowly<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let some = self.1.min(self.0.len()).min(buffer.len());
            buffer[..some].copy_from_slice(&self.0[..some]);
            self.0 = &self.0[some..];
            Ok(some)
        }
    }
    let padding = format!("\"{}\"", "é \\\" ".repeat(600_000));
    let text = format!(
        "{{\"before\": {padding}, \"traceEvents\": [{KERNEL}, {{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": {padding}, \"ts\": 1}}, {CALL}], \"after\": {padding}}}"
    );
    let size = text.len() as u64;
    for step in [1_000, 1 << 20] {
        let facts = read_by(EventReader::Quick, Slowly(text.as_bytes(), step), size).expect("a trace");
        assert_eq!((facts.kernels.len(), facts.api_calls.len(), facts.ranges.len()), (1, 1, 1), "{step}");
        assert_eq!(count(&facts, DiagnosticCode::CutTrace), 0);
        assert!(texts(&facts)[0].len() < 20_000 && texts(&facts)[0].starts_with("é \" é"));
    }
}

#[test]
fn packed_traces_are_read_as_far_as_they_are_whole() {
    let events: Vec<String> =
        (0..5000).map(|at| op(&format!("aten::op{at}"), [&format!("{at}"), "0.5"], "")).collect();
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let text = trace(&events);
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text.as_bytes()).expect("memory");
    let packed = packed.finish().expect("memory");
    let facts = read_bytes(&packed).expect("a trace");
    assert_eq!((facts.ranges.len(), count(&facts, DiagnosticCode::CutTrace)), (5000, 0));
    let cut = read_bytes(&packed[..packed.len() * 2 / 3]).expect("a trace");
    assert!((1000..5000).contains(&cut.ranges.len()), "{}", cut.ranges.len());
    assert_eq!(count(&cut, DiagnosticCode::CutTrace), 1);
    let mut damaged = packed.clone();
    let last = damaged.len() - 6;
    damaged[last] ^= 1;
    let damaged = read_bytes(&damaged).expect("a trace");
    assert_eq!((damaged.ranges.len(), count(&damaged, DiagnosticCode::CutTrace)), (5000, 1));
    // Two packed parts in one file, as `cat` of two files gives.
    let (start, end) = text.split_at(text.len() / 3);
    let parts = [start, end].map(|part| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(part.as_bytes()).expect("memory");
        packed.finish().expect("memory")
    });
    assert_eq!(read_bytes(&parts.concat()).expect("a trace").ranges.len(), 5000);
    // What stands after is no part of them.
    for behind in [&[0; 512][..], b"garbage"] {
        let facts = read_bytes(&[&packed, behind].concat()).expect("a trace");
        assert_eq!((facts.ranges.len(), count(&facts, DiagnosticCode::CutTrace)), (5000, 0));
    }
    assert!(matches!(read_bytes(&packed[..5]), Err(Error::NotATrace { .. })));
}

/// Two traces in one file, as `cat` of two gives, or the end of a longer one after a shorter one, as two writers leave it.
#[test]
fn what_stands_behind_the_trace_is_left_out_and_told() {
    let event = span("aten::add", "cpu_op", ["1", "2"], "");
    let (object, list) = (trace(&[&event]), format!("[{event}]"));
    let big = trace(&vec![event.as_str(); 2000]);
    for (first, behind, told) in [
        (&object, "", None),
        (&object, " \n\0\0", None),
        (&list, "\n", None),
        (&object, object.as_str(), Some(format!("another trace or object of JSON, {} bytes", object.len()))),
        (&list, list.as_str(), Some(format!("another trace or object of JSON, {} bytes", list.len()))),
        (&object, big.as_str(), Some(format!("another trace or object of JSON, {} bytes", big.len()))),
        (&object, "\n, \"dur\": 3}]}", Some("text, 13 bytes".into())),
    ] {
        let facts = read(&format!("{first}{behind}"));
        let found = facts.diagnostics.to_vec();
        let found = found.iter().find(|found| found.code == DiagnosticCode::TextBehindTrace);
        assert_eq!(found.map(|found| found.examples[0].clone()), told, "{behind}");
        assert_eq!(facts.ranges.len(), 1, "{behind}");
    }
}

#[test]
fn other_files_are_refused_by_what_they_are() {
    let chrome = r#"{"traceEvents": [{"ph": "X", "cat": "devtools", "name": "a", "ts": 1, "dur": 1}]}"#;
    let autograd = r#"[{"name": "aten::add", "ph": "X", "ts": 1.5, "dur": 2, "tid": 1, "pid": "CPU functions", "args": {}}]"#;
    for (text, expected) in [
        ("{\"format\": \"x\"}", "it has no list `traceEvents`"),
        ("{\"traceEvents\": []}", "it has no events"),
        ("[]", "it has no events"),
        (chrome, "it is a trace in Chrome's format, but not one of PyTorch's profiler"),
        (autograd, "it is of the profiler before PyTorch 1.8, which recorded no kernels"),
        ("{", "it ends early, before its list `traceEvents`"),
        ("{\"traceEvents", "it ends early, before its list `traceEvents`"),
        (
            "{\"schemaVersion\": 1, \"traceEvents\": [",
            "it ends early, before the first event of the profiler",
        ),
        ("{\"traceEvents\": [{\"ph\": \"X\", \"cat", "it ends early, before the first event of the profiler"),
        ("", "it is empty"),
        ("hello", "it is not JSON"),
    ] {
        match read_bytes(text.as_bytes()) {
            Err(Error::NotATrace { found, .. }) => assert_eq!(found, expected, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}
