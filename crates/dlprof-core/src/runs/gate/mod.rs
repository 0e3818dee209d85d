//! The gate: a policy applied to a comparison.

mod check;

pub(crate) use crate::runs::policy::{Inconclusive, Policy};
pub use check::{GateCheck, GateOutcome};

use crate::runs::comparison::{Comparison, compare, typical};
use crate::runs::document::Document;
use crate::runs::history::{self, Drift};
use crate::runs::metrics::{ITERATION_TIME, can_have};
use crate::runs::policy::PolicyRule;
use crate::runs::statistics::{Assumptions, hochberg};
use crate::runs::subject::Subject;
use serde::Serialize;

/// The verdict of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GateVerdict {
    /// Nothing is worse than the policy allows.
    Pass,
    /// Something is certainly worse than the policy allows.
    Fail,
    /// The samples do not allow a verdict.
    Inconclusive,
}

impl GateVerdict {
    /// The word for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// The gate's verdict, and why.
#[derive(Debug, Clone, Serialize)]
pub struct GateReport {
    /// The verdict of the gate.
    pub verdict: GateVerdict,
    /// Captures that mislead, each with the first reason; then there is no verdict.
    pub misleads: Vec<String>,
    /// Every rule applied to everything it is about, in order of the policy.
    pub checks: Vec<GateCheck>,
    /// Metrics that slowly grew over their budget in the history.
    pub drifts: Vec<Drift>,
    /// Both sides in numbers.
    pub comparison: Comparison,
    /// Confidence of the tests of rules that set none.
    pub confidence: f64,
}

/// Judges the new runs against the baseline. With a `history` (oldest first), metrics are also compared with its
/// beginning.
#[must_use]
pub fn judge(base: &Document, new: &Document, policy: &Policy, history: &[Document]) -> GateReport {
    let assumptions = Assumptions {
        run_deviation_percent: policy.assumed_run_deviation_percent,
        confidence: policy.confidence,
    };
    let comparison = compare(base, new, assumptions);
    let iteration_ns = typical(&base.runs, ITERATION_TIME);
    let mut checks = Vec::new();
    // For each rule that may fail: its smallest p-value and its checks.
    let mut families: Vec<(f64, Vec<usize>)> = Vec::new();
    let has_jobs = |is_job| base.runs.iter().chain(&new.runs).any(|run| run.is_job() == is_job);
    let can_be_known = |rule: &&PolicyRule| {
        rule.kind != Subject::Metric
            || [true, false].into_iter().any(|is_job| has_jobs(is_job) && can_have(is_job, &rule.name))
    };
    for rule in policy.rules.iter().filter(can_be_known) {
        let first = checks.len();
        checks.extend(check::checks(rule, &comparison, iteration_ns));
        let over: Vec<usize> = (first..checks.len()).filter(|&at| checks[at].is_over_budget()).collect();
        if let Some(smallest) = over.iter().filter_map(|&at| checks[at].p_value).reduce(f64::min) {
            families.push((smallest, over));
        }
    }
    let adjusted = hochberg(&families.iter().map(|(p, _)| *p).collect::<Vec<_>>());
    for ((smallest, family), adjusted) in families.into_iter().zip(adjusted) {
        let factor = if smallest > 0.0 { adjusted / smallest } else { 1.0 };
        for at in family {
            checks[at].decide(factor);
        }
    }
    let reason = comparison.no_verdict().collect::<Vec<_>>().join("; ");
    if !reason.is_empty() {
        checks.iter_mut().for_each(|check| check.withdraw(&reason));
    }
    let drifts = if !reason.is_empty() { Vec::new() } else { history::drifts(history, new, policy) };
    GateReport {
        verdict: verdict(&checks, &drifts),
        misleads: comparison.misleads.clone(),
        checks,
        drifts,
        comparison,
        confidence: policy.confidence,
    }
}

fn verdict(checks: &[GateCheck], drifts: &[Drift]) -> GateVerdict {
    let has = |outcome: GateOutcome| checks.iter().any(|check| check.outcome == outcome);
    let says = |wanted: Inconclusive| {
        checks.iter().any(|check| check.outcome == GateOutcome::Inconclusive && check.inconclusive == wanted)
    };
    let is_tested = has(GateOutcome::Pass) || has(GateOutcome::Improved) || says(Inconclusive::Pass);
    match () {
        () if has(GateOutcome::Fail) || !drifts.is_empty() || says(Inconclusive::Fail) => GateVerdict::Fail,
        // If nothing was tested, the gate has not passed.
        () if says(Inconclusive::Exit) || !is_tested => GateVerdict::Inconclusive,
        () => GateVerdict::Pass,
    }
}
