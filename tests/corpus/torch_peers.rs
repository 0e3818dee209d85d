//! Real traces of torch.profiler: figures that TraceLens, Holistic Trace Analysis and TensorBoard's plugin define as we do are those
//! that they print.

use super::torch_ops::{rows, whole};
use super::torch_traces::{trace_of, traces};
use dlprof_core::{Judged, WorkId, count_to_f64, to_f64, union_length};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The cells of a file of comma-separated values, by the titles of its columns.
fn cells(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).expect("a reference");
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

fn number(row: &BTreeMap<String, String>, title: &str) -> f64 {
    row[title].parse().unwrap_or_else(|_| panic!("{title} of {row:?}"))
}

/// What the other programs lose, because they keep times as floating-point microseconds: before PyTorch wrote times from a base,
/// a quarter of a microsecond for each piece of work, and since then a nanosecond.
fn lost_ns(judged: &Judged) -> f64 {
    let has_base = judged.capture.kineto.as_ref().is_some_and(|notes| notes.base_ns.is_some());
    count_to_f64(judged.capture.work.len() as u64) * if has_base { 1.0 } else { 250.0 } + 1.0
}

fn busy_ns(judged: &Judged) -> i64 {
    rows(judged, "gpu_time", &[], &["busy_ns"]).iter().map(|(_, row)| row[0]).sum()
}

/// From the start of the first piece of GPU work to the end of the last.
fn extent_ns(judged: &Judged) -> i64 {
    let spans = || judged.capture.work.span.iter();
    let last = spans().map(|span| span.end).max().expect("GPU work");
    last - spans().map(|span| span.start).min().expect("GPU work")
}

fn assert_near(found_ns: i64, expected_ns: f64, judged: &Judged, what: &str) {
    let (found, lost) = (to_f64(found_ns), lost_ns(judged));
    assert!((found - expected_ns).abs() <= lost, "{what}: {found}, not {expected_ns} (± {lost})");
}

/// Launches and times by name of kernels, and when GPUs were busy: `gpu_timeline.csv` and `kernel_summary.csv`.
#[test]
fn kernels_and_busy_time_are_those_of_tracelens() {
    let Some(folder) = traces() else { return };
    let mut compared = 0;
    for entry in std::fs::read_dir(folder.join("reference/tracelens")).expect("references") {
        let reference = entry.expect("an entry").path();
        let stem = reference.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let judged = whole(&trace_of(&folder, &stem));
        let capture = &judged.capture;
        let mut kernels: BTreeMap<&str, (f64, i64)> = BTreeMap::new();
        for work in (0..capture.kernels.len()).map(WorkId::new) {
            let sums = kernels.entry(capture.strings.get(capture.kernels.long_name[work])).or_default();
            *sums = (sums.0 + 1.0, sums.1 + capture.work.span[work].length());
        }
        let mut theirs: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        for row in cells(&reference.join("kernel_summary.csv")) {
            let sums = theirs.entry(row["Kernel name"].clone()).or_default();
            sums.0 += number(&row, "Kernel duration (µs)_count");
            sums.1 += number(&row, "Kernel duration (µs)_sum") * 1e3;
        }
        theirs.retain(|name, _| !name.starts_with("Memcpy ") && !name.starts_with("Memset "));
        assert!(kernels.keys().copied().eq(theirs.keys().map(String::as_str)), "{stem}: names of kernels");
        for (name, (launches, expected_ns)) in &theirs {
            let (found, found_ns) = kernels[name.as_str()];
            assert!((found - launches).abs() < 0.5, "{stem}: launches of {name}");
            assert!(
                (to_f64(found_ns) - expected_ns).abs() < 1.0,
                "{stem}: {name}: {found_ns}, not {expected_ns}"
            );
        }
        let timeline = cells(&reference.join("gpu_timeline.csv"));
        let time_ns = |key: &str| {
            let row = timeline.iter().find(|row| row["type"] == key).expect("a row");
            number(row, "time ms") * 1e6
        };
        // All GPUs are one there, so that only traces with one can be compared.
        if capture.work.device.iter().collect::<BTreeSet<_>>().len() == 1 {
            assert_near(busy_ns(&judged), time_ns("busy_time"), &judged, &format!("{stem}: busy"));
            assert_near(extent_ns(&judged), time_ns("total_time"), &judged, &format!("{stem}: in all"));
            compared += 1;
        }
    }
    assert!(compared > 15, "{compared} traces were compared");
}

