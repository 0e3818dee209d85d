//! Numbers as people read them: one unit and one number of decimals per block.

use crate::display::{TimeUnit, grouped};

/// How the times of a block are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TimeForm {
    unit: TimeUnit,
    decimals: usize,
}

impl TimeForm {
    /// The form for times up to one. `extra` decimals are for parts that are much smaller.
    pub(super) fn of(longest_ns: f64, unit: TimeUnit, extra: usize) -> Self {
        let unit = unit.fitting(longest_ns);
        let size = longest_ns / unit.size_ns();
        let decimals = match size {
            _ if unit == TimeUnit::Ns => 0,
            10.0.. => 1 + extra,
            1.0.. => 2 + extra,
            _ => 3 + extra,
        };
        Self { unit, decimals }
    }

    /// As [`Self::of`], without decimals from 100 on.
    pub(super) fn whole_from_hundred(longest_ns: f64, unit: TimeUnit) -> Self {
        let form = Self::of(longest_ns, unit, 0);
        let is_large = longest_ns / form.unit.size_ns() >= 100.0;
        Self { decimals: if is_large { 0 } else { form.decimals }, ..form }
    }

    /// The form for mean times of kernels: whole microseconds from 100 on, because most are short.
    pub(super) fn of_means(longest_ns: f64, unit: TimeUnit) -> Self {
        let unit = match unit {
            TimeUnit::Auto if (1e4..1e10).contains(&longest_ns) => TimeUnit::Us,
            other => other,
        };
        Self::whole_from_hundred(longest_ns, unit)
    }

    /// The unit for headings.
    pub(super) fn symbol(self) -> &'static str {
        self.unit.symbol()
    }

    /// A time without its unit.
    pub(super) fn number(self, ns: f64) -> String {
        grouped(&format!("{:.*}", self.decimals, ns / self.unit.size_ns()))
    }

    /// Whether a time is written as 0.
    pub(super) fn is_zero(self, ns: f64) -> bool {
        !self.number(ns).contains(|c: char| ('1'..='9').contains(&c))
    }
}

/// A time with two digits and its unit, without a space: `9.7s`, `45ms`.
pub(super) fn tight_time(ns: f64) -> String {
    let unit = TimeUnit::Auto.fitting(ns);
    let size = ns / unit.size_ns();
    let decimals = usize::from(size < 10.0 && unit != TimeUnit::Ns);
    format!("{size:.decimals$}{}", unit.symbol())
}

/// A share without its sign.
pub(super) fn share(percent: f64) -> String {
    format!("{percent:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::{counted, short_time};

    #[test]
    fn numbers_have_the_digits_that_matter() {
        assert_eq!(short_time(508_954_000.0, TimeUnit::Auto), "509 ms");
        assert_eq!(short_time(49_070_000.0, TimeUnit::Auto), "49.1 ms");
        assert_eq!(short_time(9_700_769_237.0, TimeUnit::Auto), "9.70 s");
        assert_eq!(short_time(99_970_000.0, TimeUnit::Auto), "100 ms");
        assert_eq!(short_time(999.0, TimeUnit::Auto), "999 ns");
        assert_eq!(counted(3698.4), "3,698");
        assert_eq!(counted(2.5), "2.5");
        let form = TimeForm::of(83_300_000.0, TimeUnit::Auto, 0);
        assert_eq!((form.symbol(), form.number(24_100_000.0).as_str()), ("ms", "24.1"));
        assert!(form.is_zero(40_000.0) && !form.is_zero(60_000.0));
    }
}
