//! The captures that a query reads.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use dlprof_core::{Definition, Judged, RecordBatches, Table, TextForm, Value, View, batch_cell};

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
    /// The place of each column among those that are copied.
    places: Vec<Option<usize>>,
    rows: usize,
    batches: Vec<RecordBatch>,
}

/// A table of a capture, with all that is needed to read its cells.
pub(super) enum OpenTable<'a> {
    Live(Box<dyn Table + 'a>),
    Copied(&'a CopiedTable),
}

impl Captures {
    /// About how much memory copies take.
    pub(super) fn copied_bytes(&self) -> usize {
        let of_tables = |tables: &[CopiedTable]| tables.iter().map(CopiedTable::bytes).sum();
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
    pub(super) fn new(
        judged: &Judged,
        definition: &'static Definition,
        columns: &[usize],
    ) -> Result<Self, ArrowError> {
        let table = (definition.build)(judged);
        let place = |column| columns.iter().position(|&copied| copied == column);
        let places = (0..table.columns()).map(place).collect();
        let view = View::of(table.as_ref()).with_columns(columns.to_vec());
        let batches = match columns {
            [] => Vec::new(),
            _ => (&view as &dyn Table).record_batches(TextForm::Dictionaries).collect::<Result<_, _>>()?,
        };
        Ok(Self { key: definition.key, places, rows: view.rows(), batches })
    }

    fn bytes(&self) -> usize {
        self.batches.iter().map(RecordBatch::get_array_memory_size).sum()
    }

    /// A cell; undefined in columns that were not copied.
    fn value(&self, row: usize, column: usize) -> Value<'_> {
        let Some(place) = self.places[column] else { return Value::Null };
        let batch = &self.batches[row / RecordBatches::ROWS];
        batch_cell(batch.column(place), row % RecordBatches::ROWS)
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
            Self::Copied(table) => table.value(row, column),
        }
    }

    /// Told that many rows will be looked at.
    pub(super) fn prepare(&self) {
        if let Self::Live(table) = self {
            table.prepare();
        }
    }
}
