//! The cells of a table as texts.

use crate::display::{ColumnText, TimeUnit, UNKNOWN_CELL};
use crate::text::width;
use dlprof_core::{CellKind, Header, Importance, Table, Value};

/// The columns of a table as texts, in the order in which they are shown.
pub(super) struct Cells<'a> {
    pub(super) table: &'a dyn Table,
    positions: Vec<usize>,
    texts: Vec<ColumnText<'a>>,
    /// The width of the widest cell of each column.
    pub(super) widths: Vec<usize>,
    /// How many columns, from the first on, have a cell that says something.
    pub(super) filled: usize,
}

impl<'a> Cells<'a> {
    /// The columns at some positions of a table.
    pub(super) fn new(table: &'a dyn Table, positions: Vec<usize>, time_unit: TimeUnit) -> Self {
        let texts = positions.iter().map(|&at| ColumnText::new(table, at, time_unit)).collect();
        let filled = positions.len();
        let mut cells = Self { table, positions, texts, widths: Vec::new(), filled };
        let widest = |column| (0..table.rows()).map(|row| width(&cells.cell(row, column))).max().unwrap_or(0);
        cells.widths = (0..cells.positions.len()).map(widest).collect();
        cells
    }

    /// Puts columns in which no cell says anything last.
    pub(super) fn empty_last(&mut self) {
        let is_empty = |column: usize| {
            (0..self.table.rows()).all(|row| ["", UNKNOWN_CELL].contains(&self.cell(row, column).as_str()))
        };
        let mut order: Vec<usize> = (0..self.columns()).collect();
        let is_last: Vec<bool> =
            order.iter().map(|&at| self.importance(at) != Importance::Always && is_empty(at)).collect();
        order.sort_by_key(|&at| is_last[at]);
        self.positions = order.iter().map(|&at| self.positions[at]).collect();
        self.texts = order.iter().map(|&at| self.texts[at]).collect();
        self.widths = order.iter().map(|&at| self.widths[at]).collect();
        self.filled = is_last.iter().filter(|&&is_last| !is_last).count();
    }

    pub(super) fn columns(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn header(&self, column: usize) -> Header<'_> {
        self.table.header(self.positions[column])
    }

    /// The title with its unit.
    pub(super) fn title(&self, column: usize) -> String {
        self.texts[column].title()
    }

    pub(super) fn cell(&self, row: usize, column: usize) -> String {
        match self.table.value(row, self.positions[column]) {
            Value::Null => UNKNOWN_CELL.to_owned(),
            value => self.texts[column].cell(&value),
        }
    }

    pub(super) fn is_number(&self, column: usize) -> bool {
        self.texts[column].is_number()
    }

    /// Whether long cells can be cut.
    pub(super) fn is_text(&self, column: usize) -> bool {
        matches!(self.header(column).kind, CellKind::Text | CellKind::Json)
    }

    pub(super) fn is_sentence(&self, column: usize) -> bool {
        self.table.layout().is_sentence(self.header(column).key)
    }

    pub(super) fn is_relative(&self, column: usize) -> bool {
        self.texts[column].is_relative()
    }

    pub(super) fn importance(&self, column: usize) -> Importance {
        self.table.layout().importance(self.header(column).key)
    }
}
