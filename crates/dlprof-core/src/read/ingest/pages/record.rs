//! A record: a header of types, then the values.
//!
//! ```text
//! header length │ type type type … │ value value value …
//! ```

use super::{Unreadable, Wanted, varint};
use crate::read::ingest::cell::{Cell, MOST_COLUMNS};

/// SQLite's limit for a header.
const LONGEST_HEADER: usize = 98_307;

/// Finds the columns of records. The same headers occur many times, because they have only types and lengths. So
/// the result of reading a header is kept.
pub(super) struct Records<'w> {
    wanted: &'w [Wanted],
    kept: Vec<Layout>,
    /// The result of the last header that was too long to be kept.
    long: Layout,
}

/// Where the values are that a header describes. The fields that are used first fit one line of the processor's
/// cache.
#[derive(Clone)]
#[repr(C, align(64))]
struct Layout {
    header_bytes: u32,
    /// Length that the record must have: exactly, if the header was read to its end. All values lie within it.
    record_bytes: u32,
    is_exact: bool,
    header: [u8; LONGEST_KEPT],
    /// By column asked for.
    values: [Value; MOST_COLUMNS],
}

#[derive(Clone, Copy)]
struct Value {
    kind: SerialType,
    start: u32,
}

/// The type of a value: the number in the header.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SerialType(u32);

impl SerialType {
    const NULL: Self = Self(0);
    const REAL: Self = Self(7);
    /// The row id, which is not in the record. The number is used for nothing else.
    const ROW_ID: Self = Self(10);
    /// Lengths of the kinds below this.
    const SHORT: [u8; 12] = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0];

    fn of(number: u64) -> Result<Self, Unreadable> {
        /// SQLite's limit for a value.
        const LONGEST: usize = 1_000_000_000;
        let kind = u32::try_from(number).map(Self).map_err(|_| Unreadable)?;
        let is_known = !(10..12).contains(&number) && kind.bytes() <= LONGEST;
        if is_known { Ok(kind) } else { Err(Unreadable) }
    }

    /// Bytes that a value takes in the record.
    #[inline]
    fn bytes(self) -> usize {
        match Self::SHORT.get(self.0 as usize) {
            Some(&bytes) => bytes.into(),
            None => (self.0 as usize - 12) / 2,
        }
    }
}

/// A record whose values are decoded only when they are needed.
pub(in crate::read::ingest) struct Record<'a> {
    layout: &'a Layout,
    /// The record and the readable bytes after it.
    bytes: &'a [u8],
    row_id: i64,
}

/// Number of headers kept; a power of two.
const KEPT: usize = 512;

/// Longer headers are not kept.
const LONGEST_KEPT: usize = 55;

impl<'w> Records<'w> {
    /// `wanted` is in order of columns.
    pub(super) fn new(wanted: &'w [Wanted]) -> Self {
        let layout = Layout {
            header_bytes: 0,
            record_bytes: 0,
            is_exact: false,
            header: [0; LONGEST_KEPT],
            values: [Value { kind: SerialType::NULL, start: 0 }; MOST_COLUMNS],
        };
        Self { wanted, kept: vec![layout.clone(); KEPT], long: layout }
    }

    /// The record that `bytes` begin with.
    #[inline(always)]
    pub(super) fn read<'a>(
        &'a mut self,
        bytes: &'a [u8],
        record_bytes: usize,
        row_id: i64,
    ) -> Result<Record<'a>, Unreadable> {
        let record = bytes.get(..record_bytes).ok_or(Unreadable)?;
        let (header_bytes, types_at) = varint(record)?;
        let header_bytes = usize::try_from(header_bytes).map_err(|_| Unreadable)?;
        let header = record.get(..header_bytes).ok_or(Unreadable)?;
        if types_at > header_bytes || header_bytes > LONGEST_HEADER {
            return Err(Unreadable);
        }
        let layout = if header_bytes <= LONGEST_KEPT {
            let kept = &mut self.kept[place(header)];
            if !is_same(&kept.header[..kept.header_bytes as usize], header) {
                *kept = Layout::read(header, types_at, self.wanted)?;
            }
            kept
        } else {
            self.long = Layout::read(header, types_at, self.wanted)?;
            &self.long
        };
        // As in SQLite, no value may end after the record. If the header was read to its end, the values must end
        // with it.
        let needed_bytes = layout.record_bytes as usize;
        if record_bytes < needed_bytes || (layout.is_exact && record_bytes != needed_bytes) {
            return Err(Unreadable);
        }
        Ok(Record { layout, bytes, row_id })
    }
}

impl<'a> Record<'a> {
    /// An integer or NULL, if that is what the record has in that column.
    #[inline(always)]
    pub(in crate::read::ingest) fn int(&self, column: usize) -> Option<Option<i64>> {
        let value = self.layout.values[column];
        match value.kind {
            SerialType(1..=6) => Some(Some(self.integer(value))),
            SerialType(constant @ 8..=9) => Some(Some(i64::from(constant) - 8)),
            SerialType::NULL => Some(None),
            SerialType::ROW_ID => Some(Some(self.row_id)),
            _ => None,
        }
    }

