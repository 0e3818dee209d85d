//! SARIF 2.1.0 for code scanning, and workflow commands that GitHub shows as annotations.

use super::summary;
use dlprof_core::{GateOutcome, GateReport, GateVerdict};
use serde_json::{Value, json};

/// Something to show at the capture.
pub(crate) struct Message {
    /// Name of the rule.
    pub(crate) rule: String,
    /// `error`, `warning` or `note`.
    pub(crate) level: &'static str,
    pub(crate) text: String,
    /// Name of the capture.
    pub(crate) capture: String,
}

/// The messages of a report.
fn messages(report: &GateReport) -> Vec<Message> {
    let mut found: Vec<(&str, &'static str, String)> = Vec::new();
    for check in &report.checks {
        let text = format!("{}: {}", check.title(), check.reason);
        match check.outcome {
            GateOutcome::Fail => found.push(("regression", "error", text)),
            GateOutcome::Inconclusive => found.push(("inconclusive", "warning", text)),
            GateOutcome::Improved => found.push(("improvement", "note", text)),
            GateOutcome::Pass | GateOutcome::NotApplicable => {}
        }
    }
    found.extend(report.drifts.iter().map(|drift| ("drift", "error", summary::drift(drift))));
    let warnings = report.comparison.warnings.iter();
    found.extend(warnings.map(|warning| ("environment", "warning", warning.clone())));
    if report.verdict == GateVerdict::Fail
        && let Some(movers) = summary::movers(&report.comparison, report.confidence)
    {
        found.push(("movers", "note", movers));
    }
    let capture = report.comparison.new.first().cloned().unwrap_or_default();
    let message = |(rule, level, text): (&str, _, _)| Message {
        rule: rule.to_owned(),
        level,
        text,
        capture: capture.clone(),
    };
    found.into_iter().map(message).collect()
}

/// The report as SARIF. The location of a result is the capture, because there is no source line.
#[must_use]
pub fn sarif(report: &GateReport) -> String {
    let rules = [
        ("regression", "A number became worse than the policy allows, by more than noise."),
        ("drift", "A metric slowly grew over its budget in the history."),
        ("inconclusive", "The samples do not allow a verdict."),
        ("improvement", "A number became better, by more than noise."),
        ("environment", "The runs may not be comparable."),
        ("movers", "The op types that changed most."),
    ];
    sarif_document(rules.into_iter(), &messages(report))
}

/// A SARIF document of rules, each with a description, and messages about captures.
pub(crate) fn sarif_document<'a>(
    rules: impl Iterator<Item = (&'a str, &'a str)>,
    messages: &[Message],
) -> String {
    let rules: Vec<Value> =
        rules.map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } })).collect();
    let results: Vec<Value> = messages
        .iter()
        .map(|message| {
            json!({
                "ruleId": message.rule,
                "level": message.level,
                "message": { "text": message.text },
                "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(&message.capture) } } }],
            })
        })
        .collect();
    let driver = json!({
        "name": "dlprof-agg",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results }],
    });
    format!("{document:#}\n")
}

/// A file name as a relative URI reference.
fn uri(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    name.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// The report as workflow commands: `::error title=…::…`.
#[must_use]
pub fn github(report: &GateReport) -> String {
    format!("dlprof-agg gate: {}\n{}", summary::headline(report), commands(&messages(report)))
}

/// A workflow command per message.
pub(crate) fn commands(messages: &[Message]) -> String {
    let command = |message: &Message| {
        let level = if message.level == "note" { "notice" } else { message.level };
        format!("::{level} title=dlprof-agg {}::{}\n", message.rule, command_text(&message.text))
    };
    messages.iter().map(command).collect()
}

/// A text with the characters escaped that workflow commands would not show.
fn command_text(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}
