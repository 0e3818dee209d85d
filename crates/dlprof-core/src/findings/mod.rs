//! Findings: what is wrong, how sure that is, how much time it costs, and what to change.
//!
//! A [`Rule`] is a function from the figures of a profile to at most one [`Finding`], with its thresholds and a text that says how it
//! decides. DLProf's detectors are rules with DLProf's ids, conditions and figures; its reports hold them alone, in its order.
//! Everywhere else all rules speak: findings of severity error come first, then those that save most time.
//!
//! [`RuleSettings`] are what settings files say: rules silenced, raised or tuned, and users' own rules (`own/`), which read tables
//! instead of the profile and are ranked with the others.

mod finding;
mod kernel_class;
mod kernels;
mod list;
mod own;
mod results;
mod rule;
mod rules;
mod scene;
mod sentence;
mod settings;
mod verdict;

pub use finding::{Confidence, Evidence, Finding, Measure, Saving, Severity, ShowCommand};
pub use list::{ListedRule, ListedThreshold, listed_rules};
pub use own::{OwnRule, OwnRuleTable, QueryAnswer, QueryColumns, QueryEngine, QueryMistake, RuleError};
pub(crate) use results::RuleResults;
pub use results::RuleState;
pub use rule::{Level, Rule, RuleSetting, Threshold};
pub use rules::{DLPROF_RULES, OUR_RULES};
pub use sentence::{Figure, Sentence};
pub use settings::{ChangedRules, RuleSettings, SettingsText};
pub use verdict::verdict;

use crate::iterate::FigureRules;
use crate::profile::{Profile, ProfileContents};
use scene::Scene;
use std::cmp::Reverse;

/// All rules: DLProf's, then ours.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    DLPROF_RULES.iter().chain(OUR_RULES)
}

/// What the built-in rules find in a profile. With DLProf's figures these are DLProf's detectors in its order, else all rules, ranked.
fn detect(profile: &Profile) -> Vec<Finding> {
    let scene = Scene::new(profile);
    let settings = profile.rule_settings();
    let find = |rule: &'static Rule| rule.find(&scene, settings.of(rule.id));
    if profile.iterations.windows.rules == FigureRules::Dlprof {
        return DLPROF_RULES.iter().filter_map(find).collect();
    }
    let mut findings: Vec<Finding> = match scene.is_long_enough() {
        true => rules().filter_map(find).collect(),
        false => rules().filter(|rule| is_about_capture(rule)).filter_map(find).collect(),
    };
    findings.sort_by(|a, b| rank(a).cmp(&rank(b)));
    findings
}

/// Numbers of the iterations that findings and their savings are about, in order; empty if no iterations were found.
#[must_use]
pub fn iterations(profile: &ProfileContents) -> Vec<u32> {
    let scene = Scene::new(profile);
    match scene.iterations {
        0 => Vec::new(),
        _ => profile.iterations.range().skip(scene.places.start).take(scene.places.len()).collect(),
    }
}

/// Whether a rule makes sense however short the capture is: DLProf's, and those that say that the capture misleads.
fn is_about_capture(rule: &Rule) -> bool {
    rule.severity == Severity::Error || DLPROF_RULES.iter().any(|dlprof| dlprof.id == rule.id)
}

/// Errors first, then the greatest saving, then those without one by severity, then by id.
fn rank(finding: &Finding) -> impl Ord + '_ {
    let is_error = finding.severity == Severity::Error;
    let saving = finding.saving.as_ref().map_or(0, Saving::ns);
    (Reverse(is_error), Reverse(saving), Reverse(finding.severity), finding.id.as_ref())
}
