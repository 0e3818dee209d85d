//! How the cells of a column are shown to people: one unit, which the title names, and one number of decimals.

use crate::display::{TimeUnit, grouped, plain};
use dlprof_core::{CellKind, Header, Table, Unit, Value, to_f64};

/// What people see where nothing is known.
pub(crate) const UNKNOWN_CELL: &str = "–";

/// How the cells of a column are shown: all have one unit, which the title names, and one number of decimals.
#[derive(Debug, Clone, Copy)]
pub struct ColumnText<'a> {
    header: Header<'a>,
    scale: Scale,
    /// What is taken from points in time, in nanoseconds.
    origin_ns: i64,
}

/// The unit of a column.
#[derive(Debug, Clone, Copy)]
struct Scale {
    symbol: &'static str,
    /// How many units of the data one is.
    size: f64,
    decimals: usize,
}

impl<'a> ColumnText<'a> {
    /// Describes a column of a table. An automatic unit becomes the one that fits the largest number of the column.
    #[must_use]
    pub fn new(table: &'a dyn Table, column: usize, time_unit: TimeUnit) -> Self {
        let header = table.header(column);
        let is_start = table.layout().starts.contains(&header.key);
        let origin_ns = if is_start { table.origin_ns() } else { 0 };
        let rows = if is_scaled(header.unit, time_unit) { table.rows() } else { 0 };
        let size = |row| match table.value(row, column) {
            Value::Int(number) => to_f64(number.saturating_sub(origin_ns)).abs(),
            Value::Float(number) => number.abs(),
            _ => 0.0,
        };
        let largest = (0..rows).map(size).fold(0.0, f64::max);
        Self { header, scale: Scale::new(&header, largest, time_unit), origin_ns }
    }

    /// The title, with the unit in parentheses.
    #[must_use]
    pub fn title(&self) -> String {
        let title = self.header.title;
        match self.scale.symbol {
            "" => title.to_owned(),
            symbol if title.ends_with(symbol) => title.to_owned(),
            symbol => format!("{title} ({symbol})"),
        }
    }

    /// The unit of the cells; empty without one.
    #[must_use]
    pub fn symbol(&self) -> &'static str {
        self.scale.symbol
    }

    /// Whether the cells are numbers, which are aligned to the right.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(self.header.kind, CellKind::Int | CellKind::Float)
    }

    /// Whether the cells are points in time from the start of the aggregated iterations.
    #[must_use]
    pub(crate) fn is_relative(&self) -> bool {
        self.origin_ns != 0
    }

    /// The number of a cell in the unit of the column; none if it has none.
    pub(crate) fn number(&self, value: &Value<'_>) -> Option<f64> {
        match value {
            Value::Int(number) => Some(to_f64(number.saturating_sub(self.origin_ns)) / self.scale.size),
            Value::Float(number) => Some(number / self.scale.size),
            _ => None,
        }
    }

    /// How many decimals the numbers of the column have; none if they are shown as they are.
    pub(crate) fn decimals(&self) -> Option<usize> {
        let is_plain = self.header.unit == Unit::None && self.header.kind == CellKind::Int;
        (self.is_number() && !is_plain).then_some(self.scale.decimals)
    }

    /// A cell, without its unit; empty if it is undefined. What is too small for the unit of the column has its own after it.
    #[must_use]
    pub fn cell(&self, value: &Value<'_>) -> String {
        let text = self.in_unit(value);
        let number = self.number(value).filter(|number| *number > 0.0);
        match number.map(|number| number * self.scale.size) {
            Some(number) if !text.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) => {
                in_own_unit(self.header.unit, number).unwrap_or(text)
            }
            _ => text,
        }
    }

    /// A cell in the unit of the column.
    fn in_unit(&self, value: &Value<'_>) -> String {
        let Scale { size, decimals, .. } = self.scale;
        match value {
            Value::Int(number) if self.header.unit == Unit::None => number.to_string(),
            Value::Int(number) => {
                let number = number.saturating_sub(self.origin_ns);
                match decimals {
                    0 if size <= 1.0 => grouped(&number.to_string()),
                    _ => grouped(&format!("{:.decimals$}", to_f64(number) / size)),
                }
            }
            Value::Float(number) => {
                let text = format!("{:.decimals$}", number / size);
                if self.header.unit == Unit::None { text } else { grouped(&text) }
            }
            Value::Text(answer) if self.header.kind == CellKind::Answer => in_words(answer).to_owned(),
            other => without_unit(other),
        }
    }
}

