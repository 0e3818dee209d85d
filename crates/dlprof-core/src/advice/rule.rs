//! What a rule is: its name, its thresholds, how it decides.

use super::finding::{Confidence, Finding, Severity};
use super::rule_setting::{Level, RuleSetting};
use super::scene::Scene;
use std::collections::BTreeMap;

/// A number that a rule compares with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// Its name in the settings file; figures that are compared with it have the same name.
    pub name: &'static str,
    /// Its value where the settings file says nothing.
    pub default: f64,
    /// What it is.
    pub doc: &'static str,
}

/// A rule of the expert system.
#[derive(Debug)]
pub struct Rule {
    /// Stable name.
    pub id: &'static str,
    /// What it finds, in few words.
    pub title: &'static str,
    /// How it decides, when it is silent, and what its saving is.
    pub how: &'static str,
    /// How much its findings matter.
    pub severity: Severity,
    /// How sure its findings are, where they do not say otherwise.
    pub confidence: Confidence,
    /// What it compares with.
    pub thresholds: &'static [Threshold],
    /// A page with more; empty without one.
    pub link: &'static str,
    pub(super) check: fn(&Scene<'_>, &Limits<'_>) -> Option<Finding>,
}

/// The thresholds in force for a rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits<'a> {
    changed: Option<&'a BTreeMap<String, f64>>,
}

impl Limits<'_> {
    /// The value of a threshold.
    pub(super) fn of(&self, threshold: &Threshold) -> f64 {
        self.changed.and_then(|changed| changed.get(threshold.name)).copied().unwrap_or(threshold.default)
    }
}

impl Rule {
    /// How much its findings matter, with what a user changed.
    #[must_use]
    pub(crate) fn severity_with(&self, setting: Option<&RuleSetting>) -> Severity {
        match setting.and_then(|setting| setting.level) {
            Some(Level::At(severity)) => severity,
            Some(Level::Off) | None => self.severity,
        }
    }

    /// What the rule finds.
    pub(super) fn find(&self, scene: &Scene<'_>, setting: Option<&RuleSetting>) -> Option<Finding> {
        if setting.is_some_and(RuleSetting::is_off) {
            return None;
        }
        let limits = Limits { changed: setting.map(|setting| &setting.thresholds) };
        let mut found = (self.check)(scene, &limits)?;
        found.id = self.id.into();
        found.misleads |= self.severity == Severity::Error && found.severity == Severity::Error;
        // Where the user sets no severity, a finding may matter less than its rule says, and one that misleads matters most.
        found.severity = match setting.and_then(|setting| setting.level) {
            Some(_) => self.severity_with(setting),
            None if found.misleads => Severity::Error,
            None => self.severity.min(found.severity),
        };
        // A rule that says nothing else leaves the lowest confidence.
        found.confidence = found.confidence.max(self.confidence);
        found.link = if scene.framework().fits_link(self.link) { self.link.into() } else { "".into() };
        Some(found)
    }
}
