//! Traces of torch.profiler (Kineto): JSON in Chrome's trace format, packed with gzip or not, to [`Facts`].
//!
//! ```text
//! file ─blocks─► tokens ─► event ─► rows of a block ─in order─► raw tables ─joined, sorted─► Facts
//!     a thread   └ several threads, a block each ┘
//! ```
//!
//! A trace is read once, from front to back, and never held as a whole: a thread reads and unpacks blocks while others take
//! events from them. A block is parsed as if it began with an event, and its rows count once the one before ended there; where that
//! fails, and around the events, a window on the text is read in one go, with the same result. Every event is a few tokens of the text; numbers are read from their digits, and names are looked up by
//! their bytes. Where this is not certain, as with escapes in keys, a plain reader on a library for JSON decides. Keys may stand in any order, and nothing that the file says about itself is trusted. Traces that were cut off, or
//! that are not quite JSON, as the profiler wrote for years, give what can be read of them, and diagnostics that count the rest.

mod args;
mod assemble;
mod block;
mod boundary;
mod by_correlation;
mod captured;
mod collect;
mod devices;
mod event;
mod head;
mod join;
mod labels;
mod merge;
mod names;
mod numbers;
mod parts;
mod plain;
mod ranges;
mod reading;
mod repeated;
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
use crate::base::regular_file::open;
use crate::columns::Memory;
use crate::read::facts::Facts;
use parts::Parsing;
use reading::{EventReader, ReadTrace};
use std::io::Read;
use std::path::Path;

pub(crate) use captured::CapturingThread;
pub(crate) use rows::digest_of_name;

/// Reads a trace.
///
/// # Errors
/// If the file is not a trace of torch.profiler, or changes while it is read; see [`Error`].
pub(super) fn read_trace(
    path: &Path,
    memory: &Memory,
    on_progress: Option<OnProgress<'_>>,
) -> Result<Facts, Error> {
    let (size_bytes, read) = read_unchanged(path, memory, on_progress)?;
    assemble::assemble(path, size_bytes, memory, read)
}

/// What a trace of the capture of graphs says of these.
///
/// # Errors
/// As [`read_trace`].
pub(crate) fn read_captured_graphs(path: &Path, memory: &Memory) -> Result<Vec<CapturingThread>, Error> {
    let (_, read) = read_unchanged(path, memory, None)?;
    Ok(captured::capturing_threads(&read.rows))
}

/// The size of a file and its rows, if nobody writes to it meanwhile.
fn read_unchanged(
    path: &Path,
    memory: &Memory,
    on_progress: Option<OnProgress<'_>>,
) -> Result<(u64, ReadTrace), Error> {
    let unreadable = |source| Error::Unreadable { path: path.into(), source };
    let before = FileState::of(path).map_err(unreadable)?;
    let file = open(path).map_err(unreadable)?;
    let size_bytes = before.size_bytes;
    let settings = window::Settings { path, size_bytes, block_bytes: source::BLOCK, on_progress };
    // Those of the pool have nothing to do while a trace is read.
    let parsing = Parsing { threads: rayon::current_num_threads(), memory };
    let read = read_rows(file, &settings, &parsing, EventReader::Quick);
    match FileState::of(path) {
        Ok(now) if now == before => Ok((size_bytes, read?)),
        Ok(_) | Err(_) => Err(Error::ChangedWhileRead { path: path.into() }),
    }
}

fn read_rows(
    bytes: impl Read + Send,
    settings: &window::Settings<'_>,
    parsing: &Parsing<'_>,
    reader: EventReader,
) -> Result<ReadTrace, Error> {
    let (path, memory) = (settings.path, parsing.memory);
    source::with_window(bytes, settings, parsing, |window| reading::read(path, window, reader, memory))
}

/// Reads a trace from bytes.
fn read_from(
    bytes: impl Read + Send,
    settings: &window::Settings<'_>,
    parsing: &Parsing<'_>,
    reader: EventReader,
) -> Result<Facts, Error> {
    let read = read_rows(bytes, settings, parsing, reader)?;
    assemble::assemble(settings.path, settings.size_bytes, parsing.memory, read)
}

/// Reads a trace from bytes, by each of the readers, for the fuzz targets. Whether it is one does not matter.
pub(crate) fn read_bytes(bytes: &[u8]) {
    let memory = Memory::default();
    // Blocks as short as a few events.
    for (reader, block_bytes, threads) in [
        (EventReader::Quick, 256, 2),
        (EventReader::Quick, source::BLOCK, 1),
        (EventReader::Plain, source::BLOCK, 1),
    ] {
        let path = Path::new("trace.json");
        let settings =
            window::Settings { path, size_bytes: bytes.len() as u64, block_bytes, on_progress: None };
        drop(read_from(bytes, &settings, &Parsing { threads, memory: &memory }, reader));
    }
}
