//! What rules find in a job: who holds it back, why, what it would save, and what to do.

mod capture_rules;
mod differences;
mod laggards;
mod links;
mod peaks;
mod rule;
mod scene;
mod stages;
mod together;
mod whole_job;

pub use rule::{JobFinding, JobRule};
pub(super) use scene::Scene;

use super::causes::{self, LagCause};
use crate::base::diagnostics::Severity;
use std::collections::BTreeSet;

/// What was found, and why each rank that lags does.
pub(super) struct Judged {
    pub(super) findings: Vec<JobFinding>,
    /// By rank.
    pub(super) causes: Vec<Option<LagCause>>,
}

pub(super) fn judge(scene: &Scene<'_>) -> Judged {
    let cause = |rank: usize| {
        let (lag, work) = (&scene.lags[rank], &scene.work[rank]);
        lag.is_lagging().then(|| causes::cause(lag, work, scene.thresholds))
    };
    let mut causes: Vec<Option<LagCause>> = (0..scene.ranks.len()).map(cause).collect();
    let mut findings = Vec::new();
    // Ranks whose lag another finding explains.
    let mut explained: BTreeSet<usize> = BTreeSet::new();
    links::find(scene, &mut findings, &mut causes, &mut explained);
    laggards::find_nodes(scene, &causes, &mut findings, &mut explained);
    laggards::find(scene, &causes, &mut findings, &explained);
    findings.extend(together::find(scene, &causes, &findings));
    findings.extend(stages::find(scene));
    findings.extend(peaks::find(scene));
    findings.extend(whole_job::find(scene));
    findings.extend(differences::find(scene));
    findings.extend(capture_rules::find(scene));
    findings.sort_by(|a, b| {
        let is_error = |finding: &JobFinding| finding.severity == Severity::Error;
        is_error(b)
            .cmp(&is_error(a))
            .then_with(|| b.weight().total_cmp(&a.weight()))
            .then_with(|| (a.rule.key(), &a.ranks).cmp(&(b.rule.key(), &b.ranks)))
    });
    findings.splice(0..0, capture_rules::missing(scene));
    Judged { findings, causes }
}
