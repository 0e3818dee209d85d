//! The part of the text that is being parsed. It grows while a value does not fit, so that no value costs more than twice its
//! length.

use super::block::Fault;
use super::collect::Collector;
use super::parts::{Parsed, Parts};
use crate::base::Error;
use crate::read::progress::OnProgress;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// The longest event or value that is read. A longer one is like one that cannot be read.
const LONGEST: usize = 64 << 20;

/// What is read, and who is told of it.
pub(super) struct Settings<'a> {
    pub(super) path: &'a Path,
    pub(super) size_bytes: u64,
    /// Bytes of a block.
    pub(super) block_bytes: usize,
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
    parts: Parts,
    settings: &'a Settings<'a>,
    packed_read: &'a AtomicU64,
    bytes: Vec<u8>,
    at: usize,
    is_at_end: bool,
    /// Why the file cannot be read further.
    cut_off: Option<String>,
}

impl<'a> Window<'a> {
    pub(super) fn new(parts: Parts, settings: &'a Settings<'a>, packed_read: &'a AtomicU64) -> Self {
        Self { parts, settings, packed_read, bytes: Vec::new(), at: 0, is_at_end: false, cut_off: None }
    }

    /// The text from here on, as far as it is in memory.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// Leaves some bytes after.
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
            match self.parts.text() {
                Some(Ok(text)) if self.bytes.is_empty() => self.bytes = text,
                Some(Ok(text)) => self.bytes.extend_from_slice(&text),
                ended => {
                    self.is_at_end = true;
                    self.end_with(ended.and_then(Result::err))?;
                    break;
                }
            }
        }
        self.tell()?;
        Ok(if self.is_at_end && self.bytes.len() < wanted.div_ceil(2) { More::End } else { More::Text })
    }

    /// Where all text was left behind, between two events: hands on the rows of the next block, if it was parsed, and leaves behind
    /// what they are of if they are taken. False where there is no such block.
    pub(super) fn next_parsed(&mut self, take: impl FnOnce(Collector) -> bool) -> Result<bool, Error> {
        if self.is_at_end || self.at < self.bytes.len() {
            return Ok(false);
        }
        let Some(Parsed { rows, text, end }) = self.parts.parsed() else { return Ok(false) };
        self.bytes = text;
        self.at = if take(rows) { end } else { 0 };
        self.tell()?;
        Ok(true)
    }

    fn end_with(&mut self, fault: Option<Fault>) -> Result<(), Error> {
        let path = self.settings.path;
        let Some(fault) = fault else { return Ok(()) };
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
        let Settings { path, size_bytes, on_progress, .. } = self.settings;
        let read = self.packed_read.load(Ordering::Relaxed);
        let is_stopped = on_progress.is_some_and(|tell| tell(read, read.max(*size_bytes)).is_break());
        if is_stopped { Err(Error::Stopped { path: (*path).into() }) } else { Ok(()) }
    }
}
