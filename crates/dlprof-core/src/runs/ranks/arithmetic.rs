//! Medians and quantiles of integers, as jobs of many ranks define them: the median of an even number of values is the mean of
//! the two in the middle, rounded down.

use crate::base::ratios::to_f64;
use crate::base::time::Ns;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::hash::Hash;

/// The median; `None` of nothing.
pub(super) fn median(values: impl IntoIterator<Item = Ns>) -> Option<Ns> {
    let mut values: Vec<Ns> = values.into_iter().collect();
    if values.is_empty() {
        return None;
    }
    let middle = values.len() / 2;
    let is_odd = values.len() % 2 == 1;
    let (below, &mut upper, _) = values.select_nth_unstable(middle);
    let lower = if is_odd { upper } else { below.iter().max().copied().unwrap_or(upper) };
    Some((lower + upper).div_euclid(2))
}

/// The median of sorted values but one that is equal to `without`; 0 where nothing else is left.
pub(super) fn median_without(sorted: &[Ns], without: Ns) -> Ns {
    let gone = sorted.partition_point(|&value| value < without);
    let rest = |at: usize| sorted[if at < gone { at } else { at + 1 }];
    median_of_sorted(sorted.len().saturating_sub(1), rest).unwrap_or(0)
}

fn median_of_sorted(count: usize, value: impl Fn(usize) -> Ns) -> Option<Ns> {
    let middle = count / 2;
    match (count, count % 2) {
        (0, _) => None,
        (_, 1) => Some(value(middle)),
        _ => Some((value(middle - 1) + value(middle)).div_euclid(2)),
    }
}

/// The same of fractions, whose two in the middle are not rounded.
pub(super) fn median_f64(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    median_of_sorted_f64(values.len(), |at| values[at])
}

/// The same as [`median_without`], of fractions.
pub(super) fn median_without_f64(sorted: &[f64], without: f64) -> f64 {
    let gone = sorted.partition_point(|&value| value < without);
    let rest = |at: usize| sorted[if at < gone { at } else { at + 1 }];
    median_of_sorted_f64(sorted.len().saturating_sub(1), rest).unwrap_or(0.0)
}

fn median_of_sorted_f64(count: usize, value: impl Fn(usize) -> f64) -> Option<f64> {
    let middle = count / 2;
    match (count, count % 2) {
        (0, _) => None,
        (_, 1) => Some(value(middle)),
        _ => Some((value(middle - 1) + value(middle)) / 2.0),
    }
}

/// The value at place ⌊0.9 (n − 1) + ½⌋ in order; 0 of nothing.
pub(super) fn ninth_decile(mut values: Vec<Ns>) -> Ns {
    values.sort_unstable();
    let place = (9 * values.len().saturating_sub(1) + 5) / 10;
    values.get(place).copied().unwrap_or(0)
}

/// The median absolute deviation from the median; `None` of nothing.
pub(super) fn deviation(values: &[Ns]) -> Option<Ns> {
    let middle = median(values.iter().copied())?;
    median(values.iter().map(|value| (value - middle).abs()))
}

/// The mean; 0 of nothing.
pub(super) fn mean(values: impl IntoIterator<Item = Ns>) -> f64 {
    let (mut sum, mut count) = (0, 0);
    for value in values {
        sum += value;
        count += 1;
    }
    if count == 0 { 0.0 } else { to_f64(sum) / to_f64(count) }
}

/// The nearest whole number; of two the even one.
#[expect(clippy::cast_possible_truncation, reason = "a cast takes the nearest number that fits")]
pub(super) fn whole_ns(ns: f64) -> Ns {
    ns.round_ties_even() as Ns
}

/// The whole part of a number.
#[expect(clippy::cast_possible_truncation, reason = "the whole part is wanted")]
pub(super) fn cut_ns(ns: f64) -> Ns {
    ns as Ns
}

/// A count or a position as a fraction.
pub(super) fn of_count(count: usize) -> f64 {
    crate::base::ratios::count_to_f64(count as u64)
}

/// The most frequent value and how often it is there; of equals the first to come. `None` of nothing.
pub(super) fn most_common<T: Eq + Hash>(values: impl IntoIterator<Item = T>) -> Option<(T, usize)> {
    // By value: how often, and the place where it comes first.
    let mut counts: FxHashMap<T, (usize, usize)> = FxHashMap::default();
    for (at, value) in values.into_iter().enumerate() {
        counts.entry(value).or_insert((0, at)).0 += 1;
    }
    let best = counts.into_iter().max_by_key(|(_, (count, first))| (*count, Reverse(*first)));
    best.map(|(value, (count, _))| (value, count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn medians_of_even_numbers_are_rounded_down() {
        assert_eq!(median([]), None);
        assert_eq!(median([3, 1]), Some(2));
        assert_eq!(median([-3, 0]), Some(-2));
        assert_eq!(median([9, 1, 4]), Some(4));
        assert_eq!(median_f64([1.0, 2.0]), Some(1.5));
        assert_eq!(ninth_decile((1..=10).collect()), 9);
        assert_eq!(deviation(&[1, 2, 9]), Some(1));
        assert_eq!(most_common(["a", "b", "b", "a"]), Some(("a", 2)));
    }

    proptest! {
        #[test]
        fn the_rest_is_all_but_one(mut values in prop::collection::vec(-9i64..9, 1..9), place in 0usize..9) {
            let without = values[place % values.len()];
            let mut rest = values.clone();
            rest.remove(place % values.len());
            values.sort_unstable();
            prop_assert_eq!(median_without(&values, without), median(rest).unwrap_or(0));
        }
    }
}