    /// A value; NULL where the record has none.
    #[inline]
    pub(in crate::read::ingest) fn cell(&self, column: usize) -> Cell<'a> {
        let value = self.layout.values[column];
        match value.kind {
            SerialType::NULL => Cell::Null,
            SerialType::ROW_ID => Cell::Int(self.row_id),
            SerialType(1..=6) => Cell::Int(self.integer(value)),
            SerialType(constant @ 8..=9) => Cell::Int(i64::from(constant) - 8),
            SerialType::REAL => match self.slice(value).first_chunk().copied().map(f64::from_be_bytes) {
                Some(real) if !real.is_nan() => Cell::Real(real),
                _ => Cell::Null,
            },
            SerialType(text) if !text.is_multiple_of(2) => Cell::Text(self.slice(value)),
            SerialType(_) => Cell::Blob(self.slice(value)),
        }
    }

    #[inline(always)]
    fn integer(&self, value: Value) -> i64 {
        match self.bytes[value.start as usize..].first_chunk() {
            // Eight bytes are read; the shift removes the bytes after the value.
            Some(&eight) => i64::from_be_bytes(eight) >> (64 - 8 * value.kind.bytes()),
            None => integer(self.slice(value)),
        }
    }

    /// Bytes of the record, which reading its header found to be there.
    #[inline]
    fn slice(&self, value: Value) -> &'a [u8] {
        let start = value.start as usize;
        &self.bytes[start..start + value.kind.bytes()]
    }
}

/// Eight bytes of a header.
#[inline]
fn word(header: &[u8], at: usize) -> u64 {
    header[at..].first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes))
}

/// The place where a header is kept.
#[inline]
fn place(header: &[u8]) -> usize {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let mut hash = 0;
    if header.len() < 8 {
        hash = header.iter().fold(0, |hash, &byte| mix(hash, byte.into()));
    } else {
        // The last eight bytes may overlap those before.
        for at in (0..header.len() - 8).step_by(8) {
            hash = mix(hash, word(header, at));
        }
        hash = mix(hash, word(header, header.len() - 8));
    }
    (hash >> 32) as usize % KEPT
}

/// Whether two headers are the same; as `==`, without a call.
#[inline]
fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() || a.len() < 8 {
        return a == b;
    }
    let last = a.len() - 8;
    let mut differing = word(a, last) ^ word(b, last);
    for at in (0..last).step_by(8) {
        differing |= word(a, at) ^ word(b, at);
    }
    differing == 0
}

impl Layout {
    #[cold]
    fn read(header: &[u8], types_at: usize, wanted: &[Wanted]) -> Result<Self, Unreadable> {
        let mut values = [Value { kind: SerialType::NULL, start: 0 }; MOST_COLUMNS];
        let (mut at, mut value_at, mut column) = (types_at, header.len(), 0);
        let mut ended = false;
        for wanted in wanted {
            let (mut kind, mut start) = (SerialType::NULL, value_at);
            while column <= wanted.column && !ended {
                if at == header.len() {
                    (kind, ended) = (SerialType::NULL, true);
                    break;
                }
                let (next, length) = varint(&header[at..])?;
                at += length;
                (kind, start) = (SerialType::of(next)?, value_at);
                value_at += kind.bytes();
                column += 1;
            }
            if ended && wanted.has_default {
                return Err(Unreadable);
            }
            let start = u32::try_from(start).map_err(|_| Unreadable)?;
            values[wanted.slot] =
                Value { kind: if wanted.is_row_id { SerialType::ROW_ID } else { kind }, start };
        }
        let number = |bytes: usize| u32::try_from(bytes).map_err(|_| Unreadable);
        let mut layout = Self {
            header_bytes: number(header.len())?,
            record_bytes: number(value_at)?,
            is_exact: at == header.len(),
            header: [0; LONGEST_KEPT],
            values,
        };
        if let Some(kept) = layout.header.get_mut(..header.len()) {
            kept.copy_from_slice(header);
        }
        Ok(layout)
    }
}

/// A big-endian two's complement number of one to eight bytes.
fn integer(value: &[u8]) -> i64 {
    let sign = if value.first().is_some_and(|byte| *byte >= 0x80) { -1 } else { 0 };
    value.iter().fold(sign, |number, byte| number << 8 | i64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_all_lengths() {
        let cases: [(&[u8], i64); 7] = [
            (&[0x80], -128),
            (&[0x01, 0x00], 256),
            (&[0xFF, 0xFF, 0xFE], -2),
            (&[0x7F, 0xFF, 0xFF], 0x7F_FFFF),
            (&[0x00, 0x00, 0x00, 0x05], 5),
            (&[0x80, 0, 0, 0, 0, 0], -(1 << 47)),
            (&[0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], i64::MAX),
        ];
        let wanted = [Wanted { column: 0, slot: 2, is_row_id: false, has_default: false }];
        for (bytes, number) in cases {
            assert_eq!(integer(bytes), number);
            // Both at the end of the readable bytes and with other bytes after it.
            let kind = [0, 1, 2, 3, 4, 0, 5, 0, 6][bytes.len()];
            for behind in [0, 1, 8] {
                let record = [&[2, kind], bytes, &[0xEE; 8][..behind]].concat();
                let mut records = Records::new(&wanted);
                let read = records.read(&record, 2 + bytes.len(), 7).expect("the record is whole");
                assert_eq!(
                    (read.int(2), read.cell(2)),
                    (Some(Some(number)), Cell::Int(number)),
                    "{record:?}"
                );
                assert_eq!((read.int(0), read.cell(0)), (Some(None), Cell::Null));
            }
        }
    }

    #[test]
    fn headers_that_differ_in_one_byte_are_told_apart() {
        for length in 1..40_usize {
            let header: Vec<u8> = (0..).take(length).collect();
            assert!(is_same(&header, &header.clone()));
            for at in 0..length {
                let mut other = header.clone();
                other[at] ^= 0x80;
                assert!(!is_same(&header, &other), "{length} bytes, byte {at}");
            }
            assert!(!is_same(&header, &header[1..]));
        }
    }
}
