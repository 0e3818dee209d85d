//! A profile, and what the rules say about it.

use super::detect::{Detected, detect, is_about_capture, rule_of, rules};
use super::finding::{Finding, OTHER_WORK};
use super::own::error::RuleError;
use super::own_result::{OwnOutcome, OwnResult, OwnResults};
use super::question::Wording;
use super::rule::Rule;
use super::rule_setting::{RuleChanges, RuleSetting};
use super::scene::{Scene, Seen};
use crate::figures::launches_to_measure::{LaunchesToMeasure, NothingToMeasure};
use crate::figures::profile::Profile;
use crate::replay::Bounds;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A profile, and what the rules say about it ([`judge`](super::judge())). It is cheap to clone, and clones share what they hold.
#[derive(Debug, Clone)]
pub struct Judged {
    profile: Profile,
    contents: Arc<Contents>,
}

#[derive(Debug)]
struct Contents {
    changes: RuleChanges,
    /// How the program asks for the evidence of a finding.
    wording: Option<Wording>,
    /// What the built-in rules find. Many tables need no findings, so the rules are applied when somebody asks for them.
    detected: OnceLock<Detected>,
    /// Why built-in rules that find nothing could not see whether there is something to find.
    unseen: OnceLock<BTreeMap<&'static str, String>>,
    /// What rules and sentences share.
    seen: Arc<Seen>,
    /// What users' rules came to; none without such rules.
    own: Option<OwnResults>,
}

impl Deref for Judged {
    type Target = Profile;

    fn deref(&self) -> &Profile {
        &self.profile
    }
}

impl From<Profile> for Judged {
    /// As the rules judge it where no settings say otherwise.
    fn from(profile: Profile) -> Self {
        Self::new(profile, RuleChanges::new(), None)
    }
}

/// What a rule came to.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleState<'a> {
    /// It found something.
    Fires(&'a Finding),
    /// It found nothing.
    Silent,
    /// It is silenced.
    Off,
    /// It found nothing, and could not have: the capture does not show what it looks at; why.
    NotJudged(String),
}

impl Judged {
    /// A profile that the built-in rules judge, with what a user changed about them.
    pub(super) fn new(profile: Profile, changes: RuleChanges, wording: Option<Wording>) -> Self {
        let contents = Contents {
            changes,
            wording,
            detected: OnceLock::new(),
            unseen: OnceLock::new(),
            seen: Arc::default(),
            own: None,
        };
        Self { profile, contents: Arc::new(contents) }
    }

    /// The same with what users' rules came to.
    pub(super) fn with_own(&self, own: OwnResults) -> Self {
        let contents = Contents {
            changes: self.contents.changes.clone(),
            wording: self.contents.wording,
            detected: OnceLock::from(self.detected().clone()),
            unseen: OnceLock::new(),
            seen: Arc::clone(&self.contents.seen),
            own: Some(own),
        };
        Self { profile: self.profile.clone(), contents: Arc::new(contents) }
    }

    /// Another profile of the capture, which the same built-in rules judge.
    #[must_use]
    pub(crate) fn over(&self, profile: Profile) -> Self {
        Self::new(profile, self.contents.changes.clone(), self.contents.wording)
    }

