//! Parquet and Arrow IPC: typed columns. The metadata of each field has its unit and meaning.

use super::source::ExportSource;
use crate::cells;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use dlprof_core::tables::{CellKind, Selection, Table, View};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

/// Number of rows of a batch.
const BATCH: usize = 1 << 16;

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
    let schema = Arc::new(schema(table, DataType::Utf8, source)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_dictionary_enabled(true)
        .set_key_value_metadata(Some(file_metadata(&schema)))
        .build();
    let mut writer = ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties))?;
    for_each_rows(table, |view, rows| {
        let columns = (0..view.columns()).map(|column| array(view, column, rows.clone())).collect();
        Ok(writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns).map_err(other)?)?)
    })?;
    writer.close()?;
    Ok(())
}

/// The metadata of a schema as that of the file, in order of key, for readers that know nothing of Arrow.
fn file_metadata(schema: &Schema) -> Vec<KeyValue> {
    let sorted: BTreeMap<&String, &String> = schema.metadata().iter().collect();
    sorted.into_iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect()
}

/// One Arrow IPC file. Texts are dictionary encoded; a file has one dictionary per column.
pub(super) fn write_arrow(
    table: &dyn Table,
    source: Option<&ExportSource>,
    out: &mut (dyn Write + Send),
) -> io::Result<()> {
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let schema = Arc::new(schema(table, dictionary, source)?);
    let mut writer = FileWriter::try_new(out, &schema).map_err(other)?;
    let mut dictionaries: Option<Vec<Option<Dictionary>>> = None;
    for_each_rows(table, |view, rows| {
        // All batches share the dictionaries: a file must not replace one.
        let columns = 0..view.columns();
        let dictionaries = match &dictionaries {
            Some(known) => known,
            None => {
                let made = columns.clone().map(|column| Dictionary::of(view, column));
                dictionaries.insert(made.collect::<io::Result<_>>()?)
            }
        };
        let column = |at: usize| match &dictionaries[at] {
            Some(dictionary) => dictionary.array(view, at, rows.clone()),
            None => Ok(array(view, at, rows.clone())),
        };
        let columns = columns.map(column).collect::<io::Result<_>>()?;
        writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns).map_err(other)?).map_err(other)
    })?;
    writer.finish().map_err(other)
}

/// The distinct texts of a column, in order of first use.
struct Dictionary {
    texts: ArrayRef,
    places: HashMap<String, i32>,
}

impl Dictionary {
    /// The dictionary of a column of texts; none for other columns.
    fn of(table: &dyn Table, column: usize) -> io::Result<Option<Self>> {
        if !matches!(table.header(column).kind, CellKind::Text | CellKind::Answer) {
            return Ok(None);
        }
        let mut list: Vec<String> = Vec::new();
        let mut places = HashMap::new();
        for text in cells::texts(table, column, 0..table.rows()).flatten() {
            if !places.contains_key(text.as_ref()) {
                places.insert(text.to_string(), i32::try_from(list.len()).map_err(io::Error::other)?);
                list.push(text.into_owned());
            }
        }
        Ok(Some(Self { texts: Arc::new(StringArray::from(list)), places }))
    }

    fn array(&self, table: &dyn Table, column: usize, rows: Range<usize>) -> io::Result<ArrayRef> {
        let place = |text: Option<std::borrow::Cow<'_, str>>| self.places.get(text?.as_ref()).copied();
        let keys: Int32Array = cells::texts(table, column, rows).map(place).collect();
        let array = DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(&self.texts)).map_err(other)?;
        Ok(Arc::new(array))
    }
}

fn other(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}

/// The columns with their units and meanings; the metadata of the file is the title of the table and its source.
fn schema(table: &dyn Table, text: DataType, source: Option<&ExportSource>) -> io::Result<Schema> {
    let field = |column| {
        let header = table.header(column);
        let data_type = match header.kind {
            CellKind::Int => DataType::Int64,
            CellKind::Float => DataType::Float64,
            CellKind::Flag => DataType::Boolean,
            CellKind::Text | CellKind::Answer => text.clone(),
        };
        let metadata = [("title", header.title), ("unit", header.unit.symbol()), ("description", header.doc)];
        let metadata: HashMap<String, String> =
            metadata.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        Field::new(header.key, data_type, true).with_metadata(metadata)
    };
    let fields: Vec<Field> = (0..table.columns()).map(field).collect();
    let mut metadata = HashMap::from([("title".to_owned(), table.title().to_owned())]);
    if let Some(source) = source {
        metadata.insert("source".to_owned(), source.to_json()?);
    }
    Ok(Schema::new_with_metadata(fields, metadata))
}

/// Hands over the rows in parts, in the order in which they are written: by time if they have one.
fn for_each_rows(
    table: &dyn Table,
    mut write: impl FnMut(&View<'_>, Range<usize>) -> io::Result<()>,
) -> io::Result<()> {
    let sort = [TIME.to_owned()];
    let has_time = (0..table.columns()).any(|column| table.header(column).key == TIME);
    let sort = if has_time { &sort[..] } else { &[] };
    let view = View::new(table, &Selection { sort, ..Selection::default() }).map_err(io::Error::other)?;
    for first in (0..view.rows()).step_by(BATCH) {
        write(&view, first..view.rows().min(first + BATCH))?;
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
