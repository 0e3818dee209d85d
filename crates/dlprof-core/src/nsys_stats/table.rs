//! A report as data: columns and rows. How it is written is the business of formats.

use std::borrow::Cow;

/// How the numbers of a column are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NsysUnit {
    /// As they are.
    Plain,
    /// Nanoseconds, or the unit of time that was asked for.
    Time,
    /// Bytes, in MB of 1,000,000 bytes.
    Bytes,
    /// Bytes per second, in MB of 1,000,000 bytes per second.
    BytesPerSecond,
    /// An address, in hexadecimal digits.
    Address,
}

/// A column of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NsysColumn {
    /// Title without the unit.
    pub title: &'static str,
    /// Unit of its numbers.
    pub unit: NsysUnit,
    /// Whether the title is followed by the unit, as ` (ns)`.
    pub shows_unit: bool,
    /// What is printed for absent values, instead of what the form of the report prints.
    pub absent: Option<&'static str>,
}

impl NsysColumn {
    /// A column of plain numbers or of texts.
    #[must_use]
    pub fn plain(title: &'static str) -> Self {
        Self { title, unit: NsysUnit::Plain, shows_unit: false, absent: None }
    }

    /// A column of numbers of a unit, which follows the title.
    #[must_use]
    pub(crate) fn with_unit(title: &'static str, unit: NsysUnit) -> Self {
        Self { title, unit, shows_unit: true, absent: None }
    }
}

/// A cell of a report.
#[derive(Debug, Clone, PartialEq)]
pub enum NsysCell<'a> {
    /// There is no value.
    Absent,
    /// An integer, in the base unit: ns, bytes, bytes per second.
    Int(i64),
    /// A number in the base unit; if it is rounded, then already.
    Real(f64),
    /// A number that has its digits already.
    Number(String),
    /// A text.
    Text(Cow<'a, str>),
}

impl<'a> NsysCell<'a> {
    /// A text.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// An integer, if there is one.
    #[must_use]
    pub fn int(value: Option<i64>) -> Self {
        value.map_or(Self::Absent, Self::Int)
    }

    /// A rounded number, if there is one.
    #[must_use]
    pub fn real(value: Option<f64>) -> Self {
        value.map_or(Self::Absent, Self::Real)
    }

    /// A number of things.
    #[must_use]
    pub fn count(value: usize) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

/// Makes the cells of a row.
type MakeRow<'a> = Box<dyn Fn(usize) -> Vec<NsysCell<'a>> + 'a>;

/// A report: columns, and rows that are made when they are asked for.
pub struct NsysReport<'a> {
    columns: Vec<NsysColumn>,
    rows: usize,
    make_row: MakeRow<'a>,
}

impl<'a> NsysReport<'a> {
    /// A report whose rows are made one by one.
    pub fn new(
        columns: Vec<NsysColumn>,
        rows: usize,
        make_row: impl Fn(usize) -> Vec<NsysCell<'a>> + 'a,
    ) -> Self {
        Self { columns, rows, make_row: Box::new(make_row) }
    }

    /// A report of rows.
    #[must_use]
    pub fn of_rows(columns: Vec<NsysColumn>, rows: Vec<Vec<NsysCell<'a>>>) -> Self {
        Self::new(columns, rows.len(), move |row| rows[row].clone())
    }

    /// The same report with another title of the first column.
    pub(super) fn with_first_title(mut self, title: &'static str) -> Self {
        if let Some(first) = self.columns.first_mut() {
            first.title = title;
        }
        self
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &[NsysColumn] {
        &self.columns
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The cells of a row, one for each column.
    #[must_use]
    pub fn row(&self, row: usize) -> Vec<NsysCell<'a>> {
        (self.make_row)(row)
    }
}
