//! Units in which people read times. Data carries plain nanoseconds instead.

/// Unit of times for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeUnit {
    /// The unit that fits each time or column.
    #[default]
    Auto,
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
}

impl TimeUnit {
    /// The unit itself; for the automatic unit, the one that fits a time in nanoseconds.
    #[must_use]
    pub fn fitting(self, ns: f64) -> Self {
        match (self, ns.abs()) {
            (Self::Auto, size) if size < 1e3 => Self::Ns,
            (Self::Auto, size) if size < 1e6 => Self::Us,
            (Self::Auto, size) if size < 1e9 => Self::Ms,
            (Self::Auto, _) => Self::S,
            (unit, _) => unit,
        }
    }

    /// The text after a number.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Auto | Self::Ns => "ns",
            Self::Us => "µs",
            Self::Ms => "ms",
            Self::S => "s",
        }
    }

    /// How many nanoseconds the unit has.
    #[must_use]
    pub fn size_ns(self) -> f64 {
        match self {
            Self::Auto | Self::Ns => 1.0,
            Self::Us => 1e3,
            Self::Ms => 1e6,
            Self::S => 1e9,
        }
    }
}

/// A time in nanoseconds with its unit.
#[must_use]
pub fn time_in_words(ns: f64, unit: TimeUnit) -> String {
    let unit = unit.fitting(ns);
    let decimals = if unit == TimeUnit::Ns { 0 } else { 3 };
    format!("{:.decimals$} {}", ns / unit.size_ns(), unit.symbol())
}
