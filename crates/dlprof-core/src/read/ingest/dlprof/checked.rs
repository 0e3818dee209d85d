//! Cells that a whole database has as they must be.

use super::super::cell::Cell;
use super::super::database::Database;
use super::super::row::Row;
use super::source::damaged;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::time::{Ns, Span};

/// Reads cells of the rows of a table, and remembers the first that cannot be right.
#[derive(Default)]
pub(super) struct Checked {
    rows: u64,
    mistake: Option<String>,
}

/// In the year 2096, in nanoseconds since 1970.
const LATEST: Ns = 4_000_000_000_000_000_000;

/// Nearly four months in nanoseconds.
const LONGEST: Ns = 10_000_000_000_000_000;

impl Checked {
    /// Begins another row.
    pub(super) fn next_row(&mut self) {
        self.rows += 1;
    }

    /// An integer; 0 after a mistake.
    #[inline]
    pub(super) fn int(&mut self, row: &Row<'_>, column: usize) -> i64 {
        match row.plain_int(column) {
            Some(Some(value)) => value,
            _ => self.other_int(row, column),
        }
    }

    #[cold]
    fn other_int(&mut self, row: &Row<'_>, column: usize) -> i64 {
        let value = row.int(column, &mut Diagnostics::default());
        value.unwrap_or_else(|| {
            let found = match row.value(column) {
                Cell::Null => "NULL",
                Cell::Int(_) => "an integer",
                Cell::Real(_) => "a fraction",
                Cell::Text(_) => "text",
                Cell::Blob(_) => "a blob",
            };
            self.note(|| format!("column `{}` is {found}, not an integer", row.columns[column]));
            0
        })
    }

    /// A number that is not negative and fits; 0 after a mistake.
    pub(super) fn count<N: TryFrom<i64> + Default>(&mut self, row: &Row<'_>, column: usize) -> N {
        let value = self.int(row, column);
        N::try_from(value).unwrap_or_else(|_| {
            self.note(|| format!("column `{}` is {value}", row.columns[column]));
            N::default()
        })
    }

    /// Start and stop.
    #[inline]
    pub(super) fn span(&mut self, row: &Row<'_>, start: usize, stop: usize) -> Span {
        let (from, to) = (self.int(row, start), self.int(row, stop));
        if !(-LATEST..=LATEST).contains(&from) || !(from..=from + LONGEST).contains(&to) {
            let (start, stop) = (row.columns[start], row.columns[stop]);
            self.note(|| format!("`{start}` is {from} and `{stop}` is {to}"));
            return Span::default();
        }
        Span::new(from, to)
    }

    /// What an id means; the default after a mistake.
    #[inline]
    pub(super) fn found<T: Default>(
        &mut self,
        value: Option<T>,
        row: &Row<'_>,
        column: usize,
        table: &str,
    ) -> T {
        value.unwrap_or_else(|| {
            let id = self.int(row, column);
            self.note(|| {
                format!("column `{}` is {id}, which table `{table}` does not have", row.columns[column])
            });
            T::default()
        })
    }

    /// Remembers a mistake, if it is the first.
    #[cold]
    pub(super) fn note(&mut self, mistake: impl FnOnce() -> String) {
        let row = self.rows;
        self.mistake.get_or_insert_with(|| format!("in row {row}, {}", mistake()));
    }

    /// The error of the first mistake.
    pub(super) fn finish(self, database: &Database, table: &str) -> Result<(), Error> {
        self.mistake.map_or(Ok(()), |mistake| Err(damaged(database, table, mistake)))
    }
}
