//! Answers to the standing questions about real captures of every recorder: within the budget, in one form, and without a figure or
//! a "none" where nothing tells.

use dlprof_core::{
    Capture, DefaultRange, Judged, KeyNodeChoice, RangeChoice, ReadOptions, RuleSettings, judge,
};
use dlprof_export::{
    AnswerState, AskedCapture, Asking, BYTES_OF_TOKEN, Envelope, QueryLimits, StandingQuestion, ask,
};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Larger captures would take too long.
const LARGEST: u64 = 1_300_000;

/// Traces are packed.
const LARGEST_TRACE: u64 = 200_000;

/// Captures of all recorders.
fn captures() -> Vec<PathBuf> {
    let mut files = dlprof_generate::corpus::corpus();
    let Some(folder) = dlprof_generate::corpus::folder() else { return files };
    for (name, ending) in [("kineto", "gz"), ("kineto", "json"), ("rocpd", "db"), ("xplane", "pb")] {
        let entries = std::fs::read_dir(folder.join(name)).expect("a folder of the corpus");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        files.extend(paths.filter(|path| path.extension().is_some_and(|own| own == ending)));
    }
    let most = |path: &Path| if path.to_string_lossy().contains("kineto") { LARGEST_TRACE } else { LARGEST };
    files.retain(|path| path.metadata().is_ok_and(|file| file.len() <= most(path)));
    files
}

fn read(path: &Path) -> Option<Judged> {
    let capture = Capture::read(path, &ReadOptions::default()).ok()?;
    let index = capture.index(&KeyNodeChoice::Find).expect("an index");
    let range = RangeChoice { otherwise: DefaultRange::Auto, ..RangeChoice::default() };
    Some(judge(&index.profile(&range).expect("a profile"), &RuleSettings::default()))
}

fn answer(judged: &Judged, question: StandingQuestion) -> Envelope {
    let captures = [AskedCapture { id: "c-1", name: "one", judged }];
    let asking =
        Asking { question, about: None, captures: &captures, cursor: None, limits: QueryLimits::default() };
    ask(&asking).expect("queries of our own")
}

#[test]
fn answers_about_every_capture_fit_the_budget_and_say_what_is_not_known() {
    let mut count = 0;
    for path in captures() {
        let Some(judged) = read(&path) else { continue };
        for question in StandingQuestion::ALL.into_iter().filter(|one| *one != StandingQuestion::Compare) {
            let place = format!("{} {question:?}", path.display());
            let envelope = answer(&judged, question);
            check(&judged, &envelope, question, &place);
            check_ways_out(&judged, &envelope, &place);
            count += 1;
        }
    }
    assert!(count > 200 || dlprof_generate::corpus::folder().is_none(), "{count}");
}

fn check(judged: &Judged, envelope: &Envelope, question: StandingQuestion, place: &str) {
    let text = envelope.to_json(2_000);
    assert!(text.len() <= 2_000 * BYTES_OF_TOKEN, "{place}: {} bytes", text.len());
    let said: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{place}: {error}: {text}"));
    assert_ne!(envelope.state, AnswerState::Error, "{place}");
    if question != StandingQuestion::Suffices {
        assert_eq!(envelope.cannot.is_empty(), envelope.state == AnswerState::Answer, "{place}: reasons");
    }
    let say = said["say"].as_str().unwrap_or_default();
    assert!(!say.is_empty() && !say.contains("unknown%") && !say.contains(" null"), "{place}: {say}");
    for part in &envelope.parts {
        assert!(part.shown <= part.total && (part.shown == part.total || part.next.is_some()), "{place}");
    }
    let reasons: Vec<&str> = envelope.cannot.iter().map(|cannot| cannot.because).collect();
    if question == StandingQuestion::Overlap && say.contains("No kernel that exchanges data ran") {
        let hides = ["kinds_unknown", "graphs_recorded_whole", "no_kernels"];
        assert!(!reasons.iter().any(|reason| hides.contains(reason)), "{place}: {reasons:?}");
    }
    if !judged.has_kernel_records() {
        let has_kernels = |name: &str| ["kernels", "short_names", "exchange", "all_kernels"].contains(&name);
        assert!(!envelope.parts.iter().any(|part| has_kernels(part.name)), "{place}");
    }
    if question == StandingQuestion::TensorCores && text.contains("\"tensor_cores:unknown\"") {
        assert!(say.contains('%') && say.contains("names do not tell"), "{place}: {say}");
    }
}

/// Words for NVIDIA's tools are no way out for who has another maker's GPUs.
fn check_ways_out(judged: &Judged, envelope: &Envelope, place: &str) {
    let is_amd = judged.capture.recorder.vendor == dlprof_core::Vendor::Amd;
    for way in envelope.cannot.iter().flat_map(|cannot| &cannot.record) {
        let mixed =
            ["rocprofv3 --sample", "jax.profiler.trace --", "--rocprof-compute", "rocprofv3 --cpuctxsw"];
        assert!(!mixed.iter().any(|words| way.contains(words)), "{place}: {way}");
        assert!(!(is_amd && way.contains("Nsight Compute")), "{place}: {way}");
    }
}
