//! Tables `MPI_…_EVENTS`: calls of MPI functions.

use super::TableSource;
use super::columns::columns;
use super::host_rows::{HostColumns, HostReading, RawHostRows};
use crate::base::Error;

pub(crate) const TABLES: [&str; 4] =
    ["MPI_P2P_EVENTS", "MPI_START_WAIT_EVENTS", "MPI_COLLECTIVES_EVENTS", "MPI_OTHER_EVENTS"];

columns! {
    START "start";
    END "end";
    GLOBAL_TID "globalTid";
    TEXT_ID "textId";
}

const PLACES: HostColumns = HostColumns { start: START, end: END, global_tid: GLOBAL_TID, name: TEXT_ID };

/// The tables that the export has, one by one.
pub(super) fn read(source: &TableSource<'_>) -> Result<Vec<RawHostRows>, Error> {
    let tables = TABLES.into_iter().filter(|table| source.database.has_table(table));
    tables.map(|table| read_table(source, table)).collect()
}

fn read_table(source: &TableSource<'_>, table: &'static str) -> Result<RawHostRows, Error> {
    let rows = source.rows(table)?;
    let push = |reading: &mut HostReading<'_>, row: &super::Row<'_>| {
        reading.push(row, &PLACES);
    };
    Ok(source.fold(table, COLUMNS, || HostReading::new(source, table, rows), push)?.finish())
}
