//! The typical value of a run, and how much of its error comes from the iterations of the run.

/// Share of the samples cut off at each end.
const TRIM: f64 = 0.2;

/// The typical value of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Location {
    /// The 20 % trimmed mean.
    pub value: f64,
    /// Its standard error. Neighbouring samples may depend on each other. 0 for fewer than two samples.
    pub error: f64,
    /// Whether the samples differ at all.
    pub varies: bool,
}

/// Typical value and its error. The order of the samples counts: neighbours may depend on each other.
#[must_use]
pub(crate) fn location(samples: &[f64]) -> Location {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let varies = sorted.first() != sorted.last();
    let value = trimmed_mean(&sorted);
    let error = if varies { standard_error(samples, &sorted) } else { 0.0 };
    Location { value, error, varies }
}

/// The mean of a sorted sample without the lowest and the highest fifth; values at the cuts count in part. 0 for an
/// empty sample.
///
/// The median is not used: its error is a fifth larger for 40 normal values, and it jumps if there are two kinds of
/// iterations, such as an extra copy in every second one.
#[must_use]
pub(crate) fn trimmed_mean(sorted: &[f64]) -> f64 {
    let total = float(sorted.len());
    let (low, high) = (TRIM * total, (1.0 - TRIM) * total);
    let (mut below, mut sum, mut weight) = (0.0_f64, 0.0, 0.0);
    for value in sorted {
        let inside = (below + 1.0).min(high) - f64::max(below, low);
        if inside > 0.0 {
            sum += value * inside;
            weight += inside;
        }
        below += 1.0;
    }
    if weight > 0.0 { sum / weight } else { 0.0 }
}

/// The standard error of the trimmed mean of a sample whose neighbours may depend on each other.
///
/// For large samples, the error of a trimmed mean is the error of the mean of the winsorised values (values beyond
/// a cut are set to the cut), divided by the share that is not cut off (Tukey and McLaughlin 1963). The variance of
/// that mean is the limit of a circular block bootstrap (Politis and Romano 1992) for infinitely many resamples:
/// the sum of the covariances of values up to one block apart, with less weight for values further apart.
fn standard_error(samples: &[f64], sorted: &[f64]) -> f64 {
    let n = samples.len();
    let (low, high) = (at_share(sorted, TRIM), at_share(sorted, 1.0 - TRIM));
    let winsorised: Vec<f64> = samples.iter().map(|value| value.clamp(low, high)).collect();
    let mean = winsorised.iter().sum::<f64>() / float(n);
    let off: Vec<f64> = winsorised.iter().map(|value| (value - mean) / (1.0 - 2.0 * TRIM)).collect();
    let block = block_length(n);
    let mut sum: f64 = off.iter().map(|value| value * value).sum();
    for lag in 1..block {
        let weight = 2.0 * (1.0 - float(lag) / float(block));
        let (ahead, wrapped) = off.split_at(n - lag);
        let pairs = off[lag..].iter().zip(ahead).chain(off[..lag].iter().zip(wrapped));
        sum += weight * pairs.map(|(a, b)| a * b).sum::<f64>();
    }
    // Correction for few blocks: they vary around their own mean, so such a sample seems to vary less than it does.
    let blocks = float(n) / float(block);
    let correction = if blocks > 1.0 { blocks / (blocks - 1.0) } else { 1.0 };
    (sum.max(0.0) * correction).sqrt() / float(n)
}

/// The value below which this share of a sorted sample lies, interpolated between two values.
fn at_share(sorted: &[f64], share: f64) -> f64 {
    let place = share * float(sorted.len()) - 0.5;
    let above = (0..sorted.len()).find(|&at| float(at) >= place).unwrap_or(sorted.len() - 1);
    let Some(below) = above.checked_sub(1) else { return sorted[0] };
    let part = (place - float(below)).clamp(0.0, 1.0);
    sorted[below] + (sorted[above] - sorted[below]) * part
}

/// Number of neighbours in a block: 1.5 times the cube root of the size.
fn block_length(n: usize) -> usize {
    let length = (1.5 * float(n).cbrt()).round();
    (1..n.max(2)).find(|&candidate| float(candidate) >= length).unwrap_or(1)
}

/// A number of samples as a float.
pub(super) fn float(count: usize) -> f64 {
    crate::base::ratios::count_to_f64(count as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::statistics::Random;

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
