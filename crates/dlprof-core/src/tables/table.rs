//! What a table is: columns that are declared once, and cells.

use super::layout::Layout;
use crate::base::time::Ns;
use crate::figures::profile::Profile;
use std::borrow::Cow;
use std::ops::Range;

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// Undefined; never written as 0.
    Null,
    /// A whole number.
    Int(i64),
    /// A fraction or percentage.
    Float(f64),
    /// Yes or no.
    Flag(bool),
    /// A text.
    Text(Cow<'a, str>),
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Self::Int(number.into())
    }
}

impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// The type of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellKind {
    /// [`Value::Int`].
    Int,
    /// [`Value::Float`].
    Float,
    /// [`Value::Flag`].
    Flag,
    /// [`Value::Text`]: `true`, `false` or `unknown`. People see yes, no or unknown.
    Answer,
    /// [`Value::Text`]: an object or a list in JSON.
    Json,
    /// [`Value::Text`].
    Text,
}

impl CellKind {
    /// Whether cells are [`Value::Text`].
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Answer | Self::Json)
    }
}

/// The unit of a column. The key of the column says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A name, a number of something, a flag.
    None,
    /// Nanoseconds: `_ns`.
    Nanoseconds,
    /// Percent from 0 to 100: `_percent`.
    Percent,
    /// Bytes: `bytes`.
    Bytes,
    /// Something per second: `_per_s`.
    PerSecond,
    /// 10⁹ bytes per second: `gb_per_s`.
    GigabytesPerSecond,
    /// Bytes per second: `memory_bandwidth`.
    BytesPerSecond,
    /// Cycles per second: `_hz`.
    Hertz,
    /// Operations, of numbers of any type: `flop`.
    Flop,
    /// 10¹² operations per second: `tflop_per_s`, and the peaks of number types, such as `peak_fp32`.
    TeraflopPerSecond,
    /// Operations per byte: `intensity`.
    FlopPerByte,
}

impl Unit {
    /// All units but [`Unit::None`]. Of units whose suffix fits a key, the first counts.
    pub const ALL: [Self; 10] = [
        Self::Nanoseconds,
        Self::Percent,
        Self::Bytes,
        Self::GigabytesPerSecond,
        Self::TeraflopPerSecond,
        Self::PerSecond,
        Self::BytesPerSecond,
        Self::Hertz,
        Self::Flop,
        Self::FlopPerByte,
    ];

    /// What keys of columns with this unit end in.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Nanoseconds => "_ns",
            Self::Percent => "_percent",
            Self::Bytes => "bytes",
            Self::PerSecond => "_per_s",
            Self::GigabytesPerSecond => "gb_per_s",
            Self::BytesPerSecond => "memory_bandwidth",
            Self::Hertz => "_hz",
            Self::Flop => "flop",
            Self::TeraflopPerSecond => "tflop_per_s",
            Self::FlopPerByte => "intensity",
        }
    }

    /// The unit of a column with this key.
    #[must_use]
    pub fn of_key(key: &str) -> Self {
        if PEAKS.contains(&key) {
            return Self::TeraflopPerSecond;
        }
        if key == "percent" {
            return Self::Percent;
        }
        // Figures of loads and of stores say so after their unit.
        let key = ["_ld", "_st"].iter().find_map(|access| key.strip_suffix(access)).unwrap_or(key);
        let has_suffix = |unit: &Self| key.ends_with(unit.suffix());
        Self::ALL.into_iter().find(has_suffix).unwrap_or(Self::None)
    }

    /// What stands after a number for people; empty without a unit.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Nanoseconds => "ns",
            Self::Percent => "%",
            Self::Bytes => "bytes",
            Self::PerSecond => "1/s",
            Self::GigabytesPerSecond => "GB/s",
            Self::BytesPerSecond => "bytes/s",
            Self::Hertz => "Hz",
            Self::Flop => "FLOP",
            Self::TeraflopPerSecond => "TFLOP/s",
            Self::FlopPerByte => "FLOP/byte",
        }
    }
}

/// Keys of peaks, which end in the type of the numbers.
const PEAKS: [&str; 3] = ["peak_fp32", "peak_tf32", "peak_fp16"];

impl Header<'_> {
    /// The title, with the unit in parentheses if there is one that it does not end in.
    #[must_use]
    pub fn title_with_unit(&self) -> String {
        match self.unit.symbol() {
            "" => self.title.to_owned(),
            symbol if self.title.ends_with(symbol) => self.title.to_owned(),
            symbol => format!("{} ({symbol})", self.title),
        }
    }
}

