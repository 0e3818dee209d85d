//! Rows straight from the pages of the file, without SQLite: three times as fast.
//!
//! ```text
//! root ──► interior pages ──► leaf pages, in row order ──► cells ──► records ──► columns asked for
//!           page numbers        read in large blocks        overflow chains followed
//! ```
//!
//! Only tables with row ids in a UTF-8 database are read. If anything is unusual or looks damaged, reading ends
//! with [`Unreadable`]; then SQLite reads the table, or reports what is wrong with it. So a check here may be
//! stricter than SQLite's check, but never less strict. The file is not mapped into memory, because a mapped file
//! that another program cuts kills the process.
//! Format: <https://www.sqlite.org/fileformat.html>.

mod record;
mod tree;

use crate::base::regular_file;
pub(super) use record::Record;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

/// The pages cannot be read reliably; SQLite must read the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unreadable;

/// A column asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// Position in the records.
    pub(super) column: usize,
    /// Position among the columns asked for.
    pub(super) slot: usize,
    /// Whether it is another name for the row id, which records do not repeat.
    pub(super) is_row_id: bool,
    /// Whether a record that ends before it has a value of it all the same, which only SQLite knows.
    pub(super) has_default: bool,
}

/// A database file as pages.
pub(super) struct PageFile {
    file: File,
    page_bytes: usize,
    /// Size of a page without the part at its end that extensions reserve.
    usable_bytes: usize,
    pages: u32,
}

/// Size of the blocks in which leaf pages are read.
const BLOCK_BYTES: usize = 1 << 18;

/// Leaves that are at most so many pages apart are read in one block. To read a page that is not needed costs about as much as
/// another read, and tables that were written at the same time share all blocks.
const LARGEST_GAP: u32 = 2;

impl PageFile {
    /// Opens a database that SQLite could open.
    pub(super) fn open(path: &Path) -> Result<Self, Unreadable> {
        let mut file = regular_file::open(path).map_err(|_| Unreadable)?;
        let mut header = [0; 100];
        file.read_exact(&mut header).map_err(|_| Unreadable)?;
        let page_bytes = match u16::from_be_bytes([header[16], header[17]]) {
            1 => 65536,
            bytes => usize::from(bytes),
        };
        let usable_bytes = page_bytes.checked_sub(usize::from(header[20])).ok_or(Unreadable)?;
        let is_utf8 = word(&header, 56)? == 1;
        if !header.starts_with(b"SQLite format 3\0") || !is_utf8 {
            return Err(Unreadable);
        }
        if !page_bytes.is_power_of_two() || page_bytes < 512 || usable_bytes < 480 {
            return Err(Unreadable);
        }
        let file_bytes = file.metadata().map_err(|_| Unreadable)?.len();
        let in_file = u32::try_from(file_bytes / page_bytes as u64).map_err(|_| Unreadable)?;
        let in_header = if header[24..28] == header[92..96] { word(&header, 28)? } else { 0 };
        let pages = if in_header == 0 { in_file } else { in_header };
        if pages > in_file {
            return Err(Unreadable);
        }
        Ok(Self { file, page_bytes, usable_bytes, pages })
    }

