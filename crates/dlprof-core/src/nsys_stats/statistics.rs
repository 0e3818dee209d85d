//! The statistics of summary reports, as nsys's SQL defines them.

/// What summary reports say about the values of a group: durations in ns, or sizes in bytes. Averages, medians and deviations
/// are rounded to one decimal.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Statistics {
    /// Number of rows, also those without a value.
    pub rows: usize,
    /// Number of values.
    pub values: usize,
    /// Sample deviation; 0 for fewer than two values.
    pub deviation: f64,
    // Without any value, these are 0 and nobody sees them: as options they would be half as long again, for millions of groups.
    total: i64,
    average: f64,
    median: f64,
    least: i64,
    greatest: i64,
}

impl Statistics {
    /// The statistics of values, of `rows` rows. The values change their order.
    #[must_use]
    pub(super) fn of(values: &mut [i64], rows: usize) -> Self {
        let count = values.len();
        let sum: i128 = values.iter().map(|&value| i128::from(value)).sum();
        let (least, greatest) = (values.iter().min().copied(), values.iter().max().copied());
        let deviation = round(deviation(values, sum));
        Self {
            rows,
            values: count,
            deviation,
            total: i64::try_from(sum).unwrap_or(i64::MAX),
            average: if count > 0 { round(sum as f64 / count as f64) } else { 0.0 },
            median: if count > 0 { round(median(values)) } else { 0.0 },
            least: least.unwrap_or(0),
            greatest: greatest.unwrap_or(0),
        }
    }

    /// Sum of the values; `None` without any.
    pub(super) fn total(&self) -> Option<i64> {
        (self.values > 0).then_some(self.total)
    }

    /// Mean; `None` without any value.
    pub(super) fn average(&self) -> Option<f64> {
        (self.values > 0).then_some(self.average)
    }

    /// Middle value, or mean of the two middle values; `None` without any.
    pub(super) fn median(&self) -> Option<f64> {
        (self.values > 0).then_some(self.median)
    }

    /// Least value; `None` without any.
    pub(super) fn least(&self) -> Option<i64> {
        (self.values > 0).then_some(self.least)
    }

    /// Greatest value; `None` without any.
    pub(super) fn greatest(&self) -> Option<i64> {
        (self.values > 0).then_some(self.greatest)
    }
}

/// The middle value, or the mean of the two middle values, of at least one value. The values change their order.
fn median(values: &mut [i64]) -> f64 {
    let middle = values.len() / 2;
    let is_even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable(middle);
    match below.iter().max() {
        Some(&lower) if is_even => (lower as f64 + upper as f64) / 2.0,
        _ => upper as f64,
    }
}

/// √((n·Σx² − (Σx)²) / (n·(n−1))): integers up to the quotient, so that nothing is lost.
fn deviation(values: &[i64], sum: i128) -> f64 {
    let count = values.len() as i128;
    if count < 2 {
        return 0.0;
    }
    // Around the mean, the squares of long captures stay within 128 bits.
    let center = sum / count;
    let (mut sum, mut squares) = (0_i128, 0_i128);
    for &value in values {
        let from_center = i128::from(value) - center;
        sum += from_center;
        squares = squares.saturating_add(from_center * from_center);
    }
    let numerator = squares.saturating_mul(count).saturating_sub(sum * sum);
    (numerator as f64 / (count * (count - 1)) as f64).sqrt()
}

/// A share in percent, rounded to one decimal; `None` if the part is absent or the whole is 0.
#[must_use]
pub(super) fn percent(part: Option<i64>, whole: i128) -> Option<f64> {
    part.filter(|_| whole != 0).map(|part| round(100.0 * part as f64 / whole as f64))
}

/// SQLite's `round(value, 1)`: half up on the shortest decimal form of the number.
#[must_use]
pub(super) fn round(value: f64) -> f64 {
    round_shortest(value, 1).parse().unwrap_or(value)
}