/// When GPUs were busy and idle: `temporal.csv`. It leaves out the last of several steps, takes waits for GPUs and Triton's operators
/// for kernels, and needs kernels: of other traces the definitions are the same.
#[test]
fn idle_time_is_that_of_holistic_trace_analysis() {
    let Some(folder) = traces() else { return };
    let mut compared = 0;
    for entry in std::fs::read_dir(folder.join("reference/hta")).expect("references") {
        let reference = entry.expect("an entry").path();
        let stem = reference.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let path = reference.join("temporal.csv");
        if stem == "dlrm-8rank" || !path.is_file() {
            continue;
        }
        let judged = whole(&trace_of(&folder, &stem));
        let capture = &judged.capture;
        let is_triton = |text: &&str| text.starts_with("triton_");
        let mut texts = capture.ranges.texts.iter().map(|says| capture.strings.get(says.text));
        let differs = capture.profiler_steps() > 1
            || !capture.syncs.kind.is_empty()
            || capture.kernels.is_empty()
            || texts.any(|text| is_triton(&text));
        if differs {
            continue;
        }
        let row = &cells(&path)[0];
        let (idle, all) = (number(row, "idle_time(us)") * 1e3, number(row, "kernel_time(us)") * 1e3);
        let extent = extent_ns(&judged);
        assert_near(extent, all, &judged, &format!("{stem}: in all"));
        assert_near(extent - busy_ns(&judged), idle, &judged, &format!("{stem}: idle"));
        compared += 1;
    }
    assert!(compared > 6, "{compared} traces were compared");
}

/// Time in kernels by step, as TensorBoard's plugin has it (`peers.tb.steps`). It takes kernels of several streams together, so that
/// traces are compared in which none run side by side.
#[test]
fn kernel_time_of_steps_is_that_of_tensorboard() {
    let Some(folder) = traces() else { return };
    let mut compared = 0;
    for entry in std::fs::read_dir(folder.join("reference/oracle")).expect("references") {
        let reference = entry.expect("an entry").path();
        let stem = reference.file_stem().and_then(|name| name.to_str()).expect("a name");
        let text = std::fs::read_to_string(&reference).expect("a reference");
        let said: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let steps = said["peers"]["tb"]["steps"].as_array().cloned().unwrap_or_default();
        if steps.len() < 3 {
            continue;
        }
        let judged = whole(&trace_of(&folder, stem));
        let capture = &judged.capture;
        let mut spans: Vec<_> =
            (0..capture.kernels.len()).map(|kernel| capture.work.span[WorkId::new(kernel)]).collect();
        spans.sort_unstable();
        if union_length(spans.iter().copied()) != spans.iter().map(|span| span.length()).sum::<i64>() {
            continue;
        }
        let kernel_ns: BTreeMap<String, i64> =
            rows(&judged, "iterations", &[], &["iteration", "kernel_gpu_time_ns"])
                .into_iter()
                .filter_map(|(_, row)| {
                    let label = judged.index.iterations.label(u32::try_from(row[0]).ok()?)?;
                    Some((label.to_owned(), row[1]))
                })
                .collect();
        for step in &steps {
            let label = format!("ProfilerStep#{}", step["number"]);
            let expected = step["kernel_and_communication"].as_i64();
            assert_eq!(kernel_ns.get(&label).copied(), expected, "{stem}: {label}");
            compared += 1;
        }
    }
    assert!(compared > 15, "{compared} steps were compared");
}
