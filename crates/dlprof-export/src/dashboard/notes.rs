//! What is told in sentences: the system, the findings, how many notes there are.

use super::{COLUMNS, titled};
use crate::display::{TimeUnit, sentence};
use crate::text::wrap;
use dlprof_core::diagnostics::{Diagnostic, Severity};
use dlprof_core::profile::Profile;

pub(super) fn system(profile: &Profile) -> Vec<String> {
    let system = &profile.capture.system;
    let gpus = system.gpus_in_words();
    let known = [
        ("GPUs", Some(gpus.as_str())),
        ("CPU", system.cpu_model.as_deref()),
        ("Driver", system.driver_version.as_deref()),
        ("CUDA", system.cuda_version.as_deref()),
        ("cuDNN", system.cudnn_version.as_deref()),
        ("Framework", system.framework.as_deref()),
        ("nsys", system.nsys_version.as_deref()),
    ];
    let parts: Vec<String> =
        known.into_iter().filter_map(|(key, value)| Some(format!("{key}: {}", value?))).collect();
    let lines = wrap(&parts.join(" · "), COLUMNS - 2);
    titled("System", lines.into_iter().map(|line| format!("  {line}")))
}

pub(super) fn findings(profile: &Profile, unit: TimeUnit) -> Vec<String> {
    let findings = profile.findings();
    if findings.is_empty() {
        return titled("Findings: none", []);
    }
    let mut lines = Vec::new();
    for (number, finding) in (1..).zip(findings) {
        let start = format!("  {number}. ");
        let indent = " ".repeat(start.len());
        let problem = wrap(&sentence(&finding.problem, unit), COLUMNS - start.len());
        for (at, line) in problem.into_iter().enumerate() {
            lines.push(format!("{}{line}", if at == 0 { &start } else { &indent }));
        }
        let advice = wrap(&sentence(&finding.recommendation, unit), COLUMNS - start.len() - 2);
        for (at, line) in advice.into_iter().enumerate() {
            lines.push(format!("{indent}{} {line}", if at == 0 { "→" } else { " " }));
        }
    }
    titled("Findings", lines)
}

/// How many notes `-v` would show.
pub(super) fn notes(profile: &Profile) -> Vec<String> {
    let is_note = |diagnostic: &&Diagnostic| diagnostic.code.severity() == Severity::Note;
    match profile.diagnostics.iter().filter(is_note).count() {
        0 => Vec::new(),
        1 => vec!["1 note about the capture; `-v` shows it".into()],
        count => vec![format!("{count} notes about the capture; `-v` shows them")],
    }
}
