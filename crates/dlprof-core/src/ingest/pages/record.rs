//! A record: a header of types, then the values.
//!
//! ```text
//! header length │ type type type … │ value value value …
//! ```

use super::{Unreadable, Wanted, varint};
use crate::ingest::row::Cell;

/// SQLite's limit for a header.
const LONGEST_HEADER: usize = 98_307;

/// Reads the columns asked for; those that the record lacks stay NULL.
#[inline]
pub(super) fn read<'a>(
    record: &'a [u8],
    row_id: i64,
    wanted: &[Wanted],
    cells: &mut [Cell<'a>],
) -> Result<(), Unreadable> {
    let (header_bytes, mut at) = varint(record)?;
    let header_bytes = usize::try_from(header_bytes).map_err(|_| Unreadable)?;
    let header = record.get(..header_bytes).ok_or(Unreadable)?;
    if at > header_bytes || header_bytes > LONGEST_HEADER {
        return Err(Unreadable);
    }
    for wanted in wanted.iter().filter(|wanted| wanted.is_row_id) {
        cells[wanted.slot] = Cell::Int(row_id);
    }
    let mut value_at = header_bytes;
    let mut column = 0;
    for wanted in wanted {
        let mut kind = 0;
        let mut bytes = 0;
        while column <= wanted.column {
            if at == header_bytes {
                // As SQLite: the values must end where the record does.
                return if value_at + bytes == record.len() { Ok(()) } else { Err(Unreadable) };
            }
            value_at += bytes;
            let (next, length) = varint(&header[at..])?;
            at += length;
            kind = next;
            bytes = value_bytes(kind)?;
            column += 1;
        }
        let value = record.get(value_at..value_at + bytes).ok_or(Unreadable)?;
        value_at += bytes;
        if !wanted.is_row_id {
            cells[wanted.slot] = cell(kind, value);
        }
    }
    if at == header_bytes && value_at != record.len() { Err(Unreadable) } else { Ok(()) }
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
        _ if kind % 2 == 0 => Cell::Blob(value),
        _ => Cell::Text(value),
    }
}

/// A big-endian two's complement number of one to eight bytes.
#[inline]
fn integer(value: &[u8]) -> i64 {
    match *value {
        [a] => i64::from(a.cast_signed()),
        [a, b] => i64::from(i16::from_be_bytes([a, b])),
        [a, b, c, d] => i64::from(i32::from_be_bytes([a, b, c, d])),
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