    /// Passes on the rows of the table whose tree begins at `root`. `wanted` is in order of columns; other columns
    /// are NULL.
    pub(super) fn for_each_row(
        &mut self,
        root: u32,
        wanted: &[Wanted],
        mut on_row: impl FnMut(&Record<'_>) -> ControlFlow<()>,
    ) -> Result<(), Unreadable> {
        let leaves = tree::leaves(self, root)?;
        let mut records = record::Records::new(wanted);
        let mut block = Vec::new();
        let mut scratch = Vec::new();
        let mut chained = 0;
        let mut rest = &leaves[..];
        while let Some(&first) = rest.first() {
            let count = self.pages_of_block(rest);
            let last = rest[count - 1];
            self.read_pages(first, last, &mut block)?;
            for leaf in &rest[..count] {
                let at = (leaf - first) as usize * self.page_bytes;
                let page = &block[at..at + self.page_bytes];
                let mut local_bytes = 0;
                for at in tree::cells(page, leaves.len() > 1)? {
                    let cell = tree::cell(page, at?, self.usable_bytes)?;
                    // Cells that overlap make more rows than the file holds.
                    local_bytes += cell.local_bytes;
                    if local_bytes > self.usable_bytes {
                        return Err(Unreadable);
                    }
                    let bytes = match cell.overflow {
                        None => cell.bytes,
                        Some(next) => {
                            chained += self.read_overflow(&cell, next, &mut scratch)?;
                            // A page belongs to one chain only.
                            if chained > self.pages {
                                return Err(Unreadable);
                            }
                            &scratch[..]
                        }
                    };
                    if on_row(&records.read(bytes, cell.payload_bytes, cell.row_id)?).is_break() {
                        return Ok(());
                    }
                }
            }
            rest = &rest[count..];
        }
        Ok(())
    }

    /// How many of the next leaves are so close to each other that one read gets all of them.
    fn pages_of_block(&self, leaves: &[u32]) -> usize {
        let most = u32::try_from(BLOCK_BYTES / self.page_bytes).unwrap_or(1);
        let is_near = |pair: &&[u32]| {
            pair[1] > pair[0] && pair[1] - pair[0] <= LARGEST_GAP && pair[1] - leaves[0] < most
        };
        1 + leaves.windows(2).take_while(is_near).count()
    }

    fn read_pages(&mut self, first: u32, last: u32, block: &mut Vec<u8>) -> Result<(), Unreadable> {
        self.check_page(first)?;
        self.check_page(last)?;
        block.resize((last - first + 1) as usize * self.page_bytes, 0);
        let offset = u64::from(first - 1) * self.page_bytes as u64;
        self.file.seek(SeekFrom::Start(offset)).map_err(|_| Unreadable)?;
        self.file.read_exact(block).map_err(|_| Unreadable)
    }

    /// A page must exist, and must not be the one whose bytes SQLite uses as locks.
    fn check_page(&self, page: u32) -> Result<(), Unreadable> {
        const LOCK_BYTES_AT: usize = 0x4000_0000;
        let lock_page = LOCK_BYTES_AT / self.page_bytes + 1;
        let is_usable = (1..=self.pages).contains(&page) && page as usize != lock_page;
        if is_usable { Ok(()) } else { Err(Unreadable) }
    }

    /// Collects a payload that goes on in a chain of overflow pages. Returns how many pages the chain has.
    fn read_overflow(
        &mut self,
        cell: &tree::Cell<'_>,
        first: u32,
        payload: &mut Vec<u8>,
    ) -> Result<u32, Unreadable> {
        // No payload is longer than the file, so a forged length cannot reserve too much memory.
        if cell.payload_bytes as u64 > u64::from(self.pages) * self.page_bytes as u64 {
            return Err(Unreadable);
        }
        payload.clear();
        payload.extend_from_slice(&cell.bytes[..cell.local_bytes]);
        let mut next = first;
        let mut page = Vec::new();
        let mut pages = 0;
        while payload.len() < cell.payload_bytes {
            self.read_pages(next, next, &mut page)?;
            pages += 1;
            next = word(&page, 0)?;
            let rest = (cell.payload_bytes - payload.len()).min(self.usable_bytes - 4);
            payload.extend_from_slice(&page[4..4 + rest]);
        }
        Ok(pages)
    }
}

/// A big-endian number of four bytes.
fn word(bytes: &[u8], at: usize) -> Result<u32, Unreadable> {
    let bytes = bytes.get(at..at + 4).ok_or(Unreadable)?;
    Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// A variable-length integer of one to nine bytes, and its length.
#[inline(always)]
fn varint(bytes: &[u8]) -> Result<(u64, usize), Unreadable> {
    let low = |byte: u8| u64::from(byte & 0x7F);
    match *bytes {
        [a, ..] if a < 0x80 => Ok((u64::from(a), 1)),
        [a, b, ..] if b < 0x80 => Ok((low(a) << 7 | u64::from(b), 2)),
        [a, b, c, ..] if c < 0x80 => Ok((low(a) << 14 | low(b) << 7 | u64::from(c), 3)),
        [a, b, c, d, ..] if d < 0x80 => Ok((low(a) << 21 | low(b) << 14 | low(c) << 7 | u64::from(d), 4)),
        _ => long_varint(bytes),
    }
}

#[cold]
fn long_varint(bytes: &[u8]) -> Result<(u64, usize), Unreadable> {
    let mut value = 0;
    for (at, &byte) in bytes.iter().take(9).enumerate() {
        if at == 8 {
            return Ok((value << 8 | u64::from(byte), 9));
        }
        value = value << 7 | u64::from(byte & 0x7F);
        if byte < 0x80 {
            return Ok((value, at + 1));
        }
    }
    Err(Unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints() {
        let good: [(&[u8], u64, usize); 4] = [
            (&[0x7F], 127, 1),
            (&[0x81, 0x00], 128, 2),
            (&[0xFF; 9], u64::MAX, 9),
            (&[0x82, 0x80, 0x01, 0xFF], 0x8001, 3),
        ];
        for (bytes, value, length) in good {
            assert_eq!(varint(bytes), Ok((value, length)), "{bytes:?}");
        }
        for cut in [&[][..], &[0x80; 8]] {
            assert_eq!(varint(cut), Err(Unreadable), "{cut:?}");
        }
    }
}
