//! Table `CUDA_GPU_MEMORY_USAGE_EVENTS`: allocations and frees of memory.

use super::TableSource;
use super::columns::columns;
use super::keys::KnownColumn;
use super::row::Row;
use super::work::bytes;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::time::Ns;
use crate::columns::Buffer;

pub(super) const TABLE: &str = "CUDA_GPU_MEMORY_USAGE_EVENTS";

columns! {
    START "start";
    GLOBAL_PID "globalPid";
    DEVICE_ID "deviceId";
    BYTES "bytes";
    MEM_KIND "memKind";
    OPERATION "memoryOperationType";
}

/// A code that the export does not say.
const UNKNOWN: u8 = u8::MAX;

/// The table as read; process and device ids are still the export's.
pub(super) struct RawMemoryEvents {
    pub(super) time: Buffer<Ns>,
    /// Global process id, and CUDA device ordinal in that process.
    pub(super) process_and_device: KnownColumn<(Option<i64>, i64)>,
    pub(super) kind: Buffer<u8>,
    pub(super) operation: Buffer<u8>,
    pub(super) bytes: Buffer<u64>,
    pub(super) diagnostics: Diagnostics,
}

pub(super) fn read(source: &TableSource<'_>) -> Result<RawMemoryEvents, Error> {
    let rows = source.rows(TABLE)?;
    let init = || RawMemoryEvents {
        time: source.memory.buffer(rows),
        process_and_device: KnownColumn::with_capacity(source.memory, rows),
        kind: source.memory.buffer(rows),
        operation: source.memory.buffer(rows),
        bytes: source.memory.buffer(rows),
        diagnostics: Diagnostics::default(),
    };
    source.fold(TABLE, COLUMNS, init, RawMemoryEvents::push)
}

impl RawMemoryEvents {
    fn push(&mut self, row: &Row<'_>) {
        let diagnostics = &mut self.diagnostics;
        let Some(time) = row.start(START, diagnostics) else { return };
        self.time.push(time);
        let ordinal = row.int(DEVICE_ID, diagnostics).unwrap_or(0);
        self.process_and_device.push((row.int(GLOBAL_PID, diagnostics), ordinal));
        for (column, codes) in [(MEM_KIND, &mut self.kind), (OPERATION, &mut self.operation)] {
            let code = row.int(column, diagnostics).and_then(|code| u8::try_from(code).ok());
            codes.push(code.unwrap_or(UNKNOWN));
        }
        self.bytes.push(bytes(row, BYTES, diagnostics));
    }
}
