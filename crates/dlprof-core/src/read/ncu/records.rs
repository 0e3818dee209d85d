//! Records of a table: cells between delimiters, quoted as RFC 4180 says, over as many lines as they take. Lines are given one after
//! the other, so that other lines between them can be left out.

use memchr::{memchr, memchr3};

/// A cell keeps at most so many bytes.
pub(super) const MOST_CELL_BYTES: usize = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    StartOfCell,
    Plain,
    Quoted,
    /// Behind a quote inside of a quoted cell: its end, or the first of two.
    BehindQuote,
}

/// The record that is being read.
#[derive(Debug)]
pub(super) struct Record {
    bytes: Vec<u8>,
    /// Where cells end in `bytes`.
    ends: Vec<usize>,
    state: State,
    /// Bytes of the record in the file.
    taken: usize,
    pub(super) cut_cells: u64,
}

impl Record {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), ends: Vec::new(), state: State::StartOfCell, taken: 0, cut_cells: 0 }
    }

    /// Whether lines were taken that have not made a whole record yet.
    pub(super) fn is_begun(&self) -> bool {
        self.taken > 0
    }

    /// How many bytes were taken for it.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Forgets what was taken.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.state = State::StartOfCell;
        self.taken = 0;
    }

    /// The cells. What is not UTF-8 is replaced when a cell becomes a text.
    pub(super) fn cell(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.bytes.get(start..end)
    }

    /// How many cells it has.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether no cell says anything.
    pub(super) fn is_blank(&self) -> bool {
        self.bytes.iter().all(u8::is_ascii_whitespace)
    }

    /// Takes a line with its end. Returns whether the record is whole.
    pub(super) fn take(&mut self, line: &[u8], delimiter: u8) -> bool {
        self.taken += line.len();
        let mut rest = line;
        while let Some(&byte) = rest.first() {
            match self.state {
                State::Quoted => match memchr(b'"', rest) {
                    None => {
                        self.push(rest);
                        return false;
                    }
                    Some(at) => {
                        self.push(&rest[..at]);
                        rest = &rest[at + 1..];
                        self.state = State::BehindQuote;
                    }
                },
                State::BehindQuote if byte == b'"' => {
                    self.push(b"\"");
                    rest = &rest[1..];
                    self.state = State::Quoted;
                }
                State::StartOfCell if byte == b'"' => {
                    rest = &rest[1..];
                    self.state = State::Quoted;
                }
                State::StartOfCell | State::Plain | State::BehindQuote => {
                    let at = memchr3(delimiter, b'\n', b'\r', rest).unwrap_or(rest.len());
                    self.push(&rest[..at]);
                    rest = &rest[at..];
                    match rest.first() {
                        None => self.state = State::Plain,
                        Some(byte) if *byte == delimiter => {
                            self.end_cell();
                            rest = &rest[1..];
                        }
                        Some(_) => return self.end(),
                    }
                }
            }
        }
        // The last line of a file has no end.
        if self.state == State::Quoted { false } else { self.end() }
    }

    fn end(&mut self) -> bool {
        self.end_cell();
        true
    }

    fn end_cell(&mut self) {
        let start = self.ends.last().copied().unwrap_or(0);
        if self.bytes.len() - start > MOST_CELL_BYTES {
            self.bytes.truncate(start + MOST_CELL_BYTES);
            self.cut_cells += 1;
        }
        self.ends.push(self.bytes.len());
        self.state = State::StartOfCell;
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

/// The cells of one line.
pub(super) fn cells_of(line: &[u8], delimiter: u8) -> Vec<String> {
    let mut record = Record::new();
    record.take(line, delimiter);
    if record.state != State::StartOfCell {
        record.end_cell();
    }
    (0..record.len()).filter_map(|index| record.cell(index)).map(text).collect()
}

/// A cell as a text.
pub(super) fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(lines: &[&str], delimiter: u8) -> Vec<Vec<String>> {
        let mut record = Record::new();
        let mut found = Vec::new();
        for line in lines {
            if record.take(line.as_bytes(), delimiter) {
                found.push((0..record.len()).map(|i| text(record.cell(i).expect("a cell"))).collect());
                record.clear();
            }
        }
        found
    }

    #[test]
    fn cells_are_read_as_the_standard_says() {
        assert_eq!(records(&["\"a\",\"b\"\"c\",d\r\n"], b','), [vec!["a", "b\"c", "d"]]);
        assert_eq!(records(&["a;\"b;c\";\n"], b';'), [vec!["a", "b;c", ""]]);
        assert_eq!(records(&["\"a\n", "b\",c\n", "d\n"], b','), [vec!["a\nb", "c"], vec!["d"]]);
        assert_eq!(records(&["a\"b,c"], b','), [vec!["a\"b", "c"]]);
        assert_eq!(records(&["\"a\"b,c\n"], b','), [vec!["ab", "c"]]);
        assert!(records(&["\"a,b\n", "c\n"], b',').is_empty(), "the cell never ends");
    }
}
