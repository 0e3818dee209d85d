//! The findings of two sets of runs: which are new, gone, worse or better, and what became of the estimated savings.
//!
//! A side has a finding if at least half of its runs have it. The saving and the main figure of a side are the medians
//! over the runs that have the finding. A change is none if it is not larger than the spread between the runs of a side.

mod outcome;
mod side;

pub use side::FindingSide;

use super::ComparedRow;
use super::warnings::mixes_inputs;
use crate::advice::Severity;
use crate::runs::document::{BaselineRun, BaselineScope, MainFigure, RunFinding, RunSaving};
use crate::runs::metrics::{ITERATION_TIME, RunUnit};
use outcome::outcome;
use serde::Serialize;
use side::Runs;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A saving or a figure is as before until it changes by more than this share of what it was. Shares of idle time differ
/// by several percent between equal runs; the gate's budget for GPU idle is the same.
pub(crate) const TOLERANCE_PERCENT: f64 = 10.0;

/// And a saving until it changes by more than this share of the iteration time, a figure in percent until it changes by as many
/// points. Less than that cannot be seen in the iteration time, for which the gate has a budget of 1.5 %.
pub(crate) const TOLERANCE_OF_ITERATION_PERCENT: f64 = 1.0;

/// Figures that are worse if they are smaller, by name.
const LESS_IS_WORSE: [&str; 3] = ["gpu_utilization_percent", "memory_percent", "occupancy_percent"];

/// What became of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingState {
    /// Only the new runs have it.
    New,
    /// Its saving, or its main figure, is worse than the tolerance allows.
    Worse,
    /// Only the baseline has it.
    Gone,
    /// Its saving, or its main figure, is better by more than the tolerance.
    Better,
    /// Both sides have it, with the same figures as far as the tolerance allows, or with figures that cannot be compared.
    Same,
}

impl FindingState {
    /// All states, in the order in which they are counted for people.
    pub const ALL: [Self; 5] = [Self::New, Self::Worse, Self::Gone, Self::Better, Self::Same];

    /// The word for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Worse => "worse",
            Self::Gone => "gone",
            Self::Better => "better",
            Self::Same => "same",
        }
    }

    /// Its place in the order of changes: what is new and what is worse come first, together.
    fn rank(self) -> u8 {
        match self {
            Self::New | Self::Worse => 0,
            Self::Gone => 1,
            Self::Better => 2,
            Self::Same => 3,
        }
    }
}

/// A finding on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindingChange {
    /// Id of its rule.
    pub id: String,
    /// What became of it.
    pub state: FindingState,
    /// How much it matters; in the new runs, if they have it.
    pub severity: Severity,
    /// What was found; in the last of the new runs that has it, else in the last of the baseline.
    pub problem: String,
    /// The baseline.
    pub base: FindingSide,
    /// The new runs.
    pub new: FindingSide,
    /// For findings that are gone and had an estimated saving: it, and what the iteration time really changed by, in one sentence.
    pub outcome: Option<String>,
}

/// The findings of both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindingChanges {
    /// New and worse first, then gone, better and same; in each, errors first, then the largest change of the saving.
    /// `None` if the findings of one side are not known, or if one side has iterations and the other side has not.
    pub changes: Option<Vec<FindingChange>>,
    /// What is not compared, and what to know about what is; in sentences.
    pub notes: Vec<String>,
}

impl FindingChanges {
    /// Number of findings in a state.
    #[must_use]
    pub fn count(&self, state: FindingState) -> usize {
        self.changes.iter().flatten().filter(|change| change.state == state).count()
    }
}

/// Compares the findings of two sets of runs; `metrics` are the rows of the same comparison.
pub(super) fn compare_findings(
    base: &[BaselineRun],
    new: &[BaselineRun],
    scope: Option<BaselineScope>,
    metrics: &[ComparedRow],
) -> FindingChanges {
    let Some(scope) = scope else {
        let note = "findings are not compared: only some of the runs have iterations";
        return FindingChanges { changes: None, notes: vec![note.to_owned()] };
    };
    let has_estimates = !mixes_inputs(base, new);
    let (base, new) = (Runs::new("the baseline", base), Runs::new("the new runs", new));
    let mut notes: Vec<String> = [&base, &new].into_iter().filter_map(Runs::unknown).collect();
    if base.is_unknown() || new.is_unknown() {
        return FindingChanges { changes: None, notes };
    }
    let iteration = metrics.iter().find(|row| row.key == ITERATION_TIME);
    let sides = Sides { base, new, scope, iteration, has_estimates };
    let ids: BTreeSet<&str> = sides.base.ids().chain(sides.new.ids()).collect();
    let (compared, unasked): (Vec<&str>, Vec<&str>) =
        ids.into_iter().partition(|id| sides.base.asked(id) > 0 && sides.new.asked(id) > 0);
    let mut changes: Vec<FindingChange> = compared.into_iter().filter_map(|id| sides.change(id)).collect();
    changes.sort_by(order);
    if !unasked.is_empty() {
        notes.push(format!(
            "not compared, because these rules were not asked on one side (its recording has not what they need, or it was made \
             with another version or other settings): {}",
            unasked.join(", ")
        ));
    }
    let gone = changes.iter().filter(|change| change.outcome.is_some()).count();
    if gone > 1 {
        notes.push(format!(
            "{gone} findings with an estimate are gone: estimates may overlap, and the iteration time shows all changes together"
        ));
    }
    FindingChanges { changes: Some(changes), notes }
}

