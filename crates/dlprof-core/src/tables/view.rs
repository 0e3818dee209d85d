//! Chosen columns and rows of a table, as a table.

use super::column_names::Columns;
use super::held::Held;
use super::layout::Layout;
use super::rows::Rows;
use super::selection::{Selection, SelectionError};
use super::table::{Header, Table, Value};
use crate::base::time::Ns;
use std::sync::Arc;

/// Chosen columns and rows of a table, in a chosen order.
#[derive(Clone)]
pub struct View<'a> {
    table: Held<'a>,
    columns: Vec<usize>,
    rows: Rows,
    on_row: Option<&'a (dyn Fn() + Sync)>,
}

impl<'a> View<'a> {
    /// A whole table.
    #[must_use]
    pub fn of(table: &'a dyn Table) -> Self {
        Self::whole(Held::Borrowed(table))
    }

    /// A whole table, which the view owns together with others.
    #[must_use]
    pub fn shared(table: Arc<dyn Table>) -> Self {
        Self::whole(Held::Shared(table))
    }

    fn whole(table: Held<'a>) -> Self {
        let columns = (0..table.columns()).collect();
        Self { columns, rows: Rows::all(table.rows()), on_row: None, table }
    }

    /// What is selected of a table.
    ///
    /// # Errors
    /// If the table lacks a column, or a condition cannot be read.
    pub fn new(table: &'a dyn Table, selection: &Selection<'_>) -> Result<Self, SelectionError> {
        Self::of(table).select(selection)
    }

    /// Those of its rows that a selection chooses, and the columns that it names, which are any of the table.
    ///
    /// # Errors
    /// If the table lacks a column, or a condition cannot be read.
    pub fn select(self, selection: &Selection<'_>) -> Result<Self, SelectionError> {
        let chosen = selection.resolve(&Columns::of(&*self.table))?;
        let rows = chosen.of_rows(&*self.table, self.rows);
        let columns = if chosen.columns.is_empty() { self.columns } else { chosen.columns };
        Ok(Self { columns, rows, ..self })
    }

    /// The columns of the table at these positions, in this order.
    #[must_use]
    pub fn with_columns(self, columns: Vec<usize>) -> Self {
        Self { columns, ..self }
    }

    /// The rows of the table with these numbers, in this order.
    #[must_use]
    pub fn with_rows(self, rows: Rows) -> Self {
        Self { rows, ..self }
    }

    /// At most `count` of its rows, from one of them on.
    #[must_use]
    pub fn page(self, from: usize, count: usize) -> Self {
        Self { rows: self.rows.page(from, count), ..self }
    }

    /// Calls a function whenever the first cell of a row is read.
    #[must_use]
    pub fn on_row(self, on_row: Option<&'a (dyn Fn() + Sync)>) -> Self {
        Self { on_row, ..self }
    }

    /// The numbers that its rows have in the table.
    #[must_use]
    pub fn row_numbers(&self) -> &Rows {
        &self.rows
    }
}

/// The positions of the columns of a table in the order in which people see them: by importance.
#[must_use]
pub fn columns_for_people(table: &dyn Table) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..table.columns()).collect();
    columns.sort_by_key(|&column| table.layout().rank(table.header(column).key));
    columns
}

impl Table for View<'_> {
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
        self.rows.len()
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        if column == 0
            && let Some(on_row) = self.on_row
        {
            on_row();
        }
        self.table.value(self.rows.get(row), self.columns[column])
    }

    fn layout(&self) -> &Layout {
        self.table.layout()
    }

    fn origin_ns(&self) -> Ns {
        self.table.origin_ns()
    }

    fn prepare(&self) {
        // A few rows are found sooner one by one.
        if 2 * self.rows.len() >= self.table.rows() {
            self.table.prepare();
        }
    }
}
