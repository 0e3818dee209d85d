//! Table `NVTX_EVENTS`: all events, with their whole texts.

use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::ids::StrId;
use crate::columns::StringPool;
use crate::read::facts::{NO_END, NO_THREAD, NvtxEventsBuilder};
use crate::read::ingest::cell::Cell;
use crate::read::ingest::columns::columns;
use crate::read::ingest::row::Row;
use crate::read::ingest::schema::ROW_ID;
use crate::read::ingest::string_ids::NameReader;
use crate::read::ingest::{TableSource, ranges};

columns! {
    START "start";
    END "end";
    EVENT_TYPE "eventType";
    TEXT "text";
    TEXT_ID "textId";
    GLOBAL_TID "globalTid";
    END_GLOBAL_TID "endGlobalTid";
    DOMAIN_ID "domainId";
}

/// The place of the row id.
const ROW: usize = COLUMNS.len();

/// The events, and the texts that table `StringIds` does not have.
pub(super) fn read(source: &TableSource<'_>) -> Result<(NvtxEventsBuilder, StringPool), Error> {
    let rows = source.rows(ranges::TABLE)?;
    let init = || (NvtxEventsBuilder::new(source.memory, rows), NameReader::new(source.names));
    let (events, names) = source.fold(ranges::TABLE, &[COLUMNS, &[ROW_ID]].concat(), init, push)?;
    Ok((events, names.into_extra()))
}

fn push((events, names): &mut (NvtxEventsBuilder, NameReader<'_>), row: &Row<'_>) {
    let ignored = &mut Diagnostics::default();
    let kind = row.int(EVENT_TYPE, ignored).and_then(|kind| u8::try_from(kind).ok());
    let (Some(start), Some(kind)) = (row.int(START, ignored), kind) else { return };
    let text = match names.cell(row, TEXT_ID, ignored) {
        Some(text) => text,
        None => match row.value(TEXT) {
            Cell::Text(bytes) => names.intern_bytes(bytes),
            _ => StrId::NONE,
        },
    };
    events.start.push(start);
    events.end.push(row.int(END, ignored).unwrap_or(NO_END));
    events.row_id.push(row.int(ROW, ignored).unwrap_or(0));
    events.kind.push(kind);
    events.thread.push(row.int(GLOBAL_TID, ignored).unwrap_or(NO_THREAD));
    events.ends_elsewhere.push(row.int(END_GLOBAL_TID, ignored).is_some());
    events.text.push(text);
    events.domain.push(row.int(DOMAIN_ID, ignored).unwrap_or(0));
}
