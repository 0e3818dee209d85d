//! Tables `MPI_…_EVENTS`: calls of MPI functions, with what they sent.

use super::name;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::time::Span;
use crate::read::facts::{MpiRecord, Records};
use crate::read::ingest::columns::columns;
use crate::read::ingest::{TableSource, mpi_calls};

columns! {
    START "start";
    END "end";
    GLOBAL_TID "globalTid";
    TEXT_ID "textId";
    TAG "tag";
    PEER "remoteRank";
    ROOT "rootRank";
    SIZE "size";
    RECEIVED "recvSize";
}

pub(super) fn read(source: &TableSource<'_>, records: &mut Records) -> Result<(), Error> {
    for (place, table) in mpi_calls::TABLES.iter().enumerate() {
        source.each(table, COLUMNS, |row| {
            let ignored = &mut Diagnostics::default();
            let Some(start) = row.int(START, ignored) else { return };
            records.mpi.push(MpiRecord {
                span: Span::new(start, row.int(END, ignored).unwrap_or(start)),
                global_tid: row.int(GLOBAL_TID, ignored),
                table: place,
                name: name(source, row.int(TEXT_ID, ignored)),
                numbers: [TAG, PEER, ROOT, SIZE, RECEIVED].map(|column| row.int(column, ignored)),
            });
        })?;
    }
    Ok(())
}
