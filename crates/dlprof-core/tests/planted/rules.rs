//! Rules against pairs of captures: one of a program with a fault, one of the same program with the fault repaired.
//!
//! A rule fires on the first with the planted figures, is silent on the second, and the time that the repair really saved lies
//! within the stated saving.

use crate::pairs::Pair;
use dlprof_core::Severity;
use dlprof_generate::pair_rules;
use std::collections::BTreeSet;

/// Pairs whose rules look at all iterations, because steady ones do not have the fault.
const OF_ALL_ITERATIONS: [&str; 2] = ["unsteady_iterations", "warm_up_in_range"];

/// Warnings that are right when a fault is repaired: the pair, then the rule.
const NEXT: [(&str, &str); 3] = [
    ("pageable_copies", "exposed_copies"),
    ("sync_in_step/busy_host", "launch_bound"),
    ("unexplained_idle", "cpu_work_between"),
];

/// Rules that state no saving.
const WITHOUT_SAVING: [&str; 15] = [
    "amp_detector",
    "anomaly_mode",
    "device_stall/inside_kernels",
    "dropped_records",
    "kernel_hotspot",
    "low_occupancy",
    "no_gpu_trace",
    "no_nvtx",
    "profiler_overhead",
    "underfilled",
    "underutilized_gpu_detector",
    "underutilized_gpu_detector/shared",
    "unexplained_idle",
    "untraced_work",
    "warm_up_in_range",
];

fn pairs() -> impl Iterator<Item = Pair> {
    pair_rules().into_iter().map(|id| Pair::new(id, OF_ALL_ITERATIONS.contains(&id)))
}

#[test]
fn rules_fire_with_the_planted_figures() {
    for pair in pairs() {
        pair.check_figures();
    }
}

#[test]
fn rules_are_silent_where_the_fault_is_repaired() {
    for pair in pairs() {
        let next: BTreeSet<&str> =
            NEXT.iter().filter(|(id, _)| *id == pair.id).map(|&(_, rule)| rule).collect();
        pair.check_repaired(&next);
    }
}

#[test]
fn the_time_saved_lies_within_the_stated_saving() {
    for pair in pairs() {
        pair.check_bounds();
        if WITHOUT_SAVING.contains(&pair.id) {
            pair.check_no_saving();
        } else {
            pair.check_saving();
        }
    }
}

#[test]
fn unused_gpus_are_a_warning_only_with_a_context() {
    let found = |id| {
        let pair = Pair::new(id, false);
        let (severity, is_last) = pair.severity();
        (severity, is_last, pair.problem())
    };
    let (severity, _, problem) = found("underutilized_gpu_detector");
    assert_eq!(severity, Severity::Warning, "{problem}");
    let (severity, is_last, problem) = found("underutilized_gpu_detector/shared");
    assert_eq!((severity, is_last), (Severity::Note, true), "{problem}");
    assert!(problem.contains("nothing shows that the program used them"), "{problem}");
}

#[test]
fn other_work_inside_kernels_misleads() {
    let pair = Pair::new("device_stall/inside_kernels", false);
    pair.check_misleads();
    let problem = pair.problem();
    assert!(problem.starts_with("Other work seems to share the GPU at least "), "{problem}");
}

#[test]
fn exposed_communication_says_why() {
    let problem = |id| Pair::new(id, false).problem();
    let same = problem("exposed_communication/same_stream");
    assert!(same.contains("the work after it was queued on the same stream"), "{same}");
    let alone = problem("exposed_communication");
    assert!(alone.contains("no other work was launched in time"), "{alone}");
}
