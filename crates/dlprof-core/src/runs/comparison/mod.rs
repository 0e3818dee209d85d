//! Two sets of runs side by side: every number with its change and how certain the change is.

mod commands;
mod decomposition;
mod findings;
mod ops;
mod unlike;
mod warnings;

pub(crate) use decomposition::decompose;
pub use decomposition::{ComparedClass, ComparedPart, Decomposition};
pub use findings::{FindingChange, FindingChanges, FindingSide, FindingState};
pub(crate) use ops::OpMatch;
pub(crate) use ops::match_ops;
pub(crate) use warnings::{misleading, warnings};

use crate::runs::document::{BaselineGpuTime, BaselineRun, BaselineScope, Document};
use crate::runs::metrics::{self, METRICS, RunUnit};
use crate::runs::statistics::{Assumptions, Difference, RunSamples, difference, holm, location};
pub(crate) use crate::runs::subject::Subject;
use commands::commands;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// In which direction a number changed, as far as the samples show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trend {
    /// Certainly more.
    More,
    /// Certainly less.
    Less,
    /// Both sides are exactly equal.
    Equal,
    /// The change is not larger than noise.
    WithinNoise,
    /// The change is large, and the samples vary so much that it may be noise all the same.
    Uncertain,
    /// There are no samples, so it is unknown.
    Unknown,
    /// The number exists only in the new runs.
    New,
    /// The number exists only in the baseline.
    Vanished,
}

impl Trend {
    /// The word for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::More => "more",
            Self::Less => "less",
            Self::Equal => "equal",
            Self::WithinNoise => "within noise",
            Self::Uncertain => "not certain",
            Self::Unknown => "unknown",
            Self::New => "new",
            Self::Vanished => "vanished",
        }
    }
}

/// A number on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRow {
    /// What it is about.
    pub kind: Subject,
    /// Key of the metric; name of the op type, group or kernel; key of the op.
    pub key: String,
    /// The op's key in the baseline, if its name changed.
    pub renamed_from: Option<String>,
    /// Whether the op's operand shapes changed.
    pub shapes_changed: bool,
    /// What the number counts.
    pub unit: RunUnit,
    /// The numbers.
    #[serde(flatten)]
    pub difference: Difference,
    /// In which direction it changed.
    pub trend: Trend,
    /// Average share of the GPU time in percent, on the side where it is larger; `None` for metrics.
    pub share_percent: Option<f64>,
}

/// Everything about two sets of runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Names of the captures of the baseline.
    pub base: Vec<String>,
    /// Names of the new captures.
    pub new: Vec<String>,
    /// What a value describes; `None` if one side has iterations and the other side has not.
    pub scope: Option<BaselineScope>,
    /// Used iterations of each run of the baseline and of the new runs.
    pub iterations: (Vec<u32>, Vec<u32>),
    /// The clock of all iterations, `cpu` or `gpu`; `None` where sides have different ones, or do not say it.
    pub clock: Option<String>,
    /// The words in which the commands of the sides differ; `None` where they do not, or it is not known.
    pub commands: Option<(String, String)>,
    /// Why the comparison may not be fair.
    pub warnings: Vec<String>,
    /// Captures that mislead, each with the first reason: no verdict is possible, whatever seems faster there.
    pub misleads: Vec<String>,
    /// Why the sides are not runs of one program on one kind of GPU, so that no verdict is possible.
    pub unlike: Vec<String>,
    /// The metrics that all runs have.
    pub metrics: Vec<ComparedRow>,
    /// Keys of metrics that only some of the runs have.
    pub partial_metrics: Vec<String>,
    /// Whether all runs tell ops apart; where one does not, nothing is compared by op.
    pub tells_ops: bool,
    /// By op type.
    pub op_types: Vec<ComparedRow>,
    /// By op.
    pub ops: Vec<ComparedRow>,
    /// By group.
    pub groups: Vec<ComparedRow>,
    /// By kernel name.
    pub kernels: Vec<ComparedRow>,
    /// The change of the iteration time by cause; `None` if the scopes differ, or if it is not known what GPUs did.
    pub decomposition: Option<Decomposition>,
    /// What became of the findings.
    pub findings: FindingChanges,
}

impl Comparison {
    /// Why the sides cannot be judged against each other, what misleads first; empty if they can.
    pub fn no_verdict(&self) -> impl Iterator<Item = &str> {
        self.misleads.iter().chain(&self.unlike).map(String::as_str)
    }

    /// The row of a metric.
    #[must_use]
    pub fn metric(&self, key: &str) -> Option<&ComparedRow> {
        self.metrics.iter().find(|row| row.key == key)
    }

