//! Traces of torch.profiler (Kineto): JSON in Chrome's trace format, packed with gzip or not, to [`Facts`].
//!
//! ```text
//! file ─blocks─► window ─tokens─► event ─rows─► raw tables ─joined, sorted─► Facts
//!      a thread                 one at a time
//! ```
//!
//! A trace is read once, from front to back, and never held as a whole: a thread reads and unpacks blocks while another takes
//! events from them. Every event is a few tokens of the text; numbers are read from their digits, and names are looked up by
//! their bytes. Where this is not certain, as with escapes in keys, a plain reader on a library for JSON decides. Keys may stand in any order, and nothing that the file says about itself is trusted. Traces that were cut off, or
//! that are not quite JSON, as the profiler wrote for years, give what can be read of them, and diagnostics that count the rest.

mod args;
mod assemble;
mod collect;
mod devices;
mod event;
mod head;
mod join;
mod names;
mod numbers;
mod plain;
mod ranges;
mod reading;
mod rows;
mod scan;
mod source;
mod text;
mod threads;
mod window;
mod work;
mod work_names;

#[cfg(test)]
mod tests;

use super::file_state::FileState;
use super::progress::OnProgress;
use crate::base::Error;
use crate::columns::Memory;
use crate::read::facts::Facts;
use reading::EventReader;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Reads a trace.
///
/// # Errors
/// If the file is not a trace of torch.profiler, or changes while it is read; see [`Error`].
pub(super) fn read_trace(
    path: &Path,
    memory: &Memory,
    on_progress: Option<OnProgress<'_>>,
) -> Result<Facts, Error> {
    let unreadable = |source| Error::Unreadable { path: path.into(), source };
    let before = FileState::of(path).map_err(unreadable)?;
    let file = File::open(path).map_err(unreadable)?;
    let blocks = window::Settings { path, size_bytes: before.size_bytes, on_progress };
    let facts = read_from(file, &blocks, EventReader::Quick, memory);
    match FileState::of(path) {
        Ok(now) if now == before => facts,
        Ok(_) | Err(_) => Err(Error::ChangedWhileRead { path: path.into() }),
    }
}

/// Reads a trace from bytes.
fn read_from(
    bytes: impl Read + Send,
    blocks: &window::Settings<'_>,
    reader: EventReader,
    memory: &Memory,
) -> Result<Facts, Error> {
    let window::Settings { path, size_bytes, .. } = *blocks;
    let read = source::with_window(bytes, blocks, |window| reading::read(path, window, reader, memory))?;
    assemble::assemble(path, size_bytes, memory, read)
}

/// Reads a trace from bytes, by each of the readers, for the fuzz targets. Whether it is one does not matter.
pub(crate) fn read_bytes(bytes: &[u8]) {
    let blocks =
        window::Settings { path: Path::new("trace.json"), size_bytes: bytes.len() as u64, on_progress: None };
    for reader in [EventReader::Quick, EventReader::Plain] {
        drop(read_from(bytes, &blocks, reader, &Memory::default()));
    }
}
