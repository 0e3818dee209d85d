//! Ratios, shares and medians of times and counts.

use crate::base::time::Ns;

/// Nanoseconds as a float, for ratios; exact below 2^53 ns, which is 104 days.
#[expect(clippy::cast_precision_loss, reason = "ratios of times need no more than 53 bits")]
#[must_use]
pub fn to_f64(ns: Ns) -> f64 {
    ns as f64
}

/// A count as a float, for ratios.
#[expect(clippy::cast_precision_loss, reason = "ratios of counts need no more than 53 bits")]
#[must_use]
pub fn count_to_f64(count: u64) -> f64 {
    count as f64
}

/// `part` of `whole` in percent; 0 where the whole is empty.
#[must_use]
pub fn percent(part: Ns, whole: Ns) -> f64 {
    if whole == 0 { 0.0 } else { to_f64(part) / to_f64(whole) * 100.0 }
}

/// The median; of an even number, the greater of the two in the middle; 0 of none.
#[must_use]
pub fn median(mut values: Vec<Ns>) -> Ns {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

/// The lower quartile, the median and the upper quartile: of n values in order those at ⌊q (n − 1) + ½⌋; `None` of none.
#[must_use]
pub(crate) fn quartiles(mut values: Vec<Ns>) -> Option<[Ns; 3]> {
    values.sort_unstable();
    let quartile = |quarters: usize| (quarters * values.len().checked_sub(1)? + 2).checked_div(4);
    let value = |quarters| values.get(quartile(quarters)?).copied();
    Some([value(1)?, value(2)?, value(3)?])
}

/// The median absolute deviation from the median, as a share of the median; 0 of none, and where the median is 0.
#[must_use]
pub(crate) fn relative_deviation(values: &[Ns]) -> f64 {
    let middle = median(values.to_vec());
    let deviation =
        median(values.iter().map(|value| value.abs_diff(middle).try_into().unwrap_or(Ns::MAX)).collect());
    if middle == 0 { 0.0 } else { to_f64(deviation) / to_f64(middle) }
}

/// Share of values within some percent of `center`, from 0 to 1.
#[must_use]
pub(crate) fn share_near(values: &[Ns], center: Ns, percent: Ns) -> f64 {
    let tolerance = center.saturating_mul(percent) / 100;
    let near = values.iter().filter(|&&value| (value - center).abs() <= tolerance).count();
    if values.is_empty() { 0.0 } else { count_to_f64(near as u64) / count_to_f64(values.len() as u64) }
}

/// The nearest whole number of nanoseconds; the nearest that there is, if it is too great.
#[expect(clippy::cast_possible_truncation, reason = "a cast takes the nearest number that fits")]
#[must_use]
pub(crate) fn rounded(ns: f64) -> Ns {
    ns.round() as Ns
}

/// The nearest count; 0 for what is below.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast takes the nearest number that fits"
)]
#[must_use]
pub fn whole(count: f64) -> u64 {
    count.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_values_of_the_sample() {
        assert_eq!(quartiles(vec![]), None);
        assert_eq!(quartiles(vec![7]), Some([7, 7, 7]));
        assert_eq!(quartiles(vec![4, 1, 3, 2]), Some([2, 3, 3]));
        assert_eq!(quartiles((0..=100).collect()), Some([25, 50, 75]));
        for values in [vec![5, 1], vec![9, 1, 4], (0..40).collect()] {
            assert_eq!(quartiles(values.clone()).map(|all| all[1]), Some(median(values)));
        }
    }

    #[test]
    fn one_value_far_away_is_no_deviation() {
        assert!(relative_deviation(&[100, 100, 100, 900]) < 1e-9);
        assert!((relative_deviation(&[370, 841, 1312]) - 471.0 / 841.0).abs() < 1e-9);
        assert!(relative_deviation(&[]) < 1e-9);
    }
}
