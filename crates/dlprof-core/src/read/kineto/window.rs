//! The part of the text that is being parsed. It grows while a value does not fit, so that no value costs more than twice its
//! length.

use crate::base::Error;
use crate::read::progress::OnProgress;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;

/// The longest event or value that is read. A longer one is like one that cannot be read.
const LONGEST: usize = 64 << 20;

/// A part of the file, or why there is no further part.
pub(super) type Block = Result<Vec<u8>, Fault>;

/// Why a file cannot be read to its end.
#[derive(Debug)]
pub(super) enum Fault {
    /// It ends early, or is damaged; what was read is right.
    CutOff(String),
    /// The system refuses.
    Io(io::Error),
    /// It unpacks to more than is read of a file of its size, which is this number of bytes.
    TooLong(u64),
}

/// What is read, and who is told of it.
pub(super) struct Settings<'a> {
    pub(super) path: &'a Path,
    pub(super) size_bytes: u64,
    pub(super) on_progress: Option<OnProgress<'a>>,
}

/// What became of asking for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum More {
    /// There is more text.
    Text,
    /// The text has ended.
    End,
    /// What is left is as long as a value may be.
    TooLong,
}

/// A window on the text of a file.
pub(super) struct Window<'a> {
    blocks: Receiver<Block>,
    settings: &'a Settings<'a>,
    packed_read: &'a AtomicU64,
    bytes: Vec<u8>,
    at: usize,
    is_at_end: bool,
    /// Why the file cannot be read further.
    cut_off: Option<String>,
}

impl<'a> Window<'a> {
    pub(super) fn new(
        blocks: Receiver<Block>,
        settings: &'a Settings<'a>,
        packed_read: &'a AtomicU64,
    ) -> Self {
        Self { blocks, settings, packed_read, bytes: Vec::new(), at: 0, is_at_end: false, cut_off: None }
    }

    /// The text from here on, as far as it is in memory.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// Leaves some bytes behind.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.bytes.len());
    }

    /// What was wrong with the end of the file, if anything was.
    pub(super) fn take_cut_off(&mut self) -> Option<String> {
        self.cut_off.take()
    }

    /// Brings more text into memory: as much again as there is, at least a block.
    pub(super) fn more(&mut self) -> Result<More, Error> {
        if self.rest().len() >= LONGEST {
            return Ok(More::TooLong);
        }
        if self.is_at_end {
            return Ok(More::End);
        }
        self.bytes.drain(..self.at);
        self.at = 0;
        let wanted = self.bytes.len() * 2 + 1;
        while self.bytes.len() < wanted {
            match self.blocks.recv() {
                Ok(Ok(block)) if self.bytes.is_empty() => self.bytes = block,
                Ok(Ok(block)) => self.bytes.extend_from_slice(&block),
                Ok(Err(fault)) => {
                    self.is_at_end = true;
                    self.end_with(fault)?;
                    break;
                }
                Err(_) => {
                    self.is_at_end = true;
                    break;
                }
            }
        }
        self.tell()?;
        Ok(if self.is_at_end && self.bytes.len() < wanted.div_ceil(2) { More::End } else { More::Text })
    }

    fn end_with(&mut self, fault: Fault) -> Result<(), Error> {
        let path = self.settings.path;
        match fault {
            Fault::CutOff(why) => self.cut_off = Some(why),
            Fault::Io(source) => return Err(Error::Unreadable { path: path.into(), source }),
            Fault::TooLong(most) => {
                let found = format!(
                    "it unpacks to more than {} MB, far more than a trace of its size",
                    most / 1_000_000
                );
                return Err(Error::NotATrace { path: path.into(), found });
            }
        }
        Ok(())
    }

    fn tell(&self) -> Result<(), Error> {
        let Settings { path, size_bytes, on_progress } = self.settings;
        let read = self.packed_read.load(Ordering::Relaxed);
        let is_stopped = on_progress.is_some_and(|tell| tell(read, read.max(*size_bytes)).is_break());
        if is_stopped { Err(Error::Stopped { path: (*path).into() }) } else { Ok(()) }
    }
}
