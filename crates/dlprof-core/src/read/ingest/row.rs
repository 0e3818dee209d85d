//! One row of a table, whichever reader it comes from.

use super::cell::Cell;
use super::pages::Record;
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::time::{Ns, Span};
use crate::columns::long_text::{as_read, cut_owned};
use std::borrow::Cow;

/// One row; columns are numbered as they were asked for.
pub(super) struct Row<'a> {
    pub(super) values: Values<'a>,
    pub(super) table: &'a str,
    pub(super) columns: &'a [&'a str],
}

/// The values of a row.
#[derive(Clone, Copy)]
pub(super) enum Values<'a> {
    /// By SQLite.
    Cells(&'a [Cell<'a>]),
    /// As they stand in the file.
    Record(&'a Record<'a>),
}

impl<'a> Row<'a> {
    /// The raw value.
    #[inline]
    pub(super) fn value(&self, column: usize) -> Cell<'a> {
        match self.values {
            Values::Cells(cells) => cells[column],
            Values::Record(record) => record.cell(column),
        }
    }

    /// The integer or NULL, if it is one of these.
    #[inline(always)]
    pub(super) fn plain_int(&self, column: usize) -> Option<Option<i64>> {
        match self.values {
            Values::Cells(cells) => cells[column].int(),
            Values::Record(record) => record.int(column),
        }
    }

    /// An integer; NULL is `None`, anything else that is not an integer is counted and `None`.
    #[inline(always)]
    pub(super) fn int(&self, column: usize, diagnostics: &mut Diagnostics) -> Option<i64> {
        match self.plain_int(column) {
            Some(value) => value,
            None => self.lenient_int(column, diagnostics),
        }
    }

    #[cold]
    fn lenient_int(&self, column: usize, diagnostics: &mut Diagnostics) -> Option<i64> {
        let cell = self.value(column);
        let parsed = lenient_integer(cell);
        if parsed.is_none() {
            self.count_bad_value(column, diagnostics);
        }
        parsed
    }

    /// A text, with replacement characters where it is not UTF-8; numbers are written out. A long one is cut.
    pub(super) fn text(&self, column: usize) -> Option<String> {
        self.text_to_take_apart(column).map(|text| cut_owned(text.into_owned()))
    }

    /// A text, cut only if it is longer than what is taken apart.
    pub(super) fn text_to_take_apart(&self, column: usize) -> Option<Cow<'a, str>> {
        match self.value(column) {
            Cell::Null => None,
            Cell::Int(value) => Some(value.to_string().into()),
            Cell::Real(value) => Some(value.to_string().into()),
            Cell::Text(bytes) | Cell::Blob(bytes) => Some(match as_read(bytes) {
                Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
                Cow::Owned(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
            }),
        }
    }

    /// Start and end as a span. No start, or one that no clock shows: the row is counted and `None`. No end: it is
    /// counted and ends where it starts.
    #[inline]
    pub(super) fn span(&self, start: usize, end: usize, diagnostics: &mut Diagnostics) -> Option<Span> {
        let start = self.start(start, diagnostics)?;
        let Some(end) = self.int(end, diagnostics) else {
            diagnostics
                .count(DiagnosticCode::RowWithoutEnd, || format!("table `{}`, start {start}", self.table));
            return Some(Span::new(start, start));
        };
        Some(self.checked_span(start, end, diagnostics))
    }

    /// A start time; rows without one are counted.
    #[inline]
    pub(super) fn start(&self, column: usize, diagnostics: &mut Diagnostics) -> Option<Ns> {
        /// In the year 2096, in nanoseconds since 1970.
        const LATEST: Ns = 4_000_000_000_000_000_000;
        let start = self.int(column, diagnostics).filter(|start| (-LATEST..=LATEST).contains(start));
        if start.is_none() {
            diagnostics.count(DiagnosticCode::RowWithoutTime, || format!("table `{}`", self.table));
        }
        start
    }

    /// A span; an end before the start, or months after it, is counted and the span empty.
    #[inline]
    pub(super) fn checked_span(&self, start: Ns, end: Ns, diagnostics: &mut Diagnostics) -> Span {
        /// Nearly four months.
        const LONGEST: Ns = 10_000_000_000_000_000;
        if (start..=start + LONGEST).contains(&end) {
            return Span::new(start, end);
        }
        diagnostics.count(DiagnosticCode::BadInterval, || {
            format!("table `{}`: start {start}, end {end}", self.table)
        });
        Span::new(start, start)
    }

    /// Counts a cell that could not be used.
    pub(super) fn count_bad_value(&self, column: usize, diagnostics: &mut Diagnostics) {
        let kind = match self.value(column) {
            Cell::Null => "Null",
            Cell::Int(_) => "Integer",
            Cell::Real(_) => "Real",
            Cell::Text(_) => "Text",
            Cell::Blob(_) => "Blob",
        };
        diagnostics.count(DiagnosticCode::BadValue, || {
            format!("table `{}`, column `{}`: {kind}", self.table, self.columns[column])
        });
    }
}

/// Integers that another program stored as a text or as a float.
fn lenient_integer(cell: Cell<'_>) -> Option<i64> {
    /// 2^53: integers beyond it are not exact in a float.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match cell {
        Cell::Int(value) => Some(value),
        #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
        Cell::Real(value) if value.abs() <= EXACT && value.fract().abs() < f64::EPSILON => Some(value as i64),
        Cell::Text(bytes) => std::str::from_utf8(bytes).ok()?.trim().parse().ok(),
        _ => None,
    }
}
