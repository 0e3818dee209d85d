//! The list of rules, and what each found in a capture: as text, Markdown, JSON, JUnit XML, SARIF and workflow commands of
//! GitHub.

mod annotations;
mod json;
mod junit;
mod markdown;
mod text;

use crate::display::TimeUnit;
use dlprof_core::{
    Finding, Judged, ListedRule, RuleSettings, RuleState, Severity, judged_passes, listed_rules,
};
use std::path::Path;

/// The list of rules.
pub struct RuleList<'a> {
    rules: Vec<ListedRule<'a>>,
}

/// The list of rules with what each found in a capture.
pub struct RuleReport<'a> {
    capture: &'a Path,
    findings: &'a [Finding],
    rules: Vec<(ListedRule<'a>, RuleState<'a>)>,
    fail_on: Option<Severity>,
    unit: TimeUnit,
    /// How often the step runs in the time that savings are summed over.
    passes: u32,
}

impl<'a> RuleList<'a> {
    /// All rules with what is in force.
    #[must_use]
    pub fn new(settings: &'a RuleSettings) -> Self {
        Self { rules: listed_rules(settings).collect() }
    }

    /// For people.
    #[must_use]
    pub fn text(&self) -> String {
        text::list(self)
    }

    /// One JSON object.
    #[must_use]
    pub fn json(&self) -> String {
        json::list(self)
    }

    /// Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        markdown::list(self)
    }
}

impl<'a> RuleReport<'a> {
    /// What each rule found in a capture, by the settings that were applied to it. From `fail_on` on a finding is a failure.
    #[must_use]
    pub fn new(
        judged: &'a Judged,
        settings: &'a RuleSettings,
        fail_on: Option<Severity>,
        unit: TimeUnit,
    ) -> Self {
        let rules = listed_rules(settings).filter(|rule| judged.tells_of_rule(rule.id));
        Self {
            capture: &judged.capture.source.path,
            findings: judged.findings(),
            rules: rules.map(|rule| (rule.clone(), judged.rule_state(rule.id))).collect(),
            fail_on,
            unit,
            passes: judged_passes(judged),
        }
    }

    /// Whether a finding is a failure.
    #[must_use]
    pub(crate) fn has_failed(&self) -> bool {
        self.fail_on.is_some_and(|fail_on| self.findings.iter().any(|finding| finding.severity >= fail_on))
    }

    /// For people.
    #[must_use]
    pub fn text(&self) -> String {
        text::report(self)
    }

    /// One JSON object.
    #[must_use]
    pub fn json(&self) -> String {
        json::report(self)
    }

    /// Markdown, for a pull request or a job summary.
    #[must_use]
    pub fn markdown(&self) -> String {
        markdown::report(self)
    }

    /// JUnit XML: a test case per rule. Findings of the severity that fails, or from warnings on, are failures.
    #[must_use]
    pub fn junit(&self) -> String {
        junit::report(self)
    }

    /// SARIF 2.1.0: a result per finding. The location of a result is the capture, because there is no source line.
    #[must_use]
    pub fn sarif(&self) -> String {
        annotations::sarif(self)
    }

    /// Workflow commands of GitHub: `::error title=…::…`.
    #[must_use]
    pub fn github(&self) -> String {
        annotations::github(self)
    }

    /// One line: how much was found.
    fn headline(&self) -> String {
        let count = |severity| self.findings.iter().filter(|finding| finding.severity == severity).count();
        let counts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
            .into_iter()
            .filter_map(|severity| match count(severity) {
                0 => None,
                1 => Some(format!("1 {}", severity.as_str())),
                count => Some(format!("{count} {}s", severity.as_str())),
            })
            .collect();
        let found = match counts.as_slice() {
            [] => "no rule found anything".to_owned(),
            counts => counts.join(", "),
        };
        let rules = self.rules.len();
        match self.fail_on {
            None => format!("{found}; {rules} rules"),
            Some(fail_on) => {
                let verdict = if self.has_failed() { "FAIL" } else { "PASS" };
                format!("{verdict} (fails on {}): {found}; {rules} rules", fail_on.as_str())
            }
        }
    }

    /// What a finding says: the problem, then the advice.
    fn message(&self, finding: &Finding) -> String {
        let sentence = |sentence| crate::display::sentence(sentence, self.unit);
        let problem = sentence(&finding.problem);
        let problem = problem.trim_end_matches('.');
        format!("{problem}. {}", sentence(&finding.recommendation))
    }
}

/// The thresholds of a rule: `name = 10`, or `name = 15 (default 10)`.
fn thresholds(rule: &ListedRule<'_>) -> Vec<String> {
    let words = rule.thresholds.iter().map(|threshold| match threshold.value.total_cmp(&threshold.default) {
        std::cmp::Ordering::Equal => format!("{} = {}", threshold.name, threshold.value),
        _ => format!("{} = {} (default {})", threshold.name, threshold.value, threshold.default),
    });
    words.collect()
}

/// The word for a state.
fn state_word(state: &RuleState<'_>) -> &'static str {
    match state {
        RuleState::Fires(_) => "fires",
        RuleState::Silent => "silent",
        RuleState::Off => "off",
        RuleState::NotJudged(_) => "not judged",
    }
}
