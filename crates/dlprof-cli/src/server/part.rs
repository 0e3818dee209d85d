//! Chosen rows and columns of a table, as a table.

use super::refusal::Refusal;
use dlprof_core::base::time::Ns;
use dlprof_core::tables::{Columns, Header, Layout, Table, Value};

/// Numbers of rows, in order.
#[derive(Debug)]
pub(super) enum Rows {
    /// All rows in the order of the table.
    All(usize),
    /// These.
    These(Vec<u32>),
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::All(count) => *count,
            Self::These(rows) => rows.len(),
        }
    }

    pub(super) fn get(&self, at: usize) -> usize {
        match self {
            Self::All(_) => at,
            Self::These(rows) => rows[at] as usize,
        }
    }
}

/// Chosen rows and columns of a table.
pub(super) struct Part<'a> {
    table: &'a dyn Table,
    columns: Vec<usize>,
    rows: &'a Rows,
    from: usize,
    count: usize,
}

impl<'a> Part<'a> {
    /// All columns of chosen rows.
    pub(super) fn of_rows(table: &'a dyn Table, rows: &'a Rows) -> Self {
        Self { table, columns: (0..table.columns()).collect(), rows, from: 0, count: rows.len() }
    }

    /// Columns with these keys, in this order; all columns if there are no keys.
    pub(super) fn with_columns(self, keys: &[String]) -> Result<Self, Refusal> {
        if keys.is_empty() {
            return Ok(self);
        }
        let known = Columns::of(self.table);
        let columns = keys.iter().map(|key| known.position(key)).collect::<Result<_, _>>()?;
        Ok(Self { columns, ..self })
    }

    /// At most `count` of the rows, from one of them on.
    pub(super) fn page(self, from: usize, count: usize) -> Self {
        let from = from.min(self.rows.len());
        Self { from, count: count.min(self.rows.len() - from), ..self }
    }
}

impl Table for Part<'_> {
    fn key(&self) -> &str {
        self.table.key()
    }

    fn title(&self) -> &str {
        self.table.title()
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn header(&self, column: usize) -> Header<'_> {
        self.table.header(self.columns[column])
    }

    fn rows(&self) -> usize {
        self.count
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        self.table.value(self.rows.get(self.from + row), self.columns[column])
    }

    fn origin_ns(&self) -> Ns {
        self.table.origin_ns()
    }

    fn layout(&self) -> &Layout {
        self.table.layout()
    }

    fn prepare(&self) {
        self.table.prepare();
    }
}
