//! A table in an Arrow IPC file, which any Arrow reader can open.
//!
//! Every part of a table (such as the ranges of one thread) is a record batch, so each of its columns is one stretch of
//! the file. Whether the file was mapped or read into memory, its columns are where its bytes are: see [`FileBytes`].

#![expect(unsafe_code, reason = "mapped files; every block is explained")]

use super::buffer::Buffer;
use super::column::FactColumn;
use super::memory::Memory;
use super::region::Mapping;
use super::table::FactTable;
use crate::base::private;
use arrow_array::RecordBatch;
use arrow_buffer::Buffer as Bytes;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{MetadataVersion, root_as_footer};
use arrow_schema::ArrowError;
use memmap2::{Mmap, MmapOptions};
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

/// Number of bytes that are read at a time if a whole file is checked.
const PIECE_BYTES: usize = 1 << 20;

/// Writes the parts of a table to a file of this user alone; returns the checksum of the file.
pub(crate) fn write_tables<'a, T: FactTable + 'a>(
    path: &Path,
    parts: impl IntoIterator<Item = &'a T>,
) -> io::Result<u32> {
    let schema = Arc::new(T::DECLARATION.schema());
    let out = Checked { out: private::create_new(path)?, crc32: crc32fast::Hasher::new() };
    let mut file = FileWriter::try_new(out, &schema).map_err(io::Error::other)?;
    for part in parts {
        let batch = RecordBatch::try_new(Arc::clone(&schema), part.to_arrays());
        file.write(&batch.map_err(io::Error::other)?).map_err(io::Error::other)?;
    }
    file.finish().map_err(io::Error::other)?;
    Ok(file.get_ref().crc32.clone().finalize())
}

/// The bytes of a file, aligned for the values of columns. A clone is cheap and shares them.
#[derive(Clone)]
pub(crate) struct FileBytes {
    bytes: Bytes,
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl FileBytes {
    /// Maps a file, which nobody may write to or cut while it is mapped: a page that is gone ends the process. So it must lie on
    /// a local file system, be ours and be sealed. Nothing is copied.
    pub(crate) fn map(path: &Path, memory: &Memory) -> io::Result<Self> {
        let owner = bytes::Bytes::from_owner(MappedFile::open(path, memory)?);
        Ok(Self { bytes: Bytes::from(owner) })
    }

    /// Reads a file of this length. What happens to it afterwards does not matter.
    pub(crate) fn read(path: &Path, length: u64, memory: &Memory) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let length = usize::try_from(length).map_err(io::Error::other)?;
        if file.metadata()?.len() != length as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut words: Buffer<u64> = memory.filled(length.div_ceil(size_of::<u64>()), 0);
        file.read_exact(&mut bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..length])?;
        let words: FactColumn<(), u64> = words.into_column();
        Ok(Self { bytes: words.to_bytes().slice_with_length(0, length) })
    }
}

/// A mapped file. Its pages are dropped if they exceed a budget.
struct MappedFile {
    map: Mmap,
    memory: Memory,
}

impl MappedFile {
    fn open(path: &Path, memory: &Memory) -> io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: files get their name by a rename, nobody may write to them, and they are on a local file system, so the
        // mapped bytes do not change. The system keeps removed files until they are unmapped.
        let map: Mmap = unsafe { MmapOptions::new().map(&file) }?;
        memory.add_mapping(Mapping::of(&map));
        Ok(Self { map, memory: memory.clone() })
    }
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        self.memory.remove_mapping(Mapping::of(&self.map));
    }
}

impl AsRef<[u8]> for MappedFile {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

/// The parts of a table. The bytes must be those that [`write_tables`] wrote.
pub(crate) fn read_tables<T: FactTable>(file: &FileBytes) -> Result<Vec<T>, ArrowError> {
    let bytes = &file.bytes;
    let damaged = |what: &str| ArrowError::ParseError(what.into());
    let end = bytes.last_chunk::<10>().ok_or_else(|| damaged("the file is too short"))?;
    let footer_bytes = read_footer_length(*end)?;
    let footer_end = bytes.len() - end.len();
    let footer_start =
        footer_end.checked_sub(footer_bytes).ok_or_else(|| damaged("the footer is too long"))?;
    let footer =
        root_as_footer(&bytes[footer_start..footer_end]).map_err(|_| damaged("the footer cannot be read"))?;
    let decoder =
        FileDecoder::new(Arc::new(T::DECLARATION.schema()), MetadataVersion::V5).with_require_alignment(true);
    let part = |block: &arrow_ipc::Block| {
        let number =
            |value: i64| usize::try_from(value).map_err(|_| damaged("a batch has no valid position"));
        let (start, body) = (number(block.offset())?, number(block.bodyLength())?);
        let length = body.saturating_add(number(block.metaDataLength().into())?);
        if start.saturating_add(length) > bytes.len() {
            return Err(damaged("a batch is cut off"));
        }
        let batch = decoder.read_record_batch(block, &bytes.slice_with_length(start, length))?;
        let batch = batch.ok_or_else(|| damaged("a batch is missing"))?;
        T::from_arrays(batch.columns()).ok_or_else(|| damaged("a batch has other columns"))
    };
    footer.recordBatches().into_iter().flatten().map(part).collect()
}

/// The checksum of a file.
pub(crate) fn checksum(path: &Path) -> io::Result<u32> {
    let mut file = File::open(path)?;
    let mut piece = vec![0; PIECE_BYTES];
    let mut crc32 = crc32fast::Hasher::new();
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(crc32.finalize()),
            length => crc32.update(&piece[..length]),
        }
    }
}

/// Computes the checksum of the bytes that are written.
struct Checked {
    out: File,
    crc32: crc32fast::Hasher,
}

impl Write for Checked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.crc32.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
