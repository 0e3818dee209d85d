//! Numbers and names as people read them, in text, PDF and HTML. Data files carry plain nanoseconds instead.

use dlprof_core::findings::Sentence;
use dlprof_core::ratios::to_f64;
use dlprof_core::tables::{CellKind, Header, Table, Unit, Value};

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
    pub(crate) fn size_ns(self) -> f64 {
        match self {
            Self::Auto | Self::Ns => 1.0,
            Self::Us => 1e3,
            Self::Ms => 1e6,
            Self::S => 1e9,
        }
    }

    /// A time in nanoseconds, with the unit and without needless decimals.
    pub(crate) fn short(self, ns: f64) -> String {
        let number = format!("{:.3}", ns / self.size_ns());
        format!("{} {}", number.trim_end_matches('0').trim_end_matches('.'), self.symbol())
    }

    /// A time as a number of this unit; whole for whole nanoseconds.
    fn number(self, ns: f64, decimals: usize) -> String {
        grouped(&format!("{:.decimals$}", ns / self.size_ns()))
    }
}

/// A time in nanoseconds with its unit.
#[must_use]
pub fn time(ns: f64, unit: TimeUnit) -> String {
    let unit = unit.fitting(ns);
    let decimals = if unit == TimeUnit::Ns { 0 } else { 3 };
    format!("{:.decimals$} {}", ns / unit.size_ns(), unit.symbol())
}

/// A sentence of a finding with its times in a unit.
#[must_use]
pub fn sentence(sentence: &Sentence, unit: TimeUnit) -> String {
    sentence.text(|ns| time(ns, unit))
}

/// A share in percent.
#[must_use]
pub fn percentage(value: f64) -> String {
    format!("{value:.1} %")
}

/// A text without the characters that change how the rest is shown: control characters, and those that change the
/// direction of writing.
#[must_use]
pub fn plain(text: &str) -> String {
    let is_turning =
        |c: char| matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if c.is_control() || is_turning(c) { ' ' } else { c }).collect()
}

/// How the cells of a column are shown: all its times have one unit, which its title names.
#[derive(Debug, Clone, Copy)]
pub struct ColumnText<'a> {
    header: Header<'a>,
    time_unit: TimeUnit,
}

impl<'a> ColumnText<'a> {
    /// Describes a column of a table. An automatic unit becomes the one that fits the longest time of the column.
    #[must_use]
    pub fn new(table: &'a dyn Table, column: usize, time_unit: TimeUnit) -> Self {
        let header = table.header(column);
        let is_chosen = header.unit == Unit::Nanoseconds && time_unit == TimeUnit::Auto;
        let rows = if is_chosen { table.rows() } else { 0 };
        let size = |row| match table.value(row, column) {
            Value::Int(ns) => to_f64(ns).abs(),
            Value::Float(ns) => ns.abs(),
            _ => 0.0,
        };
        Self { header, time_unit: time_unit.fitting((0..rows).map(size).fold(0.0, f64::max)) }
    }

    /// The title, with the unit in parentheses.
    #[must_use]
    pub fn title(&self) -> String {
        match self.header.unit {
            Unit::Nanoseconds => format!("{} ({})", self.header.title, self.time_unit.symbol()),
            Unit::Bytes => format!("{} (GB)", self.header.title),
            _ => self.header.title_with_unit(),
        }
    }

