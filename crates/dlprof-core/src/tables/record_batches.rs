//! The rows of a table as Arrow record batches: typed columns, for files and for programs in other languages.

use super::held::Held;
use super::table::{CellKind, Header, Table, Value};
use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch,
    RecordBatchOptions, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// How record batches hold texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// A text per row.
    Plain,
    /// A dictionary per column and batch, in order of first use.
    Dictionaries,
    /// A dictionary per column, which all batches share, in order of first use. Its texts are read once more for it.
    SharedDictionaries,
}

impl dyn Table + '_ {
    /// All rows in order, [`RecordBatches::ROWS`] to a batch. A field has the title, the unit and the meaning of its column as
    /// metadata, the schema the title of the table.
    pub fn record_batches(&self, texts: TextForm) -> RecordBatches<'_> {
        RecordBatches::of(Held::Borrowed(self), texts)
    }
}

/// The rows of a table as record batches.
pub struct RecordBatches<'a> {
    table: Held<'a>,
    schema: SchemaRef,
    texts: TextForm,
    /// By column; made for the first batch.
    shared: Option<Vec<Option<Dictionary>>>,
    /// The first row of the next batch.
    next: usize,
}

impl RecordBatches<'static> {
    /// As `record_batches` of a table; these own the table together with others.
    #[must_use]
    pub fn shared(table: Arc<dyn Table>, texts: TextForm) -> Self {
        Self::of(Held::Shared(table), texts)
    }
}

impl<'a> RecordBatches<'a> {
    /// Number of rows of each batch but the last.
    pub const ROWS: usize = 1 << 16;

    fn of(table: Held<'a>, texts: TextForm) -> Self {
        table.prepare();
        Self { schema: Arc::new(schema(&*table, texts)), table, texts, shared: None, next: 0 }
    }

    /// The columns.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn batch(&mut self, rows: &Range<usize>) -> Result<RecordBatch, ArrowError> {
        let table = &*self.table;
        let columns = 0..table.columns();
        let shared = match (self.texts, &mut self.shared) {
            (TextForm::SharedDictionaries, shared @ None) => {
                let made =
                    columns.clone().map(|column| Dictionary::of(table, column)).collect::<Result<_, _>>();
                shared.insert(made?)
            }
            (_, shared) => shared.get_or_insert_default(),
        };
        let array = |column: usize| match shared.get(column) {
            Some(Some(dictionary)) => dictionary.array(table, column, rows.clone()),
            _ => array(table, column, rows.clone(), self.texts),
        };
        let arrays = columns.map(array).collect::<Result<_, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
    }
}

impl Iterator for RecordBatches<'_> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let end = self.table.rows().min(self.next + Self::ROWS);
        let rows = std::mem::replace(&mut self.next, end)..end;
        (!rows.is_empty()).then(|| self.batch(&rows))
    }
}

/// A cell of a column of a record batch.
#[must_use]
pub fn cell(column: &dyn Array, row: usize) -> Value<'_> {
    if column.is_null(row) {
        return Value::Null;
    }
    match column.data_type() {
        DataType::Int64 => Value::Int(column.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => Value::Float(column.as_primitive::<Float64Type>().value(row)),
        DataType::Boolean => Value::Flag(column.as_boolean().value(row)),
        DataType::Dictionary(..) => {
            let texts = column.as_dictionary::<Int32Type>();
            texts.key(row).map_or(Value::Null, |place| texts.values().as_string::<i32>().value(place).into())
        }
        _ => column.as_string::<i32>().value(row).into(),
    }
}

/// The columns with their units and meanings.
fn schema(table: &dyn Table, texts: TextForm) -> Schema {
    let fields: Vec<Field> = (0..table.columns()).map(|column| field(&table.header(column), texts)).collect();
    Schema::new_with_metadata(fields, HashMap::from([("title".to_owned(), table.title().to_owned())]))
}

fn field(header: &Header<'_>, texts: TextForm) -> Field {
    let data_type = match header.kind {
        CellKind::Int => DataType::Int64,
        CellKind::Float => DataType::Float64,
        CellKind::Flag => DataType::Boolean,
        kind if kind.is_text() && texts == TextForm::Plain => DataType::Utf8,
        CellKind::Text | CellKind::Answer | CellKind::Json => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
    };
    let metadata = [("title", header.title), ("unit", header.unit.symbol()), ("description", header.doc)];
    let metadata = metadata.map(|(key, value)| (key.to_owned(), value.to_owned()));
    Field::new(header.key, data_type, true).with_metadata(metadata.into())
}

/// The distinct texts of a column, in order of first use.
struct Dictionary {
    texts: ArrayRef,
    places: HashMap<String, i32>,
}

impl Dictionary {
    /// The dictionary of a column of texts; `None` for other columns.
    fn of(table: &dyn Table, column: usize) -> Result<Option<Self>, ArrowError> {
        if !table.header(column).kind.is_text() {
            return Ok(None);
        }
        let mut list: Vec<String> = Vec::new();
        let mut places = HashMap::new();
        for text in texts(table, column, 0..table.rows()).flatten() {
            if !places.contains_key(text.as_ref()) {
                let place = i32::try_from(list.len()).map_err(|_| ArrowError::DictionaryKeyOverflowError)?;
                places.insert(text.to_string(), place);
                list.push(text.into_owned());
            }
        }
        Ok(Some(Self { texts: Arc::new(StringArray::from(list)), places }))
    }

    fn array(&self, table: &dyn Table, column: usize, rows: Range<usize>) -> Result<ArrayRef, ArrowError> {
        let place = |text: Option<Cow<'_, str>>| self.places.get(text?.as_ref()).copied();
        let keys: Int32Array = texts(table, column, rows).map(place).collect();
        Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(&self.texts))?))
    }
}

/// Cells of a column. No column has cells of several types; such a cell would become undefined.
fn array(
    table: &dyn Table,
    column: usize,
    rows: Range<usize>,
    form: TextForm,
) -> Result<ArrayRef, ArrowError> {
    macro_rules! cells {
        ($array:ty, $variant:ident) => {{
            let cells = rows.map(|row| match table.value(row, column) {
                Value::$variant(cell) => Some(cell),
                _ => None,
            });
            Arc::new(cells.collect::<$array>())
        }};
    }
    Ok(match table.header(column).kind {
        CellKind::Int => cells!(Int64Array, Int),
        CellKind::Float => cells!(Float64Array, Float),
        CellKind::Flag => cells!(BooleanArray, Flag),
        kind if kind.is_text() && form == TextForm::Plain => cells!(StringArray, Text),
        CellKind::Text | CellKind::Answer | CellKind::Json => {
            let mut array = StringDictionaryBuilder::<Int32Type>::new();
            for text in texts(table, column, rows) {
                match text {
                    Some(text) => drop(array.append(text)?),
                    None => array.append_null(),
                }
            }
            Arc::new(array.finish())
        }
    })
}

/// Cells of a column of texts.
fn texts(table: &dyn Table, column: usize, rows: Range<usize>) -> impl Iterator<Item = Option<Cow<'_, str>>> {
    rows.map(move |row| if let Value::Text(text) = table.value(row, column) { Some(text) } else { None })
}
