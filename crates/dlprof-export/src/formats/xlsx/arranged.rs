//! A table as people read it: the columns that matter most first, the rows with most time first.

use super::cells::{MOST_ROWS, column_text};
use crate::display::{ColumnText, TimeUnit};
use dlprof_core::base::time::Ns;
use dlprof_core::tables::{Header, Layout, Selection, Table, Value, View, columns_for_people};
use std::collections::HashMap;

/// Kernels by op: the rows of an op stay together, so that a link from the op leads to all of them.
pub(super) const KERNELS_BY_OP: &str = "kernel_summaries";

/// Op IDs.
pub(super) const OP_ID: &str = "op_id";

/// A table with its columns and rows in another order. No row or column is left out.
pub(super) struct Arranged<'a> {
    table: &'a dyn Table,
    /// The rows in order; none if they keep the order of the table.
    view: Option<View<'a>>,
    /// Positions of the rows in the view; none if they are those of the view.
    rows: Option<Vec<usize>>,
    columns: Vec<usize>,
    /// How the cells of each column are shown.
    texts: Vec<ColumnText<'a>>,
}

impl<'a> Arranged<'a> {
    pub(super) fn new(table: &'a dyn Table, time_unit: TimeUnit) -> Self {
        let sort = table.layout().sort();
        // To sort, the rows are held in memory; more than a sheet can hold are not.
        let is_sorted = !sort.is_empty() && table.rows() <= MOST_ROWS;
        let view = is_sorted.then(|| View::new(table, &Selection { sort: &sort, ..Selection::default() }));
        let columns = columns_for_people(table);
        let texts = columns.iter().map(|&column| column_text(table, column, time_unit)).collect();
        let mut arranged = Self { table, view: view.and_then(Result::ok), rows: None, columns, texts };
        if table.key() == KERNELS_BY_OP {
            arranged.rows = arranged.rows_by_op();
        }
        arranged
    }

    /// How the cells of a column are shown.
    pub(super) fn text(&self, column: usize) -> &ColumnText<'a> {
        &self.texts[column]
    }

    /// The rows in order of the op's first row, then in their order.
    fn rows_by_op(&self) -> Option<Vec<usize>> {
        let column = position(self, OP_ID)?;
        let mut first = HashMap::new();
        let mut rows: Vec<(usize, usize)> = Vec::with_capacity(self.rows());
        for row in 0..self.rows() {
            let op = match self.value(row, column) {
                Value::Text(op) => op.into_owned(),
                _ => String::new(),
            };
            rows.push((*first.entry(op).or_insert(row), row));
        }
        rows.sort_unstable();
        Some(rows.into_iter().map(|(_, row)| row).collect())
    }
}

/// The position of a column.
pub(super) fn position(table: &dyn Table, key: &str) -> Option<usize> {
    (0..table.columns()).find(|&column| table.header(column).key == key)
}

impl Table for Arranged<'_> {
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
        self.table.rows()
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        let row = self.rows.as_ref().map_or(row, |rows| rows[row]);
        match &self.view {
            Some(view) => view.value(row, self.columns[column]),
            None => self.table.value(row, self.columns[column]),
        }
    }

    fn origin_ns(&self) -> Ns {
        self.table.origin_ns()
    }

    fn layout(&self) -> &Layout {
        self.table.layout()
    }
}
