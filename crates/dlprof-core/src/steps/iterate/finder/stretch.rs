//! The stretch of a sequence that repeats after a period.
//!
//! ```text
//! symbols    i j x x a b c c d a b c c d a b c c d a b c c d y z
//! period 5           = = = = = = = = = = = = = = =                 equal to the symbol five places on
//! stretch            ├───────────────────────────────────────┤      and these five symbols more
//! ```
//!
//! Each place that is equal to the one a period on counts 1, each other −19; the stretch is the part with the largest
//! sum. So at least 95 % of it match, and what comes before and after the steps is no part of it.

use crate::base::ratios::to_f64;
use std::ops::Range;

/// What a place counts that is different one period on.
const MISMATCH: i64 = -19;

/// A part of a sequence that repeats.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stretch {
    pub(super) period: usize,
    /// Places of the whole stretch, the last period included.
    pub(super) places: Range<usize>,
    /// Share of places that are equal one period on, from 0 to 1.
    pub(super) matching: f64,
}

impl Stretch {
    /// The best stretch of a period; none where nothing is equal one period on.
    pub(super) fn of(symbols: &[u32], period: usize) -> Option<Self> {
        let pairs = symbols.len().checked_sub(period).filter(|_| period > 0)?;
        let mut sum = LargestSum::default();
        sum.compare(0, &symbols[..pairs], &symbols[period..]);
        let matching = sum.matching()?;
        let Range { start, end } = sum.best_range();
        Some(Self { period, places: start..end + period, matching })
    }

    /// Kernels in it.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether it holds enough periods to count.
    pub(super) fn has_enough_periods(&self) -> bool {
        // 2.95 periods.
        self.len() * 20 >= self.period * 59
    }
}

/// The part of a list of gains and losses with the largest sum; the first of equals.
#[derive(Default)]
pub(super) struct LargestSum {
    start: usize,
    sum: i64,
    best: Range<usize>,
    best_sum: i64,
}

impl LargestSum {
    /// Adds places from `start` on: those in `here` match where they equal those in `there`.
    pub(super) fn compare(&mut self, start: usize, here: &[u32], there: &[u32]) {
        /// Places compared at once; and again, where these are not all equal.
        const BLOCKS: [usize; 2] = [64, 8];
        let blocks = |size: usize, start: usize, here, there| {
            let pairs = <[u32]>::chunks(here, size).zip(<[u32]>::chunks(there, size));
            pairs.enumerate().map(move |(block, (a, b))| (start + block * size, a, b))
        };
        for (start, here, there) in blocks(BLOCKS[0], start, here, there) {
            if here == there {
                self.matches(start, here.len());
                continue;
            }
            for (start, here, there) in blocks(BLOCKS[1], start, here, there) {
                if here == there {
                    self.matches(start, here.len());
                    continue;
                }
                for (at, (a, b)) in here.iter().zip(there).enumerate() {
                    if a == b { self.matches(start + at, 1) } else { self.differs() }
                }
            }
        }
    }

    /// `count` places from `start` on match.
    fn matches(&mut self, start: usize, count: usize) {
        if self.sum <= 0 {
            (self.start, self.sum) = (start, 0);
        }
        self.sum += i64::try_from(count).unwrap_or(i64::MAX);
        if self.sum > self.best_sum {
            (self.best_sum, self.best) = (self.sum, self.start..start + count);
        }
    }

    /// One place differs.
    fn differs(&mut self) {
        self.sum += MISMATCH;
    }

    /// The part with the largest sum; empty if nothing matches.
    pub(super) fn best_range(&self) -> Range<usize> {
        self.best.clone()
    }

    /// Share of the best part that matches; none if it is empty.
    pub(super) fn matching(&self) -> Option<f64> {
        let length = i64::try_from(self.best.len()).ok().filter(|&length| length > 0)?;
        // The sum is matches + MISMATCH × (length − matches).
        let matches = (self.best_sum - MISMATCH * length) / (1 - MISMATCH);
        Some(to_f64(matches) / to_f64(length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The slow, obvious version.
    fn slow(symbols: &[u32], period: usize) -> Option<(Range<usize>, i64)> {
        let gain: Vec<i64> = (0..symbols.len().saturating_sub(period))
            .map(|at| if symbols[at] == symbols[at + period] { 1 } else { MISMATCH })
            .collect();
        let parts = (0..gain.len()).flat_map(|a| (a + 1..=gain.len()).map(move |b| a..b));
        let sums = parts.map(|part| (gain[part.clone()].iter().sum::<i64>(), part));
        let best = sums.filter(|(sum, _)| *sum > 0).max_by_key(|(sum, _)| *sum)?;
        Some((best.1, best.0))
    }

    proptest! {
        #[test]
        fn the_stretch_has_the_largest_sum(symbols in prop::collection::vec(0..3_u32, 1..90), period in 1..9_usize) {
            let found = Stretch::of(&symbols, period);
            let expected = slow(&symbols, period);
            prop_assert_eq!(found.is_some(), expected.is_some());
            if let (Some(found), Some((_, sum))) = (found, expected) {
                let part = found.places.start..found.places.end - period;
                let gain = |at: usize| if symbols[at] == symbols[at + period] { 1 } else { MISMATCH };
                prop_assert_eq!(part.map(gain).sum::<i64>(), sum);
            }
        }
    }

    #[test]
    fn blocks_of_equal_places_count_as_single_ones() {
        let mut symbols: Vec<u32> = (0..7).cycle().take(700).collect();
        symbols[350] = 99;
        let stretch = Stretch::of(&symbols, 7).expect("a stretch");
        assert_eq!(stretch.places, 0..700);
        assert!((stretch.matching - 691.0 / 693.0).abs() < 1e-9);
    }
}
