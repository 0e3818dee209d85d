//! Verdicts of the gate in the cases that matter.

use crate::simulated;
use dlprof_core::{
    BaselineGpuTime, BaselineOp, BaselineScope, COPY_TIME, Document, GPU_IDLE, GateOutcome, GateReport,
    GateVerdict, ITERATION_TIME, KERNEL_TIME, LAUNCHES, Policy, Random, TC_UTILIZATION, judge_gate,
};
use dlprof_generate::runs::{Machine, Noise, PLAIN};
use std::collections::BTreeMap;

const QUIET: Noise = Noise { between_percent: 0.3, ..PLAIN };

fn judged(base: &Document, new: &Document, policy: &str) -> GateReport {
    judge_gate(base, new, &Policy::parse(policy).expect("a policy"), &[])
}

fn outcome(report: &GateReport, name: &str) -> GateOutcome {
    report
        .checks
        .iter()
        .find(|check| check.name == name)
        .unwrap_or_else(|| panic!("{name}: {report:?}"))
        .outcome
}

fn pair() -> (Document, Document) {
    simulated::pair(QUIET, 5, 5, 1.0)
}

fn scale(document: &mut Document, key: &str, factor: f64) {
    for run in &mut document.runs {
        run.metrics.get_mut(key).expect("the metric").iter_mut().for_each(|value| *value *= factor);
    }
}

#[test]
fn equal_runs_pass_and_slower_ones_fail() {
    let (base, mut new) = pair();
    assert_eq!(judged(&base, &new, "").verdict, GateVerdict::Pass);
    // Kernels slower, the iteration as long as before: idle absorbs it.
    scale(&mut new, KERNEL_TIME, 1.1);
    let report = judged(&base, &new, "");
    assert_eq!(report.verdict, GateVerdict::Fail);
    assert_eq!(outcome(&report, KERNEL_TIME), GateOutcome::Fail);
    assert_eq!(outcome(&report, ITERATION_TIME), GateOutcome::Pass);
}

/// Idle time that faster kernels leave over is not a regression; idle time that makes iterations longer is.
#[test]
fn idle_counts_where_iterations_grow_with_it() {
    let (base, mut new) = pair();
    scale(&mut new, KERNEL_TIME, 0.83);
    scale(&mut new, GPU_IDLE, 1.75);
    let report = judged(&base, &new, "");
    assert_eq!(outcome(&report, GPU_IDLE), GateOutcome::Pass);
    assert_eq!(outcome(&report, KERNEL_TIME), GateOutcome::Improved);
    assert_eq!(report.verdict, GateVerdict::Pass);
    let (base, mut new) = pair();
    scale(&mut new, GPU_IDLE, 1.75);
    scale(&mut new, ITERATION_TIME, 1.135);
    assert_eq!(outcome(&judged(&base, &new, ""), GPU_IDLE), GateOutcome::Fail);
}

#[test]
fn copies_count_once_they_matter() {
    let (base, new) = pair();
    let mut little = new.clone();
    // Copies are 4 % of the iteration: 15 % of that is less than 1 % of the iteration.
    scale(&mut little, COPY_TIME, 1.15);
    assert_eq!(judged(&base, &little, "").verdict, GateVerdict::Pass);
    let mut much = new;
    scale(&mut much, COPY_TIME, 1.6);
    let report = judged(&base, &much, "");
    assert_eq!(outcome(&report, COPY_TIME), GateOutcome::Fail);
}

#[test]
fn exact_counts_need_no_tolerance() {
    let (base, mut new) = pair();
    scale(&mut new, LAUNCHES, 1.03);
    assert_eq!(outcome(&judged(&base, &new, ""), LAUNCHES), GateOutcome::Fail);
    let lenient = "[metrics.kernel-launches]\nbudget-percent = 5";
    assert_eq!(judged(&base, &new, lenient).verdict, GateVerdict::Pass);
    let both = "[metrics.kernel-launches]\nbudget-percent = 1\nbudget-absolute = 100";
    assert_eq!(judged(&base, &new, both).verdict, GateVerdict::Pass, "both budgets must be exceeded");
}

