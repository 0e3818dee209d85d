//! Tables of OpenACC and OpenMP events.

use super::{name, small};
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::time::Span;
use crate::read::facts::{Records, RuntimeEvent};
use crate::read::ingest::TableSource;
use crate::read::ingest::columns::columns;

pub(super) const OPENACC_LABELS: &str = "ENUM_OPENACC_EVENT_KIND";

pub(crate) const OPENACC: [&str; 3] = [
    "CUPTI_ACTIVITY_KIND_OPENACC_DATA",
    "CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH",
    "CUPTI_ACTIVITY_KIND_OPENACC_OTHER",
];

pub(crate) const OPENMP: [&str; 18] = [
    "OPENMP_EVENT_KIND_THREAD",
    "OPENMP_EVENT_KIND_PARALLEL",
    "OPENMP_EVENT_KIND_SYNC_REGION_WAIT",
    "OPENMP_EVENT_KIND_SYNC_REGION",
    "OPENMP_EVENT_KIND_TASK",
    "OPENMP_EVENT_KIND_MASTER",
    "OPENMP_EVENT_KIND_REDUCTION",
    "OPENMP_EVENT_KIND_TASK_CREATE",
    "OPENMP_EVENT_KIND_TASK_SCHEDULE",
    "OPENMP_EVENT_KIND_CANCEL",
    "OPENMP_EVENT_KIND_MUTEX_WAIT",
    "OPENMP_EVENT_KIND_CRITICAL_SECTION",
    "OPENMP_EVENT_KIND_MUTEX_RELEASED",
    "OPENMP_EVENT_KIND_LOCK_INIT",
    "OPENMP_EVENT_KIND_LOCK_DESTROY",
    "OPENMP_EVENT_KIND_WORKSHARE",
    "OPENMP_EVENT_KIND_DISPATCH",
    "OPENMP_EVENT_KIND_FLUSH",
];

columns! {
    START "start";
    END "end";
    GLOBAL_TID "globalTid";
    NAME_ID "nameId";
    EVENT_KIND "eventKind";
    SOURCE_FILE "srcFile";
    LINE "lineNo";
}

pub(super) fn read(source: &TableSource<'_>, records: &mut Records) -> Result<(), Error> {
    records.openacc_labels = small::labels(source, OPENACC_LABELS)?;
    records.openacc = read_tables(source, &OPENACC)?;
    records.openmp = read_tables(source, &OPENMP)?;
    Ok(())
}

fn read_tables(source: &TableSource<'_>, tables: &[&str]) -> Result<Vec<RuntimeEvent>, Error> {
    let mut events = Vec::new();
    for (place, table) in tables.iter().enumerate() {
        source.each(table, COLUMNS, |row| {
            let ignored = &mut Diagnostics::default();
            let Some(start) = row.int(START, ignored) else { return };
            let file = row.int(SOURCE_FILE, ignored).and_then(|id| source.names.by_id(id));
            events.push(RuntimeEvent {
                span: Span::new(start, row.int(END, ignored).unwrap_or(start)),
                global_tid: row.int(GLOBAL_TID, ignored),
                table: place,
                name: name(source, row.int(NAME_ID, ignored)),
                kind: row.int(EVENT_KIND, ignored),
                source: file.map(|file| (file, row.int(LINE, ignored).unwrap_or(0))),
            });
        })?;
    }
    Ok(events)
}
