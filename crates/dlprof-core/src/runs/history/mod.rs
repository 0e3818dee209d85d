//! Many baselines in order: when did a metric change?
//!
//! Change points are found by binary segmentation. Every place in a series of values is tried. The best place is
//! where the difference of the means, in units of its own error, is largest. The noise is estimated twice: from the
//! values around the two means, and from the differences of neighbours (von Neumann 1941). The smaller estimate is
//! used, because a step or a slow change makes the other one too large. A division is accepted if noise alone
//! reaches such a value in less than one of two hundred series of this length (simulated with a fixed seed; the
//! value does not depend on level or noise), and if the means differ by more than 0.5 %.

mod change_points;

pub use change_points::ChangePoint;
pub(crate) use change_points::change_points;

use crate::runs::comparison::typical;
use crate::runs::document::{BaselineScope, Document};
use crate::runs::metrics::{GPU_IDLE, ITERATION_TIME, METRICS, RunMetric, RunUnit};
use crate::runs::policy::{Policy, PolicyRule};
use serde::Serialize;

/// A metric over the documents of a history.
#[derive(Debug, Clone, Serialize)]
pub struct HistorySeries {
    /// Key of the metric.
    pub key: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// What it counts.
    pub unit: RunUnit,
    /// The typical value in each document; `None` if it has no iterations or the metric is undefined in it.
    pub values: Vec<Option<f64>>,
    /// Where it changed, the oldest change first; positions are positions of documents.
    pub changes: Vec<ChangePoint>,
}

/// A metric that slowly grew over its budget; each single step may be within the budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift {
    /// Key of the metric.
    pub key: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// What it counts.
    pub unit: RunUnit,
    /// Level at the beginning of the history.
    pub first: f64,
    /// Level now.
    pub last: f64,
    /// Change that is over budget.
    pub limit: f64,
    /// How many documents before the new runs the last change is; 0 means that it is in the new runs.
    pub since: usize,
}

/// Every metric over documents, the oldest document first.
#[must_use]
pub fn series(documents: &[Document]) -> Vec<HistorySeries> {
    METRICS.iter().map(|metric| of_metric(metric, documents)).collect()
}

fn of_metric(metric: &RunMetric, documents: &[Document]) -> HistorySeries {
    let value = |document: &Document| {
        let has = |run: &crate::runs::document::BaselineRun| {
            run.scope == BaselineScope::Iterations && run.metrics.contains_key(metric.key)
        };
        document.runs.iter().all(has).then(|| typical(&document.runs, metric.key))
    };
    let values: Vec<Option<f64>> = documents.iter().map(value).collect();
    let known: Vec<(usize, f64)> =
        values.iter().enumerate().filter_map(|(at, value)| value.map(|value| (at, value))).collect();
    let numbers: Vec<f64> = known.iter().map(|(_, value)| *value).collect();
    let place = |change: ChangePoint| ChangePoint { at: known[change.at].0, ..change };
    let changes = change_points(&numbers).into_iter().map(place).collect();
    HistorySeries { key: metric.key, title: metric.title, unit: metric.unit, values, changes }
}

/// Metrics whose level in the new runs is over budget compared with the beginning of the history.
#[must_use]
pub(crate) fn drifts(history: &[Document], new: &Document, policy: &Policy) -> Vec<Drift> {
    if history.is_empty() {
        return Vec::new();
    }
    let first = history.len().saturating_sub(policy.history_window);
    let documents: Vec<Document> = history[first..].iter().chain([new]).cloned().collect();
    let iteration_ns = typical(&documents[0].runs, ITERATION_TIME);
    let all = series(&documents);
    let level = |key: &str| {
        let changes = all.iter().find(|series| series.key == key).map_or(&[][..], |series| &series.changes);
        changes.first().zip(changes.last()).map_or(0.0, |(oldest, latest)| latest.after - oldest.before)
    };
    // As in the checks, idle time that comes from shorter work is not a regression.
    let is_left_over =
        |rule: &PolicyRule| rule.name == GPU_IDLE && level(ITERATION_TIME) < level(GPU_IDLE) / 2.0;
    let drift = |rule: &PolicyRule| {
        let series = all.iter().find(|series| series.key == rule.name)?;
        let (oldest, latest) = (series.changes.first()?, series.changes.last()?);
        let limit = rule.limit(oldest.before, series.unit, iteration_ns);
        let is_over = rule.worse.turned(latest.after - oldest.before) > limit;
        (is_over && !is_left_over(rule)).then(|| Drift {
            key: series.key,
            title: series.title,
            unit: series.unit,
            first: oldest.before,
            last: latest.after,
            limit,
            since: documents.len() - 1 - latest.at,
        })
    };
    policy.rules.iter().filter_map(drift).collect()
}
