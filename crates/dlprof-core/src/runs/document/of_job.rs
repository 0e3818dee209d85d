//! What is kept of a job of many ranks: a value per step, over all ranks.

use super::found::{MainFigure, main_figure};
use super::used::SAMPLES_KEPT;
use super::used_sums::rounded;
use super::{
    BaselineEnvironment, BaselineIterations, BaselineRun, BaselineScope, Document, JOB, Parts, RunFinding,
    RunFindings, RunSaving, SavingKind, WallClock,
};
use crate::base::diagnostics::Severity;
use crate::base::ratios::{count_to_f64, to_f64};
use crate::runs::metrics;
use crate::runs::ranks::{Job, JobFinding, JobRank, JobRule, RankClass};
use std::collections::BTreeMap;

impl Document {
    /// A document of the one run that a job is.
    #[must_use]
    pub fn of_job(job: &Job, name: &str) -> Self {
        Self::new(vec![run(job, name)])
    }
}

fn run(job: &Job, name: &str) -> BaselineRun {
    // What was captured is no step where nothing repeats.
    let steps = if job.has_steps { &job.steady[..] } else { &[] };
    let sampled: Vec<i64> =
        steps.iter().copied().step_by(steps.len().div_ceil(SAMPLES_KEPT).max(1)).collect();
    let scope = if sampled.is_empty() { BaselineScope::WholeCapture } else { BaselineScope::Iterations };
    let count = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    let number = |(at, iteration): (usize, &i64)| {
        u32::try_from(*iteration).unwrap_or_else(|_| u32::try_from(at).unwrap_or(u32::MAX))
    };
    BaselineRun {
        capture: name.to_owned(),
        environment: environment(job),
        scope,
        iterations: BaselineIterations {
            total: count,
            used: count,
            left_out: BTreeMap::new(),
            sampled: sampled.iter().enumerate().map(number).collect(),
        },
        metrics: metrics(job, &sampled),
        op_types: BTreeMap::new(),
        groups: BTreeMap::new(),
        ops: BTreeMap::new(),
        kernels: BTreeMap::new(),
        wall_clock: wall_clock(job),
        // Few steps tell of no rank whether it lags: that nothing was found says nothing then.
        findings: (job.has_lag() || !job.findings.is_empty()).then(|| findings(job)),
    }
}

fn environment(job: &Job) -> BaselineEnvironment {
    let mut gpus: Vec<String> = job.ranks.iter().map(|rank| rank.who.gpu_name.clone()).collect();
    gpus.sort();
    BaselineEnvironment {
        gpus,
        // Also those of ranks without a capture: the job has them.
        gpus_used: usize::try_from(job.world).unwrap_or(0).max(job.ranks.len()),
        dlprof_agg: env!("CARGO_PKG_VERSION").to_owned(),
        mode: "ranks".to_owned(),
        input: Some(JOB.to_owned()),
        ..BaselineEnvironment::default()
    }
}

/// Means over ranks, but the lag, which is that of the rank that lags most.
fn metrics(job: &Job, sampled: &[i64]) -> BTreeMap<String, Vec<f64>> {
    let mean = |iteration: i64, of: fn(&crate::runs::ranks::StepTimes) -> i64| {
        let steps = job.ranks.iter().filter_map(|rank| rank.steps.of.get(&iteration));
        let (count, sum) = steps.fold((0, 0), |(count, sum), step| (count + 1, sum + of(step)));
        rounded(to_f64(sum) / count_to_f64(u64::max(count, 1)))
    };
    let each = |of: fn(&crate::runs::ranks::StepTimes) -> i64| -> Vec<f64> {
        sampled.iter().map(|&iteration| mean(iteration, of)).collect()
    };
    let mut lengths = each(|step| step.length_ns);
    let mut metrics = BTreeMap::new();
    if lengths.is_empty() {
        lengths.push(rounded(job.means.mean.length_ns));
        if job.has_waiting() {
            metrics.insert(metrics::JOB_WAIT.to_owned(), vec![rounded(job.means.mean.wait_ns)]);
        }
    } else {
        let lag = |iteration: &i64| {
            let lags = job.ranks.iter().filter_map(|rank| rank.lag.of.get(iteration).copied());
            to_f64(lags.max().unwrap_or(0).max(0))
        };
        if job.has_lag() {
            metrics.insert(metrics::JOB_LAG.to_owned(), sampled.iter().map(lag).collect());
        }
        if job.has_waiting() {
            metrics.insert(metrics::JOB_WAIT.to_owned(), each(|step| step.wait_ns));
        }
        // Items per second are those of the mean step: so many items are in each.
        if let Some(items) = job.items_per_s.map(|items| items * job.means.mean.length_ns) {
            let speeds = lengths.iter().map(|length| rounded(items / length.max(1.0)));
            metrics.insert(metrics::ITEMS_PER_SECOND.to_owned(), speeds.collect());
        }
    }
    metrics.insert(metrics::ITERATION_TIME.to_owned(), lengths);
    metrics
}

