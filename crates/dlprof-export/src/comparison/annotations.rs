//! SARIF 2.1.0 for code scanning, and workflow commands that GitHub shows as annotations.

use super::summary;
use dlprof_core::compare::gate::{Outcome, Report, Verdict};
use serde_json::{Value, json};

/// The messages of a report, with their levels.
fn messages(report: &Report) -> Vec<(&'static str, &'static str, String)> {
    let mut found = Vec::new();
    for check in &report.checks {
        let text = format!("{}: {}", check.title(), check.reason);
        match check.outcome {
            Outcome::Fail => found.push(("regression", "error", text)),
            Outcome::Inconclusive => found.push(("inconclusive", "warning", text)),
            Outcome::Improved => found.push(("improvement", "note", text)),
            Outcome::Pass | Outcome::NotApplicable => {}
        }
    }
    found.extend(report.drifts.iter().map(|drift| ("drift", "error", summary::drift(drift))));
    let warnings = report.comparison.warnings.iter();
    found.extend(warnings.map(|warning| ("environment", "warning", warning.clone())));
    if report.verdict == Verdict::Fail
        && let Some(movers) = summary::movers(&report.comparison, report.confidence)
    {
        found.push(("movers", "note", movers));
    }
    found
}

/// The report as SARIF. The location of a result is the capture, because there is no source line.
#[must_use]
pub fn sarif(report: &Report) -> String {
    let rules = [
        ("regression", "A number became worse than the policy allows, by more than noise."),
        ("drift", "A metric slowly grew over its budget in the history."),
        ("inconclusive", "The samples do not allow a verdict."),
        ("improvement", "A number became better, by more than noise."),
        ("environment", "The runs may not be comparable."),
        ("movers", "The op types that changed most."),
    ];
    let rules: Vec<Value> =
        rules.iter().map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } })).collect();
    let capture = report.comparison.new.first().cloned().unwrap_or_default();
    let results: Vec<Value> = messages(report)
        .into_iter()
        .map(|(rule, level, text)| {
            json!({
                "ruleId": rule,
                "level": level,
                "message": { "text": text },
                "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(&capture) } } }],
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
pub fn github(report: &Report) -> String {
    let command = |(rule, level, text): (&str, &str, String)| {
        let level = if level == "note" { "notice" } else { level };
        format!("::{level} title=dlprof-agg {rule}::{}\n", command_text(&text))
    };
    let head = format!("dlprof-agg gate: {}\n", summary::headline(report));
    messages(report).into_iter().map(command).fold(head, |text, line| text + &line)
}

/// A text with the characters escaped that workflow commands would not show.
fn command_text(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}
