//! The list of rules for programs. Any version may add fields. `schema_version` rises if a field is renamed or removed.

use super::{RuleList, RuleReport, state_word};
use crate::comparison::json::text;
use crate::overview::SavingPerIteration;
use dlprof_core::{Finding, ListedRule, RuleState, Saving, Severity};
use serde_json::{Map, Value, json};

pub(super) fn list(list: &RuleList<'_>) -> String {
    let rules: Vec<Value> = list.rules.iter().map(|listed| Value::Object(rule(listed))).collect();
    text("rules", &json!({ "rules": rules }))
}

pub(super) fn report(report: &RuleReport<'_>) -> String {
    let of_rule = |(listed, state): &(ListedRule<'_>, RuleState<'_>)| {
        let mut fields = rule(listed);
        fields.insert("state".into(), state_word(state).into());
        if let RuleState::NotJudged(reason) = state {
            fields.insert("reason".into(), reason.as_str().into());
        }
        Value::Object(fields)
    };
    let rules: Vec<Value> = report.rules.iter().map(of_rule).collect();
    let findings: Vec<Value> = report.findings.iter().map(|found| finding(found, report.passes)).collect();
    let content = json!({
        "capture": report.capture.to_string_lossy(),
        "fail_on": report.fail_on.map(Severity::as_str),
        "failed": report.has_failed(),
        "findings": findings,
        "rules": rules,
    });
    text("rules", &content)
}

fn rule(rule: &ListedRule<'_>) -> Map<String, Value> {
    let thresholds: Vec<Value> = rule
        .thresholds
        .iter()
        .map(
            |one| json!({ "name": one.name, "value": one.value, "default": one.default, "meaning": one.doc }),
        )
        .collect();
    let fields = [
        ("id", json!(rule.id)),
        ("title", json!(rule.title)),
        ("severity", json!(rule.severity.as_str())),
        ("confidence", json!(rule.confidence.as_str())),
        ("enabled", json!(!rule.is_off)),
        ("own", json!(rule.is_own)),
        ("thresholds", json!(thresholds)),
        ("how", json!(Some(&rule.how).filter(|how| !how.is_empty()))),
        ("link", json!(Some(rule.link).filter(|link| !link.is_empty()))),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn finding(finding: &Finding, passes: u32) -> Value {
    json!({
        "id": finding.id,
        "severity": finding.severity.as_str(),
        "confidence": finding.confidence().as_str(),
        "problem": finding.problem.to_string(),
        "advice": finding.recommendation.to_string(),
        "saving": finding.saving.as_ref().map(|saving| SavingPerIteration::of(saving, passes)),
        "same_cause_as": finding.same_cause_as,
        // The names of version 1, which go with version 2.
        "rule": finding.id,
        "recommendation": finding.recommendation.to_string(),
        "saving_ns": finding.saving.as_ref().map(Saving::ns),
        "saving_kind": finding.saving.as_ref().map(Saving::kind),
    })
}
