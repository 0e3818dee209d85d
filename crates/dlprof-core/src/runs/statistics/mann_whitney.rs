//! The Mann–Whitney test: do the values of one sample lie above those of the other?

use super::location::float;
use statrs::distribution::{ContinuousCDF, Normal};

/// One-sided p-values that the second sample lies above, and below, the first one; `None` where a sample is empty.
/// Normal approximation with correction for ties and continuity (Mann and Whitney 1947).
#[must_use]
pub(crate) fn mann_whitney(first: &[f64], second: &[f64]) -> Option<(f64, f64)> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let tagged = first.iter().map(|&value| (value, false)).chain(second.iter().map(|&value| (value, true)));
    let mut all: Vec<(f64, bool)> = tagged.collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut ranks_of_second, mut ties) = (0.0, 0.0);
    let mut before = 0;
    for equal in all.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let size = float(equal.len());
        let rank = float(before) + (size + 1.0) / 2.0;
        ranks_of_second += rank * float(equal.iter().filter(|(_, is_second)| *is_second).count());
        ties += size * size * size - size;
        before += equal.len();
    }
    let (n, m) = (float(first.len()), float(second.len()));
    let above = ranks_of_second - m * (m + 1.0) / 2.0;
    let total = n + m;
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    if variance <= 0.0 {
        return Some((1.0, 1.0));
    }
    let upper = |excess: f64| Normal::standard().sf((excess - 0.5) / variance.sqrt());
    Some((upper(above - n * m / 2.0), upper(n * m / 2.0 - above)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_published_values() {
        // scipy.stats.mannwhitneyu([1..5], [4..10], alternative="less", method="asymptotic"): p = 0.00894 of the
        // first lying below the second, without ties but for 4 and 5.
        let first = [1.0, 2.0, 3.0, 4.0, 5.0];
        let second = [4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
        let (above, below) = mann_whitney(&first, &second).expect("samples");
        assert!((0.004..0.012).contains(&above), "{above}");
        assert!(below > 0.98, "{below}");
    }

    #[test]
    fn equal_samples_tell_nothing() {
        assert_eq!(mann_whitney(&[1.0, 1.0], &[1.0]), Some((1.0, 1.0)));
        assert_eq!(mann_whitney(&[], &[1.0]), None);
    }
}
