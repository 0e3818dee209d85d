//! A record: a header of types, then the values.
//!
//! ```text
//! header length │ type type type … │ value value value …
//! ```

use super::{Unreadable, Wanted, varint};
use crate::ingest::row::Cell;

/// SQLite's limit for a header.
const LONGEST_HEADER: usize = 98_307;

/// Reads columns of records. Headers repeat, because they hold only types and lengths; what a header says is kept.
pub(super) struct Records<'w> {
    wanted: &'w [Wanted],
    layouts: Vec<Layout>,
}

/// Where the values are that a header describes.
#[derive(Default)]
struct Layout {
    header: Vec<u8>,
    values: Vec<Value>,
    /// Length that the record must have: exactly, if the header was read to its end.
    record_bytes: usize,
    is_exact: bool,
}

#[derive(Clone, Copy)]
struct Value {
    slot: usize,
    kind: u64,
    start: usize,
    end: usize,
}

/// Number of headers kept; a power of two.
const KEPT: usize = 512;

/// Longer headers are not kept.
const LONGEST_KEPT: usize = 64;

impl<'w> Records<'w> {
    /// `wanted` is in order of columns.
    pub(super) fn new(wanted: &'w [Wanted]) -> Self {
        Self { wanted, layouts: std::iter::repeat_with(Layout::default).take(KEPT).collect() }
    }

    /// Reads the columns asked for; those that the record lacks stay NULL.
    #[inline]
    pub(super) fn read<'a>(
        &mut self,
        record: &'a [u8],
        row_id: i64,
        cells: &mut [Cell<'a>],
    ) -> Result<(), Unreadable> {
        let (header_bytes, types_at) = varint(record)?;
        let header_bytes = usize::try_from(header_bytes).map_err(|_| Unreadable)?;
        let header = record.get(..header_bytes).ok_or(Unreadable)?;
        if types_at > header_bytes || header_bytes > LONGEST_HEADER {
            return Err(Unreadable);
        }
        let once;
        let layout = if header_bytes <= LONGEST_KEPT {
            let kept = &mut self.layouts[place(header)];
            if kept.header != header {
                *kept = Layout::read(header, types_at, self.wanted)?;
            }
            &*kept
        } else {
            once = Layout::read(header, types_at, self.wanted)?;
            &once
        };
        // As SQLite: no value may end behind the record, and if the header was read to its end, all must end with it.
        if record.len() < layout.record_bytes || (layout.is_exact && record.len() != layout.record_bytes) {
            return Err(Unreadable);
        }
        for value in &layout.values {
            cells[value.slot] = match value.kind {
                ROW_ID => Cell::Int(row_id),
                kind => cell(kind, record.get(value.start..value.end).ok_or(Unreadable)?),
            };
        }
        Ok(())
    }
}

/// Stands for the row id among the types; no value has it.
const ROW_ID: u64 = 10;

/// Where a header is kept.
#[inline]
fn place(header: &[u8]) -> usize {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut chunks = header.chunks_exact(8);
    let mut hash = 0_u64;
    for chunk in &mut chunks {
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(chunk.try_into().unwrap_or_default()))
            .wrapping_mul(FACTOR);
    }
    for &byte in chunks.remainder() {
        hash = (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(FACTOR);
    }
    (hash >> 32) as usize % KEPT
}

impl Layout {
    fn read(header: &[u8], types_at: usize, wanted: &[Wanted]) -> Result<Self, Unreadable> {
        let mut values = Vec::with_capacity(wanted.len());
        let (mut at, mut value_at, mut column) = (types_at, header.len(), 0);
        let mut ended = false;
        for wanted in wanted {
            let (mut kind, mut start) = (0, value_at);
            while column <= wanted.column && !ended {
                if at == header.len() {
                    ended = true;
                    break;
                }
                let (next, length) = varint(&header[at..])?;
                at += length;
                (kind, start) = (next, value_at);
                value_at += value_bytes(kind)?;
                column += 1;
            }
            if wanted.is_row_id {
                values.push(Value { slot: wanted.slot, kind: ROW_ID, start, end: start });
            } else if !ended {
                values.push(Value { slot: wanted.slot, kind, start, end: value_at });
            }
        }
        let is_exact = at == header.len();
        Ok(Self { header: header.to_vec(), values, record_bytes: value_at, is_exact })
    }
}

/// Length of a value by its type.
#[inline]
fn value_bytes(kind: u64) -> Result<usize, Unreadable> {
    const SHORT: [u8; 10] = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];
    /// SQLite's limit for a value.
    const LONGEST: u64 = 1_000_000_000;
    match kind {
        0..=9 => Ok(usize::from(SHORT[(kind % 10) as usize])),
        10 | 11 => Err(Unreadable),
        _ => {
            let bytes = (kind - 12) / 2;
            if bytes > LONGEST { Err(Unreadable) } else { Ok(bytes as usize) }
        }
    }
}

#[inline]
fn cell(kind: u64, value: &[u8]) -> Cell<'_> {
    match kind {
        1..=6 => Cell::Int(integer(value)),
        7 => match value.try_into().map(f64::from_be_bytes) {
            Ok(real) if !real.is_nan() => Cell::Real(real),
            _ => Cell::Null,
        },
        8 => Cell::Int(0),
        9 => Cell::Int(1),
        0 => Cell::Null,
        _ if kind.is_multiple_of(2) => Cell::Blob(value),
        _ => Cell::Text(value),
    }
}

/// A big-endian two's complement number of one to eight bytes.
#[inline]
fn integer(value: &[u8]) -> i64 {
    match *value {
        [a] => i64::from(a.cast_signed()),
        [a, b] => i64::from(i16::from_be_bytes([a, b])),
        [a, b, c] => i64::from(i32::from_be_bytes([a, b, c, 0]) >> 8),
        [a, b, c, d] => i64::from(i32::from_be_bytes([a, b, c, d])),
        // Times from the fourth second on.
        [a, b, c, d, e, f] => i64::from_be_bytes([a, b, c, d, e, f, 0, 0]) >> 16,
        [a, b, c, d, e, f, g, h] => i64::from_be_bytes([a, b, c, d, e, f, g, h]),
        _ => {
            let sign = if value.first().is_some_and(|byte| *byte >= 0x80) { -1 } else { 0 };
            value.iter().fold(sign, |number, byte| number << 8 | i64::from(*byte))
        }
    }
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
        for (bytes, number) in cases {
            assert_eq!(integer(bytes), number);
        }
    }
}
