//! Turns tables into frames of the query engine, with the declared types.

use super::PROFILE;
use crate::cells;
use dlprof_core::tables::{CellKind, Definition, Header, Table};
use polars::prelude::{
    BooleanChunked, Column, DataFrame, DataType, Field, Float64Chunked, Int64Chunked, IntoColumn,
    NewChunkedArray, PlSmallStr, PolarsResult, Scalar, Schema, StringChunked,
};

/// An empty frame with the requested columns of a table; at least one, because only a column has a number of rows.
pub(super) fn empty(definition: &Definition, has_profile: bool, is_read: impl Fn(&str) -> bool) -> DataFrame {
    let headers = definition.headers();
    let mut read: Vec<&&Header<'_>> = headers.iter().filter(|header| is_read(header.key)).collect();
    if read.is_empty() {
        read.extend(headers.first());
    }
    let profile = has_profile.then(|| Field::new(PROFILE.into(), DataType::String));
    let declared = read.into_iter().map(|header| Field::new(header.key.into(), data_type(header.kind)));
    DataFrame::empty_with_schema(&profile.into_iter().chain(declared).collect::<Schema>())
}

fn data_type(kind: CellKind) -> DataType {
    match kind {
        CellKind::Int => DataType::Int64,
        CellKind::Float => DataType::Float64,
        CellKind::Flag => DataType::Boolean,
        CellKind::Text | CellKind::Answer => DataType::String,
    }
}

/// Appends all rows of a table, in the columns of the frame. If `profile` is given, it is the first column.
pub(super) fn append(frame: &mut DataFrame, table: &dyn Table, profile: Option<&str>) -> PolarsResult<()> {
    let profile = profile.map(|profile| {
        Column::new_scalar(PROFILE.into(), Scalar::from(PlSmallStr::from_str(profile)), table.rows())
    });
    let is_read = |&at: &usize| frame.get_column_index(table.header(at).key).is_some();
    let declared = (0..table.columns()).filter(is_read).map(|at| column(table, at));
    let columns: Vec<Column> = profile.into_iter().chain(declared).collect();
    let rows = DataFrame::new(table.rows(), columns)?;
    frame.vstack_mut_owned(rows)?;
    Ok(())
}

fn column(table: &dyn Table, at: usize) -> Column {
    let Header { key, kind, .. } = table.header(at);
    let name = PlSmallStr::from_str(key);
    let rows = 0..table.rows();
    match kind {
        CellKind::Int => Int64Chunked::from_iter_options(name, cells::ints(table, at, rows)).into_column(),
        CellKind::Float => {
            Float64Chunked::from_iter_options(name, cells::floats(table, at, rows)).into_column()
        }
        CellKind::Flag => {
            BooleanChunked::from_iter_options(name, cells::flags(table, at, rows)).into_column()
        }
        CellKind::Text | CellKind::Answer => {
            StringChunked::from_iter_options(name, cells::texts(table, at, rows)).into_column()
        }
    }
}
