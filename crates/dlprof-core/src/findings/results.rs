//! What the rules find in a profile, worked out when it is asked for.

use super::detect;
use super::finding::Finding;
use super::own::{Outcome, RuleError};
use super::rule::Level;
use super::scene::Scene;
use super::settings::RuleSettings;
use super::{is_about_capture, rank, rules};
use crate::iterate::FigureRules;
use crate::profile::Profile;
use std::sync::{Arc, OnceLock};

/// What the rules find in a profile.
#[derive(Debug)]
pub(crate) struct RuleResults {
    settings: RuleSettings,
    /// The results of the built-in rules alone, where there are users' rules. Users' rules look at these: a rule that reads its own
    /// finding would never end.
    built_in: Option<Arc<RuleResults>>,
    own: OnceLock<Result<OwnResults, RuleError>>,
    findings: OnceLock<Vec<Finding>>,
}

/// What users' rules found, by id in the order of the settings file.
type OwnResults = Vec<(String, Outcome)>;

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

impl RuleResults {
    pub(crate) fn new(settings: RuleSettings) -> Self {
        let built_in = (!settings.own.is_empty()).then(|| {
            let settings = RuleSettings { own: Vec::new(), ..settings.clone() };
            Arc::new(Self::new(settings))
        });
        Self { settings, built_in, own: OnceLock::new(), findings: OnceLock::new() }
    }
}

impl Profile {
    /// What was changed about the rules, and users' rules.
    #[must_use]
    pub fn rule_settings(&self) -> &RuleSettings {
        &self.results.settings
    }

    /// What the rules find, in the order of the reports. The rules are applied when asked for first. Users' rules that cannot be
    /// used find nothing here; [`Profile::check_own_rules`] says why.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        self.results.findings.get_or_init(|| {
            let Some(built_in) = self.built_in() else { return detect(self) };
            let fires = |(_, outcome): &(String, Outcome)| match outcome {
                Outcome::Fires(finding) => Some(finding.as_ref().clone()),
                Outcome::Silent | Outcome::NotRun(_) => None,
            };
            let mut findings = built_in.findings().to_vec();
            findings.extend(self.own_results().into_iter().flatten().filter_map(fires));
            findings.sort_by(|a, b| rank(a).cmp(&rank(b)));
            findings
        })
    }

    /// Whether users' rules can be used.
    ///
    /// # Errors
    /// If a rule does not fit the values that it sees: a query that does not give one row, a text compared with a number.
    pub fn check_own_rules(&self) -> Result<(), RuleError> {
        self.own_results().map(drop).map_err(Clone::clone)
    }

    /// What a rule came to, by its id.
    #[must_use]
    pub fn rule_state(&self, id: &str) -> RuleState<'_> {
        if let Some(finding) = self.findings().iter().find(|finding| finding.id == id) {
            return RuleState::Fires(finding);
        }
        if let Some(own) = self.results.settings.own.iter().find(|own| own.id() == id) {
            let outcome = self.own_results().ok().and_then(|all| all.iter().find(|(known, _)| known == id));
            return match outcome {
                Some((_, Outcome::NotRun(reason))) => RuleState::NotRun(reason.clone()),
                _ if self.results.settings.level_of(own) == Level::Off => RuleState::Off,
                _ => RuleState::Silent,
            };
        }
        if self.results.settings.of(id).is_some_and(super::RuleSetting::is_off) {
            return RuleState::Off;
        }
        let needs_length = rules().any(|rule| rule.id == id && !is_about_capture(rule));
        if needs_length && !Scene::new(self).is_long_enough() {
            return RuleState::NotRun(
                "the capture has no iterations and less than 1 ms from the first to the last GPU work".into(),
            );
        }
        RuleState::Silent
    }

    /// Users' rules that cannot run on this capture, with why.
    pub fn own_rules_not_run(&self) -> impl Iterator<Item = (&str, &str)> {
        self.own_results().into_iter().flatten().filter_map(|(id, outcome)| match outcome {
            Outcome::NotRun(reason) => Some((id.as_str(), reason.as_str())),
            Outcome::Fires(_) | Outcome::Silent => None,
        })
    }

    /// The same profile with the findings of the built-in rules alone; `None` where there are no users' rules.
    fn built_in(&self) -> Option<Self> {
        let results = Arc::clone(self.results.built_in.as_ref()?);
        Some(Self { contents: Arc::clone(&self.contents), results })
    }

    fn own_results(&self) -> Result<&OwnResults, &RuleError> {
        let apply = || {
            let Some(built_in) = self.built_in() else { return Ok(Vec::new()) };
            if self.iterations.windows.rules == FigureRules::Dlprof {
                return Ok(Vec::new());
            }
            let settings = &self.results.settings;
            let mut results = Vec::new();
            for rule in &settings.own {
                if let Level::At(severity) = settings.level_of(rule) {
                    results.push((rule.id().to_owned(), rule.apply(&built_in, severity)?));
                }
            }
            Ok(results)
        };
        self.results.own.get_or_init(apply).as_ref()
    }
}