    /// Op types whose GPU time certainly changed, the largest change first. The test is corrected for the number of
    /// op types.
    #[must_use]
    pub fn movers(&self, confidence: f64) -> Vec<&ComparedRow> {
        let chance = |row: &ComparedRow| 2.0 * row.difference.p_more.min(row.difference.p_less);
        let adjusted = holm(&self.op_types.iter().map(chance).collect::<Vec<_>>());
        let mut movers: Vec<&ComparedRow> = (self.op_types.iter().zip(adjusted))
            .filter(|(row, p)| {
                row.trend != Trend::Unknown && *p <= 1.0 - confidence && row.difference.change != 0.0
            })
            .map(|(row, _)| row)
            .collect();
        movers.sort_by(|a, b| b.difference.change.abs().total_cmp(&a.difference.change.abs()));
        movers
    }
}

/// Compares two documents.
#[must_use]
pub fn compare(base: &Document, new: &Document, assumptions: Assumptions) -> Comparison {
    let sides = Sides::new(&base.runs, &new.runs, assumptions);
    let scope = sides.scope();
    let matches = match_ops(&base.runs, &new.runs);
    let used = |runs: &[BaselineRun]| runs.iter().map(|run| run.iterations.used).collect();
    let names = |runs: &[BaselineRun]| runs.iter().map(|run| run.capture.clone()).collect();
    let metrics = if scope.is_some() { metric_rows(&sides) } else { Vec::new() };
    let tells_ops = base.runs.iter().chain(&new.runs).all(unlike::tells_ops);
    let by_op = |rows: Vec<ComparedRow>| if tells_ops { rows } else { Vec::new() };
    Comparison {
        base: names(&base.runs),
        new: names(&new.runs),
        scope,
        iterations: (used(&base.runs), used(&new.runs)),
        clock: clock(base.runs.iter().chain(&new.runs)),
        commands: commands(&base.runs, &new.runs),
        warnings: warnings(&base.runs, &new.runs),
        misleads: misleading(&base.runs, &new.runs),
        unlike: unlike::unlike(&base.runs, &new.runs, &matches),
        findings: findings::compare_findings(&base.runs, &new.runs, scope, &metrics),
        metrics,
        partial_metrics: sides.partial_metrics(),
        tells_ops,
        op_types: by_op(sides.rows(Subject::OpType, |run| &run.op_types)),
        ops: by_op(op_rows(&sides, &matches)),
        groups: sides.rows(Subject::Group, |run| &run.groups),
        kernels: sides.rows(Subject::Kernel, |run| &run.kernels),
        decomposition: scope
            .filter(|_| sides.is_gpu_known())
            .map(|_| decompose(&base.runs, &new.runs, &matches)),
    }
}

struct Sides<'a> {
    base: &'a [BaselineRun],
    new: &'a [BaselineRun],
    /// GPU time of all op types of each side.
    gpu_ns: [f64; 2],
    assumptions: Assumptions,
}

/// The GPU time of an item in each run of a side; `None` for runs that do not have the item.
type Times<'a> = Vec<Option<&'a BaselineGpuTime>>;

impl<'a> Sides<'a> {
    fn new(base: &'a [BaselineRun], new: &'a [BaselineRun], assumptions: Assumptions) -> Self {
        let times = |runs: &'a [BaselineRun]| runs.iter().flat_map(|run| run.op_types.values());
        let gpu_ns = [base, new].map(|runs| times(runs).map(|time| time.mean_ns).sum());
        Self { base, new, gpu_ns, assumptions }
    }

    fn scope(&self) -> Option<BaselineScope> {
        let first = self.base.first()?.scope;
        self.base.iter().chain(self.new).all(|run| run.scope == first).then_some(first)
    }

    /// Whether it is known of every run what GPUs did.
    fn is_gpu_known(&self) -> bool {
        self.base.iter().chain(self.new).all(BaselineRun::is_gpu_known)
    }

    fn partial_metrics(&self) -> Vec<String> {
        let runs = self.base.len() + self.new.len();
        let holders =
            |key: &str| self.base.iter().chain(self.new).filter(|run| run.metrics.contains_key(key)).count();
        let keys = METRICS.iter().map(|metric| metric.key);
        keys.filter(|key| (1..runs).contains(&holders(key))).map(str::to_owned).collect()
    }