#[test]
fn less_tensor_core_work_is_worse() {
    let (base, mut new) = pair();
    scale(&mut new, TC_UTILIZATION, 0.9);
    assert_eq!(outcome(&judged(&base, &new, ""), TC_UTILIZATION), GateOutcome::Fail);
    scale(&mut new, TC_UTILIZATION, 1.2);
    assert_eq!(outcome(&judged(&base, &new, ""), TC_UTILIZATION), GateOutcome::Improved);
}

#[test]
fn a_gate_that_cannot_tell_does_not_pass() {
    let (base, new) = pair();
    let mut few = new.clone();
    for run in &mut few.runs {
        run.metrics.values_mut().for_each(|samples| samples.truncate(5));
        (run.iterations.used, run.iterations.sampled) = (5, (1..6).collect());
    }
    let mut whole = new.clone();
    for run in &mut whole.runs {
        run.scope = BaselineScope::WholeCapture;
        run.metrics.values_mut().for_each(|samples| samples.truncate(1));
    }
    let whole_base = Document::new(vec![whole.runs[0].clone(); 5]);
    for (base, new) in [(&base, &few), (&few, &new), (&base, &whole), (&whole_base, &whole)] {
        let report = judged(base, new, "");
        assert_eq!(report.verdict, GateVerdict::Inconclusive, "{:?}", report.checks);
        assert_eq!(judged(base, new, "inconclusive = 'fail'").verdict, GateVerdict::Fail);
        assert_eq!(judged(base, new, "inconclusive = 'pass'").verdict, GateVerdict::Pass);
    }
    // A pattern that matches nothing is said, and is not passed where it must match.
    let nothing = "[[ops]]\nmatch = 'atention*'\nbudget-percent = 5";
    let said = judged(&base, &new, nothing);
    let check = said.checks.iter().find(|check| check.name == "atention*").expect("a check");
    assert_eq!(
        (said.verdict, check.outcome),
        (GateVerdict::Pass, GateOutcome::NotApplicable),
        "{}",
        check.reason
    );
    let required = format!("{nothing}\nrequire = true");
    assert_eq!(judged(&base, &new, &required).verdict, GateVerdict::Inconclusive);
    // Nor is a policy whose only metric means nothing here.
    let mut bare = base.clone();
    bare.runs.iter_mut().for_each(|run| drop(run.metrics.remove(TC_UTILIZATION)));
    let only = "default-metrics = false\n[metrics.tc-utilization]\nbudget-absolute = 1";
    let report = judged(&bare, &new, only);
    assert_eq!(report.verdict, GateVerdict::Inconclusive);
    assert_eq!(report.checks[0].outcome, GateOutcome::Inconclusive, "the new runs have it");
    let report = judged(&bare, &bare, only);
    assert_eq!(
        (report.verdict, report.checks[0].outcome),
        (GateVerdict::Inconclusive, GateOutcome::NotApplicable)
    );
}

/// Adds an op type of this share of the iteration to every run.
fn with_op_type(document: &Document, name: &str, factor: f64, seed: u64) -> Document {
    let mut random = Random::new(seed);
    let mut document = document.clone();
    for run in &mut document.runs {
        let level = 2e6 * factor * (0.003 * random.normal()).exp();
        let samples: Vec<f64> =
            (0..run.samples()).map(|_| (level * (0.01 * random.normal()).exp()).round()).collect();
        let rest: Vec<f64> = run.metrics[KERNEL_TIME].iter().map(|ns| ns - 2e6).collect();
        let mean = |samples: &[f64]| samples.iter().sum::<f64>() / samples.len() as f64;
        let time = |samples: Vec<f64>| BaselineGpuTime { mean_ns: mean(&samples), samples_ns: samples };
        run.op_types = BTreeMap::from([(name.to_owned(), time(samples)), ("rest".to_owned(), time(rest))]);
    }
    document
}

