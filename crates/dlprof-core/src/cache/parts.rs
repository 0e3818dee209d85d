//! How groups, texts and small values stand in columns.

use super::columns::{Stored, Writer, damaged};
use super::reader::Reader;
use crate::groups::Grouped;
use crate::ids::StrId;
use crate::strings::StringPool;
use arrow::error::ArrowError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Write;

/// Writes what is no long column.
pub(super) fn write_json<W: Write>(
    name: &str,
    value: &impl Serialize,
    columns: &mut Writer<W>,
) -> Result<(), ArrowError> {
    columns.put(name, serde_json::to_vec(value).map_err(|error| damaged(&error.to_string()))?)
}

/// Reads it.
pub(super) fn read_json<T: DeserializeOwned>(name: &str, columns: &Reader) -> Result<T, ArrowError> {
    serde_json::from_slice(&columns.take::<u8>(name)?).map_err(|error| damaged(&error.to_string()))
}

pub(super) fn write_groups<T: Stored, W: Write>(
    name: &str,
    groups: &Grouped<T>,
    columns: &mut Writer<W>,
) -> Result<(), ArrowError> {
    columns.put(&format!("{name}.offsets"), groups.offsets().iter().copied())?;
    columns.put(name, groups.items().iter().copied())
}

pub(super) fn read_groups<T: Stored>(name: &str, columns: &Reader) -> Result<Grouped<T>, ArrowError> {
    let offsets = columns.take(&format!("{name}.offsets"))?;
    Grouped::from_parts(offsets, columns.take(name)?).ok_or_else(|| damaged("groups do not fit"))
}

/// Writes texts with the ids from 0.
pub(super) fn write_texts<W: Write>(
    name: &str,
    texts: &StringPool,
    columns: &mut Writer<W>,
) -> Result<(), ArrowError> {
    write_some_texts(name, (0..texts.len()).map(|at| texts.get(StrId::new(at))), columns)
}

/// Writes texts, which are all different, in an order.
pub(super) fn write_some_texts<'a, W: Write>(
    name: &str,
    texts: impl Iterator<Item = &'a str> + Clone,
    columns: &mut Writer<W>,
) -> Result<(), ArrowError> {
    columns.put(name, texts.clone().flat_map(str::bytes))?;
    let lengths = texts.map(|text| i64::try_from(text.len()).unwrap_or(i64::MAX));
    columns.put(&format!("{name}.lengths"), lengths)
}

pub(super) fn read_texts(name: &str, columns: &Reader) -> Result<StringPool, ArrowError> {
    let bytes: Vec<u8> = columns.take(name)?;
    let mut rest = std::str::from_utf8(&bytes).map_err(|_| damaged("a text is not UTF-8"))?;
    let mut texts = StringPool::default();
    for length in columns.take::<i64>(&format!("{name}.lengths"))? {
        let length = usize::try_from(length).map_err(|_| damaged("a text has no length"))?;
        let (text, behind) = rest.split_at_checked(length).ok_or_else(|| damaged("a text is cut off"))?;
        texts.intern(text);
        rest = behind;
    }
    Ok(texts)
}
