//! Which iterations of a run are used and sampled.

use super::{BaselineIterations, BaselineScope};
use crate::figures::profile::Profile;
use crate::steps::iterate::IterationState;
use std::collections::BTreeMap;

/// Ops, groups and kernel names with at least this share of the GPU time are sampled; of the rest the average is kept.
pub(crate) const SAMPLED_SHARE: f64 = 0.005;

/// At most this many iterations are sampled, evenly spaced; averages are over all used ones.
pub(crate) const SAMPLES_KEPT: usize = 500;

/// Which iterations are used, and the place of each among the samples.
pub(super) struct Columns {
    pub(super) scope: BaselineScope,
    /// By iteration.
    is_used: Vec<bool>,
    /// By iteration: its sample, if it is sampled.
    pub(super) column: Vec<Option<usize>>,
    /// Number of samples.
    pub(super) samples: usize,
    /// Number of values summed over: used iterations, or 1.
    pub(super) used: u32,
}

impl Columns {
    pub(super) fn new(profile: &Profile) -> Self {
        let states = &profile.iterations.states;
        let total = profile.iterations.total();
        let is_steady =
            |at: u32| profile.iterations.is_aggregated(at) && states[at as usize] == IterationState::Steady;
        let steady: Vec<u32> = (0..total).filter(|&at| is_steady(at)).collect();
        let mut column = vec![None; total as usize];
        let mut is_used = vec![false; total as usize];
        if steady.is_empty() {
            for at in profile.iterations.start..=profile.iterations.stop {
                is_used[at as usize] = true;
                column[at as usize] = Some(0);
            }
            return Self { scope: BaselineScope::WholeCapture, is_used, column, samples: 1, used: 1 };
        }
        let stride = steady.len().div_ceil(SAMPLES_KEPT);
        for &at in &steady {
            is_used[at as usize] = true;
        }
        let mut samples = 0;
        for &at in steady.iter().step_by(stride) {
            column[at as usize] = Some(samples);
            samples += 1;
        }
        let used = u32::try_from(steady.len()).unwrap_or(u32::MAX);
        Self { scope: BaselineScope::Iterations, is_used, column, samples, used }
    }

    /// The first and the last iteration that is used.
    pub(super) fn first_and_last(&self) -> Option<(u32, u32)> {
        let first = self.is_used.iter().position(|&is_used| is_used)?;
        let last = self.is_used.iter().rposition(|&is_used| is_used)?;
        Some((u32::try_from(first).ok()?, u32::try_from(last).ok()?))
    }

    pub(super) fn is_used(&self, iteration: u32) -> bool {
        self.is_used[iteration as usize]
    }

    pub(super) fn iterations(&self, profile: &Profile) -> BaselineIterations {
        let mut left_out = BTreeMap::new();
        for (at, state) in profile.iterations.states.iter().enumerate() {
            let is_left_out = !matches!(state, IterationState::Steady | IterationState::Outside);
            if is_left_out && self.scope == BaselineScope::Iterations {
                let is_in_range = u32::try_from(at).is_ok_and(|at| profile.iterations.is_aggregated(at));
                let why = if is_in_range { state.as_str() } else { "outside the range" };
                *left_out.entry(why.to_owned()).or_default() += 1;
            }
        }
        let numbered = (0..).zip(&self.column);
        let sampled = numbered.filter(|(_, column)| column.is_some()).map(|(at, _)| at);
        let is_whole = self.scope == BaselineScope::WholeCapture;
        BaselineIterations {
            total: profile.iterations.count(),
            used: if is_whole { 0 } else { self.used },
            left_out,
            sampled: if is_whole { Vec::new() } else { sampled.collect() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::document::Document;
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    fn run(steps: i64) -> crate::runs::document::BaselineRun {
        let mut drawn = Drawn::new();
        for now in (1..=steps).map(|step| step * 1_000) {
            drawn.range("step", now..now + 1_000);
            drawn.launch(now + 10..now + 20, "gemm", now + 30..now + 930);
        }
        let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
        let profile = index.profile(&RangeChoice::default()).expect("a profile");
        Document::of(&profile.into()).runs.remove(0)
    }

    #[test]
    fn many_iterations_are_sampled_evenly_and_all_are_counted() {
        let (few, many) = (run(40), run(1_203));
        assert_eq!(few.iterations.sampled.len(), few.iterations.used as usize, "all of few");
        let sampled = &many.iterations.sampled;
        assert!(many.iterations.used > 1_190, "{:?}", many.iterations);
        assert!(sampled.len() <= SAMPLES_KEPT && sampled.len() > SAMPLES_KEPT / 2, "{}", sampled.len());
        let distance = sampled[1] - sampled[0];
        assert!(distance > 1 && sampled.windows(2).all(|pair| pair[1] - pair[0] == distance));
        assert!(many.metrics.values().all(|samples| samples.len() == sampled.len()));
        // The average is over all: 900 ns of kernel in each.
        assert!((many.kernels["gemm"].mean_ns - 900.0).abs() < 1e-9, "{:?}", many.kernels);
    }
}
