//! Table `CUPTI_ACTIVITY_KIND_SYNCHRONIZATION`: which API calls waited, and for what.

use super::columns::columns;
use super::keys::KeyColumn;
use super::{TableSource, correlation_id};
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::columns::Buffer;
use crate::read::facts::CorrelationId;

pub(super) const TABLE: &str = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";

columns! {
    GLOBAL_PID "globalPid";
    CORRELATION_ID "correlationId";
    SYNC_TYPE "syncType";
    EVENT_ID "eventId";
    DEVICE_ID "deviceId";
}

/// The table as read; process ids are still the export's.
pub(super) struct RawSyncs {
    pub(super) global_pid: KeyColumn<i64>,
    pub(super) correlation: Buffer<CorrelationId>,
    pub(super) kind: Buffer<u32>,
    pub(super) event: Buffer<u32>,
    pub(super) device: Buffer<u32>,
    pub(super) diagnostics: Diagnostics,
}

pub(super) fn read(source: &TableSource<'_>) -> Result<RawSyncs, Error> {
    let rows = source.rows(TABLE)?;
    let init = || RawSyncs {
        global_pid: KeyColumn::with_capacity(source.memory, rows),
        correlation: source.memory.buffer(rows),
        kind: source.memory.buffer(rows),
        event: source.memory.buffer(rows),
        device: source.memory.buffer(rows),
        diagnostics: Diagnostics::default(),
    };
    source.fold(TABLE, COLUMNS, init, |syncs, row| {
        syncs.global_pid.push(row.int(GLOBAL_PID, &mut syncs.diagnostics));
        syncs.correlation.push(correlation_id(row, CORRELATION_ID, &mut syncs.diagnostics));
        let number = |column, otherwise| {
            row.plain_int(column).flatten().and_then(|number| u32::try_from(number).ok()).unwrap_or(otherwise)
        };
        syncs.kind.push(number(SYNC_TYPE, 0));
        syncs.event.push(number(EVENT_ID, u32::MAX));
        syncs.device.push(number(DEVICE_ID, 0));
    })
}