/// An amount of bytes, or of bytes per second, in the unit that fits it alone; `None` of other amounts.
fn in_own_unit(unit: Unit, number: f64) -> Option<String> {
    const PER_SECOND: &[(&str, f64)] = &[("bytes/s", 1.0), ("KB/s", 1e3), ("MB/s", 1e6)];
    let scale = match unit {
        Unit::Bytes => Scale::fitting(BYTES, number, true),
        Unit::BytesPerSecond => Scale::fitting(PER_SECOND, number, true),
        Unit::GigabytesPerSecond => return in_own_unit(Unit::BytesPerSecond, number * 1e9),
        _ => return None,
    };
    Some(format!("{:.*} {}", scale.decimals.min(1), number / scale.size, scale.symbol))
}

/// Units of bytes by size; the smallest one is the unit of the data.
const BYTES: &[(&str, f64)] = &[("bytes", 1.0), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)];

/// Whether the unit of a column depends on its largest number.
fn is_scaled(unit: Unit, time_unit: TimeUnit) -> bool {
    match unit {
        Unit::Nanoseconds => time_unit == TimeUnit::Auto,
        Unit::Bytes | Unit::BytesPerSecond | Unit::Hertz | Unit::Flop => true,
        _ => false,
    }
}

impl Scale {
    fn new(header: &Header<'_>, largest: f64, time_unit: TimeUnit) -> Self {
        // Units by size; the smallest one is the unit of the data.
        const HERTZ: &[(&str, f64)] = &[("MHz", 1e6), ("GHz", 1e9)];
        const FLOP: &[(&str, f64)] = &[("FLOP", 1.0), ("MFLOP", 1e6), ("GFLOP", 1e9), ("TFLOP", 1e12)];
        const BYTES_PER_SECOND: &[(&str, f64)] = &[("GB/s", 1e9)];
        let is_int = header.kind == CellKind::Int;
        match header.unit {
            Unit::None => Self { symbol: "", size: 1.0, decimals: 2 },
            Unit::Nanoseconds => {
                // Few times of a column are as long as the longest, so seconds would leave them few digits.
                const SECONDS: f64 = 100e9;
                let unit = match (time_unit, time_unit.fitting(largest)) {
                    (TimeUnit::Auto, TimeUnit::S) if largest < SECONDS => TimeUnit::Ms,
                    (_, unit) => unit,
                };
                let decimals = if unit == TimeUnit::Ns { usize::from(!is_int) } else { 3 };
                Self { symbol: unit.symbol(), size: unit.size_ns(), decimals }
            }
            Unit::Bytes => Self::fitting(BYTES, largest, is_int),
            Unit::Hertz => Self::fitting(HERTZ, largest, is_int),
            Unit::Flop => Self::fitting(FLOP, largest, is_int),
            Unit::BytesPerSecond => Self::fitting(BYTES_PER_SECOND, largest, is_int),
            unit => Self { symbol: unit.symbol(), size: 1.0, decimals: usize::from(!is_int) },
        }
    }

