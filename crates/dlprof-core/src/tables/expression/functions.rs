//! Functions of the rows of a table.

use crate::base::ratios::{count_to_f64, whole};

/// A function of the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Count,
    Sum,
    Min,
    Max,
    Mean,
    Median,
    Percentile,
    Share,
}

/// How functions are written.
const FUNCTIONS: [(&str, Function); 8] = [
    ("count", Function::Count),
    ("sum", Function::Sum),
    ("min", Function::Min),
    ("max", Function::Max),
    ("mean", Function::Mean),
    ("median", Function::Median),
    ("percentile", Function::Percentile),
    ("share", Function::Share),
];

impl Function {
    /// All of them, for hints.
    pub(super) const LIST: &str = "functions are count(), count(COLUMN), sum, min, max, mean, median, percentile(COLUMN, 90), \
        share(CONDITION)";

    pub(super) fn named(name: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, function)| function)
    }

    pub(super) fn name(self) -> &'static str {
        FUNCTIONS.iter().find(|(_, function)| *function == self).map_or("", |(name, _)| name)
    }

    /// What a function of numbers comes to; `None` where it is not defined, such as a mean without values. `part` is which
    /// percentile, from 0 to 1.
    pub(super) fn of(self, numbers: Vec<f64>, part: f64) -> Option<f64> {
        match self {
            Self::Count | Self::Share => None,
            Self::Sum => Some(numbers.into_iter().sum()),
            Self::Min => numbers.into_iter().reduce(f64::min),
            Self::Max => numbers.into_iter().reduce(f64::max),
            Self::Mean => {
                let sum: f64 = numbers.iter().sum();
                (!numbers.is_empty()).then(|| sum / count(numbers.len()))
            }
            Self::Median => percentile_of(numbers, 0.5),
            Self::Percentile => percentile_of(numbers, part),
        }
    }
}

/// A number of rows.
pub(super) fn count(rows: usize) -> f64 {
    count_to_f64(u64::try_from(rows).unwrap_or(u64::MAX))
}

/// A percentile, between two values in proportion to its distance from them; `None` without values.
fn percentile_of(mut values: Vec<f64>, part: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let place = count(last) * part;
    let below = usize::try_from(whole(place.floor())).ok()?.min(last);
    let (low, high) = (values[below], values[(below + 1).min(last)]);
    Some(low + (high - low) * (place - count(below)))
}

#[cfg(test)]
mod tests {
    use super::percentile_of;

    #[test]
    fn percentiles_lie_between_values() {
        let is = |found: Option<f64>, wanted: f64| (found.expect("values") - wanted).abs() < 1e-9;
        assert!(is(percentile_of(vec![4.0, 1.0, 2.0], 0.5), 2.0));
        assert!(is(percentile_of(vec![1.0, 2.0], 0.5), 1.5));
        assert!(is(percentile_of(vec![1.0, 2.0, 3.0], 1.0), 3.0));
        assert!(is(percentile_of(vec![1.0, 11.0], 0.9), 10.0));
        assert_eq!(percentile_of(Vec::new(), 0.5), None);
    }
}
