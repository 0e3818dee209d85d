//! What is told in sentences: the system, the findings, how many notes there are.

use super::{COLUMNS, Details, TITLE, titled};
use crate::display::{TimeUnit, sentence};
use crate::findings::texts;
use crate::text::{width, wrap};
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

pub(super) fn findings(profile: &Profile, unit: TimeUnit, details: Details) -> Vec<String> {
    let findings = texts(profile, &profile.capture.source.path.to_string_lossy(), unit);
    if findings.is_empty() {
        return titled("Findings: none", []);
    }
    let shown = match details {
        Details::Best => MOST_FINDINGS.min(findings.len()),
        Details::All => findings.len(),
    };
    let mut lines = Vec::new();
    for finding in &findings[..shown] {
        lines.extend(block(&format!("  {} ", finding.mark), &finding.problem));
        if !finding.saving.is_empty() {
            lines.push(format!("    saves: {}", finding.saving));
        }
        lines.extend(block("    → ", &finding.advice));
        if details == Details::All && !finding.command.is_empty() {
            lines.push(format!("      {}", finding.command));
        }
    }
    if findings.len() > shown {
        lines.push(format!("  {} more: `--details`", findings.len() - shown));
    }
    titled(&heading(profile), lines)
}

/// What the findings are about.
fn heading(profile: &Profile) -> String {
    let iterations = dlprof_core::findings::iterations(profile);
    let of = match (iterations.first(), iterations.last()) {
        (Some(first), Some(last)) if first == last => format!(" of iteration {first}"),
        (Some(first), Some(last)) => format!(" of iterations {first} to {last}"),
        _ => String::new(),
    };
    format!("Findings{of}, by what they would save; savings overlap")
}

/// So many findings are shown if not all are asked for.
const MOST_FINDINGS: usize = 3;

/// Wrapped lines; those behind the first are indented as far as its words.
fn block(start: &str, words: &str) -> Vec<String> {
    let indent = " ".repeat(width(start));
    let lines = wrap(words, COLUMNS - width(start));
    let start = std::iter::once(start).chain(std::iter::repeat(indent.as_str()));
    lines.iter().zip(start).map(|(line, start)| format!("{start}{line}")).collect()
}

/// The verdict, wrapped.
pub(super) fn verdict(profile: &Profile, unit: TimeUnit) -> Vec<String> {
    let lines = wrap(&sentence(&dlprof_core::findings::verdict(profile), unit), COLUMNS);
    lines.into_iter().map(|line| format!("{TITLE}{line}{TITLE:#}")).collect()
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
