//! Axes of whole decades.

use serde::Serialize;

/// An axis has no fewer decades than these.
const FEWEST: i32 = 3;
/// And no more: what lies outside is no kernel of this world.
const MOST: i32 = 24;

/// What rounding may move a power of ten by, as a part of a decade.
const ROUNDING: f64 = 1e-9;

/// A logarithmic axis of whole decades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Decades {
    /// The power of ten where it begins.
    pub first: i32,
    /// The power of ten where it ends.
    pub last: i32,
}

impl Decades {
    /// The fewest decades that hold some values, all positive; at least three, of which the further ones are added above and below
    /// in turn.
    #[must_use]
    pub fn holding(values: impl IntoIterator<Item = f64>) -> Self {
        let mut extent: Option<(i32, i32)> = None;
        for value in values.into_iter().filter(|value| value.is_finite() && *value > 0.0) {
            let exponent = value.log10();
            let (below, above) = (power((exponent + ROUNDING).floor()), power((exponent - ROUNDING).ceil()));
            let known = extent.unwrap_or((below, above));
            extent = Some((known.0.min(below), known.1.max(above)));
        }
        let (mut first, mut last) = extent.unwrap_or((0, 0));
        last = last.min(first + MOST);
        let mut is_above = true;
        while last - first < FEWEST {
            if is_above {
                last += 1;
            } else {
                first -= 1;
            }
            is_above = !is_above;
        }
        Self { first, last }
    }

    /// Where a positive value is, as a share of the axis.
    #[must_use]
    pub fn share(self, value: f64) -> f64 {
        (value.log10() - f64::from(self.first)) / f64::from(self.last - self.first)
    }

    /// The value where the axis begins.
    #[must_use]
    pub fn start(self) -> f64 {
        10_f64.powi(self.first)
    }

    /// The value where it ends.
    #[must_use]
    pub fn end(self) -> f64 {
        10_f64.powi(self.last)
    }

    /// The powers of ten on it, both ends included.
    pub fn powers(self) -> impl Iterator<Item = i32> {
        self.first..=self.last
    }
}

#[expect(clippy::cast_possible_truncation, reason = "exponents of a floating-point number are small")]
fn power(exponent: f64) -> i32 {
    exponent as i32
}
