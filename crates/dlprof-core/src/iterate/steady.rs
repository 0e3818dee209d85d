//! Which iterations are alike.

use crate::time::Ns;
use std::ops::RangeInclusive;

/// An iteration is steady if its time is within a quarter of the median.
const TOLERANCE_DIVISOR: Ns = 4;

/// Fewer iterations than this say nothing.
const FEWEST: usize = 3;

/// Positions of the longest run of steady iterations, the first of equals; `None` if it is too short.
#[must_use]
pub fn longest_steady_run(durations: &[Ns]) -> Option<RangeInclusive<usize>> {
    let mut sorted = durations.to_vec();
    sorted.sort_unstable();
    let median = *sorted.get(sorted.len() / 2)?;
    let is_steady = |duration: Ns| (duration - median).abs() <= median / TOLERANCE_DIVISOR;
    let mut best: Option<RangeInclusive<usize>> = None;
    let mut run_start = 0;
    for (at, &duration) in durations.iter().enumerate() {
        if !is_steady(duration) {
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
    use super::*;

    #[test]
    fn warm_up_and_tail_are_left_out() {
        assert_eq!(longest_steady_run(&[900, 100, 101, 99, 400, 100]), Some(1..=3));
        assert_eq!(longest_steady_run(&[100, 100, 100]), Some(0..=2));
        assert_eq!(longest_steady_run(&[100, 100]), None);
        assert_eq!(longest_steady_run(&[]), None);
    }
}
