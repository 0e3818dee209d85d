//! What state each iteration is in, and which of them are steady.

use crate::ratios::median;
use crate::time::Ns;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// What an iteration is like, compared with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum IterationState {
    /// What comes before the first execution of the key node; the only iteration without a key node.
    Before,
    /// One of the first ones, and slower than the rest.
    WarmUp,
    /// Near the median.
    Steady,
    /// Far from the median.
    Outlier,
    /// No GPU work, while the others have some.
    Empty,
    /// The last one, and the capture ends in it.
    Cut,
    /// No iteration: what lies between runs of them, or behind the last one.
    Outside,
}

impl IterationState {
    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::WarmUp => "warm-up",
            Self::Steady => "steady",
            Self::Outlier => "outlier",
            Self::Empty => "empty",
            Self::Cut => "cut",
            Self::Outside => "outside",
        }
    }
}

/// A duration is near the median if it is within a quarter of it.
const TOLERANCE_DIVISOR: Ns = 4;

/// Fewer iterations than this say nothing.
const FEWEST: usize = 3;

/// What is known of an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IterationLoad {
    /// Its length.
    pub(super) duration_ns: Ns,
    /// GPU work of its op calls: kernels, copies, memsets.
    pub(super) work: u64,
}

/// The state of each iteration, the one before the first execution included.
///
/// The median is that of the iterations behind it that have GPU work. The last one is cut if it has less than nine
/// tenths of the median work, or is under three quarters of the median length.
#[must_use]
pub(super) fn states(loads: &[IterationLoad]) -> Vec<IterationState> {
    let Some((_, rest)) = loads.split_first() else { return Vec::new() };
    let any_work = rest.iter().any(|load| load.work > 0);
    let is_empty = |load: &IterationLoad| any_work && load.work == 0;
    let busy: Vec<&IterationLoad> = rest.iter().filter(|load| !is_empty(load)).collect();
    let typical_ns = median(busy.iter().map(|load| load.duration_ns).collect());
    let typical_work = median(busy.iter().map(|load| Ns::try_from(load.work).unwrap_or(Ns::MAX)).collect());
    let mut is_start = true;
    let last = rest.len().saturating_sub(1);
    let mut state = |(at, load): (usize, &IterationLoad)| {
        let is_near = (load.duration_ns - typical_ns).abs() <= typical_ns / TOLERANCE_DIVISOR;
        let is_short = load.duration_ns < typical_ns - typical_ns / TOLERANCE_DIVISOR;
        let has_little = i128::from(load.work) * 10 < i128::from(typical_work) * 9;
        let state = match () {
            () if at == last && at > 0 && (is_short || has_little) => IterationState::Cut,
            () if is_empty(load) => IterationState::Empty,
            () if is_near => IterationState::Steady,
            () if is_start && !is_short => IterationState::WarmUp,
            () => IterationState::Outlier,
        };
        is_start &= state == IterationState::WarmUp;
        state
    };
    let states: Vec<IterationState> = rest.iter().enumerate().map(&mut state).collect();
    [IterationState::Before].into_iter().chain(states).collect()
}

/// The longest run of steady iterations, the first of equals; `None` if it has fewer than three.
#[must_use]
pub fn longest_steady_run(states: &[IterationState]) -> Option<RangeInclusive<usize>> {
    let mut best: Option<RangeInclusive<usize>> = None;
    let mut run_start = 0;
    for (at, &state) in states.iter().enumerate() {
        if state != IterationState::Steady {
            run_start = at + 1;
            continue;
        }
        let length = at + 1 - run_start;
        if length >= FEWEST && best.as_ref().is_none_or(|best| length > best.end() - best.start() + 1) {
            best = Some(run_start..=at);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::IterationState::{Before, Cut, Empty, Outlier, Steady, WarmUp};
    use super::*;

    fn of(loads: &[(Ns, u64)]) -> Vec<IterationState> {
        states(
            &loads.iter().map(|&(duration_ns, work)| IterationLoad { duration_ns, work }).collect::<Vec<_>>(),
        )
    }

    #[test]
    fn states_of_a_training_run() {
        let run =
            [(5000, 3), (1000, 9), (300, 9), (100, 9), (101, 9), (2, 0), (99, 9), (900, 9), (98, 9), (20, 4)];
        let expected = [Before, WarmUp, WarmUp, Steady, Steady, Empty, Steady, Outlier, Steady, Cut];
        assert_eq!(of(&run), expected);
        assert_eq!(of(&[(7, 7)]), [Before]);
        assert_eq!(of(&[(7, 0), (100, 0), (100, 0)]), [Before, Steady, Steady]);
        assert_eq!(of(&[]), []);
    }

    #[test]
    fn warm_up_and_tail_are_left_out() {
        assert_eq!(
            longest_steady_run(&[Before, WarmUp, Steady, Steady, Steady, Outlier, Steady]),
            Some(2..=4)
        );
        assert_eq!(longest_steady_run(&[Steady, Steady]), None);
        assert_eq!(longest_steady_run(&[]), None);
    }
}
