//! Tables `PROFILER_OVERHEAD` and `CUPTI_ACTIVITY_KIND_OVERHEAD`: time that the profiler recorded as overhead.

use super::TableSource;
use super::columns::columns;
use super::host_rows::{HostColumns, HostReading, RawHostRows};
use super::row::Row;
use crate::base::Error;
use crate::base::ids::StrId;
use crate::columns::Buffer;
use crate::read::facts::OverheadKind;
use rustc_hash::FxHashMap;

pub(super) const TABLES: [&str; 2] = ["PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"];

columns! {
    START "start";
    END "end";
    GLOBAL_TID "globalTid";
    NAME_ID "nameId";
    OVERHEAD_TYPE "overheadType";
}

const PLACES: HostColumns = HostColumns { start: START, end: END, global_tid: GLOBAL_TID, name: NAME_ID };

/// A table as read.
pub(super) struct RawOverheads {
    pub(super) rows: RawHostRows,
    pub(super) kind: Buffer<OverheadKind>,
}

/// The tables that the export has, one by one.
pub(super) fn read(source: &TableSource<'_>) -> Result<Vec<RawOverheads>, Error> {
    let tables = TABLES.into_iter().filter(|table| source.database.has_table(table));
    tables.map(|table| read_table(source, table)).collect()
}

fn read_table(source: &TableSource<'_>, table: &'static str) -> Result<RawOverheads, Error> {
    let rows = source.rows(table)?;
    let init = || Reading {
        host: HostReading::new(source, table, rows),
        kind: source.memory.buffer(rows),
        known: FxHashMap::default(),
    };
    let Reading { host, kind, .. } = source.fold(table, COLUMNS, init, Reading::push)?;
    Ok(RawOverheads { rows: host.finish(), kind })
}

struct Reading<'a> {
    host: HostReading<'a>,
    kind: Buffer<OverheadKind>,
    /// By type and name: the kind.
    known: FxHashMap<(Option<i64>, StrId), OverheadKind>,
}

impl Reading<'_> {
    fn push(&mut self, row: &Row<'_>) {
        let Self { host, kind, known } = self;
        if !host.push(row, &PLACES) {
            return;
        }
        let overhead_type = row.int(OVERHEAD_TYPE, &mut host.rows.diagnostics);
        let name = host.rows.name.last().copied().unwrap_or(StrId::NONE);
        let decide = || OverheadKind::of(overhead_type, host.names.text(name));
        kind.push(*known.entry((overhead_type, name)).or_insert_with(decide));
    }
}
