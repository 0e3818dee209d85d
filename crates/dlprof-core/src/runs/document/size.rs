//! How large a baseline may be: what is written is no larger than what is read.

use crate::base::small_file::MOST_BASELINE_BYTES;
use std::io::{self, Write};

/// A baseline has at most so many values: more would fill the memory.
pub(super) const MOST_VALUES: usize = 4_000_000;

/// The length of a JSON text that comes in pieces, and its values: commas outside of strings, which are a few less.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct JsonSize {
    bytes: u64,
    values: usize,
    is_string: bool,
    is_escaped: bool,
}

impl JsonSize {
    /// That of a whole text.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut size = Self::default();
        size.add(text);
        size
    }

    /// Whether there are more values than a baseline may have.
    pub(super) fn has_too_many_values(&self) -> bool {
        self.values > MOST_VALUES
    }

    fn add(&mut self, piece: &[u8]) {
        self.bytes += piece.len() as u64;
        for byte in piece {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = self.is_string,
                b'"' => self.is_string = !self.is_string,
                b',' if !self.is_string => self.values += 1,
                _ => {}
            }
        }
    }
}

/// Passes on what is written, and refuses what would be too large to be read again.
pub(super) struct Sized<'a> {
    out: &'a mut dyn Write,
    size: JsonSize,
}

impl<'a> Sized<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, size: JsonSize::default() }
    }
}

impl Write for Sized<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let mut size = self.size;
        size.add(piece);
        if size.bytes > MOST_BASELINE_BYTES || size.has_too_many_values() {
            return Err(io::Error::other(format!(
                "a baseline has at most {MOST_BASELINE_BYTES} bytes and {MOST_VALUES} values; pool fewer runs"
            )));
        }
        self.out.write_all(piece)?;
        self.size = size;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_strings_and_across_pieces() {
        let text = br#"{"a,b\",": [1, 2, "c,\\"], "d": {}}"#;
        assert_eq!(JsonSize::of(text).values, 3);
        assert_eq!(JsonSize::of(b"{}").values, 0);
        for at in 0..text.len() {
            let mut size = JsonSize::of(&text[..at]);
            size.add(&text[at..]);
            assert_eq!(size, JsonSize::of(text), "cut at {at}");
        }
    }

    #[test]
    fn what_is_too_large_to_be_read_is_not_written() {
        let mut text = Vec::new();
        let mut out = Sized::new(&mut text);
        out.write_all(&vec![b','; MOST_VALUES]).expect("room");
        assert!(out.write_all(b"[]").is_ok());
        let error = out.write_all(b",").expect_err("one value too many");
        assert!(error.to_string().contains("pool fewer runs"), "{error}");
        assert_eq!(text.len(), MOST_VALUES + 2);
        let mut sink = io::sink();
        let mut out = Sized::new(&mut sink);
        out.size.bytes = MOST_BASELINE_BYTES;
        assert!(out.write_all(b"x").is_err());
    }
}
