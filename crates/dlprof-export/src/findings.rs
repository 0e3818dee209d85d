//! Findings as people read them: what was found, what it costs, what to do, what lists the evidence.

use crate::display::{TimeUnit, sentence, time};
use dlprof_core::advice::{self, Finding, Judged, Severity};
use dlprof_core::base::ratios::to_f64;

/// A finding in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingText {
    /// The sign of its severity.
    pub mark: &'static str,
    /// What was found.
    pub problem: String,
    /// What to change.
    pub advice: String,
    /// What that would save; empty if it is not known.
    pub saving: String,
    /// What lists the evidence, in the words of the program; empty where it has none.
    pub command: String,
}

/// The findings of a profile in words, in their order; `file` is how commands name the export.
#[must_use]
pub fn texts(judged: &Judged, file: &str, unit: TimeUnit) -> Vec<FindingText> {
    let passes = advice::passes(judged);
    judged.findings().iter().map(|finding| text(judged, finding, file, passes, unit)).collect()
}

fn text(judged: &Judged, finding: &Finding, file: &str, passes: u32, unit: TimeUnit) -> FindingText {
    FindingText {
        mark: mark(finding.severity),
        problem: sentence(&finding.problem, unit),
        advice: sentence(&finding.recommendation, unit),
        saving: saving(finding, passes, unit).unwrap_or_default(),
        command: judged.words(finding, file).unwrap_or_default(),
    }
}

/// Shapes tell severities apart without colour.
#[must_use]
pub fn mark(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "■",
        Severity::Warning => "▲",
        Severity::Note => "○",
    }
}

/// `expected −245 ms per iteration`; none if nothing is known or nothing would be saved.
fn saving(finding: &Finding, passes: u32, unit: TimeUnit) -> Option<String> {
    let saving = finding.saving.as_ref().filter(|saving| saving.ns() > 0)?;
    let kind = if saving.expected_ns.is_some() { "expected" } else { "at most" };
    let of = if passes > 0 { " per iteration" } else { " in all" };
    Some(format!("{kind} −{}{of}", time(to_f64(saving.ns()) / f64::from(passes.max(1)), unit)))
}
