//! What the rules found in a run, as far as it is kept.

use super::BaselineScope;
use super::used::Columns;
use super::used_sums::rounded;
use crate::advice::{DLPROF_RULES, Finding, Judged, Measure, RuleState, Severity, iterations, rules};
use crate::base::ratios::{count_to_f64, to_f64};
use crate::figures::profile::Clock;
use crate::runs::metrics::RunUnit;
use crate::steps::iterate::{ClockChoice, FigureRules, RangeChoice};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What the rules found in a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunFindings {
    /// Ids of the rules that were applied. Other versions have other rules, and settings can turn rules off: what no rule
    /// looked for is not known.
    pub rules: BTreeSet<String>,
    /// What they found, ranked; at most one finding of each rule.
    pub found: Vec<RunFinding>,
    /// What makes figures of the run wrong, as its capture shows; empty where nothing does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub misleads: Vec<String>,
}

/// A finding of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunFinding {
    /// Id of its rule.
    pub id: String,
    /// How much it matters.
    pub severity: Severity,
    /// What was found, with its figures.
    pub problem: String,
    /// The number that the rule compared with its threshold; `None` if it compared none.
    pub figure: Option<MainFigure>,
    /// What a change would save; `None` if that cannot be known.
    pub saving: Option<RunSaving>,
}

/// The number that a rule compared with its threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MainFigure {
    /// Its name, with the unit as suffix.
    pub name: String,
    /// Its value.
    pub value: f64,
}

impl MainFigure {
    /// Its unit, by its name.
    #[must_use]
    pub fn unit(&self) -> RunUnit {
        match &self.name {
            name if name.ends_with("_percent") => RunUnit::Percent,
            name if name.ends_with("_ns") => RunUnit::Ns,
            _ => RunUnit::Count,
        }
    }

    /// Whether it is a number of the whole run, which may grow with the number of iterations; not a share and not a rate.
    #[must_use]
    pub fn is_total(&self) -> bool {
        self.unit() != RunUnit::Percent && !self.name.contains("_per_")
    }
}

/// How much time a change would save.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RunSaving {
    /// Nanoseconds per iteration; in all, if the scope of the run is the whole capture.
    pub ns: f64,
    /// What the time is.
    pub kind: SavingKind,
}

/// What an estimated saving is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SavingKind {
    /// What is likely.
    Expected,
    /// What cannot be exceeded.
    Upper,
}

/// What the rules found in a profile: the built-in ones in its steady iterations, as on the dashboard, if there are such; users'
/// rules, which say themselves what they look at, in all of it.
pub(super) fn findings(judged: &Judged, columns: &Columns) -> RunFindings {
    let scope = columns.scope;
    let steady = match scope {
        BaselineScope::Iterations => of_used_iterations(judged, columns),
        BaselineScope::WholeCapture => None,
    };
    let about = steady.as_ref().unwrap_or(judged);
    // An unsplit iteration counts as the passes that it holds.
    let passes = match scope {
        BaselineScope::Iterations => {
            let numbers = iterations(about);
            count_to_f64(numbers.len() as u64) + f64::from(about.iterations.further_passes(numbers))
        }
        BaselineScope::WholeCapture => 1.0,
    };
    let is_own = |finding: &&Finding| judged.own_results().iter().any(|own| own.id == finding.id);
    let own = judged.findings().iter().filter(is_own);
    RunFindings {
        rules: applied(judged),
        found: about
            .built_in()
            .iter()
            .chain(own)
            .map(|finding| run_finding(finding, passes.max(1.0)))
            .collect(),
        misleads: misleads(judged),
    }
}

/// What makes figures of the capture wrong.
fn misleads(judged: &Judged) -> Vec<String> {
    let problems = judged.problems();
    problems.iter().filter(|problem| problem.misleads()).map(|problem| problem.says().to_string()).collect()
}

/// Ids of the rules that judged a profile: one that finds nothing, and could not have, did not.
fn applied(judged: &Judged) -> BTreeSet<String> {
    let with_dlprofs_figures = judged.iterations.windows.rules == FigureRules::Dlprof;
    let is_applied = |id: &str| {
        let is_dlprofs = || DLPROF_RULES.iter().any(|rule| rule.id == id);
        (!with_dlprofs_figures || is_dlprofs())
            && matches!(judged.rule_state(id), RuleState::Fires(_) | RuleState::Silent)
    };
    let own = judged.own_results().iter().map(|own| own.id.as_str());
    rules().map(|rule| rule.id).chain(own).filter(|id| is_applied(id)).map(str::to_owned).collect()
}

/// What the built-in rules say about the iterations that findings are about; `None` if there are none. Else a few rules would be
/// about the first iteration, which no sample of the run is about.
fn of_used_iterations(judged: &Judged, columns: &Columns) -> Option<Judged> {
    let (first, last) = columns.first_and_last()?;
    let clock = match judged.summary.clock {
        Clock::Cpu => ClockChoice::Cpu,
        Clock::Gpu => ClockChoice::Gpu,
    };
    let choice =
        RangeChoice { iter_start: Some(first), iter_stop: Some(last), clock, ..judged.iterations.choice };
    let steady = judged.index.profile_with(&choice, judged.settings()).ok()?;
    Some(judged.over(steady))
}

fn run_finding(finding: &Finding, passes: f64) -> RunFinding {
    let saving = finding.saving.as_ref().map(|saving| RunSaving {
        ns: rounded(to_f64(saving.ns()) / passes),
        kind: if saving.expected_ns.is_some() { SavingKind::Expected } else { SavingKind::Upper },
    });
    RunFinding {
        id: finding.id.clone().into_owned(),
        severity: finding.severity,
        problem: finding.problem.to_string(),
        figure: finding.figures.first().and_then(|(name, measure)| main_figure(name, measure)),
        saving,
    }
}

/// The figure as a number; `None` for words.
pub(super) fn main_figure(name: &str, measure: &Measure) -> Option<MainFigure> {
    let value = match measure {
        Measure::Time(ns) => to_f64(*ns),
        Measure::Count(count) => count_to_f64(*count),
        Measure::Number(value) => *value,
        Measure::Text(_) => return None,
    };
    value.is_finite().then(|| MainFigure { name: name.to_owned(), value: rounded(value) })
}
