//! A table as people read it: the columns that matter most first, the rows with most time first.

use super::cells::{MOST_ROWS, column_text};
use crate::display::{ColumnText, TimeUnit};
use dlprof_core::{Rows, Selection, SelectionError, Table, Value, View, columns_for_people};
use std::collections::HashMap;

/// Kernels by op: the rows of an op stay together, so that a link from the op leads to all of them.
pub(super) const KERNELS_BY_OP: &str = "kernel_summaries";

/// Op IDs.
pub(super) const OP_ID: &str = "op_id";

/// A table with its columns and rows in another order. No row or column is left out.
pub(super) struct Arranged<'a> {
    pub(super) view: View<'a>,
    /// How the cells of each column are shown.
    texts: Vec<ColumnText<'a>>,
}

impl<'a> Arranged<'a> {
    pub(super) fn new(table: &'a dyn Table, time_unit: TimeUnit) -> Result<Self, SelectionError> {
        // To sort, the rows are held in memory; more than a sheet can hold are not.
        let sort = if table.rows() <= MOST_ROWS { table.layout().sort() } else { Vec::new() };
        let columns = columns_for_people(table);
        let texts = columns.iter().map(|&column| column_text(table, column, time_unit)).collect();
        let view =
            View::new(table, &Selection { sort: &sort, ..Selection::default() })?.with_columns(columns);
        let view = if table.key() == KERNELS_BY_OP { by_op(view) } else { view };
        Ok(Self { view, texts })
    }

    /// How the cells of a column are shown.
    pub(super) fn text(&self, column: usize) -> &ColumnText<'a> {
        &self.texts[column]
    }
}

/// The rows in order of the op's first row, then in their order.
fn by_op(view: View<'_>) -> View<'_> {
    let Some(column) = position(&view, OP_ID) else { return view };
    let mut first = HashMap::new();
    let mut rows: Vec<(usize, usize)> = Vec::with_capacity(view.rows());
    for row in 0..view.rows() {
        let op = match view.value(row, column) {
            Value::Text(op) => op.into_owned(),
            _ => String::new(),
        };
        rows.push((*first.entry(op).or_insert(row), row));
    }
    rows.sort_unstable();
    let numbers = Rows::these(rows.into_iter().map(|(_, row)| view.row_numbers().get(row)));
    view.with_rows(numbers)
}

/// The position of a column.
pub(super) fn position(table: &dyn Table, key: &str) -> Option<usize> {
    (0..table.columns()).find(|&column| table.header(column).key == key)
}