    /// One row for each name that exists on either side, sorted by name.
    fn rows(
        &self,
        kind: Subject,
        of: impl Fn(&'a BaselineRun) -> &'a BTreeMap<String, BaselineGpuTime>,
    ) -> Vec<ComparedRow> {
        if self.scope().is_none() || !self.is_gpu_known() {
            return Vec::new();
        }
        let all = self.base.iter().chain(self.new);
        let names: BTreeSet<&String> = all.flat_map(|run| of(run).keys()).collect();
        let row = |name: &String| {
            let times = |runs: &'a [BaselineRun]| runs.iter().map(|run| of(run).get(name)).collect();
            self.row(kind, name, times(self.base), times(self.new))
        };
        names.into_iter().map(row).collect()
    }

    fn row(&self, kind: Subject, key: &str, base: Times<'a>, new: Times<'a>) -> ComparedRow {
        let samples = |times: &Times<'a>| -> Vec<RunSamples<'a>> {
            times.iter().map(|time| time.map_or(RunSamples::Mean(0.0), samples_of)).collect()
        };
        let is_there = |times: &Times<'_>| times.iter().any(Option::is_some);
        let is_sampled = |times: &Times<'_>| times.iter().flatten().any(|time| !time.samples_ns.is_empty());
        let difference = difference(&samples(&base), &samples(&new), None, self.assumptions);
        let trend = match (is_there(&base), is_there(&new)) {
            (false, _) => Trend::New,
            (_, false) => Trend::Vanished,
            _ if difference.change == 0.0 => Trend::Equal,
            _ if !is_sampled(&base) && !is_sampled(&new) => Trend::Unknown,
            _ => trend(&difference, self.assumptions.confidence),
        };
        ComparedRow {
            kind,
            key: key.to_owned(),
            renamed_from: None,
            shapes_changed: false,
            unit: RunUnit::Ns,
            trend,
            share_percent: Some(f64::max(share(self.gpu_ns[0], &base), share(self.gpu_ns[1], &new))),
            difference,
        }
    }
}

fn samples_of(time: &BaselineGpuTime) -> RunSamples<'_> {
    match time.samples_ns.as_slice() {
        [] => RunSamples::Mean(time.mean_ns),
        samples => RunSamples::Iterations(samples),
    }
}

/// Share of the GPU time of all runs in percent.
fn share(all: f64, times: &Times<'_>) -> f64 {
    let part: f64 = times.iter().flatten().map(|time| time.mean_ns).sum();
    if all > 0.0 { part / all * 100.0 } else { 0.0 }
}

/// A change of this share of the base or more is not called noise.
const LARGE_PERCENT: f64 = 20.0;

fn trend(difference: &Difference, confidence: f64) -> Trend {
    match difference {
        _ if difference.change == 0.0 => Trend::Equal,
        _ if difference.p_more <= 1.0 - confidence => Trend::More,
        _ if difference.p_less <= 1.0 - confidence => Trend::Less,
        _ if difference.change_percent.is_some_and(|change| change.abs() >= LARGE_PERCENT) => {
            Trend::Uncertain
        }
        _ => Trend::WithinNoise,
    }
}

fn clock<'a>(mut runs: impl Iterator<Item = &'a BaselineRun>) -> Option<String> {
    let first = runs.next()?.environment.clock.clone()?;
    runs.all(|run| run.environment.clock.as_ref() == Some(&first)).then_some(first)
}

fn metric_rows<'a>(sides: &Sides<'a>) -> Vec<ComparedRow> {
    let is_whole = sides.scope() == Some(BaselineScope::WholeCapture);
    let mut rows = Vec::new();
    for metric in &METRICS {
        let of_run =
            |run: &'a BaselineRun| run.metrics.get(metric.key).map(|samples| RunSamples::Iterations(samples));
        let samples =
            |runs: &'a [BaselineRun]| -> Option<Vec<RunSamples<'a>>> { runs.iter().map(of_run).collect() };
        let (Some(base), Some(new)) = (samples(sides.base), samples(sides.new)) else { continue };
        // Idle time and waiting vary with the length of the iteration, so their assumed deviation is a share of it.
        let scale = metrics::is_rest(metric.key).then(|| typical(sides.base, metrics::ITERATION_TIME));
        let difference = difference(&base, &new, scale, sides.assumptions);
        let trend = match trend(&difference, sides.assumptions.confidence) {
            Trend::Equal => Trend::Equal,
            _ if is_whole => Trend::Unknown,
            trend => trend,
        };
        rows.push(ComparedRow {
            kind: Subject::Metric,
            key: metric.key.to_owned(),
            renamed_from: None,
            shapes_changed: false,
            unit: metric.unit,
            difference,
            trend,
            share_percent: None,
        });
    }
    rows
}

/// Average over the runs of the typical value of a metric; 0 if no run has the metric.
#[must_use]
pub(crate) fn typical(runs: &[BaselineRun], key: &str) -> f64 {
    let values: Vec<f64> =
        runs.iter().filter_map(|run| run.metrics.get(key)).map(|samples| location(samples).value).collect();
    let count = crate::base::ratios::count_to_f64(values.len() as u64);
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / count }
}

fn op_rows<'a>(sides: &Sides<'a>, matches: &[OpMatch]) -> Vec<ComparedRow> {
    if sides.scope().is_none() || !sides.is_gpu_known() {
        return Vec::new();
    }
    let times = |runs: &'a [BaselineRun], key: &Option<String>| -> Times<'a> {
        let time = |run: &'a BaselineRun| key.as_ref().and_then(|key| run.ops.get(key)).map(|op| &op.time);
        runs.iter().map(time).collect()
    };
    let row = |found: &OpMatch| {
        let base = times(sides.base, &found.base);
        let new = times(sides.new, &found.new);
        ComparedRow {
            renamed_from: found.base.clone().filter(|_| found.is_renamed()),
            shapes_changed: found.shapes_changed,
            ..sides.row(Subject::Op, found.key(), base, new)
        }
    };
    matches.iter().map(row).collect()
}
