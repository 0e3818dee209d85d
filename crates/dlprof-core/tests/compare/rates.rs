//! How often the gate is wrong, on simulated runs. `docs/gate.md` shows the numbers of `examples/gate_simulation`.

use crate::simulated::pair;
use dlprof_core::{GateVerdict, Policy, judge_gate};
use dlprof_generate::runs::{Noise, PLAIN, REALISTIC};

/// How many of `pairs` fail when every time of the new run is `factor` times as long. `between_percent` is the standard
/// deviation between the runs of a pair.
fn failures(
    pairs: u64,
    runs: usize,
    factor: f64,
    noise: Noise,
    between_percent: impl Fn(u64) -> f64,
) -> usize {
    let policy = Policy::default();
    let fails = |seed: &u64| {
        let noise = Noise { between_percent: between_percent(*seed), ..noise };
        let (base, new) = pair(noise, *seed, runs, factor);
        judge_gate(&base, &new, &policy, &[]).verdict == GateVerdict::Fail
    };
    (0..pairs).filter(fails).count()
}

/// From 1 to 3 %, as runs of one program differ.
fn usual(seed: u64) -> f64 {
    1.0 + 2.0 * f64::from(u32::try_from(seed % 101).unwrap_or(0)) / 100.0
}

#[test]
fn few_baselines_raise_at_most_one_false_alarm_in_a_hundred() {
    for runs in [1, 2, 3] {
        let failed = failures(1000, runs, 1.0, REALISTIC, usual);
        assert!(failed <= 10, "{failed} of 1000 pairs of equal runs fail with {runs} runs in the baseline");
    }
}

#[test]
fn five_baselines_raise_few_false_alarms() {
    let failed = failures(1000, 5, 1.0, PLAIN, usual);
    assert!(failed <= 15, "{failed} of 1000 pairs of equal runs fail, normal noise");
    let failed = failures(1000, 5, 1.0, REALISTIC, usual);
    assert!(failed <= 30, "{failed} of 1000 pairs of equal runs fail, heavy tails");
}

#[test]
fn ten_baselines_see_five_percent_in_nine_of_ten_cases() {
    for between_percent in [0.4, 1.0] {
        let failed = failures(400, 10, 1.05, REALISTIC, |_| between_percent);
        assert!(failed >= 360, "+5 % with {between_percent} % between runs: {failed} of 400 fail");
    }
}

#[test]
fn real_regressions_fail_in_at_least_95_percent() {
    for (between_percent, percent) in [(0.4, 3.0), (1.0, 8.0), (2.0, 15.0)] {
        let failed = failures(400, 5, 1.0 + percent / 100.0, PLAIN, |_| between_percent);
        assert!(failed >= 380, "+{percent} % with {between_percent} % between runs: {failed} of 400 fail");
    }
}

#[test]
fn improvements_never_fail() {
    for factor in [0.99, 0.97, 0.9, 0.5] {
        assert_eq!(failures(100, 5, factor, REALISTIC, |_| 0.4), 0, "{factor}");
    }
}