#[test]
fn a_slower_op_type_fails_its_budget_and_is_named_without_one() {
    let (base, new) = pair();
    let base = with_op_type(&base, "softmax", 1.0, 1);
    let slower = with_op_type(&new, "softmax", 1.3, 2);
    let budget = "[[op-types]]\nmatch = 'soft*'\nbudget-percent = 10";
    let report = judged(&base, &slower, budget);
    assert_eq!(report.verdict, GateVerdict::Fail);
    assert_eq!(outcome(&report, "softmax"), GateOutcome::Fail);
    let report = judged(&base, &slower, "");
    assert_eq!(report.verdict, GateVerdict::Pass, "2 % of the iteration, no budget");
    assert_eq!(report.comparison.movers(report.confidence)[0].key, "softmax");
    assert_eq!(judged(&base, &with_op_type(&new, "softmax", 1.0, 3), budget).verdict, GateVerdict::Pass);
    let new_type = with_op_type(&new, "other", 1.0, 4);
    let any = "[[op-types]]\nmatch = '*'\nbudget-absolute = 100000";
    assert_eq!(outcome(&judged(&base, &new_type, any), "other"), GateOutcome::Fail);
}

#[test]
fn a_slow_creep_fails_by_its_history() {
    let mut machine = Machine::new(QUIET, 8);
    let mut step = |at: i32| Document::new(vec![simulated::run(&mut machine, 1.006f64.powi(at))]);
    let history: Vec<Document> = (0..10).map(&mut step).collect();
    let new = step(10);
    let base = Document::pooled(history[5..].iter().cloned());
    let policy = Policy::default();
    assert_eq!(judge_gate(&base, &new, &policy, &[]).verdict, GateVerdict::Pass);
    let report = judge_gate(&base, &new, &policy, &history);
    assert_eq!(report.verdict, GateVerdict::Fail);
    assert!(report.drifts.iter().any(|drift| drift.key == ITERATION_TIME));
    let level: Vec<Document> = (0..10).map(|_| step(0)).collect();
    assert!(judge_gate(&level[9], &step(0), &policy, &level).drifts.is_empty());
}

#[test]
fn idle_that_faster_kernels_leave_over_is_no_drift() {
    let mut machine = Machine::new(QUIET, 9);
    let mut run = |at: i32| {
        let mut document = Document::new(vec![simulated::run(&mut machine, 1.0)]);
        scale(&mut document, KERNEL_TIME, 0.98f64.powi(at));
        scale(&mut document, GPU_IDLE, 1.06f64.powi(at));
        document
    };
    let history: Vec<Document> = (0..10).map(&mut run).collect();
    let report = judge_gate(&history[9], &run(10), &Policy::default(), &history);
    assert_eq!((report.verdict, report.drifts), (GateVerdict::Pass, vec![]));
}

#[test]
fn different_machines_are_told() {
    let (base, mut new) = pair();
    let mut base = base;
    for run in &mut base.runs {
        run.environment.gpus = vec!["NVIDIA A100".to_owned()];
        run.environment.driver = Some("550".to_owned());
    }
    new.runs[0].environment.gpus = vec!["NVIDIA H100".to_owned(); 2];
    new.runs[0].environment.driver = Some("560".to_owned());
    new.runs[0].iterations.total = 100;
    let warnings = judged(&base, &new, "").comparison.warnings;
    for text in [
        "GPU differs: NVIDIA A100 in the baseline, 2 × NVIDIA H100 now",
        "driver differs",
        "iteration count differs",
    ] {
        assert!(warnings.iter().any(|warning| warning.contains(text)), "{warnings:?}");
    }
    let twice = Document::new(vec![base.runs[0].clone(), base.runs[0].clone()]);
    let warnings = judged(&twice, &base, "").comparison.warnings;
    assert!(warnings.iter().any(|warning| warning.contains("a run several times")), "{warnings:?}");
}

/// The pair with a regression that is certain.
fn slower_pair() -> (Document, Document) {
    let (base, mut new) = pair();
    scale(&mut new, ITERATION_TIME, 1.2);
    assert_eq!(judged(&base, &new, "").verdict, GateVerdict::Fail);
    (base, new)
}

