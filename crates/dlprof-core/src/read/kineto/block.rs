//! What the thread that reads and unpacks hands on: parts of the text, and why there are no more.

use std::io;

/// A part of the text.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) text: Vec<u8>,
    /// Whether it seems to begin with an event.
    pub(super) is_event: bool,
}

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
