//! Table `COMPOSITE_EVENTS`: samples of CPU threads.

use super::TableSource;
use super::columns::columns;
use super::keys::KeyColumn;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::time::Ns;
use crate::columns::Buffer;

pub(super) const TABLE: &str = "COMPOSITE_EVENTS";

columns! {
    ID "id";
    START "start";
    GLOBAL_TID "globalTid";
}

/// The table as read; thread ids are still the export's.
pub(super) struct RawCpuSamples {
    /// The export's ids, which stacks refer to; a sample without one has the smallest number.
    pub(super) id: Buffer<i64>,
    pub(super) time: Buffer<Ns>,
    pub(super) global_tid: KeyColumn<i64>,
    pub(super) diagnostics: Diagnostics,
}

pub(super) fn read(source: &TableSource<'_>) -> Result<RawCpuSamples, Error> {
    let rows = source.rows(TABLE)?;
    let init = || RawCpuSamples {
        id: source.memory.buffer(rows),
        time: source.memory.buffer(rows),
        global_tid: KeyColumn::with_capacity(source.memory, rows),
        diagnostics: Diagnostics::default(),
    };
    source.fold(TABLE, COLUMNS, init, |samples, row| {
        let Some(time) = row.start(START, &mut samples.diagnostics) else { return };
        samples.time.push(time);
        samples.id.push(row.int(ID, &mut samples.diagnostics).unwrap_or(i64::MIN));
        samples.global_tid.push(row.int(GLOBAL_TID, &mut samples.diagnostics));
    })
}
