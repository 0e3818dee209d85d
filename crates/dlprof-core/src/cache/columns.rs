//! Named columns of numbers in one Arrow IPC file, each piece with a checksum.
//!
//! ```text
//! batch   u8   u32            i64
//! 0       []   [7, 7, 9, …]   []            first piece of column `work.device`
//! 1       []   [8, 8, 8, …]   []            its second piece
//! 2       []   []             [0, 15, …]    first piece of column `work.span`
//! footer  which batches make which column, a checksum of each batch; a checksum of that
//! ```
//!
//! A batch is one row: a piece of one column, in the list of its type. So columns of any lengths share a file, each
//! can be read by itself, and any Arrow reader can open it. Nothing is decoded before its checksum is right.

use arrow::array::{ArrayRef, ListArray, PrimitiveArray};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Field, Int64Type, Schema, SchemaRef, UInt8Type, UInt32Type,
};
use arrow::error::ArrowError;
use arrow::ipc::writer::FileWriter;
use arrow::record_batch::RecordBatch;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a piece: little enough to stay in the processor's cache from reading to checking to copying.
const PIECE_BYTES: usize = 256 << 10;

/// Items in a piece of a column.
pub(super) const fn piece<T: Stored>() -> usize {
    PIECE_BYTES / size_of::<<T::Raw as ArrowPrimitiveType>::Native>() / T::WIDTH
}

/// Keys of the footer's entries.
pub(super) const INDEX: &str = "dlprof-agg index";
pub(super) const INDEX_CHECKSUM: &str = "dlprof-agg index crc32";

/// Something that is stored as one or more numbers.
pub(super) trait Stored: Copy + Send {
    /// The type of the numbers.
    type Raw: Raw;
    /// How many numbers one takes.
    const WIDTH: usize;
    /// Appends the numbers.
    fn put(self, raw: &mut Vec<<Self::Raw as ArrowPrimitiveType>::Native>);
    /// Whether numbers mean anything, a multiple of `WIDTH`.
    fn are_valid(raw: &[<Self::Raw as ArrowPrimitiveType>::Native]) -> bool;
    /// Reads it from `WIDTH` valid numbers.
    fn take(raw: &[<Self::Raw as ArrowPrimitiveType>::Native]) -> Self;
}

/// A type of numbers that files hold.
pub(super) trait Raw: ArrowPrimitiveType {
    /// Its place among the columns of a batch.
    const PLACE: usize;
}

impl Raw for UInt8Type {
    const PLACE: usize = 0;
}

impl Raw for UInt32Type {
    const PLACE: usize = 1;
}

impl Raw for Int64Type {
    const PLACE: usize = 2;
}

fn item<T: Raw>() -> Arc<Field> {
    Arc::new(Field::new_list_field(T::DATA_TYPE, false))
}

pub(super) fn schema() -> SchemaRef {
    let list = |name: &str, item: Arc<Field>| Field::new(name, DataType::List(item), false);
    Arc::new(Schema::new(vec![
        list("u8", item::<UInt8Type>()),
        list("u32", item::<UInt32Type>()),
        list("i64", item::<Int64Type>()),
    ]))
}

/// A list of one row.
fn list<T: Raw>(values: Vec<T::Native>) -> ArrayRef {
    let offsets = OffsetBuffer::from_lengths([values.len()]);
    let values = PrimitiveArray::<T>::new(ScalarBuffer::from(values), None);
    Arc::new(ListArray::new(item::<T>(), offsets, Arc::new(values), None))
}

/// What the footer says.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Index {
    pub(super) label: String,
    /// By column: its batches.
    pub(super) columns: BTreeMap<String, Range<usize>>,
    /// By batch: the checksum of its bytes.
    pub(super) crc32: Vec<u32>,
}

/// Writes columns.
pub(super) struct Writer<W: Write> {
    file: FileWriter<Checked<W>>,
    schema: SchemaRef,
    index: Index,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(out: W) -> Result<Self, ArrowError> {
        let schema = schema();
        let file = FileWriter::try_new(Checked { out, crc32: crc32fast::Hasher::new() }, &schema)?;
        Ok(Self { file, schema, index: Index::default() })
    }

    /// Adds a column.
    pub(super) fn put<T: Stored>(
        &mut self,
        name: &str,
        values: impl IntoIterator<Item = T>,
    ) -> Result<(), ArrowError> {
        let first = self.index.crc32.len();
        let mut values = values.into_iter();
        loop {
            let mut raw = Vec::with_capacity(values.size_hint().0.min(piece::<T>()) * T::WIDTH);
            for value in values.by_ref().take(piece::<T>()) {
                value.put(&mut raw);
            }
            if raw.is_empty() {
                break;
            }
            let mut columns =
                vec![list::<UInt8Type>(vec![]), list::<UInt32Type>(vec![]), list::<Int64Type>(vec![])];
            columns[T::Raw::PLACE] = list::<T::Raw>(raw);
            self.file.get_mut().crc32.reset();
            self.file.write(&RecordBatch::try_new(Arc::clone(&self.schema), columns)?)?;
            self.index.crc32.push(self.file.get_ref().crc32.clone().finalize());
        }
        self.index.columns.insert(name.into(), first..self.index.crc32.len());
        Ok(())
    }

    /// Ends the file, with a label.
    pub(super) fn finish(mut self, label: &str) -> Result<(), ArrowError> {
        self.index.label = label.into();
        let index = serde_json::to_string(&self.index);
        let index = index.map_err(|error| ArrowError::JsonError(error.to_string()))?;
        self.file.write_metadata(INDEX_CHECKSUM, crc32fast::hash(index.as_bytes()).to_string());
        self.file.write_metadata(INDEX, index);
        self.file.finish()?;
        self.file.get_mut().flush()?;
        Ok(())
    }
}

/// Counts the checksum of what is written.
struct Checked<W> {
    out: W,
    crc32: crc32fast::Hasher,
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.crc32.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

pub(super) fn damaged(what: &str) -> ArrowError {
    ArrowError::ParseError(what.into())
}
