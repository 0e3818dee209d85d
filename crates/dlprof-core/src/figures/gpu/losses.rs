//! Shares of time as exact fractions, and sums of them that are rounded once.

use crate::base::time::Ns;
use std::collections::BTreeMap;

/// A share of a time, from 0 to 1, as an exact fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LossShare {
    part: u64,
    whole: u64,
}

impl LossShare {
    /// A share of 0.
    pub const NONE: Self = Self { part: 0, whole: 1 };

    /// The share `part` ÷ `whole`. It is 0 if `whole` is 0, and never more than 1.
    #[must_use]
    pub fn new(part: u64, whole: u64) -> Self {
        if part == 0 || whole == 0 { Self::NONE } else { Self { part: part.min(whole), whole } }
    }

    /// The share of a duration in nanoseconds, rounded down; 0 of a negative duration.
    #[must_use]
    pub(crate) fn of_duration(self, duration: Ns) -> Ns {
        let product = u128::try_from(duration).unwrap_or(0) * u128::from(self.part);
        // A share of a duration is at most the duration.
        Ns::try_from(product / u128::from(self.whole)).unwrap_or(Ns::MAX)
    }
}

/// The sum of shares of many durations. It is exact until it is read, so it does not depend on order or grouping.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LossSum {
    /// By denominator: the sum of the numerators, in nanoseconds.
    by_whole: BTreeMap<u64, u128>,
}

impl LossSum {
    /// Adds a share of a duration in nanoseconds; a negative duration counts as 0.
    pub fn push(&mut self, share: LossShare, duration: Ns) {
        let product = u128::try_from(duration).unwrap_or(0) * u128::from(share.part);
        if product > 0 {
            *self.by_whole.entry(share.whole).or_default() += product;
        }
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Self) {
        for (&whole, parts) in &other.by_whole {
            *self.by_whole.entry(whole).or_default() += parts;
        }
    }

    /// The sum in nanoseconds, rounded once to the nearest; a half is rounded to the even number.
    #[must_use]
    pub fn rounded(&self) -> Ns {
        let wholes = self.by_whole.iter().map(|(&whole, parts)| parts / u128::from(whole)).sum::<u128>();
        let rests =
            self.by_whole.iter().map(|(&whole, parts)| (parts % u128::from(whole), u128::from(whole)));
        let (more, rest) = rests.fold((0, (0, 1)), |(more, sum), rest| {
            let (numerator, denominator) = add(sum, rest);
            (more + numerator / denominator, (numerator % denominator, denominator))
        });
        let floor = wholes + more;
        let up = match (rest.0 * 2).cmp(&rest.1) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => floor % 2,
            std::cmp::Ordering::Greater => 1,
        };
        Ns::try_from(floor + up).unwrap_or(Ns::MAX)
    }
}

/// Denominators stay below this, so that products of a numerator and a denominator fit 128 bits.
const LARGEST: u128 = 1 << 62;

/// The sum of two fractions below 1. Where its denominator would grow beyond [`LARGEST`], the sum is rounded to
/// multiples of 2⁻⁶¹ nanoseconds.
fn add(a: (u128, u128), b: (u128, u128)) -> (u128, u128) {
    let (a, b) = (fitting(reduced(a)), fitting(reduced(b)));
    let common = a.1 / greatest_common_divisor(a.1, b.1) * b.1;
    reduced((a.0 * (common / a.1) + b.0 * (common / b.1), common))
}

/// A fraction in multiples of 2⁻⁶¹ if its denominator is too large.
fn fitting(fraction: (u128, u128)) -> (u128, u128) {
    const UNIT: u128 = LARGEST >> 1;
    if fraction.1 < LARGEST {
        return fraction;
    }
    // Both sides lose the same bits until the product fits.
    let shift = (128 - fraction.1.leading_zeros()).saturating_sub(62);
    ((fraction.0 >> shift) * UNIT / (fraction.1 >> shift), UNIT)
}

fn reduced((numerator, denominator): (u128, u128)) -> (u128, u128) {
    let divisor = greatest_common_divisor(numerator, denominator);
    (numerator / divisor, denominator / divisor)
}

/// The greatest common divisor; at least 1 because denominators are.
fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sums_are_rounded_once() {
        let mut sum = LossSum::default();
        for _ in 0..3 {
            sum.push(LossShare::new(1, 3), 1);
        }
        // Each launch alone loses 0 ns.
        assert_eq!((sum.rounded(), LossShare::new(1, 3).of_duration(1)), (1, 0));
        let mut halves = LossSum::default();
        halves.push(LossShare::new(1, 2), 1);
        assert_eq!(halves.rounded(), 0);
        halves.push(LossShare::new(1, 1), 1);
        assert_eq!(halves.rounded(), 2);
        // 1/3 + 1/6 is a half exactly.
        let mut thirds = LossSum::default();
        thirds.push(LossShare::new(1, 3), 1);
        thirds.push(LossShare::new(1, 6), 1);
        assert_eq!(thirds.rounded(), 0);
    }

    #[test]
    fn many_odd_denominators_neither_overflow_nor_drift() {
        let mut sum = LossSum::default();
        let mut plain = 0.0;
        for whole in (1_000_001_u64..1_004_001).step_by(2) {
            sum.push(LossShare::new(whole / 3, whole), 1001);
            plain += crate::base::ratios::count_to_f64(whole / 3) / crate::base::ratios::count_to_f64(whole)
                * 1001.0;
        }
        assert!((crate::base::ratios::to_f64(sum.rounded()) - plain).abs() <= 1.0);
    }

    proptest! {
        #[test]
        fn grouping_does_not_show(
            parts in prop::collection::vec((1_u64..500, 1_u64..500, 0_i64..1 << 40), 0..40), cut in 0_usize..40,
        ) {
            let mut all = LossSum::default();
            let (mut left, mut right) = (LossSum::default(), LossSum::default());
            for (at, &(a, b, duration)) in parts.iter().enumerate() {
                let share = LossShare::new(a.min(b), a.max(b));
                all.push(share, duration);
                if at < cut { left.push(share, duration) } else { right.push(share, duration) }
            }
            right.merge(&left);
            prop_assert_eq!(right.rounded(), all.rounded());
            prop_assert!(all.rounded() <= parts.iter().map(|part| part.2).sum::<i64>());
        }
    }
}
