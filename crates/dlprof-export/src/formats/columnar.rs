//! Parquet and Arrow IPC: typed columns. The metadata of each field has its unit and meaning.

use crate::cells;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use dlprof_core::tables::{CellKind, Selection, Table, View};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

/// Number of rows of a batch.
const BATCH: usize = 1 << 16;

/// Number of rows of a row group. It is small, so that a reader of a time range can skip most of a large file.
const ROW_GROUP: usize = 1 << 18;

/// If rows have this column, they are written in its order, so that each row group covers one span of time.
const TIME: &str = "gpu_start_ns";

/// One Parquet file, compressed with zstd.
pub(super) fn write_parquet(table: &dyn Table, out: &mut (dyn Write + Send)) -> io::Result<()> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .build();
    let schema = Arc::new(schema(table));
    let mut writer = ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties))?;
    for_each_batch(table, &schema, |batch| Ok(writer.write(batch)?))?;
    writer.close()?;
    Ok(())
}

/// One Arrow IPC file.
pub(super) fn write_arrow(table: &dyn Table, out: &mut (dyn Write + Send)) -> io::Result<()> {
    let schema = Arc::new(schema(table));
    let mut writer = FileWriter::try_new(out, &schema).map_err(other)?;
    for_each_batch(table, &schema, |batch| writer.write(batch).map_err(other))?;
    writer.finish().map_err(other)
}

fn other(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}

fn schema(table: &dyn Table) -> Schema {
    let field = |column| {
        let header = table.header(column);
        let data_type = match header.kind {
            CellKind::Int => DataType::Int64,
            CellKind::Float => DataType::Float64,
            CellKind::Flag => DataType::Boolean,
            CellKind::Text | CellKind::Answer => DataType::Utf8,
        };
        let metadata = [("title", header.title), ("unit", header.unit.symbol()), ("description", header.doc)];
        let metadata: HashMap<String, String> =
            metadata.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        Field::new(header.key, data_type, true).with_metadata(metadata)
    };
    let fields: Vec<Field> = (0..table.columns()).map(field).collect();
    let title = [("title".to_owned(), table.title().to_owned())];
    Schema::new_with_metadata(fields, title.into())
}

/// The order in which the rows are written: by time if they have one.
fn for_each_batch(
    table: &dyn Table,
    schema: &Arc<Schema>,
    mut write: impl FnMut(&RecordBatch) -> io::Result<()>,
) -> io::Result<()> {
    let sort = [TIME.to_owned()];
    let has_time = schema.field_with_name(TIME).is_ok();
    let sort = if has_time { &sort[..] } else { &[] };
    let view = View::new(table, &Selection { sort, ..Selection::default() }).map_err(io::Error::other)?;
    for first in (0..view.rows()).step_by(BATCH) {
        let rows = first..view.rows().min(first + BATCH);
        let columns = (0..view.columns()).map(|column| array(&view, column, rows.clone())).collect();
        write(&RecordBatch::try_new(Arc::clone(schema), columns).map_err(other)?)?;
    }
    Ok(())
}

fn array(table: &dyn Table, column: usize, rows: Range<usize>) -> ArrayRef {
    match table.header(column).kind {
        CellKind::Int => Arc::new(cells::ints(table, column, rows).collect::<Int64Array>()),
        CellKind::Float => Arc::new(cells::floats(table, column, rows).collect::<Float64Array>()),
        CellKind::Flag => Arc::new(cells::flags(table, column, rows).collect::<BooleanArray>()),
        CellKind::Text | CellKind::Answer => {
            Arc::new(cells::texts(table, column, rows).collect::<StringArray>())
        }
    }
}
