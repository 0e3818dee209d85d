//! Table `OSRT_API`: calls of the operating system's libraries.

use super::TableSource;
use super::columns::columns;
use super::host_rows::{HostColumns, HostReading, RawHostRows};
use super::row::Row;
use crate::base::Error;
use crate::columns::Buffer;

pub(super) const TABLE: &str = "OSRT_API";

columns! {
    START "start";
    END "end";
    GLOBAL_TID "globalTid";
    NAME_ID "nameId";
    NESTING_LEVEL "nestingLevel";
}

const PLACES: HostColumns = HostColumns { start: START, end: END, global_tid: GLOBAL_TID, name: NAME_ID };

/// The table as read.
pub(super) struct RawOsCalls {
    pub(super) rows: RawHostRows,
    pub(super) nesting: Buffer<u8>,
}

/// Reads the table; none if the export has none.
pub(super) fn read(source: &TableSource<'_>) -> Result<Option<RawOsCalls>, Error> {
    if !source.database.has_table(TABLE) {
        return Ok(None);
    }
    let rows = source.rows(TABLE)?;
    let init = || (HostReading::new(source, TABLE, rows), source.memory.buffer(rows));
    let (reading, nesting) = source.fold(TABLE, COLUMNS, init, push)?;
    Ok(Some(RawOsCalls { rows: reading.finish(), nesting }))
}

fn push((reading, nesting): &mut (HostReading<'_>, Buffer<u8>), row: &Row<'_>) {
    if reading.push(row, &PLACES) {
        let level = row.int(NESTING_LEVEL, &mut reading.rows.diagnostics).unwrap_or(0);
        nesting.push(u8::try_from(level).unwrap_or(u8::MAX));
    }
}
