//! Windows and iterations of real captures: the figures that a person would give.

use dlprof_core::{
    Capture, Clock, Confidence, DefaultRange, DelimiterKind, IterationState, KeyNodeChoice, Profile,
    RangeChoice, ReadOptions,
};
use dlprof_generate::corpus::folder;
use std::path::Path;

/// The profile that the dashboard shows.
fn profile(file: &Path, otherwise: DefaultRange) -> Profile {
    let capture = Capture::read(file, &ReadOptions::default()).expect("a capture");
    let index = capture.index(&KeyNodeChoice::Find).expect("an index");
    index.profile(&RangeChoice { otherwise, ..RangeChoice::default() }).expect("a profile")
}

fn assert_near(what: &str, actual: f64, expected: f64, tolerance: f64) {
    assert!((actual - expected).abs() <= tolerance, "{what}: {actual}, not {expected}");
}

#[test]
fn start_up_and_unused_gpus_are_in_no_average() {
    let Some(corpus) = folder() else { return };
    let file = corpus.join("torch-gpt-train-nvtx-a100-2024.2.3-fp32.sqlite");
    let steady = profile(&file, DefaultRange::Auto);
    assert_eq!(
        (steady.iterations.start, steady.iterations.stop, steady.iterations.aggregated()),
        (1, 10, 10)
    );
    assert_near("seconds per step", steady.summary.average_iteration_ns / 1e9, 0.509, 0.0005);
    let busy = steady.summary.gpu_utilization_percent.expect("there are kernels");
    assert_near("percent busy", busy, 89.0, 0.5);
    assert_eq!((steady.iterations.windows.used.len(), steady.index.split.gpus), (1, 4));
    assert_eq!(steady.summary.clock, Clock::Cpu);
    let all = profile(&file, DefaultRange::All);
    assert_near("seconds with start-up", all.summary.average_iteration_ns / 1e9, 1.345, 0.0005);
    assert_near(
        "deviation with start-up",
        all.summary.iteration_deviation_ns.unwrap_or(0.0) / 1e9,
        2.772,
        0.0005,
    );
    assert_eq!(steady.summary.tc_utilization_percent, None, "nothing is eligible");
}

#[test]
fn dlprofs_rules_count_unused_gpus() {
    let Some(corpus) = folder() else { return };
    let file = corpus.join("torch-gpt-train-nvtx-a100-2024.2.3-fp32.sqlite");
    let capture = Capture::read(&file, &ReadOptions::default()).expect("a capture");
    let index = capture.index(&KeyNodeChoice::Find).expect("an index");
    let range = RangeChoice { iter_start: Some(1), iter_stop: Some(10), ..RangeChoice::dlprof() };
    let profile = index.profile(&range).expect("a profile");
    let busy = profile.summary.gpu_utilization_percent.expect("DLProf always says something");
    assert_near("percent busy of four GPUs", busy, 22.2, 0.1);
    assert_eq!(profile.summary.tc_utilization_percent, Some(0.0));
}

#[test]
fn work_launched_far_ahead_is_on_the_clock_of_the_gpu() {
    let Some(corpus) = folder() else { return };
    let file = corpus.join("torch-gpt-compile-cudagraph-a100-2024.6.2.sqlite");
    let found = profile(&file, DefaultRange::Auto);
    assert_eq!(found.summary.clock, Clock::Gpu);
    assert_near("milliseconds per iteration", found.summary.average_iteration_ns / 1e6, 781.0, 0.5);
    assert!(found.iteration_stats.windows(2).all(|pair| pair[0].span.end == pair[1].span.start));
    let cpu_ns = found.iteration_stats[5].cpu_span.length();
    assert_near("milliseconds of launching", dlprof_core::to_f64(cpu_ns) / 1e6, 0.565, 0.05);
}

