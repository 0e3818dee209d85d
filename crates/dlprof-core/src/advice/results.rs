//! What the rules came to on a profile.

use super::databases::unanswerable;
use super::detect::{bound_saving, detect, is_about_capture, rank, rules};
use super::finding::Finding;
use super::own::RuleError;
use super::own_result::{OwnOutcome, OwnResult, OwnResults};
use super::rule_setting::{Level, RuleSetting};
use super::scene::Scene;
use super::settings::RuleSettings;
use crate::base::time::Span;
use crate::figures::profile::Profile;
use crate::steps::iterate::FigureRules;
use std::sync::Arc;

/// What a rule came to.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleState<'a> {
    /// It found something.
    Fires(&'a Finding),
    /// It found nothing.
    Silent,
    /// It is silenced.
    Off,
    /// It cannot run on this capture; why.
    NotRun(String),
}

impl Profile {
    /// What the rules find, in the order of the reports: the built-in ones, which are applied when asked for first, and users'
    /// rules, if there are any ([`Profile::with_own_rules`]).
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        match &self.own_results {
            Some(own) => &own.findings,
            None => self.built_in_findings.get_or_init(|| detect(self)),
        }
    }

    /// The profile with what users' rules come to on it. Users' rules that read the table `findings` see those of the built-in
    /// rules. DLProf's figures know no users' rules. A rule that fails finds nothing; [`Profile::own_failures`] says why.
    #[must_use]
    pub fn with_own_rules(&self, settings: &RuleSettings) -> Self {
        let built_in = Self { contents: Arc::clone(&self.contents), own_results: None };
        if settings.own.is_empty() || self.iterations.windows.rules == FigureRules::Dlprof {
            return built_in;
        }
        let length = built_in.windows().into_iter().map(Span::length).sum();
        let apply = |rule: &super::OwnRule| {
            let mut outcome = match settings.level_of(rule) {
                Level::Off => OwnOutcome::Off,
                Level::At(severity) => {
                    let applied = rule.apply(&built_in, severity);
                    applied.unwrap_or_else(|error| OwnOutcome::Failed(Box::new(error)))
                }
            };
            if let OwnOutcome::Fires(finding) = &mut outcome {
                bound_saving(finding, length);
            }
            OwnResult { id: rule.id().to_owned(), outcome }
        };
        let results: Vec<OwnResult> = settings.own.iter().map(apply).collect();
        let fires = |result: &OwnResult| match &result.outcome {
            OwnOutcome::Fires(finding) => Some(finding.as_ref().clone()),
            OwnOutcome::Silent | OwnOutcome::Off | OwnOutcome::NotRun(_) | OwnOutcome::Failed(_) => None,
        };
        let own = results.iter().filter_map(fires);
        let mut findings: Vec<Finding> = built_in.findings().iter().cloned().chain(own).collect();
        findings.sort_by(|a, b| rank(a).cmp(&rank(b)));
        Self { own_results: Some(Arc::new(OwnResults { results, findings })), ..built_in }
    }

    /// What users' rules came to, in the order of the settings file; empty without users' rules.
    #[must_use]
    pub fn own_results(&self) -> &[OwnResult] {
        self.own_results.as_ref().map_or(&[], |own| &own.results)
    }

    /// Why users' rules failed, each with its place in the settings file and in their order.
    pub fn own_failures(&self) -> impl Iterator<Item = (&str, &RuleError)> {
        self.own_results().iter().filter_map(|result| match &result.outcome {
            OwnOutcome::Failed(error) => Some((result.id.as_str(), error.as_ref())),
            _ => None,
        })
    }

    /// Whether a rule can say anything about the input: DLProf databases do not have what some rules ask for.
    #[must_use]
    pub fn can_answer(&self, id: &str) -> bool {
        unanswerable(self, id).is_none()
    }

    /// What a rule came to, by its id.
    #[must_use]
    pub fn rule_state(&self, id: &str) -> RuleState<'_> {
        if let Some(finding) = self.findings().iter().find(|finding| finding.id == id) {
            return RuleState::Fires(finding);
        }
        if let Some(own) = self.own_results().iter().find(|own| own.id == id) {
            return match &own.outcome {
                OwnOutcome::Fires(finding) => RuleState::Fires(finding),
                OwnOutcome::Silent => RuleState::Silent,
                OwnOutcome::Off => RuleState::Off,
                OwnOutcome::NotRun(reason) => RuleState::NotRun(reason.clone()),
                OwnOutcome::Failed(error) => RuleState::NotRun(error.message.clone()),
            };
        }
        if self.settings().rules.get(id).is_some_and(RuleSetting::is_off) {
            return RuleState::Off;
        }
        if let Some(why) = unanswerable(self, id) {
            return RuleState::NotRun(why.into());
        }
        let needs_length = rules().any(|rule| rule.id == id && !is_about_capture(rule));
        if needs_length && !Scene::new(self).is_long_enough() {
            return RuleState::NotRun(
                "the capture has no iterations and less than 1 ms from the first to the last GPU work".into(),
            );
        }
        RuleState::Silent
    }
}