/// What is known of a column without a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// Stable name in `snake_case`, with the unit as suffix.
    pub key: &'a str,
    /// Title for people.
    pub title: &'a str,
    /// Unit of the cells.
    pub unit: Unit,
    /// Type of the cells.
    pub kind: CellKind,
    /// Meaning in one sentence.
    pub doc: &'a str,
}

/// What cells are read from besides their row. Tables hold it.
pub trait Source: Clone + std::fmt::Debug + Send + Sync + 'static {
    /// The time that the table counts from, for people.
    fn origin_ns(&self) -> Ns;
}

impl Source for Profile {
    fn origin_ns(&self) -> Ns {
        self.window().start
    }
}

/// Reads a cell from a row.
pub(crate) type Read<R, S = Profile> = for<'a> fn(&'a S, &'a R) -> Value<'a>;

/// A column: its header and how to read it from a row.
#[derive(Debug)]
pub struct Column<R: 'static, S: 'static = Profile> {
    /// Key, title, unit, type and meaning.
    pub header: Header<'static>,
    /// Reads the cell.
    pub value: Read<R, S>,
    /// Whether it says what GPUs did, so that it is empty where that is not known.
    pub(super) of_gpu: bool,
}

impl<R, S> Clone for Column<R, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, S> Copy for Column<R, S> {}

impl<R, S> Column<R, S> {
    /// The column of a figure that says what GPUs did.
    pub(super) const fn of_gpu(self) -> Self {
        Self { of_gpu: true, ..self }
    }

    /// A column of whole numbers.
    pub const fn int(
        key: &'static str,
        title: &'static str,
        unit: Unit,
        doc: &'static str,
        value: Read<R, S>,
    ) -> Self {
        Self { header: Header { key, title, unit, kind: CellKind::Int, doc }, value, of_gpu: false }
    }

    /// A column of fractions.
    pub const fn float(
        key: &'static str,
        title: &'static str,
        unit: Unit,
        doc: &'static str,
        value: Read<R, S>,
    ) -> Self {
        Self { header: Header { key, title, unit, kind: CellKind::Float, doc }, value, of_gpu: false }
    }

    /// A column of texts.
    pub const fn text(key: &'static str, title: &'static str, doc: &'static str, value: Read<R, S>) -> Self {
        Self {
            header: Header { key, title, unit: Unit::None, kind: CellKind::Text, doc },
            value,
            of_gpu: false,
        }
    }

    /// A column of objects or lists in JSON.
    pub const fn json(key: &'static str, title: &'static str, doc: &'static str, value: Read<R, S>) -> Self {
        Self {
            header: Header { key, title, unit: Unit::None, kind: CellKind::Json, doc },
            value,
            of_gpu: false,
        }
    }

    /// A column of answers to a question that has no answer for some rows: cells are `true`, `false` or `unknown`.
    pub const fn answer(
        key: &'static str,
        title: &'static str,
        doc: &'static str,
        value: Read<R, S>,
    ) -> Self {
        Self {
            header: Header { key, title, unit: Unit::None, kind: CellKind::Answer, doc },
            value,
            of_gpu: false,
        }
    }

    /// A column of flags.
    pub const fn flag(key: &'static str, title: &'static str, doc: &'static str, value: Read<R, S>) -> Self {
        Self {
            header: Header { key, title, unit: Unit::None, kind: CellKind::Flag, doc },
            value,
            of_gpu: false,
        }
    }
}

/// A table: what printers and exporters see. Several threads may read it at a time.
pub trait Table: Send + Sync {
    /// Stable name, as in `show NAME`.
    fn key(&self) -> &str;
    /// Title for people.
    fn title(&self) -> &str;
    /// Number of columns.
    fn columns(&self) -> usize;
    /// The header of a column.
    fn header(&self, column: usize) -> Header<'_>;
    /// Number of rows.
    fn rows(&self) -> usize;
    /// A cell.
    fn value(&self, row: usize, column: usize) -> Value<'_>;
    /// How people see it.
    fn layout(&self) -> &Layout {
        &Layout::PLAIN
    }
    /// Start of the aggregated iterations on the clock in force, from the start of the capture: the zero of points in time
    /// for people.
    fn origin_ns(&self) -> Ns;
    /// Told that all rows will be looked at: a table that finds its rows when they are asked for finds them now, on several
    /// threads.
    fn prepare(&self) {}
    /// Its rows in parts that follow each other, each with a number that no cell of a column exceeds: who looks for the largest
    /// cells need not look at all parts. `None` where looking at the cells is as quick.
    fn parts_by_largest(&self, _column: usize) -> Option<Vec<(Range<usize>, i64)>> {
        None
    }
}
