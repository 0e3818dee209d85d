//! Rules of the expert system: how they decide. The texts are those of their declarations.

use super::{Explanation, Topic};
use crate::advice::{Confidence, REPLAYED_SAVING, Rule, rules};

/// All built-in rules.
pub(super) fn all() -> impl Iterator<Item = Explanation> {
    rules().map(|rule| Explanation {
        name: rule.id,
        topic: Topic::Rule,
        tables: Vec::new(),
        definition: rule.how,
        formula: None,
        unit: None,
        reading: None,
        details: details(rule),
    })
}

fn details(rule: &Rule) -> Vec<(&'static str, String)> {
    let mut details = vec![
        ("finds", rule.title.to_owned()),
        ("severity", rule.severity.as_str().to_owned()),
        (
            "confidence",
            match rule.confidence {
                Confidence::High => Confidence::High.as_str().to_owned(),
                least => format!("{}, or higher where a finding says so", least.as_str()),
            },
        ),
    ];
    if rule.is_replayed {
        details.push(("saving", REPLAYED_SAVING.to_owned()));
    }
    for threshold in rule.thresholds {
        details.push((
            "threshold",
            format!("{} (default {}): {}", threshold.name, threshold.default, threshold.doc),
        ));
    }
    if !rule.link.is_empty() {
        details.push(("link", rule.link.to_owned()));
    }
    details
}