    /// Whether the cells are numbers, which are aligned to the right.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(self.header.kind, CellKind::Int | CellKind::Float)
    }

    /// A cell, without its unit.
    #[must_use]
    pub fn cell(&self, value: &Value<'_>) -> String {
        let decimals = if self.time_unit == TimeUnit::Ns { 0 } else { 3 };
        match (value, self.header.unit) {
            (Value::Int(ns), Unit::Nanoseconds) if self.time_unit == TimeUnit::Ns => grouped(&ns.to_string()),
            (Value::Int(ns), Unit::Nanoseconds) => self.time(to_f64(*ns), decimals),
            (Value::Float(ns), Unit::Nanoseconds) if self.time_unit == TimeUnit::Ns => {
                self.time_unit.number(*ns, 1)
            }
            (Value::Float(ns), Unit::Nanoseconds) => self.time(*ns, decimals),
            (Value::Int(bytes), Unit::Bytes) => grouped(&gigabytes(*bytes)),
            (Value::Float(bytes), Unit::Bytes) => grouped(&format!("{:.1}", bytes / 1e9)),
            (Value::Float(number), unit) if unit != Unit::None => grouped(&format!("{number:.1}")),
            (Value::Int(number), unit) if unit != Unit::None => grouped(&number.to_string()),
            (other, _) => without_unit(other),
        }
    }

    /// A time in the unit of the column; small times have more decimals.
    fn time(&self, ns: f64, decimals: usize) -> String {
        let share = (ns / self.time_unit.size_ns()).abs();
        let needed = [0.01, 0.001, 0.000_1, 0.000_01].iter().filter(|&&bound| share < bound).count();
        self.time_unit.number(ns, if share > 0.0 { decimals + needed } else { decimals })
    }
}

/// A cell of a column without a unit.
pub(crate) fn without_unit(value: &Value<'_>) -> String {
    match value {
        Value::Null => String::new(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => format!("{number:.2}"),
        Value::Flag(flag) => if *flag { "yes" } else { "no" }.into(),
        Value::Text(text) => plain(text),
    }
}

/// A size in gigabytes, without the unit.
pub(crate) fn gigabytes(bytes: i64) -> String {
    format!("{:.1}", to_f64(bytes) / 1e9)
}

/// A number with a comma before every three digits of its whole part.
pub(crate) fn grouped(number: &str) -> String {
    let (sign, rest) = number.split_at(usize::from(number.starts_with('-')));
    let (whole, fraction) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    let mut text = sign.to_owned();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_adapt() {
        let auto = |ns| time(ns, TimeUnit::Auto);
        assert_eq!(auto(999.0), "999 ns");
        assert_eq!(auto(12_345.0), "12.345 µs");
        assert_eq!(auto(12_345_678.0), "12.346 ms");
        assert_eq!(auto(2_840_562_182.0), "2.841 s");
        assert_eq!(time(1_500_000.0, TimeUnit::S), "0.002 s");
    }

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [
            ("0", "0"),
            ("999", "999"),
            ("1000", "1,000"),
            ("-1234567.890", "-1,234,567.890"),
            ("-100", "-100"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn cells_have_the_unit_of_their_column() {
        const TIME: Header<'static> =
            Header { key: "t_ns", title: "T", unit: Unit::Nanoseconds, kind: CellKind::Int, doc: "A time." };
        const SIZE: Header<'static> =
            Header { key: "s_bytes", title: "S", unit: Unit::Bytes, kind: CellKind::Int, doc: "A size." };
        let shown = |header, time_unit, value| {
            let column = ColumnText { header, time_unit };
            (column.title(), column.cell(&value))
        };
        let pair = |title: &str, cell: &str| (title.to_owned(), cell.to_owned());
        assert_eq!(shown(TIME, TimeUnit::S, Value::Int(320_664)), pair("T (s)", "0.00032"));
        assert_eq!(shown(TIME, TimeUnit::S, Value::Int(0)), pair("T (s)", "0.000"));
        assert_eq!(shown(TIME, TimeUnit::Ms, Value::Int(1_234_567_891)), pair("T (ms)", "1,234.568"));
        assert_eq!(
            shown(TIME, TimeUnit::Ns, Value::Int(i64::MAX)),
            pair("T (ns)", "9,223,372,036,854,775,807")
        );
        assert_eq!(shown(TIME, TimeUnit::Us, Value::Null), pair("T (µs)", ""));
        assert_eq!(shown(SIZE, TimeUnit::S, Value::Int(84_900_000_000)), pair("S (GB)", "84.9"));
    }
}
