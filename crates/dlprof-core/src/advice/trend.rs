//! Iterations that take longer from one to the next, or less long: what findings and the verdict say of some of them does not
//! hold for the others.

use super::scene::Scene;
use crate::base::time::{Ns, total};
use crate::figures::profile::{Profile, ProfileContents, WholeRun};
use crate::steps::iterate::RangeChoice;
use std::ops::RangeInclusive;

impl Scene<'_> {
    /// The first and the last iteration that findings are about; `None` where none were found.
    pub(super) fn judged_iterations(&self) -> Option<RangeInclusive<u32>> {
        let (first, last) = (self.places.start, self.places.end.checked_sub(1)?);
        (self.iterations > 0).then(|| self.iteration(first)..=self.iteration(last))
    }

    /// Of iterations that take longer from one to the next, or less long, those that findings leave out, though nobody chose so:
    /// the ones before or after the judged ones, whichever take more time, from a tenth of the time of the judged ones on.
    pub(super) fn left_out_of_trend(&self) -> Option<RangeInclusive<u32>> {
        let iterations = &self.profile.iterations;
        if iterations.choice.iter_start.is_some() || iterations.choice.iter_stop.is_some() {
            return None;
        }
        let judged = self.judged_iterations()?;
        let changing = iterations.going_one_way();
        let length = |numbers: &[u32]| -> Ns {
            total(numbers.iter().map(|&number| iterations.windows.span(number).length()))
        };
        let before = &changing[..changing.partition_point(|number| number < judged.start())];
        let behind = &changing[changing.partition_point(|number| number <= judged.end())..];
        let more = if length(before) > length(behind) { before } else { behind };
        let is_much = length(more).saturating_mul(10) >= self.span.length();
        Some(*more.first()?..=*more.last()?).filter(|_| is_much)
    }

    /// The whole run after start-up, where findings are about less than half of it though nobody chose iterations.
    pub(super) fn whole_run(&self) -> Option<WholeRun> {
        if self.is_left_out || self.iterations == 0 {
            return None;
        }
        self.figures();
        self.profile.run_beyond(self.span)
    }

    /// The profile of those iterations.
    pub(super) fn profile_left_out(&self) -> Option<Profile> {
        let left_out = self.left_out_of_trend()?;
        let ProfileContents { index, iterations, .. } = self.profile;
        let choice = RangeChoice {
            iter_start: Some(*left_out.start()),
            iter_stop: Some(*left_out.end()),
            ..iterations.choice
        };
        index.profile_with(&choice, self.profile.settings()).ok()
    }
}

/// Iterations in words after a verdict: ` in iterations 1 to 18`.
pub(super) fn in_iterations(iterations: &RangeInclusive<u32>) -> String {
    match (iterations.start(), iterations.end()) {
        (first, last) if first == last => format!(" in iteration {first}"),
        (first, last) => format!(" in iterations {first} to {last}"),
    }
}
