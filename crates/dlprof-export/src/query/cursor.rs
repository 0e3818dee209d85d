//! Visits the rows of a table of all captures.

use super::lookup::{Asked, Key, Lookup, asked, hashed};
use super::source::{Captures, OpenTable};
use dlprof_core::{CellKind, Definition, Value};
use rusqlite::types::Null;
use rusqlite::vtab::{Context, Filters, VTabCursor, sqlite3_vtab_cursor};
use std::ffi::c_int;
use std::ops::Range;

/// A visit that comes this far is taken to go on to the end.
const MANY_ROWS: usize = 4096;

/// Visits the rows of a table of all captures, in their order.
#[repr(C)]
pub(super) struct Cursor<'a> {
    /// SQLite's own part.
    base: sqlite3_vtab_cursor,
    parts: Vec<Part<'a>>,
    /// Kinds of the columns, that of the name of the capture first.
    kinds: Vec<CellKind>,
    visit: Visit,
    /// By columns, as SQLite is told them: nothing when they were asked for once, then where equal values are.
    lookups: Vec<(String, Option<Lookup>)>,
}

/// The rows of one capture.
struct Part<'a> {
    name: &'a str,
    table: OpenTable<'a>,
    /// Rows of this capture and of those before it.
    end: usize,
}

/// What is left to visit.
enum Visit {
    /// All rows from this one on.
    From(usize),
    /// Places in the list of this lookup.
    Listed { lookup: usize, places: Range<usize> },
}

impl<'a> Cursor<'a> {
    /// Opens a table of all captures.
    pub(super) fn new(captures: &'a Captures, definition: &Definition) -> Self {
        let mut parts = Vec::new();
        let mut end = 0;
        for capture in &captures.list {
            if let Some(table) = capture.table(definition) {
                end += table.rows();
                parts.push(Part { name: &capture.name, table, end });
            }
        }
        let declared = definition.headers().into_iter().map(|header| header.kind);
        let kinds = std::iter::once(CellKind::Text).chain(declared).collect();
        Self {
            base: sqlite3_vtab_cursor::default(),
            parts,
            kinds,
            visit: Visit::From(0),
            lookups: Vec::new(),
        }
    }

    fn rows(&self) -> usize {
        self.parts.last().map_or(0, |part| part.end)
    }

    fn prepare(&self) {
        for part in &self.parts {
            part.table.prepare();
        }
    }

    /// A cell of a row of all captures; column 0 is the name of the capture.
    fn value(&self, row: usize, column: usize) -> Value<'_> {
        let at = self.parts.partition_point(|part| part.end <= row);
        let Some(part) = self.parts.get(at) else { return Value::Null };
        let start = if at == 0 { 0 } else { self.parts[at - 1].end };
        match column.checked_sub(1) {
            None => part.name.into(),
            Some(column) => part.table.value(row - start, column),
        }
    }

    /// The row that is visited now.
    fn row(&self) -> Option<usize> {
        match &self.visit {
            Visit::From(row) => (*row < self.rows()).then_some(*row),
            Visit::Listed { lookup, places } => self.lookups[*lookup].1.as_ref()?.row(places.clone().next()?),
        }
    }

    fn lookup(&self, columns: &[usize]) -> Lookup {
        self.prepare();
        Lookup::new(self.rows(), |row| {
            hashed(columns.iter().map(|&column| Key::of(&self.value(row, column)).ok()))
        })
    }
}

// SAFETY: the type has the layout of C and begins with SQLite's part, as the trait requires.
#[expect(unsafe_code, reason = "the trait is how rusqlite declares cursors of virtual tables")]
unsafe impl VTabCursor for Cursor<'_> {
    fn filter(&mut self, _: c_int, columns: Option<&str>, values: &Filters<'_>) -> rusqlite::Result<()> {
        self.visit = Visit::From(0);
        let names = columns.unwrap_or_default();
        let columns: Vec<usize> = names.split(',').filter_map(|column| column.parse().ok()).collect();
        if columns.is_empty() {
            return Ok(());
        }
        let kinds = columns.iter().map(|&column| self.kinds[column]);
        let hash = match asked(kinds.zip(values.iter())) {
            Asked::Nothing => {
                self.visit = Visit::From(self.rows());
                return Ok(());
            }
            Asked::Anything => return Ok(()),
            Asked::Hash(hash) => hash,
        };
        match self.lookups.iter().position(|(known, _)| known == names) {
            // The first time all rows are visited, and SQLite compares: most queries ask once.
            None => self.lookups.push((names.to_owned(), None)),
            Some(at) => {
                if self.lookups[at].1.is_none() {
                    self.lookups[at].1 = Some(self.lookup(&columns));
                }
                let places = self.lookups[at].1.as_ref().map_or(0..0, |lookup| lookup.places(hash));
                self.visit = Visit::Listed { lookup: at, places };
            }
        }
        Ok(())
    }

    fn next(&mut self) -> rusqlite::Result<()> {
        match &mut self.visit {
            Visit::From(row) => {
                *row += 1;
                if *row == MANY_ROWS {
                    self.prepare();
                }
            }
            Visit::Listed { places, .. } => places.start += 1,
        }
        Ok(())
    }

    fn eof(&self) -> bool {
        self.row().is_none()
    }

    fn column(&self, context: &mut Context, column: c_int) -> rusqlite::Result<()> {
        let (Some(row), Ok(column)) = (self.row(), usize::try_from(column)) else {
            return context.set_result(Null);
        };
        match self.value(row, column) {
            Value::Null => context.set_result(Null),
            Value::Int(number) => context.set_result(number),
            Value::Float(number) => context.set_result(number),
            Value::Flag(flag) => context.set_result(flag),
            Value::Text(text) => context.set_result(&*text),
        }
    }

    /// Rows are numbered from 1.
    fn rowid(&self) -> rusqlite::Result<i64> {
        Ok(self.row().and_then(|row| i64::try_from(row + 1).ok()).unwrap_or(0))
    }
}