/// A number rounded half up on its shortest decimal form, with this number of decimals.
#[must_use]
pub(crate) fn round_shortest(value: f64, decimals: usize) -> String {
    /// SQLite leaves greater numbers as they are: they have no decimals.
    const INTEGERS: f64 = 4_503_599_627_370_496.0;
    if !value.is_finite() || value.abs() >= INTEGERS {
        return format!("{value}");
    }
    let shortest = format!("{}", value.abs());
    let (whole, fraction) = shortest.split_once('.').unwrap_or((&shortest, ""));
    let kept: String = fraction.chars().chain(std::iter::repeat('0')).take(decimals).collect();
    let goes_up = fraction.as_bytes().get(decimals).is_some_and(|&digit| digit >= b'5');
    let digits: u128 = format!("{whole}{kept}").parse().unwrap_or(0) + u128::from(goes_up);
    let text = format!("{digits:0>width$}", width = decimals + 1);
    let (whole, fraction) = text.split_at(text.len() - decimals);
    let sign = if value < 0.0 && digits > 0 { "-" } else { "" };
    let point = if decimals > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_go_up_in_the_shortest_decimal_form() {
        let cases = [
            (2.25, 2.3),
            (4.85, 4.9),
            (0.15, 0.2),
            (1007.05, 1007.1),
            (2.0, 2.0),
            (0.04, 0.0),
            (-2.25, -2.3),
        ];
        for (value, expected) in cases {
            assert!((round(value) - expected).abs() < 1e-9, "{value}: {}", round(value));
        }
        assert_eq!(round_shortest(0.0625, 3), "0.063");
        assert_eq!(round_shortest(9.0, 3), "9.000");
        assert_eq!(round_shortest(0.9996, 3), "1.000");
    }

    #[test]
    fn no_values_and_one_value_deviate_by_nothing() {
        let none = Statistics::of(&mut [], 3);
        assert_eq!((none.rows, none.total(), none.average(), none.median()), (3, None, None, None));
        assert_eq!((none.least(), none.greatest()), (None, None));
        assert!(none.deviation.abs() < f64::EPSILON);
        let one = Statistics::of(&mut [7], 1);
        assert_eq!((one.total(), one.least(), one.greatest()), (Some(7), Some(7), Some(7)));
        assert!(one.deviation.abs() < f64::EPSILON);
        let two = Statistics::of(&mut [30_112, 21_472], 2);
        assert!((two.deviation - 6109.4).abs() < 1e-9);
    }

    #[test]
    fn shares_of_nothing_are_absent() {
        assert_eq!(percent(Some(0), 0), None);
        assert_eq!(percent(Some(0), 10), Some(0.0));
        assert_eq!(percent(None, 10), None);
        assert_eq!(percent(Some(1), 3).map(|share| share.to_string()), Some("33.3".into()));
    }

    proptest! {
        #[test]
        fn statistics_are_those_of_the_textbook(values in prop::collection::vec(0i64..1 << 40, 1..60)) {
            let found = Statistics::of(&mut values.clone(), values.len());
            let count = values.len() as f64;
            let mean = values.iter().sum::<i64>() as f64 / count;
            let squares: f64 = values.iter().map(|&value| (value as f64 - mean).powi(2)).sum();
            let deviation = if values.len() < 2 { 0.0 } else { (squares / (count - 1.0)).sqrt() };
            prop_assert_eq!(found.total(), Some(values.iter().sum()));
            prop_assert_eq!((found.least(), found.greatest()), (values.iter().min().copied(), values.iter().max().copied()));
            prop_assert!((found.average().unwrap_or(-1.0) - mean).abs() <= 0.051);
            prop_assert!((found.deviation - deviation).abs() <= 0.051 + deviation * 1e-9);
            let at_most = values.iter().filter(|&&value| value as f64 <= found.median().unwrap_or(-1.0) + 0.051).count();
            prop_assert!(2 * at_most >= values.len());
        }

        #[test]
        fn the_order_of_values_does_not_matter(mut values in prop::collection::vec(any::<i32>(), 0..40)) {
            let of = |values: &[i32]| {
                let mut wide: Vec<i64> = values.iter().map(|&value| value.into()).collect();
                Statistics::of(&mut wide, values.len())
            };
            let first = of(&values);
            values.reverse();
            prop_assert_eq!(of(&values), first);
        }

        #[test]
        fn rounding_is_to_the_nearest_tenth(value in 0.0f64..1e12) {
            prop_assert!((round(value) - value).abs() <= 0.05 + value * 1e-15);
        }
    }
}
