//! What a rule is: its name, its thresholds, how it decides.

pub(super) use super::needs::Need;

use super::finding::{Confidence, Finding, Severity};
use super::rule_setting::{Level, RuleSetting};
use super::scene::Scene;
use crate::capture::classified::Cause;
use crate::figures::activity::Verdict;
use crate::figures::profile::ProfileContents;
use std::borrow::Cow;
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
    /// What it asks for that not every input has.
    pub needs: &'static [Need],
    /// What its findings say about what limits the steps.
    pub subject: Subject,
    /// Whether it says what the CPU costs between launches, which is another matter once everything ran before.
    pub of_later_passes: bool,
    /// What time its savings are taken from; empty where that is not said, so that they may overlap with any other.
    pub saves_from: &'static [TimeOf],
    /// Whether its findings state a change that is replayed.
    pub is_replayed: bool,
    pub(super) check: fn(&Scene<'_>, &Limits<'_>) -> Option<Finding>,
}

/// What savings are where they are replayed.
pub(crate) const REPLAYED_SAVING: &str = "Where iterations can be replayed, the saving is instead how much shorter they are in a replay \
                                          with the change: `saving_basis` says which change.";

/// What the findings of a rule say about the verdict, which names what limits the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Nothing.
    Other,
    /// All that this verdict says.
    All(Verdict),
    /// What to do about a part of what this verdict names.
    Part(Verdict),
    /// All there is to say about idle time of this cause, whose class is `other`.
    Cause(Cause),
}

impl Subject {
    /// Whether a finding with this subject says what to do about what a verdict names.
    pub(super) fn is_about(self, verdict: Verdict) -> bool {
        match self {
            _ if verdict == Verdict::Gpu => true,
            Self::Other => false,
            Self::All(about) | Self::Part(about) => about == verdict,
            Self::Cause(_) => verdict == Verdict::Unexplained,
        }
    }
}

/// A time from which savings are taken. No moment of a GPU belongs to two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeOf {
    /// Kernels that compute.
    Kernels,
    /// Kernels that exchange data between GPUs.
    Exchange,
    /// Copies and memsets.
    Copies,
    /// Idle time in short gaps, in which the host is between launches or in one.
    Launching,
    /// The same in long gaps.
    Between,
    /// Idle time while the host loads data.
    Input,
    /// Idle time while the host exchanges data with other processes.
    HostExchange,
    /// Idle time in calls that copy.
    CopyCalls,
    /// Idle time while memory is taken or given back.
    Allocation,
    /// Idle time in calls of the operating system.
    OsCalls,
    /// Idle time before queued work, for no reason that the capture shows.
    Stall,
    /// Idle time in which work waits for other work.
    Dependency,
    /// Idle time that neither a call nor a range explains.
    Unexplained,
}

/// The thresholds in force for a rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits<'a> {
    changed: Option<&'a BTreeMap<String, f64>>,
}

impl<'a> Limits<'a> {
    /// As a user changed them.
    pub(super) fn new(setting: Option<&'a RuleSetting>) -> Self {
        Self { changed: setting.map(|setting| &setting.thresholds) }
    }

    /// The value of a threshold.
    pub(super) fn of(&self, threshold: &Threshold) -> f64 {
        self.changed.and_then(|changed| changed.get(threshold.name)).copied().unwrap_or(threshold.default)
    }
}

impl Rule {
    /// A rule that finds nothing. Other rules take from it what they do not say.
    pub(super) const SILENT: Self = Self {
        id: "",
        title: "",
        how: "",
        severity: Severity::Note,
        confidence: Confidence::Low,
        thresholds: &[],
        link: "",
        needs: &[],
        subject: Subject::Other,
        of_later_passes: false,
        saves_from: &[],
        is_replayed: false,
        check: |_, _| None,
    };

    /// How much its findings matter, with what a user changed.
    #[must_use]
    pub(crate) fn severity_with(&self, setting: Option<&RuleSetting>) -> Severity {
        match setting.and_then(|setting| setting.level) {
            Some(Level::At(severity)) => severity,
            Some(Level::Off) | None => self.severity,
        }
    }

