//! What the time really changed by after a finding is gone.

use super::super::{ComparedRow, Trend};
use crate::runs::document::{BaselineScope, RunSaving, SavingKind};
use crate::runs::metrics::RunUnit;
use crate::runs::words;

/// The estimated saving against the change of the iteration time, in one sentence without a period.
pub(super) fn outcome(saving: RunSaving, scope: BaselineScope, iteration: Option<&ComparedRow>) -> String {
    let per_iteration = if scope == BaselineScope::Iterations { " per iteration" } else { "" };
    let at_most = if saving.kind == SavingKind::Upper { "at most " } else { "" };
    let estimate =
        format!("the estimate was {at_most}{}{per_iteration}", words::amount(saving.ns, RunUnit::Ns));
    iteration.map_or(estimate.clone(), |row| format!("{estimate}, {}", became(scope, row)))
}

/// What became of the length of an iteration or of the whole range.
fn became(scope: BaselineScope, row: &ComparedRow) -> String {
    let what = if scope == BaselineScope::Iterations { "iterations" } else { "the whole time" };
    let change = row.difference.change;
    let direction = match change {
        change if change < 0.0 => "shorter",
        change if change > 0.0 => "longer",
        _ => return format!("{what} did not change"),
    };
    let amount = words::amount(change.abs(), RunUnit::Ns);
    let certainty = match row.trend {
        Trend::WithinNoise => ", which may be noise",
        Trend::Uncertain => " on average, but lengths vary too much to be certain",
        _ => "",
    };
    format!("{what} became {amount} {direction}{certainty}")
}
