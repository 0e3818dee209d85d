//! Findings as SARIF 2.1.0 and as workflow commands of GitHub.

use super::RuleReport;
use crate::comparison::annotations::{Message, commands, sarif_document};
use dlprof_core::Finding;

fn messages(report: &RuleReport<'_>) -> Vec<Message> {
    let capture = report.capture.file_name().unwrap_or(report.capture.as_os_str());
    let message = |finding: &Finding| Message {
        rule: finding.id.to_string(),
        level: finding.severity.as_str(),
        text: report.message(finding),
        capture: capture.to_string_lossy().into_owned(),
    };
    report.findings.iter().map(message).collect()
}

pub(super) fn sarif(report: &RuleReport<'_>) -> String {
    let rules = report.rules.iter().map(|(rule, _)| (rule.id, rule.title));
    sarif_document(rules, &messages(report))
}

pub(super) fn github(report: &RuleReport<'_>) -> String {
    format!("dlprof-agg rules: {}\n{}", report.headline(), commands(&messages(report)))
}
