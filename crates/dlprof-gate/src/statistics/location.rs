//! The typical value of a run, and how much of its error comes from the iterations of the run.

use super::random::Random;

/// Share of the samples cut off at each end.
const TRIM: f64 = 0.2;

/// Resamples of the bootstrap.
const DRAWS: usize = 200;

/// Its seed.
const SEED: u64 = 0x6761_7465;

/// The typical value of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Location {
    /// The 20 % trimmed mean.
    pub value: f64,
    /// Its standard error, by a block bootstrap; 0 for fewer than two samples.
    pub error: f64,
    /// Whether the samples differ at all.
    pub varies: bool,
}

/// Typical value and its error. The order of the samples counts: neighbours may depend on each other.
#[must_use]
pub fn location(samples: &[f64]) -> Location {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let varies = sorted.first() != sorted.last();
    let value = trimmed_mean(&sorted);
    let error = if varies { bootstrap_error(samples, &sorted) } else { 0.0 };
    Location { value, error, varies }
}

/// The mean of what is left when a fifth of the (sorted) sample is cut off at each end, with a part of the values at
/// the cuts; 0 of none.
///
/// Not the median: its error is a fifth greater on 40 normal values, and it jumps where iterations come in two kinds,
/// such as every second one with another copy.
#[must_use]
pub fn trimmed_mean(sorted: &[f64]) -> f64 {
    trimmed(sorted.iter().map(|&value| (value, 1.0)), float(sorted.len()))
}

/// The trimmed mean of values in ascending order with weights that add up to `total`.
fn trimmed(values: impl Iterator<Item = (f64, f64)>, total: f64) -> f64 {
    let (low, high) = (TRIM * total, (1.0 - TRIM) * total);
    let (mut below, mut sum, mut weight) = (0.0, 0.0, 0.0);
    for (value, count) in values {
        let inside = (below + count).min(high) - f64::max(below, low);
        if inside > 0.0 {
            sum += value * inside;
            weight += inside;
        }
        below += count;
    }
    if weight > 0.0 { sum / weight } else { 0.0 }
}

/// The standard deviation of the trimmed mean over resamples of blocks of neighbours, cut from the sample closed to a
/// ring (circular block bootstrap, Politis and Romano 1992). Blocks keep the dependence of neighbours.
fn bootstrap_error(samples: &[f64], sorted: &[f64]) -> f64 {
    let n = samples.len();
    let block = block_length(n);
    let rank: Vec<usize> =
        samples.iter().map(|value| sorted.partition_point(|other| other < value)).collect();
    let mut random = Random::new(SEED);
    let mut counts = vec![0.0; n];
    let (mut mean, mut squares) = (0.0, 0.0);
    for draw in 0..DRAWS {
        counts.fill(0.0);
        let mut drawn = 0;
        while drawn < n {
            let start = random.below(n);
            for offset in 0..block.min(n - drawn) {
                counts[rank[(start + offset) % n]] += 1.0;
            }
            drawn += block;
        }
        let value = trimmed(sorted.iter().copied().zip(counts.iter().copied()), float(n));
        let step = value - mean;
        mean += step / float(draw + 1);
        squares += step * (value - mean);
    }
    // Blocks take the place of their mean: a sample of few blocks looks steadier than it is.
    let blocks = float(n) / float(block);
    let correction = if blocks > 1.0 { blocks / (blocks - 1.0) } else { 1.0 };
    (squares / float(DRAWS - 1) * correction).sqrt()
}

/// Neighbours that are kept together: 1.5 times the cube root of the size.
fn block_length(n: usize) -> usize {
    let length = (1.5 * float(n).cbrt()).round();
    (1..n.max(2)).find(|&candidate| float(candidate) >= length).unwrap_or(1)
}

/// A number of samples as a float.
pub(super) fn float(count: usize) -> f64 {
    dlprof_core::ratios::count_to_f64(count as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trimming_cuts_both_ends() {
        assert!((trimmed_mean(&[0.0, 1.0, 2.0, 3.0, 1000.0]) - 2.0).abs() < 1e-12);
        assert!((trimmed_mean(&[1.0, 2.0, 4.0]) - (1.0 * 0.4 + 2.0 + 4.0 * 0.4) / 1.8).abs() < 1e-12);
        assert!((trimmed_mean(&[7.0]) - 7.0).abs() < 1e-12);
        assert!(trimmed_mean(&[]).abs() < 1e-12);
    }

    #[test]
    fn error_of_independent_values_is_that_of_theory() {
        let mut random = Random::new(1);
        let errors: Vec<f64> =
            (0..200).map(|_| location(&(0..40).map(|_| random.normal()).collect::<Vec<_>>()).error).collect();
        let mean = errors.iter().sum::<f64>() / 200.0;
        // The 20 % trimmed mean of 40 normal values has a standard error of 0.168.
        assert!((0.15..0.19).contains(&mean), "{mean}");
    }

    #[test]
    fn dependence_of_neighbours_widens_the_error() {
        let mut random = Random::new(2);
        let mut errors = [0.0, 0.0];
        for _ in 0..100 {
            let mut last = 0.0;
            let mut chain = Vec::new();
            for _ in 0..60 {
                last = 0.6 * last + 0.8 * random.normal();
                chain.push(last);
            }
            let alone: Vec<f64> = (0..60).map(|_| random.normal()).collect();
            errors[0] += location(&chain).error;
            errors[1] += location(&alone).error;
        }
        assert!(errors[0] > 1.4 * errors[1], "{errors:?}");
    }

    #[test]
    fn equal_values_have_no_error() {
        let location = location(&[5.0; 9]);
        assert!(!location.varies && location.error.abs() < 1e-12);
    }
}
