//! Reads columns: whole ones, or items at some places. Nothing is decoded before its checksum is right.

use super::columns::{INDEX, INDEX_CHECKSUM, Index, Raw, Stored, damaged, piece, schema};
use arrow::array::AsArray;
use arrow::buffer::{Buffer, MutableBuffer, ScalarBuffer};
use arrow::datatypes::ArrowPrimitiveType;
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileDecoder, read_footer_length};
use arrow::ipc::{Block, MetadataVersion, root_as_footer};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};

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
