//! Which rows of a table have given values.

use dlprof_core::{CellKind, Value, to_f64};
use rusqlite::types::ValueRef;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// The rows of a table by a hash of their cells in some columns. Rows with other cells may have the same hash.
pub(super) struct Lookup {
    /// By hash, then by row.
    rows: Vec<(u64, usize)>,
}

impl Lookup {
    /// Looks at all rows. Rows without a hash equal nothing.
    pub(super) fn new(rows: usize, hash: impl Fn(usize) -> Option<u64>) -> Self {
        let mut rows: Vec<(u64, usize)> = (0..rows).filter_map(|row| Some((hash(row)?, row))).collect();
        rows.sort_unstable();
        Self { rows }
    }

    /// Where rows with a hash are listed, in their order.
    pub(super) fn places(&self, hash: u64) -> Range<usize> {
        let start = self.rows.partition_point(|(known, _)| *known < hash);
        start..start + self.rows[start..].partition_point(|(known, _)| *known == hash)
    }

    /// The row at a place.
    pub(super) fn row(&self, place: usize) -> Option<usize> {
        self.rows.get(place).map(|(_, row)| *row)
    }
}

/// A value in the form in which values are compared: 1, 1.0 and true are equal.
pub(super) enum Key<'a> {
    Number(u64),
    Text(Cow<'a, str>),
}

/// Why a value has no key.
pub(super) enum NoKey {
    /// An undefined value equals nothing.
    Undefined,
    /// SQLite converts the value before it compares, so it may equal anything.
    Converted,
}

impl<'a> Key<'a> {
    /// That of a cell.
    pub(super) fn of(value: &Value<'a>) -> Result<Self, NoKey> {
        match value {
            Value::Null => Err(NoKey::Undefined),
            Value::Int(number) => Ok(Self::number(to_f64(*number))),
            Value::Float(number) => Ok(Self::number(*number)),
            Value::Flag(flag) => Ok(Self::number(f64::from(*flag))),
            Value::Text(text) => Ok(Self::Text(text.clone())),
        }
    }

    /// That of a value with which cells of a kind are compared.
    fn of_sql(value: ValueRef<'a>, kind: CellKind) -> Result<Self, NoKey> {
        let is_text = kind.is_text();
        match value {
            ValueRef::Null => Err(NoKey::Undefined),
            ValueRef::Integer(number) if !is_text => Ok(Self::number(to_f64(number))),
            ValueRef::Real(number) if !is_text => Ok(Self::number(number)),
            ValueRef::Text(text) if is_text => Ok(Self::Text(String::from_utf8_lossy(text))),
            _ => Err(NoKey::Converted),
        }
    }

    /// Zero has one key.
    fn number(number: f64) -> Self {
        Self::Number((number + 0.0).to_bits())
    }
}

/// The hash of keys; `None` if one of them is missing.
pub(super) fn hashed<'a>(keys: impl Iterator<Item = Option<Key<'a>>>) -> Option<u64> {
    // Its keys are fixed, so a hash is the same in every process.
    let mut hasher = DefaultHasher::new();
    for key in keys {
        match key? {
            Key::Number(bits) => bits.hash(&mut hasher),
            Key::Text(text) => text.hash(&mut hasher),
        }
    }
    Some(hasher.finish())
}

/// Rows that are asked for.
pub(super) enum Asked {
    /// None.
    Nothing,
    /// Those with this hash.
    Hash(u64),
    /// Perhaps all of them.
    Anything,
}

/// Which rows equal these values, in columns of these kinds.
pub(super) fn asked<'a>(values: impl Iterator<Item = (CellKind, ValueRef<'a>)>) -> Asked {
    let keys: Result<Vec<Key<'_>>, NoKey> = values.map(|(kind, value)| Key::of_sql(value, kind)).collect();
    match keys {
        Err(NoKey::Undefined) => Asked::Nothing,
        Err(NoKey::Converted) => Asked::Anything,
        Ok(keys) => hashed(keys.into_iter().map(Some)).map_or(Asked::Anything, Asked::Hash),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(value: &Value<'_>) -> Option<u64> {
        hashed(std::iter::once(Key::of(value).ok()))
    }

    #[test]
    fn values_that_sqlite_finds_equal_have_one_hash() {
        let one = cell(&Value::Int(1));
        assert!(one.is_some() && one == cell(&Value::Float(1.0)) && one == cell(&Value::Flag(true)));
        assert_eq!(cell(&Value::Float(-0.0)), cell(&Value::Int(0)));
        assert_ne!(one, cell(&Value::from("1")));
        assert_eq!(cell(&Value::Null), None);
        let hash = |kind, value| match asked(std::iter::once((kind, value))) {
            Asked::Hash(hash) => Some(hash),
            Asked::Nothing | Asked::Anything => None,
        };
        assert_eq!(hash(CellKind::Int, ValueRef::Real(1.0)), one);
        assert_eq!(hash(CellKind::Flag, ValueRef::Integer(1)), one);
        assert_eq!(hash(CellKind::Text, ValueRef::Text(b"1")), cell(&Value::from("1")));
        // SQLite makes a number of '1', and a text of 1.
        assert_eq!(hash(CellKind::Int, ValueRef::Text(b"1")), None);
        assert_eq!(hash(CellKind::Text, ValueRef::Integer(1)), None);
    }

    #[test]
    fn rows_are_found_in_their_order() {
        let lookup = Lookup::new(7, |row| (row != 5).then_some(row as u64 % 2));
        let rows = |hash| lookup.places(hash).filter_map(|place| lookup.row(place)).collect::<Vec<_>>();
        assert_eq!((rows(0), rows(1), rows(2)), (vec![0, 2, 4, 6], vec![1, 3], vec![]));
    }
}
