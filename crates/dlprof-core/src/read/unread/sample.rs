//! The beginning of a file, unpacked.

use crate::base::regular_file;
use flate2::read::GzDecoder;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// How many bytes are looked at.
const MOST: usize = 64 << 10;

/// What packed data begin with.
pub(super) const GZIP: &[u8] = &[0x1f, 0x8b];

/// The beginning of a file. One layer of gzip is unpacked.
pub(in crate::read) struct Sample<'a> {
    pub(in crate::read) path: &'a Path,
    pub(super) size_bytes: u64,
    /// As it stands in the file.
    packed: Vec<u8>,
    /// The same, unpacked, if it is packed with gzip.
    unpacked: Option<Vec<u8>>,
    /// The last byte of the file.
    pub(super) last: Option<u8>,
}

impl<'a> Sample<'a> {
    /// Reads the beginning of a regular file.
    pub(in crate::read) fn read(path: &'a Path) -> io::Result<Self> {
        let mut file = regular_file::open(path)?;
        let size_bytes = file.metadata()?.len();
        let mut start = Vec::new();
        (&mut file).take(MOST as u64).read_to_end(&mut start)?;
        let last = last_byte(&mut file, size_bytes)?.or(start.last().copied());
        Ok(Self { size_bytes, last, ..Self::of(path, start) })
    }

    /// Of a file that is these bytes.
    pub(in crate::read) fn of(path: &'a Path, start: Vec<u8>) -> Self {
        Self {
            path,
            size_bytes: start.len() as u64,
            last: start.last().copied(),
            unpacked: start.starts_with(GZIP).then(|| unpacked(&start)),
            packed: start,
        }
    }

    /// The first bytes as they stand in the file.
    pub(in crate::read) fn start(&self) -> &[u8] {
        &self.packed
    }

    /// The first bytes, unpacked.
    pub(super) fn bytes(&self) -> &[u8] {
        self.unpacked.as_deref().unwrap_or(&self.packed)
    }

    /// Whether it is packed with gzip.
    pub(in crate::read) fn is_packed(&self) -> bool {
        self.unpacked.is_some()
    }

    /// Whether the name ends so, in letters of any size. For kinds that bytes do not tell.
    pub(super) fn ends_with(&self, endings: &[&str]) -> bool {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        endings.iter().any(|ending| name.ends_with(ending))
    }

    /// The beginning of a text without the mark of UTF-8; none if the bytes are no text.
    pub(super) fn text(&self) -> Option<&str> {
        let bytes = self.bytes();
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // The last letter may be cut.
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?
            }
            Err(_) => return None,
        };
        let is_of_text =
            |letter: char| !letter.is_control() || matches!(letter, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}');
        text.chars().all(is_of_text).then(|| text.strip_prefix('\u{feff}').unwrap_or(text))
    }

    /// The lines of a text; none if it is none.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.text().unwrap_or_default().lines()
    }

    /// The first bytes, if they can be a message of protobuf whose first field has number 1; a text or JSON is none.
    pub(super) fn message(&self) -> Option<&[u8]> {
        let bytes = self.bytes();
        let is_other = self.text().is_some() || is_certainly_json(bytes);
        (bytes.starts_with(&[0x0a]) && !is_other).then_some(bytes)
    }

    /// Whether it can be the start of an object or a list in JSON.
    pub(in crate::read) fn is_json(&self) -> bool {
        is_json(self.bytes())
    }
}

/// Whether bytes can be the start of an object or a list in JSON.
pub(super) fn is_json(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    // With a zero after it, a bracket is one of UTF-16 or UTF-32.
    matches!(start, [b'{' | b'[', rest @ ..] if rest.first() != Some(&0))
}

/// Whether bytes are the start of JSON also where a message of protobuf may begin with the same bytes: an empty line and a bracket.
/// Behind the bracket of JSON stands a text or another bracket.
fn is_certainly_json(start: &[u8]) -> bool {
    let behind = start.trim_ascii_start().get(1..).unwrap_or_default().trim_ascii_start();
    is_json(start) && behind.first().is_none_or(|byte| b"\"{}[]".contains(byte))
}

/// The last byte of a longer file than is looked at.
fn last_byte(file: &mut File, size_bytes: u64) -> io::Result<Option<u8>> {
    if size_bytes <= MOST as u64 {
        return Ok(None);
    }
    let mut last = Vec::new();
    file.seek(SeekFrom::End(-1))?;
    file.take(1).read_to_end(&mut last)?;
    Ok(last.first().copied())
}

/// As much of packed data as is there and whole.
fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What was unpacked before the data end or are damaged is right.
    drop(GzDecoder::new(packed).take(MOST as u64).read_to_end(&mut bytes));
    bytes
}
