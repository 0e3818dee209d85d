//! What to change: findings with their savings per iteration.

use crate::display::{TimeUnit, sentence};
use crate::findings::mark;
use dlprof_core::{
    Finding, Judged, RuleError, Saving, built_in_rules, judged_passes, savings_overlap, to_f64,
};
use serde::Serialize;

/// A finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindingRow {
    /// Stable id of the rule.
    pub id: String,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// The sign of the severity: ■, ▲ or ○.
    pub mark: &'static str,
    /// What the rule finds, in few words, without figures.
    pub title: String,
    /// What was found, in one sentence.
    pub problem: String,
    /// What to change.
    pub advice: String,
    /// How sure it is: `low`, `medium` or `high`.
    pub confidence: &'static str,
    /// What the change would save; `None` if that is not known or nothing.
    pub saving: Option<SavingPerIteration>,
    /// What it could save at most where nothing is likely to be saved.
    pub unlikely: Option<SavingPerIteration>,
    /// Whether it is known that the change saves nothing, or hardly anything, at most.
    pub saves_nothing: bool,
    /// Whether `what-if` makes the change by the id of the rule.
    pub is_replayed: bool,
    /// Id of the finding whose cause it shares, after which it stands; `None` for most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_cause_as: Option<&'static str>,
    /// The command that lists the evidence, for a POSIX shell; `None` without one.
    pub command: Option<String>,
    /// A page with more; `None` without one.
    pub link: Option<String>,
}

impl FindingRow {
    /// What stands in place of a saving; `not_known` for a finding that shares its cause with no other.
    #[must_use]
    pub fn without_saving(&self, not_known: &'static str) -> &'static str {
        if self.same_cause_as.is_some() { "same cause as above" } else { self.no_saving(not_known) }
    }

    /// The same for a finding whose place says that it shares a cause.
    pub(crate) fn no_saving(&self, not_known: &'static str) -> &'static str {
        match &self.unlikely {
            Some(_) => "none likely",
            None if self.saves_nothing => "none",
            None => not_known,
        }
    }
}

/// What a change would save of an iteration; without iterations, of the whole window.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SavingPerIteration {
    /// What is likely, in nanoseconds.
    pub expected_ns: Option<f64>,
    /// What cannot be exceeded, in nanoseconds.
    pub at_most_ns: Option<f64>,
    /// What the figures come from.
    pub basis: String,
}

impl SavingPerIteration {
    /// A saving, which is summed over so many passes.
    pub(crate) fn of(saving: &Saving, passes: u32) -> Self {
        let each = |ns| to_f64(ns) / f64::from(passes.max(1));
        Self {
            expected_ns: saving.expected_ns.map(each),
            at_most_ns: saving.upper_ns.map(each),
            basis: saving.basis.to_string(),
        }
    }

    /// What is likely, else what cannot be exceeded, in nanoseconds.
    #[must_use]
    pub fn ns(&self) -> f64 {
        self.expected_ns.or(self.at_most_ns).unwrap_or(0.0)
    }

    /// `expected` or `at most`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        if self.expected_ns.is_some() { "expected" } else { "at most" }
    }
}

/// A rule of a user that does not fit the values that it saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedRule {
    /// Its stable name.
    pub id: String,
    /// Which rule, of which settings file.
    pub problem: String,
    /// Its place in the file, what was found, and what is expected.
    pub reason: String,
    /// What the user can do; `None` if there is nothing to say.
    pub hint: Option<String>,
}

/// Users' rules that failed.
pub(super) fn failed_rules(judged: &Judged) -> Vec<FailedRule> {
    let failed = |(id, error): (&str, &RuleError)| {
        let file = error.path.file_name().unwrap_or_default().to_string_lossy();
        FailedRule {
            id: id.to_owned(),
            problem: format!("Rule `{id}` of `{file}` could not be applied to these iterations"),
            reason: error.to_string(),
            hint: error.hint.clone(),
        }
    };
    judged.own_failures().map(failed).collect()
}

/// Whether savings of these findings may come from the same time.
pub(super) fn overlap(findings: &[FindingRow]) -> bool {
    savings_overlap(
        findings.iter().filter(|finding| finding.saving.is_some()).map(|finding| finding.id.as_str()),
    )
}

/// What savings are about: `per` says of what they are.
pub(crate) fn about_savings(per: &str, overlap: bool) -> String {
    let overlap = if overlap { "; savings do not add up" } else { "" };
    format!("saving {per}{overlap}")
}

pub(super) fn findings(judged: &Judged, unit: TimeUnit) -> Vec<FindingRow> {
    // Findings are about the steady ones of the aggregated iterations, which may be fewer.
    let passes = judged_passes(judged).max(1);
    let file = judged.capture.source.path.to_string_lossy();
    let replayed: Vec<String> = judged.advised().map(|change| change.name().to_owned()).collect();
    let row = |finding: &Finding| FindingRow {
        is_replayed: replayed.iter().any(|name| *name == finding.id),
        ..row(judged, finding, &file, passes, unit)
    };
    judged.findings().iter().map(row).collect()
}

fn row(judged: &Judged, finding: &Finding, file: &str, passes: u32, unit: TimeUnit) -> FindingRow {
    let problem = sentence(&finding.problem, unit);
    let rule = built_in_rules().find(|rule| rule.id == finding.id);
    let saving = finding.saving.as_ref().map(|saving| SavingPerIteration::of(saving, passes));
    let is_known = saving.is_some();
    let (saving, unlikely) = match saving {
        Some(saving) if saving.ns() > 0.0 => (Some(saving), None),
        Some(saving) if saving.at_most_ns.is_some_and(|most| most > 0.0) => (None, Some(saving)),
        _ => (None, None),
    };
    FindingRow {
        id: finding.id.to_string(),
        severity: finding.severity.as_str(),
        mark: mark(finding.severity),
        title: finding.title.or(rule.map(|rule| rule.title)).map_or_else(|| problem.clone(), str::to_owned),
        problem,
        advice: sentence(&finding.recommendation, unit),
        confidence: finding.confidence().as_str(),
        saves_nothing: is_known && saving.is_none() && unlikely.is_none(),
        saving,
        unlikely,
        is_replayed: false,
        same_cause_as: finding.same_cause_as,
        command: judged.words(finding, file),
        link: (!finding.link.is_empty()).then(|| finding.link.to_string()),
    }
}