    /// The thresholds in force, for another rule that depends on it; `None` where the user silenced it, so that it says nothing.
    pub(super) fn limits_in<'a>(&self, scene: &Scene<'a>) -> Option<Limits<'a>> {
        let setting = scene.setting_of(self.id);
        (!setting.is_some_and(RuleSetting::is_off)).then(|| Limits::new(setting))
    }

    /// Why it is not applied to the input of a profile; `None` if it is.
    pub(super) fn unanswerable(&self, profile: &ProfileContents) -> Option<&'static str> {
        const CAPTURED: &str = "launches were recorded into graphs and did not run";
        if profile.ledger().only_captures() && self.severity != Severity::Error {
            return Some(CAPTURED);
        }
        if profile.is_about_server() && super::serving::is_not_of_servers(self.id, profile.serving()) {
            return Some("the steps are those of an inference server, of which rules `engine_…` speak");
        }
        let missing = self.needs.iter().find_map(|need| need.missing(profile));
        missing.or_else(|| super::of_recorders::not_judged(&profile.capture, self.id))
    }

    /// Why it could not see whether there is something to find; `None` if it could.
    pub(super) fn unseen(&self, scene: &Scene<'_>) -> Option<Cow<'static, str>> {
        self.needs.iter().find_map(|need| need.unseen(scene))
    }

    /// What the rule finds.
    pub(super) fn find(&self, scene: &Scene<'_>, setting: Option<&RuleSetting>) -> Option<Finding> {
        if setting.is_some_and(RuleSetting::is_off) {
            return None;
        }
        let mut found = (self.check)(scene, &Limits::new(setting))?;
        debug_assert!(found.edits.is_none() || self.is_replayed, "`{}` says how savings are made", self.id);
        found.id = self.id.into();
        found.misleads |= self.severity == Severity::Error && found.severity == Severity::Error;
        // Where the user sets no severity, a finding may matter less than its rule says, and one that misleads matters most.
        found.severity = match setting.and_then(|setting| setting.level) {
            Some(_) => self.severity_with(setting),
            None if found.misleads => Severity::Error,
            None => self.severity.min(found.severity),
        };
        found.confidence.get_or_insert(self.confidence);
        if found.link.is_empty() && scene.framework().fits_link(self.link) && scene.fits_link(self.link) {
            found.link = self.link.into();
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::{Need, Rule, Subject};
    use crate::advice::rules;
    use crate::figures::activity::{StepClass, Verdict};
    use std::collections::BTreeSet;

    const VERDICTS: [Verdict; 6] = [
        Verdict::Gpu,
        Verdict::Input,
        Verdict::Communication,
        Verdict::Copy,
        Verdict::Cpu,
        Verdict::Unexplained,
    ];

    fn with_subject(is_meant: impl Fn(Subject) -> bool) -> Vec<&'static str> {
        rules().filter(|rule| is_meant(rule.subject)).map(|rule| rule.id).collect()
    }

    #[test]
    fn every_rule_says_who_it_is_and_what_it_does() {
        let mut ids = BTreeSet::new();
        for Rule { id, title, how, .. } in rules() {
            assert!(ids.insert(id) && !title.is_empty() && how.ends_with('.'), "`{id}`");
        }
        assert!(!ids.contains(&Rule::SILENT.id));
    }

    #[test]
    fn a_subject_is_about_its_own_verdict() {
        for verdict in VERDICTS {
            let is_gpu = verdict == Verdict::Gpu;
            assert!(Subject::All(verdict).is_about(verdict) && Subject::Part(verdict).is_about(verdict));
            assert_eq!(Subject::Other.is_about(verdict), is_gpu, "any finding is about time on the GPU");
            assert_eq!(Subject::All(Verdict::Copy).is_about(verdict), is_gpu || verdict == Verdict::Copy);
        }
    }

    #[test]
    fn causes_that_are_subjects_count_to_no_class_with_a_name() {
        let others: Vec<_> = StepClass::Other.causes().collect();
        let causes = rules().filter_map(|rule| match rule.subject {
            Subject::Cause(cause) => Some(cause),
            _ => None,
        });
        for cause in causes {
            assert!(others.contains(&cause), "{cause:?}");
            assert!(Subject::Cause(cause).is_about(Verdict::Unexplained));
            assert!(!Subject::Cause(cause).is_about(Verdict::Cpu));
        }
    }

    #[test]
    fn every_wait_has_a_rule_that_says_all_about_it() {
        for verdict in [Verdict::Input, Verdict::Communication, Verdict::Copy, Verdict::Cpu] {
            assert!(!with_subject(|subject| subject == Subject::All(verdict)).is_empty(), "{verdict:?}");
        }
        assert!(with_subject(|subject| matches!(subject, Subject::All(Verdict::Gpu))).is_empty());
    }

    #[test]
    fn rules_on_causes_of_idle_time_need_calls_of_the_host() {
        let needs = |id| rules().find(|rule| rule.id == id).expect("a rule").needs;
        for id in ["input_bound", "cpu_work_between", "unexplained_idle", "host_pause"] {
            assert!(needs(id).contains(&Need::HostCalls), "{id}");
        }
        assert_eq!(needs("kernel_hotspot"), [Need::Kernels]);
    }
}
