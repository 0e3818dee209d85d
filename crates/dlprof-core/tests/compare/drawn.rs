//! Verdicts on runs drawn in the test: a line per metric, a number per run, the new runs after the bar.

use dlprof_core::{
    BaselineRun, COPY_TIME, Document, GPU_IDLE, GateOutcome, GateReport, GateVerdict, ITERATION_TIME,
    KERNEL_TIME, LAUNCHES, Policy, RunMetric, RunUnit, TC_UTILIZATION, find_run_metric, judge_gate,
};
use std::collections::BTreeMap;

/// How much the twelve iterations of a drawn run are off its number, in tenths of a percent.
const WOBBLE: [f64; 12] = [-1.0, 1.0, 2.0, -2.0, 0.0, 1.0, -1.0, 0.0, 2.0, -2.0, 1.0, -1.0];

/// The two documents of a drawing such as `iteration 100 101 99 | 115`. Times are in milliseconds. Launches are exact,
/// all else wobbles.
fn documents(drawing: &str) -> (Document, Document) {
    let mut sides: [Vec<BTreeMap<String, Vec<f64>>>; 2] = [Vec::new(), Vec::new()];
    for line in drawing.trim().lines() {
        let (name, numbers) = line.trim().split_once(' ').expect("a name and numbers");
        let metric = find_run_metric(name).or(find_run_metric(&format!("{name}-time"))).expect("a metric");
        for (side, numbers) in sides.iter_mut().zip(numbers.split('|')) {
            for (at, number) in numbers.split_whitespace().enumerate() {
                side.resize(side.len().max(at + 1), BTreeMap::new());
                let samples = samples(metric, number.parse().expect("a number"));
                side[at].insert(metric.key.to_owned(), samples);
            }
        }
    }
    let document = |runs: Vec<BTreeMap<String, Vec<f64>>>| {
        Document::new(runs.into_iter().map(|metrics| BaselineRun::of_metrics("drawn", metrics)).collect())
    };
    let [base, new] = sides;
    (document(base), document(new))
}

fn samples(metric: &RunMetric, number: f64) -> Vec<f64> {
    let number = if metric.unit == RunUnit::Ns { number * 1e6 } else { number };
    let wobble = |tenths: f64| match metric.key {
        LAUNCHES => number,
        _ => number * (1.0 + tenths / 1000.0),
    };
    WOBBLE.map(wobble).to_vec()
}

fn judged(drawing: &str, policy: &str) -> GateReport {
    let (base, new) = documents(drawing);
    judge_gate(&base, &new, &Policy::parse(policy).expect("a policy"), &[])
}

/// Judges a drawing by a policy (`""` is the default one) and expects a verdict, and of checks their outcome and a part
/// of their reason.
fn expect(drawing: &str, policy: &str, verdict: GateVerdict, checks: &[(&str, GateOutcome, &str)]) {
    let report = judged(drawing, policy);
    for (name, outcome, reason) in checks {
        let check = report.checks.iter().find(|check| check.name == *name);
        let check = check.unwrap_or_else(|| panic!("no check {name}: {drawing}"));
        assert_eq!(check.outcome, *outcome, "{name}: {}\n{drawing}", check.reason);
        assert!(check.reason.contains(reason), "{name}: {}\n{drawing}", check.reason);
    }
    assert_eq!(report.verdict, verdict, "{drawing}\n{:#?}", report.checks);
}

const NOISE: &str = "noise alone can cause such a change";

#[test]
fn the_spread_of_the_baseline_decides_what_is_noise() {
    use GateOutcome::{Fail, Improved, Pass};
    let iteration = |drawing: &str, verdict, outcome, reason: &str| {
        expect(drawing, "", verdict, &[(ITERATION_TIME, outcome, reason)]);
    };
    iteration("iteration 100 101 99 100 102 | 100", GateVerdict::Pass, Pass, "");
    iteration("iteration 100 101 99 100 102 | 101.4", GateVerdict::Pass, Pass, "within the budget");
    iteration("iteration 100 101 99 100 102 | 103", GateVerdict::Pass, Pass, NOISE);
    iteration("iteration 100 101 99 100 102 | 106", GateVerdict::Fail, Fail, "over the budget of 1.50 %");
    iteration("iteration 100 101 99 100 102 | 90", GateVerdict::Pass, Improved, "better");
    // The same change with baselines that differ less, and more.
    iteration("iteration 100 100.2 99.8 100 100.1 | 103", GateVerdict::Fail, Fail, "");
    iteration("iteration 100 106 95 99 104 | 106", GateVerdict::Pass, Pass, NOISE);
}

#[test]
fn few_baselines_lean_on_the_assumed_deviation() {
    use GateOutcome::{Fail, Pass};
    let iteration = |drawing: &str, policy: &str, verdict, outcome| {
        let reason = if outcome == Pass { NOISE } else { "" };
        expect(drawing, policy, verdict, &[(ITERATION_TIME, outcome, reason)]);
    };
    iteration("iteration 100 | 105", "", GateVerdict::Pass, Pass);
    iteration("iteration 100 | 109", "", GateVerdict::Fail, Fail);
    iteration("iteration 100 100 | 105", "", GateVerdict::Pass, Pass);
    iteration("iteration 100 100 100 | 105", "", GateVerdict::Fail, Fail);
    iteration("iteration 100 | 105", "assumed-run-deviation-percent = 0.5", GateVerdict::Fail, Fail);
    iteration("iteration 100 | 109", "assumed-run-deviation-percent = 3", GateVerdict::Pass, Pass);
    // Several new runs tell more than one.
    iteration("iteration 100 100 | 105 105 105", "", GateVerdict::Fail, Fail);
}

