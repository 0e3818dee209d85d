//! Parquet and Arrow IPC: typed columns. The metadata of each field has its unit and meaning.

use super::source::ExportSource;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use dlprof_core::{Selection, Table, TextForm, View};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

/// Number of rows of a row group. It is small, so that a reader of a time range can skip most of a large file.
const ROW_GROUP: usize = 1 << 18;

/// If rows have this column, they are written in its order, so that each row group covers one span of time.
const TIME: &str = "gpu_start_ns";

/// One Parquet file, compressed with zstd. Texts are dictionary encoded.
pub(super) fn write_parquet(
    table: &dyn Table,
    source: Option<&ExportSource>,
    out: &mut (dyn Write + Send),
) -> io::Result<()> {
    let view = by_time(table)?;
    let table: &dyn Table = &view;
    let batches = table.record_batches(TextForm::Plain);
    let schema = with_source(&batches.schema(), source)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_dictionary_enabled(true)
        .set_key_value_metadata(Some(file_metadata(&schema)))
        .build();
    let mut writer = ArrowWriter::try_new(out, schema, Some(properties))?;
    for batch in batches {
        writer.write(&batch.map_err(other)?)?;
    }
    writer.close()?;
    Ok(())
}

/// The metadata of a schema as that of the file, in order of key, for readers that know nothing of Arrow.
fn file_metadata(schema: &Schema) -> Vec<KeyValue> {
    let sorted: BTreeMap<&String, &String> = schema.metadata().iter().collect();
    sorted.into_iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect()
}

/// One Arrow IPC file. Texts are dictionary encoded; all batches share the dictionaries, because a file must not replace one.
pub(super) fn write_arrow(
    table: &dyn Table,
    source: Option<&ExportSource>,
    out: &mut (dyn Write + Send),
) -> io::Result<()> {
    let view = by_time(table)?;
    let table: &dyn Table = &view;
    let batches = table.record_batches(TextForm::SharedDictionaries);
    let schema = with_source(&batches.schema(), source)?;
    let mut writer = FileWriter::try_new(out, &schema).map_err(other)?;
    for batch in batches {
        writer.write(&batch.map_err(other)?).map_err(other)?;
    }
    writer.finish().map_err(other)
}

/// The rows in the order in which they are written: by time if they have one.
fn by_time(table: &dyn Table) -> io::Result<View<'_>> {
    let has_time = (0..table.columns()).any(|column| table.header(column).key == TIME);
    let sort = if has_time { &[TIME.to_owned()][..] } else { &[] };
    View::new(table, &Selection { sort, ..Selection::default() }).map_err(io::Error::other)
}

/// The metadata of the file are the title of the table and its source.
fn with_source(schema: &Schema, source: Option<&ExportSource>) -> io::Result<SchemaRef> {
    let mut metadata = schema.metadata().clone();
    if let Some(source) = source {
        metadata.insert("source".to_owned(), source.to_json()?);
    }
    Ok(Arc::new(schema.clone().with_metadata(metadata)))
}

fn other(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}