    /// The largest unit that a number reaches, with decimals for three digits of it.
    fn fitting(units: &[(&'static str, f64)], largest: f64, is_int: bool) -> Self {
        let reached = units.iter().rev().find(|(_, size)| largest >= *size).unwrap_or(&units[0]);
        let &(symbol, size) = reached;
        let decimals = match largest / size {
            _ if size <= 1.0 => usize::from(!is_int),
            shown if shown >= 100.0 => 0,
            shown if shown >= 10.0 => 1,
            _ => 2,
        };
        Self { symbol, size, decimals }
    }
}

/// An answer as people read it.
pub(crate) fn in_words(answer: &str) -> &str {
    match answer {
        "true" => "yes",
        "false" => "no",
        other => other,
    }
}

/// A cell of a column without a unit.
fn without_unit(value: &Value<'_>) -> String {
    match value {
        Value::Null => String::new(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => format!("{number:.2}"),
        Value::Flag(flag) => if *flag { "yes" } else { "no" }.into(),
        Value::Text(text) => plain(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(unit: Unit, kind: CellKind, time_unit: TimeUnit, cells: &[Value<'_>]) -> (String, Vec<String>) {
        let header = Header { key: "t", title: "T", unit, kind, doc: "A column." };
        let size = |value: &Value<'_>| match value {
            Value::Int(number) => to_f64(*number),
            Value::Float(number) => *number,
            _ => 0.0,
        };
        let largest = cells.iter().map(size).fold(0.0, f64::max);
        let column = ColumnText { header, scale: Scale::new(&header, largest, time_unit), origin_ns: 0 };
        (column.title(), cells.iter().map(|value| column.cell(value)).collect())
    }

    fn ints(unit: Unit, time_unit: TimeUnit, numbers: &[i64]) -> (String, Vec<String>) {
        let cells: Vec<Value<'_>> = numbers.iter().map(|&number| Value::Int(number)).collect();
        shown(unit, CellKind::Int, time_unit, &cells)
    }

    fn pair(title: &str, cells: &[&str]) -> (String, Vec<String>) {
        (title.to_owned(), cells.iter().map(|&cell| cell.to_owned()).collect())
    }

    #[test]
    fn times_of_a_column_have_one_unit_and_one_number_of_decimals() {
        let time = |unit, numbers: &[i64]| ints(Unit::Nanoseconds, unit, numbers);
        let milliseconds = time(TimeUnit::Auto, &[12_345_678, 999, 0]);
        assert_eq!(milliseconds, pair("T (ms)", &["12.346", "0.001", "0.000"]));
        assert_eq!(time(TimeUnit::Auto, &[999, 7]), pair("T (ns)", &["999", "7"]));
        assert_eq!(time(TimeUnit::Ms, &[1_234_567_891]), pair("T (ms)", &["1,234.568"]));
        assert_eq!(time(TimeUnit::Ns, &[i64::MAX]), pair("T (ns)", &["9,223,372,036,854,775,807"]));
    }

    #[test]
    fn sizes_and_rates_have_a_unit_that_fits_the_largest() {
        let auto = |unit, numbers: &[i64]| ints(unit, TimeUnit::Auto, numbers);
        assert_eq!(auto(Unit::Bytes, &[84_900_000_000, 0]), pair("T (GB)", &["84.9", "0.0"]));
        assert_eq!(auto(Unit::Bytes, &[4096, 12]), pair("T (KB)", &["4.10", "0.01"]));
        assert_eq!(auto(Unit::Bytes, &[512]), pair("T (bytes)", &["512"]));
        assert_eq!(auto(Unit::Bytes, &[84_900_000_000, 252]), pair("T (GB)", &["84.9", "252 bytes"]));
        assert_eq!(
            auto(Unit::BytesPerSecond, &[12_000_000_000, 3_600_000]),
            pair("T (GB/s)", &["12.0", "3.6 MB/s"])
        );
        assert_eq!(auto(Unit::BytesPerSecond, &[1_555_200_000_000]), pair("T (GB/s)", &["1,555"]));
        assert_eq!(auto(Unit::Hertz, &[1_410_000_000]), pair("T (GHz)", &["1.41"]));
        assert_eq!(auto(Unit::Hertz, &[875_000_000]), pair("T (MHz)", &["875"]));
    }

    #[test]
    fn answers_are_in_words_and_unknown_is_one() {
        let cells = ["true", "false", "unknown"].map(Value::from);
        let (_, words) = shown(Unit::None, CellKind::Answer, TimeUnit::Auto, &cells);
        assert_eq!(words, ["yes", "no", "unknown"]);
    }
}
