//! Titles and cells as text.

use super::{Layout, StatsTimeUnit};
use dlprof_core::nsys_stats::{Cell, Form, ReportColumn, Unit};
use std::borrow::Cow;

/// What the text of a cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellKind {
    /// There is no value.
    Absent,
    /// A number.
    Number,
    /// A text.
    Text,
}

/// The title of a column with its unit.
pub(super) fn title(column: &ReportColumn, layout: &Layout<'_>) -> String {
    let unit = match (column.unit, layout.time_unit) {
        (Unit::Time, StatsTimeUnit::Nanoseconds) => "ns",
        (Unit::Time, StatsTimeUnit::Microseconds) => "us",
        (Unit::Time, StatsTimeUnit::Milliseconds) => "ms",
        (Unit::Time, StatsTimeUnit::Seconds) => "sec",
        (Unit::Bytes, _) => "MB",
        (Unit::BytesPerSecond, _) => "MB/s",
        (Unit::Plain | Unit::Address, _) => "",
    };
    if column.shows_unit { format!("{} ({unit})", column.title) } else { column.title.to_owned() }
}

/// A cell as text.
pub(super) fn text<'c>(
    cell: &'c Cell<'_>,
    column: &ReportColumn,
    layout: &Layout<'_>,
) -> (CellKind, Cow<'c, str>) {
    match cell {
        Cell::Absent => (CellKind::Absent, column.absent.unwrap_or(layout.form.absent()).into()),
        Cell::Int(value) => (CellKind::Number, integer(*value, column.unit, layout.time_unit).into()),
        Cell::Real(value) => (CellKind::Number, real(*value, column.unit, layout.time_unit).into()),
        Cell::Number(digits) => (CellKind::Number, digits.as_str().into()),
        // nsys 2020 leaves quotes out.
        Cell::Text(text) if layout.form == Form::V2020 && text.contains('"') => {
            (CellKind::Text, text.replace('"', "").into())
        }
        Cell::Text(text) => (CellKind::Text, text.as_ref().into()),
    }
}

fn integer(value: i64, unit: Unit, time_unit: StatsTimeUnit) -> String {
    match unit {
        Unit::Plain => value.to_string(),
        Unit::Time if time_unit == StatsTimeUnit::Nanoseconds => value.to_string(),
        Unit::Address => format!("{value:#x}"),
        Unit::Time | Unit::Bytes | Unit::BytesPerSecond => real(value as f64, unit, time_unit),
    }
}

fn real(value: f64, unit: Unit, time_unit: StatsTimeUnit) -> String {
    match (unit, time_unit) {
        (Unit::Time, StatsTimeUnit::Microseconds) => format!("{:.3}", value * 1e-3),
        (Unit::Time, StatsTimeUnit::Milliseconds) => format!("{:.4}", value * 1e-6),
        (Unit::Time, StatsTimeUnit::Seconds) => format!("{:.4}", value * 1e-9),
        (Unit::Bytes | Unit::BytesPerSecond, _) => format!("{:.3}", value / 1e6),
        (Unit::Time | Unit::Plain | Unit::Address, _) => shortest(value),
    }
}

/// The shortest form that reads back to the same number, as Python writes it.
fn shortest(value: f64) -> String {
    /// From here on numbers have exponents.
    const LARGE: f64 = 1e16;
    let text = format!("{value:?}");
    if value.abs() >= LARGE { text.replace('e', "e+") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_multiplied_and_sizes_divided() {
        assert_eq!(real(9727.5, Unit::Time, StatsTimeUnit::Microseconds), "9.728");
        assert_eq!(integer(3500, Unit::Bytes, StatsTimeUnit::Nanoseconds), "0.004");
        assert_eq!(integer(17_000, Unit::Time, StatsTimeUnit::Seconds), "0.0000");
        assert_eq!(real(21_813.0, Unit::Time, StatsTimeUnit::Nanoseconds), "21813.0");
        assert_eq!(shortest(1e16), "1e+16");
        assert_eq!(integer(4096, Unit::Address, StatsTimeUnit::Nanoseconds), "0x1000");
    }
}
