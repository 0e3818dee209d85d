//! Durations from which any quantile can be computed.

use crate::base::time::Ns;
use rustc_hash::FxHashMap;

/// Durations by how often they occur. GPUs record times in steps of 32 ns, so a million launches have a few thousand
/// distinct durations. Two of these can be merged, and the median stays exact.
#[derive(Debug, Clone, Default)]
pub(crate) struct Durations {
    counts: FxHashMap<Ns, u64>,
    count: u64,
    sum: Ns,
}

impl Durations {
    /// Adds a duration.
    pub(crate) fn push(&mut self, duration: Ns) {
        *self.counts.entry(duration).or_default() += 1;
        self.count += 1;
        self.sum = self.sum.saturating_add(duration);
    }

    /// Adds all durations of another value.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (&duration, count) in &other.counts {
            *self.counts.entry(duration).or_default() += count;
        }
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
    }

    /// Shortest, median and longest. The median of an even number of durations is the longer of the two in the middle. `None` if
    /// there are no durations.
    #[must_use]
    pub(crate) fn spread(&self) -> Option<Spread> {
        let mut sorted: Vec<(Ns, u64)> =
            self.counts.iter().map(|(&duration, &count)| (duration, count)).collect();
        sorted.sort_unstable();
        let mut before = 0;
        let median = sorted.iter().find(|(_, count)| {
            before += count;
            before > self.count / 2
        })?;
        Some(Spread { min: sorted.first()?.0, median: median.0, max: sorted.last()?.0 })
    }
}

/// Shortest, median and longest duration in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// The shortest.
    pub min: Ns,
    /// The one in the middle.
    pub median: Ns,
    /// The longest.
    pub max: Ns,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merged_durations_have_the_median_of_all(
            durations in prop::collection::vec(0_i64..50, 1..60), cut in 0_usize..60,
        ) {
            let (mut left, mut right) = (Durations::default(), Durations::default());
            for (at, &duration) in durations.iter().enumerate() {
                if at < cut { left.push(duration) } else { right.push(duration) }
            }
            left.merge(&right);
            let spread = left.spread().expect("at least one");
            prop_assert_eq!(spread.median, crate::base::ratios::median(durations.clone()));
            prop_assert_eq!(Some(&spread.min), durations.iter().min());
            prop_assert_eq!(Some(&spread.max), durations.iter().max());
            prop_assert_eq!(left.sum, durations.iter().sum::<i64>());
        }
    }
}
