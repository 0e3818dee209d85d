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

use arrow::array::{ArrayRef, AsArray, ListArray, PrimitiveArray};
use arrow::buffer::{Buffer, MutableBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Field, Int64Type, Schema, SchemaRef, UInt8Type, UInt32Type,
};
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileDecoder, read_footer_length};
use arrow::ipc::writer::FileWriter;
use arrow::ipc::{Block, MetadataVersion, root_as_footer};
use arrow::record_batch::RecordBatch;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a piece: little enough to stay in the processor's cache from reading to checking to copying.
const PIECE_BYTES: usize = 256 << 10;

/// Items in a piece of a column.
const fn piece<T: Stored>() -> usize {
    PIECE_BYTES / size_of::<<T::Raw as ArrowPrimitiveType>::Native>() / T::WIDTH
}

/// Keys of the footer's entries.
const INDEX: &str = "dlprof-agg index";
const INDEX_CHECKSUM: &str = "dlprof-agg index crc32";

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

fn schema() -> SchemaRef {
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
struct Index {
    label: String,
    /// By column: its batches.
    columns: BTreeMap<String, Range<usize>>,
    /// By batch: the checksum of its bytes.
    crc32: Vec<u32>,
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

/// Reads columns.
pub(super) struct Reader {
    path: PathBuf,
    index: Index,
    index_crc32: u32,
    /// By batch: where it stands.
    blocks: Vec<Block>,
    decoder: FileDecoder,
}

impl Reader {
    pub(super) fn open(path: &Path) -> Result<Self, ArrowError> {
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        let mut end = [0; 10];
        file.seek(SeekFrom::End(-10))?;
        file.read_exact(&mut end)?;
        let footer_bytes = read_footer_length(end)?;
        if footer_bytes as u64 + 10 > size {
            return Err(damaged("its footer is longer than the file"));
        }
        let mut footer = vec![0; footer_bytes];
        file.seek(SeekFrom::Start(size - 10 - footer_bytes as u64))?;
        file.read_exact(&mut footer)?;
        let footer = root_as_footer(&footer).map_err(|_| damaged("its footer cannot be read"))?;
        let entries = footer.custom_metadata().into_iter().flatten();
        let entries: BTreeMap<_, _> =
            entries.filter_map(|entry| Some((entry.key()?, entry.value()?))).collect();
        let index = entries.get(INDEX).copied().unwrap_or_default();
        let checksum = entries.get(INDEX_CHECKSUM).and_then(|checksum| checksum.parse().ok());
        let index_crc32 = crc32fast::hash(index.as_bytes());
        if checksum != Some(index_crc32) {
            return Err(damaged("the checksum of its index is wrong"));
        }
        let index: Index = serde_json::from_str(index).map_err(|_| damaged("its index cannot be read"))?;
        let blocks: Vec<Block> = footer.recordBatches().into_iter().flatten().copied().collect();
        if blocks.len() != index.crc32.len() {
            return Err(damaged("batches are missing"));
        }
        Ok(Self {
            path: path.into(),
            index,
            index_crc32,
            blocks,
            decoder: FileDecoder::new(schema(), MetadataVersion::V5),
        })
    }

    pub(super) fn label(&self) -> &str {
        &self.index.label
    }

    /// What tells this content from any other.
    pub(super) fn checksum(&self) -> u32 {
        self.index_crc32
    }

    /// A column, checked.
    pub(super) fn take<T: Stored>(&self, name: &str) -> Result<Vec<T>, ArrowError> {
        let mut pieces = self.pieces::<T>(name)?;
        let mut values: Vec<T> = Vec::new();
        for at in 0..pieces.batches.len() {
            let raw = pieces.read(at)?;
            if values.is_empty() {
                values.reserve_exact(pieces.batches.len() * (raw.len() / T::WIDTH));
            }
            values.extend(raw.chunks_exact(T::WIDTH).map(T::take));
        }
        Ok(values)
    }

    /// Items of a column at some positions, checked. Where positions ascend, every piece that holds one is read once,
    /// and no other.
    pub(super) fn take_at<T: Stored>(
        &self,
        name: &str,
        positions: impl IntoIterator<Item = usize>,
    ) -> Result<Vec<T>, ArrowError> {
        let mut pieces = self.pieces::<T>(name)?;
        let mut open: Option<(usize, Numbers<T>)> = None;
        let positions = positions.into_iter();
        let mut values = Vec::with_capacity(positions.size_hint().0);
        for position in positions {
            let at = position / piece::<T>();
            let raw = match &open {
                Some((piece, raw)) if *piece == at => raw,
                _ => &open.insert((at, pieces.read(at)?)).1,
            };
            let first = position % piece::<T>() * T::WIDTH;
            let item = raw.get(first..first + T::WIDTH).ok_or_else(|| damaged("an item is missing"))?;
            values.push(T::take(item));
        }
        Ok(values)
    }

    fn pieces<T: Stored>(&self, name: &str) -> Result<Pieces<'_, T>, ArrowError> {
        let batches = self.index.columns.get(name).ok_or_else(|| damaged("a column is missing"))?.clone();
        let file = File::open(&self.path)?;
        let size = file.metadata()?.len();
        Ok(Pieces { reader: self, batches, file, size, of: PhantomData })
    }
}

/// The numbers of a piece.
type Numbers<T> = ScalarBuffer<<<T as Stored>::Raw as ArrowPrimitiveType>::Native>;

/// The pieces of a column.
struct Pieces<'a, T> {
    reader: &'a Reader,
    batches: Range<usize>,
    file: File,
    size: u64,
    of: PhantomData<T>,
}

impl<T: Stored> Pieces<'_, T> {
    /// The numbers of a piece, checked.
    fn read(&mut self, at: usize) -> Result<Numbers<T>, ArrowError> {
        let batch = self.batches.clone().nth(at).ok_or_else(|| damaged("a piece is missing"))?;
        let block = self.reader.blocks.get(batch).ok_or_else(|| damaged("a piece is missing"))?;
        let bytes = read_block(&mut self.file, self.size, block)?;
        if crc32fast::hash(&bytes) != self.reader.index.crc32[batch] {
            return Err(damaged("a checksum is wrong"));
        }
        let batch = self.reader.decoder.read_record_batch(block, &bytes)?;
        let batch = batch.ok_or_else(|| damaged("a piece is no batch"))?;
        let raw = batch.column(T::Raw::PLACE).as_list::<i32>().values().as_primitive::<T::Raw>().values();
        if !raw.len().is_multiple_of(T::WIDTH) || !T::are_valid(raw) {
            return Err(damaged("a value has no meaning"));
        }
        Ok(raw.clone())
    }
}

/// The bytes of a batch.
fn read_block(file: &mut File, size: u64, block: &Block) -> Result<Buffer, ArrowError> {
    let number = |value: i64| u64::try_from(value).map_err(|_| damaged("a piece has no place"));
    let (start, body) = (number(block.offset())?, number(block.bodyLength())?);
    let bytes = body.saturating_add(number(block.metaDataLength().into())?);
    if start.saturating_add(bytes) > size {
        return Err(damaged("a piece is cut off"));
    }
    let length = usize::try_from(bytes).map_err(|_| damaged("a piece is too long"))?;
    let mut buffer = MutableBuffer::from_len_zeroed(length);
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut buffer)?;
    Ok(buffer.into())
}

pub(super) fn damaged(what: &str) -> ArrowError {
    ArrowError::ParseError(what.into())
}
