//! What became of the findings, for the reports that people read.

use super::layout::Grid;
use crate::text::shorten;
use dlprof_core::{
    BaselineScope, Comparison, FindingChange, FindingSide, FindingState, RunUnit, SavingKind, amount_in_words,
};

/// Width of a problem, in characters.
const PROBLEM: usize = 100;

/// Which findings a report lists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Listed {
    /// All.
    All,
    /// Only those that changed.
    Changed,
}

/// How many findings are in which state; `None` if they are not compared.
pub(super) fn headline(comparison: &Comparison) -> Option<String> {
    let findings = &comparison.findings;
    let changes = findings.changes.as_ref()?;
    let counted = FindingState::ALL.into_iter().map(|state| (findings.count(state), state));
    let parts: Vec<String> = counted
        .filter(|(count, _)| *count > 0)
        .map(|(count, state)| format!("{count} {}", state.as_str()))
        .collect();
    Some(match changes.is_empty() {
        true => "Findings: none on either side".to_owned(),
        false => format!("Findings: {}", parts.join(", ")),
    })
}

/// The first findings with their savings, or their main figures, on both sides.
pub(super) fn grid(comparison: &Comparison, listed: Listed, top: usize) -> Grid {
    let mut grid = Grid::new(&["State", "Finding", "Severity", ">Base", ">New", "Problem"]);
    for change in shown(comparison, listed, top) {
        grid.push(vec![
            change.state.as_str().to_owned(),
            change.id.clone(),
            change.severity.as_str().to_owned(),
            amount(&change.base, change.is_by_figure()),
            amount(&change.new, change.is_by_figure()),
            shorten(&change.problem, PROBLEM),
        ]);
    }
    grid
}

/// What the amounts of the grid are.
pub(super) fn amounts(comparison: &Comparison) -> String {
    let saving = match comparison.scope {
        Some(BaselineScope::WholeCapture) => "estimated savings",
        _ => "estimated savings per iteration",
    };
    format!("Base and New are {saving} (≤: at most); without one, the main figure.")
}

/// The sentences below the grid: what became of the time after findings were gone, where both sides do the same work, and notes.
pub(super) fn sentences(comparison: &Comparison, listed: Listed, top: usize) -> Vec<String> {
    let does_the_same = comparison.unlike.is_empty() && comparison.scope == Some(BaselineScope::Iterations);
    let gone = shown(comparison, listed, top)
        .filter(|_| does_the_same)
        .filter_map(|change| Some(format!("{} is gone: {}", change.id, change.outcome.as_ref()?)));
    gone.chain(comparison.findings.notes.iter().cloned()).collect()
}

fn shown(comparison: &Comparison, listed: Listed, top: usize) -> impl Iterator<Item = &FindingChange> {
    let is_shown = move |change: &&FindingChange| listed == Listed::All || change.state != FindingState::Same;
    comparison.findings.changes.iter().flatten().filter(is_shown).take(top)
}

/// The saving of a side, or its main figure, and how many runs have the finding if not all do.
fn amount(side: &FindingSide, by_figure: bool) -> String {
    if side.runs == 0 {
        return "–".to_owned();
    }
    let amount = match (side.saving.filter(|_| !by_figure), &side.figure) {
        (Some(saving), _) if saving.ns <= 0.0 => "none".to_owned(),
        (Some(saving), _) => {
            let limit = if saving.kind == SavingKind::Upper { "≤ " } else { "" };
            format!("{limit}{}", amount_in_words(saving.ns, RunUnit::Ns))
        }
        (None, Some(figure)) => amount_in_words(figure.value, figure.unit()),
        (None, None) => "found".to_owned(),
    };
    match side.runs == side.of_runs {
        true => amount,
        false => format!("{amount} (in {} of {} runs)", side.runs, side.of_runs),
    }
}