fn order(a: &FindingChange, b: &FindingChange) -> std::cmp::Ordering {
    let rank = |change: &FindingChange| (change.state.rank(), Reverse(change.severity == Severity::Error));
    let moved = |change: &FindingChange| (change.new.saving_ns() - change.base.saving_ns()).abs();
    let larger = |change: &FindingChange| change.new.saving_ns().max(change.base.saving_ns());
    rank(a)
        .cmp(&rank(b))
        .then_with(|| match a.state {
            FindingState::Same => larger(b).total_cmp(&larger(a)),
            _ => moved(b).total_cmp(&moved(a)),
        })
        .then_with(|| b.severity.cmp(&a.severity))
        .then_with(|| a.id.cmp(&b.id))
}

struct Sides<'a> {
    base: Runs<'a>,
    new: Runs<'a>,
    scope: BaselineScope,
    /// The iteration time on both sides.
    iteration: Option<&'a ComparedRow>,
    /// Whether savings and figures of one side can be compared with those of the other.
    has_estimates: bool,
}

impl Sides<'_> {
    /// What became of a finding; `None` if neither side has it.
    fn change(&self, id: &str) -> Option<FindingChange> {
        let (base, new) = (self.base.side(id), self.new.side(id));
        let state = match (base.has_it(), new.has_it()) {
            (false, false) => return None,
            (false, true) => FindingState::New,
            (true, false) => FindingState::Gone,
            (true, true) => self.judge(&base, &new),
        };
        let last: &RunFinding = match state {
            FindingState::Gone => self.base.last(id)?,
            _ => self.new.last(id)?,
        };
        let is_gone = state == FindingState::Gone;
        Some(FindingChange {
            id: id.to_owned(),
            state,
            severity: last.severity,
            problem: last.problem.clone(),
            outcome: base
                .saving
                .filter(|_| is_gone)
                .map(|saving| outcome(saving, self.scope, self.iteration)),
            base,
            new,
        })
    }

    /// Whether a finding that both sides have became worse: by its saving, or without one by its main figure. An export and a
    /// DLProf database of one run have different estimates, because the database has no streams and clocks.
    fn judge(&self, base: &FindingSide, new: &FindingSide) -> FindingState {
        if !self.has_estimates {
            return FindingState::Same;
        }
        if let Some([before, now]) = savings_of_one_kind(base, new) {
            let iteration_ns = self.iteration.map_or(0.0, |row| row.difference.base);
            let seen_ns = iteration_ns / 100.0 * TOLERANCE_OF_ITERATION_PERCENT;
            let least = seen_ns.max(base.saving_spread_ns).max(new.saving_spread_ns);
            return state(now.ns - before.ns, before.ns, least);
        }
        match figures_of_one_name(base, new) {
            Some([before, now]) if self.can_be_compared(before) => {
                let seen =
                    if before.unit() == RunUnit::Percent { TOLERANCE_OF_ITERATION_PERCENT } else { 0.0 };
                let least = seen.max(base.figure_spread).max(new.figure_spread);
                let judged = |now: f64| state(now - before.value, before.value.abs(), least);
                if LESS_IS_WORSE.contains(&before.name.as_str()) {
                    return state(before.value - now.value, before.value.abs(), least);
                }
                let by_figure = judged(now.value);
                // A larger share of a shorter iteration may be less time: nothing is worse, and nothing better.
                let is_share = before.unit() == RunUnit::Percent;
                let is_agreed = !is_share || judged(now.value * self.times_as_long()) == by_figure;
                if is_agreed { by_figure } else { FindingState::Same }
            }
            _ => FindingState::Same,
        }
    }

    /// How many times as long the new runs' iterations are; 1 if it is not known.
    fn times_as_long(&self) -> f64 {
        let times = self.iteration.map(|row| row.difference.new / row.difference.base);
        times.filter(|times| times.is_finite()).unwrap_or(1.0)
    }

    /// Totals of runs with different numbers of iterations say nothing about each other.
    fn can_be_compared(&self, figure: &MainFigure) -> bool {
        !figure.is_total()
            || self.base.iterations().chain(self.new.iterations()).collect::<BTreeSet<_>>().len() == 1
    }
}

impl FindingChange {
    /// Whether both sides have it and it is their main figures that say more of each other, because their savings are not of one kind.
    #[must_use]
    pub fn is_by_figure(&self) -> bool {
        savings_of_one_kind(&self.base, &self.new).is_none()
            && figures_of_one_name(&self.base, &self.new).is_some()
    }
}

fn savings_of_one_kind(base: &FindingSide, new: &FindingSide) -> Option<[RunSaving; 2]> {
    let savings = [base.saving?, new.saving?];
    (savings[0].kind == savings[1].kind).then_some(savings)
}

fn figures_of_one_name<'a>(base: &'a FindingSide, new: &'a FindingSide) -> Option<[&'a MainFigure; 2]> {
    let figures = [base.figure.as_ref()?, new.figure.as_ref()?];
    (figures[0].name == figures[1].name).then_some(figures)
}

/// The state of a number that is worse if it grows.
fn state(change: f64, before: f64, least: f64) -> FindingState {
    let tolerance = f64::max(before / 100.0 * TOLERANCE_PERCENT, least);
    match change {
        change if change > tolerance => FindingState::Worse,
        change if change < -tolerance => FindingState::Better,
        _ => FindingState::Same,
    }
}

#[cfg(test)]
mod tests;