/// Fails unless nothing is judged, and every check says why.
fn expect_unlike(base: &Document, new: &Document, why: &str) {
    let report = judged(base, new, "");
    assert_eq!(report.verdict, GateVerdict::Inconclusive, "{why}");
    assert!(
        report.comparison.unlike.iter().any(|reason| reason.contains(why)),
        "{:?}",
        report.comparison.unlike
    );
    for check in report.checks.iter().filter(|check| check.outcome != GateOutcome::NotApplicable) {
        assert!(check.outcome == GateOutcome::Inconclusive && check.reason.contains(why), "{check:?}");
    }
}

#[test]
fn other_gpus_have_no_verdict() {
    let (mut base, mut new) = slower_pair();
    base.runs.iter_mut().for_each(|run| run.environment.gpus = vec!["NVIDIA A100".to_owned(); 8]);
    new.runs[0].environment.gpus = vec!["NVIDIA A100".to_owned()];
    assert_eq!(judged(&base, &new, "").verdict, GateVerdict::Fail, "a smaller machine of the same kind");
    new.runs[0].environment.gpus = vec!["NVIDIA H100".to_owned()];
    expect_unlike(&base, &new, "the baseline ran on NVIDIA A100, the new run on NVIDIA H100");
    new.runs[0].environment.gpus.clear();
    assert_eq!(judged(&base, &new, "").verdict, GateVerdict::Fail, "what is not known is no difference");

    base.runs.iter_mut().for_each(|run| run.environment.gpus_used = 2);
    new.runs[0].environment.gpus_used = 4;
    expect_unlike(&base, &new, "used 2 GPUs, the new run 4");
}

/// Gives a document these kernels, with their times.
fn with_kernels(document: &mut Document, kernels: &[(&str, f64)]) {
    for run in &mut document.runs {
        let time = |ns: f64| BaselineGpuTime { mean_ns: ns, samples_ns: Vec::new() };
        run.kernels = kernels.iter().map(|&(name, ns)| (name.to_owned(), time(ns))).collect();
    }
}

#[test]
fn other_programs_have_no_verdict() {
    let (mut base, mut new) = slower_pair();
    // Without ops: TF32 in place of FP32 is another kernel for most of the time, and the same program.
    let (base_of, new_of) = ([("sgemm", 9e6), ("add", 1e6)], [("tf32_gemm", 2e6), ("add", 1e6)]);
    for document in [&mut base, &mut new] {
        document.runs.iter_mut().for_each(|run| {
            run.environment.mode = "simple".to_owned();
            run.ops.clear();
        });
    }
    with_kernels(&mut base, &base_of);
    with_kernels(&mut new, &new_of);
    assert_eq!(judged(&base, &new, "").verdict, GateVerdict::Fail);
    with_kernels(&mut new, &[("convolve", 9e6), ("add", 1e6)]);
    expect_unlike(&base, &new, "different programs");

    // With ops: those of the new run have other names, types and kernels.
    let (mut base, mut new) = slower_pair();
    with_kernels(&mut base, &[("sgemm", 1e6)]);
    with_kernels(&mut new, &[("sgemm", 1e6), ("convolve", 9e6)]);
    with_ops(&mut base, &["embed", "attend", "predict"]);
    with_ops(&mut new, &["embed", "attend", "predict"]);
    assert_eq!(judged(&base, &new, "").verdict, GateVerdict::Fail, "the ops are the same");
    with_ops(&mut new, &["normalize", "pool", "classify"]);
    expect_unlike(&base, &new, "programs: 0 % of the GPU time is in ops that both have");
    with_kernels(&mut new, &[("sgemm", 1.2e6)]);
    assert_eq!(judged(&base, &new, "").verdict, GateVerdict::Fail, "other names for the same kernels");
}

/// Gives a document these ops, of types of their own.
fn with_ops(document: &mut Document, names: &[&str]) {
    for run in &mut document.runs {
        run.environment.mode = "nvtx".to_owned();
        let op = |name: &&str| BaselineOp {
            name: (*name).to_owned(),
            op_type: (*name).to_owned(),
            ordinal: 1,
            time: BaselineGpuTime { mean_ns: 1e6, samples_ns: Vec::new() },
            ..BaselineOp::default()
        };
        run.ops = names.iter().map(|name| (BaselineOp::key(name, "", 1), op(name))).collect();
    }
}
