//! The captures that a query reads.

use super::cells::Cells;
use dlprof_core::advice::Judged;
use dlprof_core::advice::tables::Definition;
use dlprof_core::tables::{CellKind, Header, Table, Value};

/// The captures that a query reads, in the order in which they were given.
#[derive(Debug, Default)]
pub(super) struct Captures {
    /// Whether the column with their names is part of `select *`.
    pub(super) has_profile: bool,
    pub(super) list: Vec<NamedCapture>,
}

/// A capture and its name.
#[derive(Debug)]
pub(super) struct NamedCapture {
    pub(super) name: String,
    pub(super) rows: Rows,
}

/// The rows of a capture's tables.
#[derive(Debug)]
pub(super) enum Rows {
    /// Those of a judged profile: a cell is computed when it is asked for.
    Live(Judged),
    /// Those that a query reads, copied, so that captures need not be in memory together.
    Copied(Vec<CopiedTable>),
}

/// The columns of a table that a query reads.
#[derive(Debug)]
pub(super) struct CopiedTable {
    key: &'static str,
    kinds: Vec<CellKind>,
    rows: usize,
    cells: Cells,
}

/// A table of a capture, with all that is needed to read its cells.
pub(super) enum OpenTable<'a> {
    Live(Box<dyn Table + 'a>),
    Copied(&'a CopiedTable),
}

impl Captures {
    /// About how much memory copies take.
    pub(super) fn copied_bytes(&self) -> usize {
        let of_tables = |tables: &[CopiedTable]| tables.iter().map(|table| table.cells.bytes()).sum();
        let of_capture = |capture: &NamedCapture| match &capture.rows {
            Rows::Live(_) => 0,
            Rows::Copied(tables) => of_tables(tables),
        };
        self.list.iter().map(of_capture).sum()
    }
}

impl NamedCapture {
    /// A table of this capture; `None` if it was not copied.
    pub(super) fn table(&self, definition: &Definition) -> Option<OpenTable<'_>> {
        match &self.rows {
            Rows::Live(judged) => Some(OpenTable::Live((definition.build)(judged))),
            Rows::Copied(tables) => {
                tables.iter().find(|table| table.key == definition.key).map(OpenTable::Copied)
            }
        }
    }
}

impl CopiedTable {
    /// Copies columns of a table.
    pub(super) fn new(judged: &Judged, definition: &'static Definition, columns: &[usize]) -> Self {
        let table = (definition.build)(judged);
        if !columns.is_empty() {
            table.prepare();
        }
        let mut cells = Cells::new(table.columns());
        for &column in columns {
            for row in 0..table.rows() {
                cells.push(column, &table.value(row, column));
            }
        }
        let kind = |header: &Header<'_>| header.kind;
        let kinds = definition.headers().into_iter().map(kind).collect();
        Self { key: definition.key, kinds, rows: table.rows(), cells }
    }
}

impl OpenTable<'_> {
    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Live(table) => table.rows(),
            Self::Copied(table) => table.rows,
        }
    }

    pub(super) fn value(&self, row: usize, column: usize) -> Value<'_> {
        match self {
            Self::Live(table) => table.value(row, column),
            Self::Copied(table) => table.cells.value(row, column, table.kinds[column]),
        }
    }

    /// Told that many rows will be looked at.
    pub(super) fn prepare(&self) {
        if let Self::Live(table) = self {
            table.prepare();
        }
    }
}
