//! The cells of a column as values of one type. No column has cells of several types; such a cell would become
//! undefined.

use dlprof_core::tables::{Table, Value};
use std::borrow::Cow;
use std::ops::Range;

/// Cells of a column of whole numbers.
pub(crate) fn ints(
    table: &dyn Table,
    column: usize,
    rows: Range<usize>,
) -> impl Iterator<Item = Option<i64>> {
    rows.map(move |row| if let Value::Int(number) = table.value(row, column) { Some(number) } else { None })
}

/// Cells of a column of fractions.
pub(crate) fn floats(
    table: &dyn Table,
    column: usize,
    rows: Range<usize>,
) -> impl Iterator<Item = Option<f64>> {
    rows.map(move |row| if let Value::Float(number) = table.value(row, column) { Some(number) } else { None })
}

/// Cells of a column of flags.
pub(crate) fn flags(
    table: &dyn Table,
    column: usize,
    rows: Range<usize>,
) -> impl Iterator<Item = Option<bool>> {
    rows.map(move |row| if let Value::Flag(flag) = table.value(row, column) { Some(flag) } else { None })
}

/// Cells of a column of texts.
pub(crate) fn texts(
    table: &dyn Table,
    column: usize,
    rows: Range<usize>,
) -> impl Iterator<Item = Option<Cow<'_, str>>> {
    rows.map(move |row| if let Value::Text(text) = table.value(row, column) { Some(text) } else { None })
}
