//! Work in the iterations in which it was launched, ranges that cross, and GPU time by annotation: real captures, and cases with
//! right values that were computed from the files alone.

use super::torch_ops::{rows, whole};
use super::torch_traces::traces;
use dlprof_core::{
    Capture, DefaultRange, Index, Judged, KeyNodeChoice, Mode, Profile, RangeChoice, ReadOptions,
};
use dlprof_generate::corpus::{corpus, folder};
use std::path::{Path, PathBuf};

fn read(file: &Path) -> Option<Capture> {
    Capture::read(file, &ReadOptions::default()).ok()
}

fn all_iterations(index: &Index) -> Profile {
    let range = RangeChoice { otherwise: DefaultRange::All, ..RangeChoice::default() };
    index.profile(&range).expect("a profile")
}

/// The files of a folder below the corpus; none where there is none.
fn files_in(name: &str) -> Vec<PathBuf> {
    let Some(Ok(entries)) = folder().map(|corpus| std::fs::read_dir(corpus.join(name))) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

fn captures() -> Vec<PathBuf> {
    let mut files = corpus();
    for name in ["cases/nsys", "cases/traces", "kineto"] {
        files.extend(files_in(name));
    }
    files
}

/// A case, if the cases are there.
fn case(name: &str) -> Option<PathBuf> {
    let path = folder()?.join("cases").join(name);
    assert!(path.is_file(), "the corpus has the case {}", path.display());
    Some(path)
}

/// By iteration: the kernels whose API calls start in it.
fn launched(profile: &Profile) -> Vec<u64> {
    let (capture, iterations) = (&profile.capture, &profile.index.iterations);
    let inner = &iterations.boundaries[1..iterations.boundaries.len() - 1];
    let mut launched = vec![0; inner.len() + 1];
    for launch in profile.kernel_launches().iter() {
        let Some(api) = launch.api.some() else {
            launched[launch.iteration as usize] += 1;
            continue;
        };
        let start = capture.api_calls.span[api].start;
        launched[inner.partition_point(|&boundary| boundary <= start)] += 1;
    }
    launched
}

/// But by DLProf's own markers and nodes, where all work follows its op call as in DLProf.
#[test]
fn no_kernel_is_launched_outside_of_its_iteration() {
    let mut checked = 0;
    for file in captures() {
        let Some(capture) = read(&file) else { continue };
        let found = capture.index(&KeyNodeChoice::Find).expect("an index");
        let candidates = found.iterations.candidates.iter().take(3);
        let named = candidates.map(|candidate| KeyNodeChoice::Named(candidate.key_node.clone()));
        for key_node in named.chain([KeyNodeChoice::Find]) {
            let Ok(index) = capture.index(&key_node) else { continue };
            let is_launches = index.iterations.key_node.as_ref().is_some_and(|key_node| key_node.is_launches);
            let is_dlprofs = matches!(capture.description.mode, Mode::PytorchMarkers | Mode::Tensorflow);
            if capture.description.dlprof.is_some() || (is_dlprofs && !is_launches) {
                continue;
            }
            let profile = all_iterations(&index);
            let counted: Vec<u64> = profile.iteration_stats.iter().map(|row| row.kernels.launches).collect();
            assert_eq!(counted, launched(&profile), "{} {key_node:?}", file.display());
            checked += 1;
        }
    }
    assert!(checked > 40 || folder().is_none(), "{checked} key nodes");
}

#[test]
fn iterations_begin_before_the_op_that_launches() {
    let Some(file) = case("nsys/op_before_launch.sqlite") else { return };
    let capture = read(&file).expect("a capture");
    let profile = all_iterations(&capture.index(&KeyNodeChoice::Find).expect("an index"));
    let kernels: Vec<(u64, i64)> =
        profile.iteration_stats.iter().map(|row| (row.kernels.launches, row.kernels.gpu_ns)).collect();
    assert_eq!((kernels.len(), kernels[0]), (61, (0, 0)));
    assert!(kernels[1..].iter().all(|(launches, _)| *launches == 5), "{kernels:?}");
    assert_eq!(kernels[30], (5, 20_350_000));
}

/// Calls and name of the ops of a trace.
fn ops(judged: &Judged) -> Vec<(String, i64)> {
    let rows = rows(judged, "ops", &["op_name"], &["calls"]);
    rows.into_iter().map(|(mut texts, numbers)| (texts.swap_remove(0), numbers[0])).collect()
}

#[test]
fn a_step_inside_an_annotation_changes_no_op() {
    let Some(crossing) = case("traces/11b-step-inside-record_function.json") else { return };
    let Some(control) = case("traces/11c-control-step-after.json") else { return };
    let ops_of = |path: &Path| {
        let mut ops = ops(&whole(path));
        ops.retain(|(name, _)| name.contains("aten::"));
        ops.sort();
        ops
    };
    let (crossing, control) = (ops_of(&crossing), ops_of(&control));
    assert_eq!(crossing, control);
    assert_eq!(crossing.len(), 20);
    let is_right = |(name, calls): &(String, i64)| name.starts_with("/train_step/aten::") && *calls == 6;
    assert!(crossing.iter().all(is_right), "{crossing:?}");
}

#[test]
fn annotations_that_cross_are_siblings() {
    let Some(file) = case("traces/11d-two-crossing.json") else { return };
    let ops = ops(&whole(&file));
    let both = |name: &str| name.contains("run_training_batch") && name.contains("optimizer_step");
    assert!(ops.iter().all(|(name, _)| !both(name)), "{ops:?}");
    assert!(ops.iter().any(|(name, _)| name.contains("optimizer_step")), "{ops:?}");
}

#[test]
fn the_backward_pass_has_the_gpu_time_that_was_launched_in_it() {
    let Some(file) = case("traces/19-backward-annotation.json") else { return };
    let rows = rows(&whole(&file), "annotations", &["annotation"], &["total_gpu_time_ns"]);
    let rows: Vec<(&str, i64)> =
        rows.iter().map(|(texts, numbers)| (texts[0].as_str(), numbers[0])).collect();
    assert_eq!(rows[..2], [("/backward", 6_000_000), ("/forward", 3_000_000)]);
    assert_eq!(rows[2].1, 720_000);
}

#[test]
fn sums_by_annotation_add_up() {
    let Some(folder) = traces() else { return };
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file());
    for file in files.chain(corpus()) {
        let Some(capture) = read(&file) else { continue };
        let profile = all_iterations(&capture.index(&KeyNodeChoice::Find).expect("an index"));
        let rows = profile.annotations();
        assert!(rows.iter().all(|row| row.total.gpu_ns >= row.own.gpu_ns && row.own.gpu_ns >= 0));
        let outermost = rows.iter().filter(|row| row.name.matches('/').count() == 1);
        let in_ranges: i64 = rows.iter().map(|row| row.own.gpu_ns).sum();
        if rows.iter().all(|row| !row.name[1..].contains('/')) {
            assert_eq!(outermost.map(|row| row.total.gpu_ns).sum::<i64>(), in_ranges, "{}", file.display());
        }
        let all: i64 = capture.work.span.iter().map(|span| span.length()).sum();
        assert!(in_ranges <= all, "{}", file.display());
    }
}