/// The clock of the GPU is for the file whose work does not fit, and for the one whose launches run ahead unevenly.
#[test]
fn other_captures_stay_on_the_clock_of_the_cpu() {
    let Some(corpus) = folder() else { return };
    for file in files(&corpus) {
        let Ok(capture) = Capture::read(&file, &ReadOptions::default()) else { continue };
        let index = capture.index(&KeyNodeChoice::Find).expect("an index");
        let range = RangeChoice { otherwise: DefaultRange::Auto, ..RangeChoice::default() };
        let profile = index.profile(&range).expect("a profile");
        let needs_gpu = ["torch-gpt-compile-cudagraph", "torch-gpt-2.7b"]
            .iter()
            .any(|name| file.to_string_lossy().contains(name));
        let expected = if needs_gpu { Clock::Gpu } else { Clock::Cpu };
        assert_eq!(profile.summary.clock, expected, "{}", file.display());
        let boundaries = profile.iterations.windows.boundaries();
        assert!(boundaries.is_sorted(), "{}", file.display());
        for stats in &profile.iteration_stats {
            let gpus = i64::try_from(profile.summary.gpus).expect("few GPUs");
            assert_eq!(stats.resources.total(), stats.span.length() * gpus, "{}", file.display());
        }
    }
}

/// First and last iteration of the default range and its clock, of every capture that the table lists.
#[test]
fn default_stretches_are_those_of_the_table() {
    let Some(corpus) = folder() else { return };
    let table = std::fs::read_to_string(corpus.join("insights/windows.csv")).expect("the table");
    let mut lines = 0;
    for line in table.lines().skip(1) {
        let (name, expected) = line.split_once(',').expect("several cells");
        let profile = profile(&corpus.join(format!("{name}.sqlite")), DefaultRange::Auto);
        let iterations = &profile.iterations;
        let found = format!("{},{},{}", iterations.start, iterations.stop, profile.summary.clock.as_str());
        assert_eq!(found, expected, "{name}");
        lines += 1;
    }
    assert!(lines > 5, "{lines} captures");
}

pub(crate) fn files(corpus: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(corpus).expect("the corpus").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "sqlite")).collect();
    files.sort();
    files
}

/// A row of the table of true iterations: count, delimiter, section, first start, confidence.
fn described(profile: &Profile) -> [String; 5] {
    let iterations = &profile.iterations;
    let (Some(found), Some(key_node)) = (&iterations.found, &iterations.key_node) else {
        return ["0".to_owned(), String::new(), String::new(), String::new(), String::new()];
    };
    let by = match found.kind {
        DelimiterKind::Range => format!("range {}", key_node.name),
        DelimiterKind::Period { kernels } => format!("period {kernels}"),
    };
    let is_iteration =
        |state: &&IterationState| !matches!(state, IterationState::Before | IterationState::Outside);
    assert!(found.confidence > Confidence::Low, "never chosen");
    [
        iterations.states.iter().filter(is_iteration).count().to_string(),
        by,
        found.sections.chosen.as_ref().map_or_else(String::new, |place| place.around.clone()),
        iterations.boundaries[1].to_string(),
        found.confidence.as_str().to_owned(),
    ]
}

#[test]
fn true_iterations_come_out_without_any_option() {
    let Some(corpus) = folder() else { return };
    let table = std::fs::read_to_string(corpus.join("insights/iterations.csv")).expect("the table");
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let file = corpus.join(format!("{}.sqlite", cells[0]));
        let Ok(capture) = Capture::read(&file, &ReadOptions::default()) else {
            assert_eq!(cells[1], "0", "{}", cells[0]);
            continue;
        };
        let index = capture.index(&KeyNodeChoice::Find).expect("an index");
        let profile = index.profile(&RangeChoice::default()).expect("a profile");
        assert_eq!(described(&profile)[..], cells[1..6], "{}", cells[0]);
        if cells[0].starts_with("mpi-openacc-4gpu") {
            let processes = &profile.iterations.key_node.as_ref().expect("found").by_process;
            let count =
                |process: &dlprof_core::ProcessExecutions| process.starts.len() - process.outside.len();
            assert_eq!(processes.iter().map(count).collect::<Vec<_>>(), [10; 4], "in each process");
        }
    }
}

#[test]
fn without_iterations_the_window_is_the_gpu_span() {
    let Some(corpus) = folder() else { return };
    let file = corpus.join("torch-llama-demo-4060ti-2024.6.2.sqlite");
    let profile = profile(&file, DefaultRange::Auto);
    let spans = &profile.capture.work.span;
    let first = spans.iter().map(|span| span.start).min().expect("work");
    let last = spans.iter().map(|span| span.end).max().expect("work");
    assert_eq!(profile.summary.wall_clock_ns, last - first);
    assert_eq!(profile.iteration_stats[0].span.start, first);
}
