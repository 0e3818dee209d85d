//! The bytes of a file, unpacked, block by block: a thread reads ahead while others parse. Blocks end between two events where they
//! can, so that they can be parsed apart.

use super::block::{Block, Fault};
use super::boundary::last_event;
use super::parts::Parsing;
use super::window::{Settings, Window};
use crate::base::Error;
use crate::base::limits::TRACE_BYTES;
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

/// What packed data begin with.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// Bytes that are read from the file at once.
const READ_AT_ONCE: usize = 256 << 10;

/// Bytes of a block.
pub(super) const BLOCK: usize = 1 << 20;

/// The first block is this part of others: what stands before the events is not parsed by several threads.
const FIRST_BLOCK: usize = 16;

/// Blocks that are read ahead.
const BLOCKS_AHEAD: usize = 4;

/// Calls `parse` with a window on the bytes, unpacked if they begin as gzip does.
pub(super) fn with_window<T>(
    bytes: impl Read + Send,
    settings: &Settings<'_>,
    parsing: &Parsing<'_>,
    parse: impl FnOnce(&mut Window<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let packed_read = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(BLOCKS_AHEAD);
        let counted = Counted { bytes, read: &packed_read };
        let packed = usize::try_from(settings.size_bytes).unwrap_or(usize::MAX);
        let most = TRACE_BYTES.most_for(packed) as u64;
        let blocks = Blocks { bytes: settings.block_bytes, most, sender };
        scope.spawn(move || blocks.send(BufReader::with_capacity(READ_AT_ONCE, counted)));
        let parts = parsing.start(scope, receiver);
        let mut window = Window::new(parts, settings, &packed_read);
        // Without its receivers the other threads end, so it must not outlive the parsing.
        let parsed = parse(&mut window);
        drop(window);
        parsed
    })
}

/// The blocks of a file, and who takes them.
struct Blocks {
    bytes: usize,
    most: u64,
    sender: SyncSender<Result<Block, Fault>>,
}

impl Blocks {
    fn send(&self, mut bytes: impl BufRead) {
        let is_packed = match bytes.fill_buf() {
            Ok(start) => start.starts_with(GZIP),
            Err(error) => {
                // Who does not listen any more needs no error.
                let _ = self.sender.send(Err(Fault::Io(error)));
                return;
            }
        };
        if is_packed {
            self.send_all(Members(Some(GzDecoder::new(bytes))), self.most);
        } else {
            self.send_all(bytes, u64::MAX);
        }
    }

    fn send_all(&self, mut bytes: impl Read, most: u64) {
        let mut sent = 0_u64;
        let (mut wanted, mut tail, mut is_event) = ((self.bytes / FIRST_BLOCK).max(1), Vec::new(), false);
        loop {
            let mut text = Vec::with_capacity(tail.len() + wanted);
            text.append(&mut tail);
            let end = (&mut bytes).take(wanted as u64).read_to_end(&mut text);
            let read = *end.as_ref().unwrap_or(&wanted);
            wanted = self.bytes;
            let is_last = end.is_err() || read == 0;
            let cut = last_event(&text).filter(|_| !is_last);
            if let Some(cut) = cut {
                tail.extend_from_slice(&text[cut..]);
                text.truncate(cut);
            }
            sent = sent.saturating_add(text.len() as u64);
            let block = Block { text, is_event };
            is_event = cut.is_some();
            if !block.text.is_empty() && self.sender.send(Ok(block)).is_err() {
                return;
            }
            let fault = match end {
                Err(error) => fault_of(error),
                Ok(_) if sent > most => Fault::TooLong(most),
                Ok(_) if is_last => return,
                Ok(_) => continue,
            };
            let _ = self.sender.send(Err(fault));
            return;
        }
    }
}

fn fault_of(error: io::Error) -> Fault {
    match error.kind() {
        ErrorKind::UnexpectedEof => Fault::CutOff("the packed data end early".into()),
        ErrorKind::InvalidInput | ErrorKind::InvalidData => {
            Fault::CutOff(format!("the packed data are damaged: {error}"))
        }
        _ => Fault::Io(error),
    }
}

/// The parts of packed data, one after the other. What stands after the last one is no part of them, as for `gzip`: zeros fill
/// blocks of tapes and disks.
struct Members<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(member) = &mut self.0 else { return Ok(0) };
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let Some(mut bytes) = self.0.take().map(GzDecoder::into_inner) else { return Ok(0) };
            // One byte may be all that is read so far, so that the second one is left to the decoder.
            if bytes.fill_buf()?.first() == GZIP.first() {
                self.0 = Some(GzDecoder::new(bytes));
            }
        }
    }
}

/// Counts the bytes that are read.
struct Counted<'a, R> {
    bytes: R,
    read: &'a AtomicU64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
