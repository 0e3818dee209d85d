//! The list of all rules, with what is in force.

use super::detect::rules;
use super::finding::{Confidence, Severity};
use super::own::OwnRule;
use super::rule::{REPLAYED_SAVING, Rule};
use super::rule_setting::Level;
use super::settings::RuleSettings;
use std::borrow::Cow;

/// A rule with what is in force for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedRule<'a> {
    /// Stable name.
    pub id: &'a str,
    /// What it finds, in few words; for a rule of a user what it says.
    pub title: &'a str,
    /// How it decides; empty for a rule of a user.
    pub how: Cow<'a, str>,
    /// How much its findings matter.
    pub severity: Severity,
    /// How sure its findings are.
    pub confidence: Confidence,
    /// Whether it is silenced.
    pub is_off: bool,
    /// Whether a user wrote it.
    pub is_own: bool,
    /// What it compares with.
    pub thresholds: Vec<ListedThreshold>,
    /// A page with more; empty without one.
    pub link: &'a str,
}

/// A threshold with what is in force for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ListedThreshold {
    /// Its name in the settings file.
    pub name: &'static str,
    /// What the rule compares with.
    pub value: f64,
    /// What it would compare with if the settings said nothing.
    pub default: f64,
    /// What it is.
    pub doc: &'static str,
}

/// All rules: DLProf's, ours, then those of users.
pub fn listed_rules(settings: &RuleSettings) -> impl Iterator<Item = ListedRule<'_>> {
    let own = settings.own.iter().map(|rule| listed_own(rule, settings));
    rules().map(|rule| listed(rule, settings)).chain(own)
}

fn listed<'a>(rule: &'static Rule, settings: &'a RuleSettings) -> ListedRule<'a> {
    let setting = settings.of(rule.id);
    let changed = |name| setting.and_then(|setting| setting.thresholds.get(name)).copied();
    let threshold = |threshold: &super::Threshold| ListedThreshold {
        name: threshold.name,
        value: changed(threshold.name).unwrap_or(threshold.default),
        default: threshold.default,
        doc: threshold.doc,
    };
    ListedRule {
        id: rule.id,
        title: rule.title,
        how: match rule.is_replayed {
            true => format!("{} {REPLAYED_SAVING}", rule.how).into(),
            false => rule.how.into(),
        },
        severity: rule.severity_with(setting),
        confidence: rule.confidence,
        is_off: setting.is_some_and(super::RuleSetting::is_off),
        is_own: false,
        thresholds: rule.thresholds.iter().map(threshold).collect(),
        link: rule.link,
    }
}

fn listed_own<'a>(rule: &'a OwnRule, settings: &RuleSettings) -> ListedRule<'a> {
    let level = settings.level_of(rule);
    ListedRule {
        id: rule.id(),
        title: rule.title(),
        how: "".into(),
        severity: match (level, rule.level()) {
            (Level::At(severity), _) | (Level::Off, Level::At(severity)) => severity,
            (Level::Off, Level::Off) => Severity::Warning,
        },
        confidence: Confidence::High,
        is_off: level == Level::Off,
        is_own: true,
        thresholds: Vec::new(),
        link: "",
    }
}
