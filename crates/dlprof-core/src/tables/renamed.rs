//! A table with other words for what it has. Cells stay as they are.

use super::layout::Layout;
use super::table::{Header, Table, Value};
use crate::base::time::Ns;
use std::ops::Range;

/// A table with other titles, keys and meanings.
pub struct Renamed<T> {
    pub(super) table: T,
    /// The title; `None` where it stays.
    pub(super) title: Option<String>,
    /// Of each column the key, the title and the meaning; `None` where they stay.
    pub(super) headers: Vec<Option<[String; 3]>>,
}

impl<T: Table> Table for Renamed<T> {
    fn key(&self) -> &str {
        self.table.key()
    }

    fn title(&self) -> &str {
        self.title.as_deref().unwrap_or_else(|| self.table.title())
    }

    fn columns(&self) -> usize {
        self.table.columns()
    }

    fn header(&self, column: usize) -> Header<'_> {
        let header = self.table.header(column);
        match &self.headers[column] {
            Some([key, title, doc]) => Header { key, title, doc, ..header },
            None => header,
        }
    }

    fn rows(&self) -> usize {
        self.table.rows()
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        self.table.value(row, column)
    }

    fn layout(&self) -> &Layout {
        self.table.layout()
    }

    fn origin_ns(&self) -> Ns {
        self.table.origin_ns()
    }

    fn prepare(&self) {
        self.table.prepare();
    }

    fn parts_by_largest(&self, column: usize) -> Option<Vec<(Range<usize>, i64)>> {
        self.table.parts_by_largest(column)
    }
}
