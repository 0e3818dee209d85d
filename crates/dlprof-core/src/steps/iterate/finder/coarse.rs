//! Stretches of very long sequences, roughly: on blocks of places spread over the sequence.
//!
//! A full test of a distance reads the whole sequence. Most distances that are not periods, and most multiples of the
//! period, can be told on a hundredth of it.

use super::stretch::{LargestSum, Stretch};

/// Shorter sequences are tested in full.
const LONG: usize = 400_000;

/// Places in a block.
const BLOCK: usize = 64;

/// Blocks in a sample.
const BLOCKS: usize = 1_600;

/// A stretch of less than this part of the sample is none.
const LEAST_PART: usize = 50;

/// How far the match of the sample may be from that of the sequence.
const UNSURE: f64 = 0.001;

/// Blocks of places of a long sequence.
pub(super) struct Sample<'a> {
    symbols: &'a [u32],
    blocks: Vec<usize>,
}

impl<'a> Sample<'a> {
    /// A sample of a sequence; none if it is short enough to be tested in full.
    pub(super) fn of(symbols: &'a [u32]) -> Option<Self> {
        let blocks = super::distances::spread_places(symbols.len(), BLOCKS);
        (symbols.len() > LONG).then_some(Self { symbols, blocks })
    }

    /// Whether a distance may take the place of the best period so far.
    pub(super) fn is_promising(&self, distance: usize, best: Option<&Stretch>) -> bool {
        let Some((part, matching)) = self.stretch(distance) else { return false };
        let is_better =
            |best: &Stretch| matching >= best.matching + UNSURE || best.len() * 20 < self.symbols.len() * 19;
        part * LEAST_PART >= BLOCKS * BLOCK && best.is_none_or(is_better)
    }

    /// Length of the best stretch of the sample, and the share of places in it that are equal a distance on.
    fn stretch(&self, distance: usize) -> Option<(usize, f64)> {
        let mut sum = LargestSum::default();
        let mut length = 0;
        for &start in &self.blocks {
            let Some(there) = self.symbols.get(start + distance..start + distance + BLOCK) else { break };
            sum.compare(length, &self.symbols[start..start + BLOCK], there);
            length += BLOCK;
        }
        Some((sum.best_range().len(), sum.matching()?))
    }
}
