//! The signs of findings.

use dlprof_core::Severity;

/// Shapes tell severities apart without colour.
#[must_use]
pub(crate) fn mark(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "■",
        Severity::Warning => "▲",
        Severity::Note => "○",
    }
}
