//! Work of threads without ranges.

use crate::drawn::{Drawn, gpu_times};
use crate::reference::{export_paths, say};
use dlprof_core::{Capture, KeyNodeChoice, LooseWork, ModeChoice, RangeChoice, ReadOptions};

/// ```text
/// µs          0        1,000               2,000             3,000
/// thread 1    ├ forward ─┤ ├ backward ──────────────────────┤
///              │k0             │k3                              launches near 1,400 µs only
/// thread 2                      │k1          │k2              │k4
/// ```
/// `k1` is launched while thread 1 launches itself, `k4` after all ranges.
fn forward_and_backward() -> Drawn {
    let mut drawn = Drawn::new();
    drawn.range(1, "forward", 0, 900_000).range(1, "backward", 1_000_000, 3_000_000);
    drawn.launch(1, "k0", 100_000, 10_000).launch(1, "k3", 1_400_000, 20_000);
    drawn
        .launch(2, "k1", 1_450_000, 1_000)
        .launch(2, "k2", 2_000_000, 30_000)
        .launch(2, "k4", 4_000_000, 7_000);
    drawn
}

#[test]
fn work_joins_the_range_of_the_thread_that_waits() {
    let profile = forward_and_backward().profile(&ReadOptions::default());
    let expected = [
        ("/backward", 50_000, 30_000),
        ("/forward", 10_000, 0),
        ("unassociated_k1", 1_000, 0),
        ("unassociated_k4", 7_000, 0),
    ];
    assert_eq!(gpu_times(&profile), expected);
    let totals = profile.attribution_totals();
    let words: Vec<(&str, u64)> = totals.iter().map(|row| (row.attribution.as_str(), row.items)).collect();
    assert_eq!(words, [("own", 2), ("none", 2), ("by_time", 1)]);
}

#[test]
fn dlprofs_reports_leave_it_unassociated() {
    let options = ReadOptions { loose_work: LooseWork::Unassociated, ..ReadOptions::default() };
    let profile = forward_and_backward().profile(&options);
    let expected = [
        ("/backward", 20_000, 0),
        ("/forward", 10_000, 0),
        ("unassociated_k1", 1_000, 0),
        ("unassociated_k2", 30_000, 0),
        ("unassociated_k4", 7_000, 0),
    ];
    assert_eq!(gpu_times(&profile), expected);
}

#[test]
fn dlprofs_markers_own_their_work_alone() {
    let mut drawn = Drawn::new();
    let marker = "{'mod': 'torch.nn.functional', 'op': 'linear', 'args': []}";
    drawn.range(1, marker, 0, 3_000_000).launch(2, "k", 2_000_000, 30_000);
    let profile = drawn.profile(&ReadOptions { mode: ModeChoice::Pytorch, ..ReadOptions::default() });
    assert!(gpu_times(&profile).contains(&("unassociated_k", 30_000, 0)), "{:?}", gpu_times(&profile));
}

/// Of several threads that wait, the one that launched most GPU time.
#[test]
fn of_several_threads_the_one_that_launches_most() {
    let mut drawn = Drawn::new();
    drawn.range(1, "little", 0, 3_000_000).range(2, "much", 500_000, 3_000_000);
    drawn.launch(1, "a", 600_000, 10_000).launch(2, "b", 700_000, 20_000).launch(3, "c", 2_000_000, 5_000);
    let profile = drawn.profile(&ReadOptions::default());
    assert_eq!(gpu_times(&profile), [("/little", 10_000, 0), ("/much", 25_000, 5_000)]);
}

/// The backward pass of a training of a small GPT on an A100, whose ranges are all on the main thread.
#[test]
fn the_backward_pass_of_a_real_training() {
    let name = "torch-gpt-train-nvtx-a100-2024.2.3-fp32";
    let Some((_, path)) = export_paths().into_iter().find(|(found, _)| found == name) else {
        return say(format_args!("SKIPPED: {name} is missing"));
    };
    let capture = Capture::read(&path, &ReadOptions::default()).expect("a capture");
    let index = capture.index(&KeyNodeChoice::None).expect("an index");
    let profile = index.profile(&RangeChoice::default()).expect("a profile");
    let items: Vec<(&str, &str, u64)> = profile
        .attribution_totals()
        .iter()
        .map(|row| (row.attribution.as_str(), profile.capture.strings.get(row.text), row.items))
        .collect();
    let expected = [
        ("own", "", 37_785),
        ("none", "", 114),
        ("by_time", "backward", 13_620),
        ("by_time", "warm up", 6_810),
    ];
    assert_eq!(items, expected);
    let backward = gpu_times(&profile).into_iter().find(|(op, ..)| *op == "/backward").expect("an op");
    assert!(backward.2 > 2_600_000_000 && backward.1 - backward.2 < 2_000_000, "{backward:?}");
}
