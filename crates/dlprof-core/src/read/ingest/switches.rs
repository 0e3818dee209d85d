//! Table `SCHED_EVENTS`: when threads got or lost a processor.

use super::TableSource;
use super::columns::columns;
use super::keys::KeyColumn;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::time::Ns;
use crate::columns::Buffer;

pub(super) const TABLE: &str = "SCHED_EVENTS";

columns! {
    START "start";
    IS_SCHED_IN "isSchedIn";
    GLOBAL_TID "globalTid";
}

/// The table as read; thread ids are still the export's.
pub(super) struct RawSwitches {
    pub(super) time: Buffer<Ns>,
    pub(super) switched_in: Buffer<bool>,
    pub(super) global_tid: KeyColumn<i64>,
    pub(super) diagnostics: Diagnostics,
}

pub(super) fn read(source: &TableSource<'_>) -> Result<RawSwitches, Error> {
    let rows = source.rows(TABLE)?;
    let init = || RawSwitches {
        time: source.memory.buffer(rows),
        switched_in: source.memory.buffer(rows),
        global_tid: KeyColumn::with_capacity(source.memory, rows),
        diagnostics: Diagnostics::default(),
    };
    source.fold(TABLE, COLUMNS, init, |switches, row| {
        let Some(time) = row.start(START, &mut switches.diagnostics) else { return };
        switches.time.push(time);
        let is_in = row.int(IS_SCHED_IN, &mut switches.diagnostics).is_some_and(|value| value != 0);
        switches.switched_in.push(is_in);
        switches.global_tid.push(row.int(GLOBAL_TID, &mut switches.diagnostics));
    })
}
