//! The policy: what may change by how much.

mod error;
mod toml_file;

pub use error::{PolicyError, Suggestion};

use crate::runs::metrics::{self, METRICS, RunMetric, RunUnit, WorseWhen};
use crate::runs::subject::Subject;
use regex::Regex;
use serde::Serialize;

/// How an inconclusive check affects the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Inconclusive {
    /// The verdict is inconclusive, which has its own exit code.
    Exit,
    /// It counts as passed.
    Pass,
    /// It counts as failed.
    Fail,
}

/// A rule: what may change by how much.
#[derive(Debug, Clone)]
pub struct PolicyRule {
    /// What it is about.
    pub kind: Subject,
    /// Key of the metric, or the pattern as written.
    pub name: String,
    /// Which names it matches; `None` for a metric.
    pub pattern: Option<Regex>,
    /// Which way is worse.
    pub worse: WorseWhen,
    /// A change by more than this share of the baseline, in percent, is over budget.
    pub budget_percent: Option<f64>,
    /// A change by more than this, in the unit of the number, is over budget. Of two budgets both must be exceeded.
    pub budget_absolute: Option<f64>,
    /// Smaller changes, in percent of the baseline, never fail.
    pub minimum_effect_percent: f64,
    /// Changes smaller than this share of the baseline's iteration time, in percent, never fail. Times only.
    pub minimum_effect_of_iteration_percent: f64,
    /// One-sided confidence of the test.
    pub confidence: f64,
    /// Fewer iterations on either side are inconclusive.
    pub minimum_iterations: usize,
    /// What inconclusive means here.
    pub inconclusive: Inconclusive,
    /// Whether a pattern that matches nothing is inconclusive; else it is only said.
    pub is_required: bool,
}

impl PolicyRule {
    /// The largest change for the worse that is allowed, in the unit of the number. `base` is the baseline's value.
    #[must_use]
    pub fn limit(&self, base: f64, unit: RunUnit, iteration_ns: f64) -> f64 {
        let of_base = |percent: f64| percent / 100.0 * base.abs();
        let of_iteration = match unit {
            RunUnit::Ns => self.minimum_effect_of_iteration_percent / 100.0 * iteration_ns,
            RunUnit::Percent | RunUnit::Count => 0.0,
        };
        let limits = [
            self.budget_percent.map_or(0.0, of_base),
            self.budget_absolute.unwrap_or(0.0),
            of_base(self.minimum_effect_percent),
            of_iteration,
        ];
        limits.into_iter().fold(0.0, f64::max)
    }
}

/// All rules and what they share.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The rules, metrics first.
    pub rules: Vec<PolicyRule>,
    /// Assumed standard deviation between equal runs, in percent. It replaces the runs that the baseline does not
    /// have.
    pub assumed_run_deviation_percent: f64,
    /// Confidence of rules that set none.
    pub confidence: f64,
    /// How many of the last baselines of a history are used.
    pub history_window: usize,
}

/// Of metric: budget in percent, absolute budget, smallest share of the iteration time in percent.
const DEFAULTS: [(&str, Option<f64>, Option<f64>, f64); 8] = [
    (metrics::ITERATION_TIME, Some(1.5), None, 0.0),
    (metrics::KERNEL_TIME, Some(1.5), None, 0.5),
    (metrics::COPY_TIME, Some(10.0), None, 1.0),
    (metrics::GPU_IDLE, Some(10.0), None, 2.0),
    (metrics::TC_UTILIZATION, None, Some(2.0), 0.0),
    (metrics::LAUNCHES, Some(2.0), None, 0.0),
    (metrics::JOB_WAIT, Some(10.0), None, 2.0),
    (metrics::JOB_LAG, Some(10.0), None, 2.0),
];

impl Default for Policy {
    fn default() -> Self {
        let shared = Shared::default();
        let rule = |&(key, budget_percent, budget_absolute, of_iteration): &(&str, _, _, f64)| PolicyRule {
            budget_percent,
            budget_absolute,
            minimum_effect_of_iteration_percent: of_iteration,
            ..shared.metric_rule(metrics::find(key).unwrap_or(&METRICS[0]))
        };
        shared.policy(DEFAULTS.iter().map(rule).collect())
    }
}

/// What all rules share.
#[derive(Debug, Clone, Copy)]
struct Shared {
    confidence: f64,
    minimum_iterations: usize,
    inconclusive: Inconclusive,
    assumed_run_deviation_percent: f64,
    history_window: usize,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            confidence: 0.99,
            minimum_iterations: 10,
            inconclusive: Inconclusive::Exit,
            assumed_run_deviation_percent: 1.5,
            history_window: 20,
        }
    }
}

impl Shared {
    fn policy(self, rules: Vec<PolicyRule>) -> Policy {
        Policy {
            rules,
            assumed_run_deviation_percent: self.assumed_run_deviation_percent,
            confidence: self.confidence,
            history_window: self.history_window,
        }
    }

    fn rule(self, kind: Subject, name: &str) -> PolicyRule {
        PolicyRule {
            kind,
            name: name.to_owned(),
            pattern: None,
            worse: WorseWhen::More,
            budget_percent: None,
            budget_absolute: None,
            minimum_effect_percent: 0.0,
            minimum_effect_of_iteration_percent: 0.0,
            confidence: self.confidence,
            minimum_iterations: self.minimum_iterations,
            inconclusive: self.inconclusive,
            is_required: false,
        }
    }

    fn metric_rule(self, metric: &RunMetric) -> PolicyRule {
        PolicyRule { worse: metric.worse, ..self.rule(Subject::Metric, metric.key) }
    }
}