#[test]
fn what_hides_in_idle_time_is_found() {
    use GateOutcome::{Fail, Improved, Pass};
    // Kernels 10 % slower, hidden by idle time.
    expect(
        "iteration 100 101  99 100 100 | 100
         kernel     60  61  60  60  59 |  66
         gpu-idle   40  40  39  40  41 |  34",
        "",
        GateVerdict::Fail,
        &[(ITERATION_TIME, Pass, ""), (KERNEL_TIME, Fail, "over the budget"), (GPU_IDLE, Improved, "")],
    );
    // Faster kernels leave idle time over.
    expect(
        "iteration 100 101  99 100 100 | 100
         kernel     60  61  60  60  59 |  40
         gpu-idle   40  40  39  40  41 |  60",
        "",
        GateVerdict::Pass,
        &[(KERNEL_TIME, Improved, ""), (GPU_IDLE, Pass, "more idle because the work takes less")],
    );
    // Idle time that makes iterations longer.
    expect(
        "iteration 100 101  99 100 100 | 120
         kernel     60  61  60  60  59 |  60
         gpu-idle   40  40  39  40  41 |  60",
        "",
        GateVerdict::Fail,
        &[(ITERATION_TIME, Fail, ""), (KERNEL_TIME, Pass, ""), (GPU_IDLE, Fail, "")],
    );
}

#[test]
fn small_things_may_change_much() {
    use GateOutcome::{Fail, Pass};
    let copies = |new: &str, verdict, outcome, reason: &str| {
        let drawing = format!(
            "iteration 100 101  99  100 100 | 100
             copy      0.5 0.5 0.51 0.5 0.5 | {new}"
        );
        expect(&drawing, "", verdict, &[(COPY_TIME, outcome, reason)]);
    };
    // Twice the copies are half a percent of the iteration; 1 % is the least that counts.
    copies("1.0", GateVerdict::Pass, Pass, "within the budget");
    copies("1.7", GateVerdict::Fail, Fail, "over the budget");
}

#[test]
fn counts_are_exact() {
    use GateOutcome::{Fail, Improved, Pass};
    let launches = |drawing: &str, policy: &str, verdict, outcome| {
        let drawing = format!("iteration 100 100 | 100\nkernel-launches {drawing}");
        expect(&drawing, policy, verdict, &[(LAUNCHES, outcome, "")]);
    };
    launches("1200 1200 | 1200", "", GateVerdict::Pass, Pass);
    launches("1200 1200 | 1223", "", GateVerdict::Pass, Pass);
    launches("1200 1200 | 1225", "", GateVerdict::Fail, Fail);
    launches("1200 1200 | 1100", "", GateVerdict::Pass, Improved);
    let both = "[metrics.kernel-launches]\nbudget-percent = 1\nbudget-absolute = 30";
    launches("1200 1200 | 1225", both, GateVerdict::Pass, Pass);
    launches("1200 1200 | 1231", both, GateVerdict::Fail, Fail);
}

#[test]
fn confidence_belongs_to_the_policy() {
    let drawing = "iteration 100 101 99 100 102 | 105";
    let verdict = |policy: &str| judged(drawing, policy).verdict;
    assert_eq!(verdict("confidence = 0.9"), GateVerdict::Fail);
    assert_eq!(verdict("confidence = 0.999"), GateVerdict::Pass);
    assert_eq!(
        verdict("confidence = 0.999\n[metrics.iteration-time]\nbudget-percent = 1\nconfidence = 0.9"),
        GateVerdict::Fail
    );
    assert_eq!(verdict("confidence = 0.9\n[metrics.iteration-time]\nbudget-percent = 9"), GateVerdict::Pass);
    assert_eq!(verdict("confidence = 0.9\n[metrics]\niteration-time = false"), GateVerdict::Inconclusive);
}

#[test]
fn what_some_runs_lack_is_not_passed() {
    use GateOutcome::{Inconclusive, NotApplicable, Pass};
    let drawing = "iteration 100 101 99 | 100\ntc-utilization 80 80 80 |";
    let tc = TC_UTILIZATION;
    expect(
        drawing,
        "",
        GateVerdict::Inconclusive,
        &[(tc, Inconclusive, "only some of the runs have this number")],
    );
    expect(drawing, "inconclusive = 'pass'", GateVerdict::Pass, &[(ITERATION_TIME, Pass, "")]);
    let nowhere = "iteration 100 101 99 | 100";
    expect(
        nowhere,
        "inconclusive = 'pass'",
        GateVerdict::Pass,
        &[(tc, NotApplicable, "undefined in these runs")],
    );
}

#[test]
fn a_check_says_what_it_could_have_seen() {
    let detectable = |drawing: &str| {
        let report = judged(drawing, "");
        report.checks[0].detectable_percent.expect("a number")
    };
    let quiet = detectable("iteration 100 100.1 99.9 100 100 | 100");
    let loud = detectable("iteration 100 104 96 100 100 | 100");
    let one = detectable("iteration 100 | 100");
    assert!((1.5..2.5).contains(&quiet), "{quiet}");
    assert!((15.0..25.0).contains(&loud), "{loud}");
    // 3.75 and 2.13 times 1.5 % times the root of 2.
    assert!((12.0..13.0).contains(&one), "{one}");
}
