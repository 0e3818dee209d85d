//! Times of a chart or of a column: one unit, and the same number of decimals.

use crate::display::{TimeUnit, grouped};

/// The unit and the decimals of a column of times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    unit: TimeUnit,
    decimals: usize,
}

impl Scale {
    /// The scale of a column whose longest time is known: three digits of it, and at least one decimal.
    pub(super) fn of(longest_ns: f64, unit: TimeUnit) -> Self {
        let unit = unit.fitting(longest_ns);
        let decimals = match longest_ns.abs() / unit.size_ns() {
            _ if unit == TimeUnit::Ns => 0,
            size if size >= 100.0 => 1,
            size if size >= 10.0 => 2,
            _ => 3,
        };
        Self { unit, decimals }
    }

    /// The unit, such as `ms`.
    pub(super) fn symbol(self) -> &'static str {
        self.unit.symbol()
    }

    /// How many decimals a time has.
    pub(super) fn decimals(self) -> usize {
        self.decimals
    }

    /// A time as a number in the unit.
    pub(super) fn value(self, ns: f64) -> f64 {
        ns / self.unit.size_ns()
    }

    /// A time without its unit.
    pub(super) fn number(self, ns: f64) -> String {
        let decimals = self.decimals;
        grouped(&format!("{:.decimals$}", ns / self.unit.size_ns()))
    }

    /// A time with its unit.
    pub(super) fn text(self, ns: f64) -> String {
        format!("{} {}", self.number(ns), self.symbol())
    }

    /// A round time of an axis, without its unit and without needless zeros.
    pub(super) fn tick(self, ns: f64) -> String {
        let number = format!("{:.3}", ns / self.unit.size_ns());
        grouped(number.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// A number per iteration: whole, or with one decimal below ten.
pub(super) fn count(number: f64) -> String {
    let is_whole = (number - number.round()).abs() < 0.05;
    grouped(&if is_whole || number >= 10.0 { format!("{number:.0}") } else { format!("{number:.1}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_one_unit_and_the_same_decimals() {
        let scale = Scale::of(83.3e6, TimeUnit::Auto);
        assert_eq!([83.3e6, 1.0e6, 3.0e3, 0.0].map(|ns| scale.number(ns)), ["83.30", "1.00", "0.00", "0.00"]);
        assert_eq!(scale.symbol(), "ms");
        assert_eq!(Scale::of(509e6, TimeUnit::Auto).text(451_717_522.0), "451.7 ms");
        assert_eq!(Scale::of(5e9, TimeUnit::Ms).number(5e9), "5,000.0");
        assert_eq!(Scale::of(600e6, TimeUnit::Auto).tick(200e6), "200");
    }

    #[test]
    fn counts_are_whole_where_they_can_be() {
        assert_eq!([3698.0, 2.5, 2.0].map(count), ["3,698", "2.5", "2"]);
    }
}