/// The classes of all ranks in the steps that all of them have.
fn wall_clock(job: &Job) -> WallClock {
    let has = |rank: &JobRank, iteration: &i64| rank.steps.of.contains_key(iteration);
    let shared: Vec<i64> =
        job.steady.iter().copied().filter(|number| job.ranks.iter().all(|rank| has(rank, number))).collect();
    let gpus = u32::try_from(job.ranks.len()).unwrap_or(u32::MAX).max(1);
    let Some(iterations) = u32::try_from(shared.len()).ok().filter(|&count| count > 0) else {
        return WallClock { iterations: 1, gpus, ..WallClock::default() };
    };
    let steps =
        || job.ranks.iter().flat_map(|rank| shared.iter().filter_map(|number| rank.steps.of.get(number)));
    let of = |class: RankClass| steps().map(|step| step.of(class).max(0)).sum::<i64>();
    let part = |parts: &[(&str, i64)]| -> BTreeMap<String, i64> {
        parts.iter().filter(|(_, ns)| *ns > 0).map(|&(name, ns)| (name.to_owned(), ns)).collect()
    };
    let of_no_op = |parts: &[(&str, i64)]| -> Parts {
        Some(part(parts))
            .filter(|parts| !parts.is_empty())
            .map(|parts| (String::new(), parts))
            .into_iter()
            .collect()
    };
    let wait_ns = steps().map(|step| step.wait_ns.max(0)).sum();
    let idle = part(&[
        ("input", of(RankClass::Input)),
        ("CPU", of(RankClass::Cpu)),
        ("sync", of(RankClass::Sync)),
        ("other", of(RankClass::Other)),
    ]);
    let kernels = of_no_op(&[("compute", of(RankClass::Compute))]);
    let communication = of_no_op(&[("transfer", of(RankClass::Transfer)), ("waiting for others", wait_ns)]);
    let copies = of_no_op(&[("copy", of(RankClass::Copy))]);
    let parts = [&kernels, &communication, &copies];
    let total_ns =
        parts.iter().flat_map(|parts| parts.values()).flat_map(BTreeMap::values).chain(idle.values()).sum();
    WallClock { iterations, gpus, total_ns, kernels, communication, copies, idle }
}

/// The first finding of each rule, which saves most.
fn findings(job: &Job) -> RunFindings {
    let mut found: Vec<RunFinding> = Vec::new();
    for finding in &job.findings {
        if found.iter().all(|known| known.id != finding.rule.key()) {
            found.push(of_finding(finding));
        }
    }
    let is_error = |finding: &&JobFinding| finding.severity == Severity::Error;
    let misleads = job.findings.iter().filter(is_error).map(JobFinding::title_in_ms).collect();
    let is_judged = |rule: &JobRule| job.has_lag() || !rule.needs_lag();
    let rules = JobRule::ALL.into_iter().filter(is_judged).map(|rule| rule.key().to_owned()).collect();
    RunFindings { rules, found, misleads }
}

fn of_finding(finding: &JobFinding) -> RunFinding {
    let saving = |ns: f64, kind| RunSaving { ns: rounded(ns.max(0.0)), kind };
    let figure: Option<MainFigure> =
        finding.figures.first().and_then(|(name, measure)| main_figure(name, measure));
    RunFinding {
        id: finding.rule.key().to_owned(),
        severity: finding.severity,
        problem: finding.title_in_ms(),
        figure,
        saving: match (finding.saving_ns, finding.saving_upper_ns) {
            (Some(ns), _) => Some(saving(ns, SavingKind::Expected)),
            (None, upper) => upper.map(|ns| saving(ns, SavingKind::Upper)),
        },
    }
}
