//! Titles and cells as text.

use super::{Layout, StatsTimeUnit};
use dlprof_core::{NsysCell, NsysColumn, NsysForm, NsysUnit};
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
pub(super) fn title(column: &NsysColumn, layout: &Layout<'_>) -> String {
    let unit = match (column.unit, layout.time_unit) {
        (NsysUnit::Time, StatsTimeUnit::Nanoseconds) => "ns",
        (NsysUnit::Time, StatsTimeUnit::Microseconds) => "us",
        (NsysUnit::Time, StatsTimeUnit::Milliseconds) => "ms",
        (NsysUnit::Time, StatsTimeUnit::Seconds) => "sec",
        (NsysUnit::Bytes, _) => "MB",
        (NsysUnit::BytesPerSecond, _) => "MB/s",
        (NsysUnit::Plain | NsysUnit::Address, _) => "",
    };
    if column.shows_unit { format!("{} ({unit})", column.title) } else { column.title.to_owned() }
}

/// A cell as text.
pub(super) fn text<'c>(
    cell: &'c NsysCell<'_>,
    column: &NsysColumn,
    layout: &Layout<'_>,
) -> (CellKind, Cow<'c, str>) {
    match cell {
        NsysCell::Absent => (CellKind::Absent, column.absent.unwrap_or(layout.form.absent()).into()),
        NsysCell::Int(value) => (CellKind::Number, integer(*value, column.unit, layout.time_unit).into()),
        NsysCell::Real(value) => (CellKind::Number, real(*value, column.unit, layout.time_unit).into()),
        NsysCell::Number(digits) => (CellKind::Number, digits.as_str().into()),
        // nsys 2020 leaves quotes out.
        NsysCell::Text(text) if layout.form == NsysForm::V2020 && text.contains('"') => {
            (CellKind::Text, text.replace('"', "").into())
        }
        NsysCell::Text(text) => (CellKind::Text, text.as_ref().into()),
    }
}

fn integer(value: i64, unit: NsysUnit, time_unit: StatsTimeUnit) -> String {
    match unit {
        NsysUnit::Plain => value.to_string(),
        NsysUnit::Time if time_unit == StatsTimeUnit::Nanoseconds => value.to_string(),
        NsysUnit::Address => format!("{value:#x}"),
        NsysUnit::Time | NsysUnit::Bytes | NsysUnit::BytesPerSecond => real(value as f64, unit, time_unit),
    }
}

fn real(value: f64, unit: NsysUnit, time_unit: StatsTimeUnit) -> String {
    match (unit, time_unit) {
        (NsysUnit::Time, StatsTimeUnit::Microseconds) => format!("{:.3}", value * 1e-3),
        (NsysUnit::Time, StatsTimeUnit::Milliseconds) => format!("{:.4}", value * 1e-6),
        (NsysUnit::Time, StatsTimeUnit::Seconds) => format!("{:.4}", value * 1e-9),
        (NsysUnit::Bytes | NsysUnit::BytesPerSecond, _) => format!("{:.3}", value / 1e6),
        (NsysUnit::Time | NsysUnit::Plain | NsysUnit::Address, _) => shortest(value),
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
        assert_eq!(real(9727.5, NsysUnit::Time, StatsTimeUnit::Microseconds), "9.728");
        assert_eq!(integer(3500, NsysUnit::Bytes, StatsTimeUnit::Nanoseconds), "0.004");
        assert_eq!(integer(17_000, NsysUnit::Time, StatsTimeUnit::Seconds), "0.0000");
        assert_eq!(real(21_813.0, NsysUnit::Time, StatsTimeUnit::Nanoseconds), "21813.0");
        assert_eq!(shortest(1e16), "1e+16");
        assert_eq!(integer(4096, NsysUnit::Address, StatsTimeUnit::Nanoseconds), "0x1000");
    }
}