    /// What is judged.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// What the rules find, in the order of the reports.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        self.contents.own.as_ref().map_or_else(|| self.built_in(), |own| &own.findings)
    }

    /// Whether times of kernels hold so much time of other work that they mislead.
    #[must_use]
    pub fn holds_other_work(&self) -> bool {
        self.findings().iter().any(|finding| finding.misleads && finding.id == OTHER_WORK)
    }

    /// How the program asks a file for the evidence of a finding; `None` where it has no words for that
    /// ([`RuleSettings::wording`](super::RuleSettings::wording)), or no table lists the evidence.
    #[must_use]
    pub fn words(&self, finding: &Finding, file: &str) -> Option<String> {
        let (wording, question) = (self.contents.wording?, finding.show.as_ref()?);
        Some(wording(question, file))
    }

    /// What the built-in rules find, in the order of the reports.
    pub(crate) fn built_in(&self) -> &[Finding] {
        &self.detected().findings
    }

    fn detected(&self) -> &Detected {
        self.contents
            .detected
            .get_or_init(|| detect(self.bare_scene(), &self.profile, &self.contents.changes))
    }

    /// How short the iterations that findings are about can become; `None` where they cannot be replayed, or the replay does not
    /// explain enough of the time.
    #[must_use]
    pub fn bounds(&self) -> Option<Bounds> {
        self.detected().bounds
    }

    /// What the verdict is about.
    pub(super) fn scene(&self) -> Scene<'_> {
        self.bare_scene().bounded_by(self.bounds())
    }

    /// The same before anything is replayed.
    pub(super) fn bare_scene(&self) -> Scene<'_> {
        Scene::sharing(&self.profile, Arc::clone(&self.contents.seen))
    }

    /// What users' rules came to, in the order of the settings file; empty without users' rules.
    #[must_use]
    pub fn own_results(&self) -> &[OwnResult] {
        self.contents.own.as_ref().map_or(&[], |own| &own.results)
    }

    /// Why users' rules failed, each with its place in the settings file and in their order.
    pub fn own_failures(&self) -> impl Iterator<Item = (&str, &RuleError)> {
        self.own_results().iter().filter_map(|result| match &result.outcome {
            OwnOutcome::Failed(error) => Some((result.id.as_str(), error.as_ref())),
            _ => None,
        })
    }

    /// Which launches Nsight Compute should measure, without those of algorithms that are tried.
    ///
    /// # Errors
    /// If it cannot measure any.
    pub fn launches_to_measure(&self) -> Result<LaunchesToMeasure, NothingToMeasure> {
        let scene = self.bare_scene();
        let tried = scene.tried().kernels().map(|(kernel, _)| kernel);
        self.profile.launches_to_measure_without(&tried.chain(scene.checks()).collect())
    }

    /// Whether a rule is told of with this capture: those about counters are only where there are some, those about servers where
    /// one is seen.
    #[must_use]
    pub fn tells_of_rule(&self, id: &str) -> bool {
        let needs = |need| rule_of(id).is_some_and(|rule| rule.needs.contains(&need));
        (!needs(super::rule::Need::Counters) || self.capture.counters.is_some())
            && (!needs(super::rule::Need::Server) || self.serving().workload.serves())
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
                OwnOutcome::NotRun(reason) => RuleState::NotJudged(reason.clone()),
                OwnOutcome::Failed(error) => RuleState::NotJudged(error.message.clone()),
            };
        }
        if self.contents.changes.get(id).is_some_and(RuleSetting::is_off) {
            return RuleState::Off;
        }
        let Some(rule) = rule_of(id) else { return RuleState::Silent };
        if let Some(why) = rule.unanswerable(&self.profile) {
            return RuleState::NotJudged(why.into());
        }
        let unseen = self.contents.unseen.get_or_init(|| unseen(&self.bare_scene()));
        unseen.get(rule.id).map_or(RuleState::Silent, |why| RuleState::NotJudged(why.clone()))
    }
}

/// Why built-in rules that find nothing could not see whether there is something to find, by their ids.
fn unseen(scene: &Scene<'_>) -> BTreeMap<&'static str, String> {
    const TOO_SHORT: &str =
        "the capture has no iterations and less than 1 ms from the first to the last GPU work";
    let is_long_enough = scene.is_long_enough();
    let why = |rule: &'static Rule| {
        let why = match is_long_enough || is_about_capture(rule) {
            true => rule.unseen(scene)?,
            false => TOO_SHORT.into(),
        };
        Some((rule.id, why.into_owned()))
    };
    rules().filter_map(why).collect()
}
