//! A file as UTF-8: `>` of Windows PowerShell writes UTF-16, and some programs write a mark before UTF-8.

use std::io::{self, Read};

/// Bytes of a file, as UTF-8.
pub(super) struct Decoded<R> {
    source: R,
    encoding: Encoding,
    /// Made, and not yet handed on.
    ready: Vec<u8>,
    handed_on: usize,
    /// Bytes of a unit or a pair that is not whole yet.
    open: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Unknown,
    Bytes,
    Little,
    Big,
}

const BLOCK: usize = 1 << 16;

impl<R: Read> Decoded<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, encoding: Encoding::Unknown, ready: Vec::new(), handed_on: 0, open: Vec::new() }
    }

    fn begin(&mut self) -> io::Result<()> {
        let mut start = [0; 3];
        let mut filled = 0;
        while filled < start.len() {
            match self.source.read(&mut start[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let start = &start[..filled];
        self.encoding = match start {
            [0xff, 0xfe, rest @ ..] => {
                self.open.extend_from_slice(rest);
                Encoding::Little
            }
            [0xfe, 0xff, rest @ ..] => {
                self.open.extend_from_slice(rest);
                Encoding::Big
            }
            [0xef, 0xbb, 0xbf] => Encoding::Bytes,
            other => {
                self.ready.extend_from_slice(other);
                Encoding::Bytes
            }
        };
        Ok(())
    }

    /// Reads and converts a block; false at the end.
    fn convert(&mut self) -> io::Result<bool> {
        let before = self.open.len();
        self.open.resize(before + BLOCK, 0);
        let read = self.source.read(&mut self.open[before..]);
        // A read that was interrupted is tried again.
        self.open.truncate(before + *read.as_ref().unwrap_or(&0));
        let count = read?;
        let is_end = count == 0;
        let big = self.encoding == Encoding::Big;
        let mut units: Vec<u16> = self
            .open
            .chunks_exact(2)
            .map(|pair| match big {
                true => u16::from_be_bytes([pair[0], pair[1]]),
                false => u16::from_le_bytes([pair[0], pair[1]]),
            })
            .collect();
        let mut kept = self.open.len() % 2;
        if !is_end && units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit)) {
            units.pop();
            kept += 2;
        }
        let whole = self.open.len() - kept;
        self.open.drain(..whole);
        let mut buffer = [0; 4];
        for c in char::decode_utf16(units) {
            let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.ready.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
        }
        Ok(!is_end)
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.encoding == Encoding::Unknown {
            self.begin()?;
        }
        while self.handed_on == self.ready.len() {
            self.ready.clear();
            self.handed_on = 0;
            if self.encoding == Encoding::Bytes {
                return self.source.read(into);
            }
            if !self.convert()? && self.ready.is_empty() {
                return Ok(0);
            }
        }
        let left = &self.ready[self.handed_on..];
        let count = left.len().min(into.len());
        into[..count].copy_from_slice(&left[..count]);
        self.handed_on += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> String {
        let mut text = String::new();
        Decoded::new(bytes).read_to_string(&mut text).expect("a text");
        text
    }

    #[test]
    fn every_encoding_becomes_utf8() {
        let text = "\"ID\",\"µs 😀\"\n".repeat(9000);
        for big in [false, true] {
            let mut bytes = if big { vec![0xfe, 0xff] } else { vec![0xff, 0xfe] };
            for unit in text.encode_utf16() {
                bytes.extend(if big { unit.to_be_bytes() } else { unit.to_le_bytes() });
            }
            assert_eq!(decoded(&bytes), text);
            bytes.pop();
            assert!(decoded(&bytes).starts_with(&text[..text.len() - 1]));
        }
        assert_eq!(decoded("\u{feff}a".as_bytes()), "a");
        assert_eq!(decoded(b"ab"), "ab");
        assert_eq!(decoded(b""), "");
    }

    /// A source that is interrupted before each of its reads.
    struct Interrupted<'a> {
        rest: &'a [u8],
        is_next: bool,
    }

    impl Read for Interrupted<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.is_next = !self.is_next;
            if self.is_next { Err(io::ErrorKind::Interrupted.into()) } else { self.rest.read(into) }
        }
    }

    #[test]
    fn an_interruption_adds_nothing() {
        let bytes: Vec<u8> =
            [0xff, 0xfe].into_iter().chain("ab".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let mut text = String::new();
        let source = Interrupted { rest: &bytes, is_next: false };
        Decoded::new(source).read_to_string(&mut text).expect("a text");
        assert_eq!(text, "ab");
    }
}
