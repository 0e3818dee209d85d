//! Reading and writing baselines.

use crate::simulated::pair;
use dlprof_core::{
    Assumptions, BaselineOp, Capture, Document, ErrorKind, KeyNodeChoice, RangeChoice, ReadOptions, RunError,
    Trend, baseline_json, compare_runs, read_baseline,
};
use dlprof_generate::runs::PLAIN;
use std::path::{Path, PathBuf};

fn sample_document() -> Document {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sample.sqlite");
    of_capture(&path)
}

fn of_capture(path: &Path) -> Document {
    let capture = Capture::read(path, &ReadOptions::default()).expect("a capture");
    let index = capture.index(&KeyNodeChoice::Find).expect("an index");
    Document::of(&index.profile(&RangeChoice::default()).expect("a profile").into())
}

fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("base.json");
    std::fs::write(&path, text).expect("a file");
    (folder, path)
}

#[test]
fn what_is_written_is_read() {
    for document in [sample_document(), pair(PLAIN, 1, 3, 1.0).0] {
        let text = baseline_json(&document);
        let (_folder, path) = written(&text);
        let again = read_baseline(&path).expect("a baseline");
        assert_eq!(baseline_json(&again), text);
        assert_eq!(again.runs.len(), document.runs.len());
    }
}

#[test]
fn the_sample_is_what_the_profile_says() {
    let document = sample_document();
    let run = &document.runs[0];
    assert_eq!((run.iterations.total, run.iterations.used, run.samples()), (65, 63, 63));
    assert_eq!(run.iterations.left_out.values().sum::<u32>(), 2);
    assert!(run.metrics.values().all(|samples| samples.len() == 63));
    assert!(run.metrics["communication_time_ns"].iter().all(|&ns| ns > 0.0));
    let all: f64 = run.op_types.values().map(|time| time.mean_ns).sum();
    let by_op: f64 = run.ops.values().map(|op| op.time.mean_ns).sum();
    assert!((all - by_op).abs() < 1.0, "{all} {by_op}");
    assert!(
        run.ops.contains_key(&BaselineOp::key("/module/train_step/all_reduce", "fprop", 1)),
        "{:?}",
        run.ops.keys()
    );
    // Small: a line per array, and far below the capture.
    let text = baseline_json(&document);
    assert!(
        text.lines()
            .filter(|line| line.contains('['))
            .all(|line| line.contains("[]") || line.contains(']') || line.trim_end().ends_with('['))
    );
}

#[test]
fn damage_is_named() {
    let sound = baseline_json(&pair(PLAIN, 1, 2, 1.0).0);
    let without_a_sample = {
        let at = sound.find("\"copy_time_ns\": [").expect("the metric") + "\"copy_time_ns\": [".len();
        let end = at + sound[at..].find(", ").expect("a sample") + 2;
        format!("{}{}", &sound[..at], &sound[end..])
    };
    for (text, message, kind) in [
        (String::new(), "the file is empty", ErrorKind::Input),
        ("{}".to_owned(), "its field `format` is not", ErrorKind::Input),
        (sound[..sound.len() / 2].to_owned(), "is damaged", ErrorKind::Input),
        (
            sound.replace("\"version\": 1", "\"version\": 2"),
            "of version 2, but this dlprof-agg reads versions up to 1",
            ErrorKind::Input,
        ),
        (sound.replace("\"version\": 1", "\"version\": \"x\""), "its field `version`", ErrorKind::Input),
        (sound.replacen("1200", "-1200", 1), "has the sample -1200", ErrorKind::Input),
        (sound.replacen("1200", "1e999", 1), "is damaged", ErrorKind::Input),
        (sound.replacen("1200", "NaN", 1), "is damaged", ErrorKind::Input),
        (without_a_sample, "`copy_time_ns` has 39 samples, not 40", ErrorKind::Input),
        (
            sound.replacen("\"total_ns\": 0", "\"total_ns\": 7", 1),
            "add up to 0 ns, but should add up to 7",
            ErrorKind::Input,
        ),
        (
            sound.replacen("\"idle\": {}", "\"idle\": {\"sync\": -5}", 1),
            "has a part of -5 ns",
            ErrorKind::Input,
        ),
        (sound.replacen("\"gpus\": 1", "\"gpus\": 0", 1), "has no iterations or no GPUs", ErrorKind::Input),
        (
            "{\"format\": \"dlprof-agg baseline\", \"version\": 1, \"runs\": []}".to_owned(),
            "it holds no runs",
            ErrorKind::Input,
        ),
    ] {
        let (_folder, path) = written(&text);
        let error: RunError = read_baseline(&path).expect_err(message);
        assert!(error.to_string().contains(message), "{message}: {error}");
        assert_eq!(error.kind(), kind);
    }
}

#[test]
fn a_renamed_op_is_recognised() {
    let base = sample_document();
    let mut new = base.clone();
    let ops = &mut new.runs[0].ops;
    let key = ops.keys().find(|key| key.contains("conv2d")).expect("a convolution").clone();
    let mut op = ops.remove(&key).expect("the op");
    op.name = "/module/Other::forward/conv2d".to_owned();
    ops.insert(BaselineOp::key(&op.name, &op.direction, op.ordinal), op);
    let comparison = compare_runs(&base, &new, Assumptions::default());
    let renamed: Vec<_> = comparison.ops.iter().filter(|row| row.renamed_from.is_some()).collect();
    assert_eq!(renamed.len(), 1, "{renamed:?}");
    assert_eq!(renamed[0].renamed_from.as_deref(), Some(key.as_str()));
    assert!(comparison.ops.iter().all(|row| row.trend == Trend::Equal), "{:?}", comparison.ops);
    // An op with other kernels is new, and the old one vanished.
    let run = &mut new.runs[0];
    let op = run.ops.values_mut().find(|op| op.name.contains("Other")).expect("the op");
    op.kernels = std::collections::BTreeMap::from([("other_kernel".to_owned(), 1.0)]);
    let comparison = compare_runs(&base, &new, Assumptions::default());
    let count = |trend| comparison.ops.iter().filter(|row| row.trend == trend).count();
    assert_eq!((count(Trend::New), count(Trend::Vanished)), (1, 1));
}
