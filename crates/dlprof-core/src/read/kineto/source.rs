//! The bytes of a file, unpacked, block by block: a thread reads ahead while another one parses.

use super::window::{Block, Fault, Settings, Window};
use crate::base::Error;
use flate2::read::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

/// Bytes of a block.
const BLOCK: usize = 1 << 20;

/// Blocks that are read ahead.
const BLOCKS_AHEAD: usize = 4;

/// A file may unpack to so many times its size: traces are packed to a tenth or a twentieth.
const MOST_UNPACKED: u64 = 400;

/// And to so many bytes whatever its size.
const ALWAYS_UNPACKED: u64 = 1 << 30;

/// Calls `parse` with a window on the bytes, unpacked if they begin as gzip does.
pub(super) fn with_window<T>(
    bytes: impl Read + Send,
    settings: &Settings<'_>,
    parse: impl FnOnce(&mut Window<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let packed_read = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(BLOCKS_AHEAD);
        let counted = Counted { bytes, read: &packed_read };
        let most = settings.size_bytes.saturating_mul(MOST_UNPACKED).max(ALWAYS_UNPACKED);
        scope.spawn(move || send_blocks(BufReader::with_capacity(BLOCK / 4, counted), most, &sender));
        let mut window = Window::new(receiver, settings, &packed_read);
        // Without its receiver the other thread ends, so it must not outlive the parsing.
        let parsed = parse(&mut window);
        drop(window);
        parsed
    })
}

fn send_blocks(mut bytes: impl BufRead, most: u64, sender: &SyncSender<Block>) {
    let is_packed = match bytes.fill_buf() {
        Ok(start) => start.starts_with(&[0x1f, 0x8b]),
        Err(error) => {
            // Who does not listen any more needs no error.
            let _ = sender.send(Err(Fault::Io(error)));
            return;
        }
    };
    if is_packed {
        send_all(MultiGzDecoder::new(bytes), most, sender);
    } else {
        send_all(bytes, u64::MAX, sender);
    }
}

fn send_all(mut bytes: impl Read, most: u64, sender: &SyncSender<Block>) {
    let mut sent = 0_u64;
    loop {
        let mut block = Vec::with_capacity(BLOCK);
        let end = (&mut bytes).take(BLOCK as u64).read_to_end(&mut block);
        sent = sent.saturating_add(block.len() as u64);
        let is_last = block.is_empty();
        if !is_last && sender.send(Ok(block)).is_err() {
            return;
        }
        let fault = match end {
            Err(error) => fault_of(error),
            Ok(_) if sent > most => Fault::TooLong(most),
            Ok(_) if is_last => return,
            Ok(_) => continue,
        };
        let _ = sender.send(Err(fault));
        return;
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
