//! What a reader makes of a table, in one number: for the tests that hold the readers equal.

use super::cell::Cell;
use super::database::Database;
use super::row::Row;
use super::{RowReader, api_calls, copies, kernels, memsets, ranges, syncs};
use crate::base::Error;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;

/// Tables that both readers can read, with columns of all types, used by the tool or not.
pub const LARGE_TABLE_COLUMNS: [(&str, &[&str]); 7] = [
    (
        ranges::TABLE,
        &["start", "end", "eventType", "text", "textId", "globalTid", "domainId", "jsonText", "binaryData"],
    ),
    (api_calls::TABLE, &["start", "end", "globalTid", "correlationId", "nameId", "returnValue"]),
    (
        kernels::TABLE,
        &[
            "start",
            "end",
            "deviceId",
            "globalPid",
            "correlationId",
            "demangledName",
            "shortName",
            "gridX",
            "blockZ",
        ],
    ),
    (copies::TABLE, &["start", "bytes", "copyKind", "correlationId"]),
    (memsets::TABLE, &["start", "bytes", "correlationId"]),
    (syncs::TABLE, &["globalPid", "correlationId"]),
    ("StringIds", &["id", "value"]),
];

/// A number for the cells of all rows of a table, and how many there are; equal rows give equal numbers.
///
/// # Errors
/// If the file cannot be opened, or this reader cannot read the table.
pub fn fingerprint(
    path: &Path,
    table: &str,
    columns: &[&str],
    reader: RowReader,
) -> Result<(u64, u64), Error> {
    let init = || (FxHasher::default(), 0);
    let push = |(hasher, rows): &mut (FxHasher, u64), row: &Row<'_>| {
        *rows += 1;
        for cell in (0..columns.len()).map(|column| row.value(column)) {
            std::mem::discriminant(&cell).hash(hasher);
            match cell {
                Cell::Null => {}
                Cell::Int(value) => value.hash(hasher),
                Cell::Real(value) => value.to_bits().hash(hasher),
                Cell::Text(bytes) | Cell::Blob(bytes) => bytes.hash(hasher),
            }
        }
    };
    let (hasher, rows) = Database::open(path, reader)?.fold(table, columns, None, init, push)?;
    Ok((hasher.finish(), rows))
}
