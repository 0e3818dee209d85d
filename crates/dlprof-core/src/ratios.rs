//! Ratios, shares and medians of times and counts.

use crate::time::Ns;

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

/// Share of values within some percent of `center`, from 0 to 1.
#[must_use]
pub fn share_near(values: &[Ns], center: Ns, percent: Ns) -> f64 {
    let tolerance = center.saturating_mul(percent) / 100;
    let near = values.iter().filter(|&&value| (value - center).abs() <= tolerance).count();
    if values.is_empty() { 0.0 } else { count_to_f64(near as u64) / count_to_f64(values.len() as u64) }
}

/// The nearest whole number of nanoseconds; the nearest that there is, if it is too great.
#[expect(clippy::cast_possible_truncation, reason = "a cast takes the nearest number that fits")]
#[must_use]
pub fn rounded(ns: f64) -> Ns {
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
