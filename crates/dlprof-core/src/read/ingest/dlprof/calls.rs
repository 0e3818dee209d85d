//! Tables `read_only_cuda_syncs` and `read_only_cuda_calls`: API calls that waited, and all that neither waited nor put the
//! GPU to work; and what all tables of API calls have.

use super::super::columns::columns;
use super::super::keys::KeyColumn;
use super::super::row::Row;
use super::checked::Checked;
use super::dictionary::{Dictionary, TextId};
use super::op_calls::OpCallRows;
use super::source::Source;
use super::table_names::{CALLS, DICTIONARY, SYNCS};
use super::threads::thread_of;
use crate::base::Error;
use crate::base::ids::OpCallId;
use crate::base::time::Span;
use crate::columns::{Buffer, Memory};

columns! {
    OP "read_only_ops_id";
    INSTANCE "op_instance";
    NAME "name_id";
    API_START "api_start";
    API_STOP "api_stop";
    PROCESS "process_id";
    THREAD "thread_id";
}

/// Columns of table `read_only_cuda_syncs` after the common ones.
const SYNC_COLUMNS: [&str; 3] = ["sync_type", "event_id", "device_id"];
const SYNC_TYPE: usize = COLUMNS.len();
const EVENT: usize = SYNC_TYPE + 1;
const SYNC_DEVICE: usize = SYNC_TYPE + 2;

/// The columns that every table of API calls has.
pub(super) struct CallRows {
    pub(super) op_call: Buffer<OpCallId>,
    pub(super) name: Buffer<TextId>,
    pub(super) api: Buffer<Span>,
    /// Process and thread, as the operating system numbers them.
    pub(super) thread: KeyColumn<(i64, i64)>,
    pub(super) checked: Checked,
}

/// API calls that waited.
pub(super) struct SyncRows {
    pub(super) calls: CallRows,
    pub(super) kind: Buffer<u32>,
    pub(super) event: Buffer<u32>,
    pub(super) device: Buffer<u32>,
}

/// Both tables.
pub(super) struct OtherCalls {
    pub(super) syncs: SyncRows,
    pub(super) plain: CallRows,
}

impl CallRows {
    pub(super) fn new(memory: &Memory, rows: usize) -> Self {
        Self {
            op_call: memory.buffer(rows),
            name: memory.buffer(rows),
            api: memory.buffer(rows),
            thread: KeyColumn::with_capacity(memory, rows),
            checked: Checked::default(),
        }
    }

    /// Adds a row, unless its op is of another domain. The columns of this module are the first of the row.
    pub(super) fn push(&mut self, row: &Row<'_>, dictionary: &Dictionary, op_calls: &OpCallRows) -> bool {
        let Self { checked, .. } = self;
        checked.next_row();
        let Some(op_call) = op_calls.owner(row, OP, INSTANCE, checked) else { return false };
        let name = dictionary.find(checked.int(row, NAME));
        self.op_call.push(op_call);
        self.name.push(checked.found(name, row, NAME, DICTIONARY));
        self.api.push(checked.span(row, API_START, API_STOP));
        self.thread.push(Some(thread_of(row, PROCESS, THREAD, checked)));
        true
    }
}

pub(super) fn read(
    source: &Source<'_>,
    dictionary: &Dictionary,
    op_calls: &OpCallRows,
) -> Result<OtherCalls, Error> {
    let (memory, database) = (source.memory, source.database);
    let rows = |table| Ok::<_, Error>(usize::try_from(database.row_estimate(table)?).unwrap_or(0));
    let (sync_rows, plain_rows) = (rows(SYNCS)?, rows(CALLS)?);
    let init = || SyncRows {
        calls: CallRows::new(memory, sync_rows),
        kind: memory.buffer(sync_rows),
        event: memory.buffer(sync_rows),
        device: memory.buffer(sync_rows),
    };
    let columns = [COLUMNS, &SYNC_COLUMNS].concat();
    let mut syncs = database.fold(SYNCS, &columns, Some(source.progress), init, |syncs, row| {
        if syncs.calls.push(row, dictionary, op_calls) {
            let checked = &mut syncs.calls.checked;
            syncs.kind.push(checked.count(row, SYNC_TYPE));
            syncs.event.push(checked.count(row, EVENT));
            syncs.device.push(checked.count(row, SYNC_DEVICE));
        }
    })?;
    std::mem::take(&mut syncs.calls.checked).finish(database, SYNCS)?;
    let init = || CallRows::new(memory, plain_rows);
    let mut plain = database.fold(CALLS, COLUMNS, Some(source.progress), init, |calls, row| {
        calls.push(row, dictionary, op_calls);
    })?;
    std::mem::take(&mut plain.checked).finish(database, CALLS)?;
    Ok(OtherCalls { syncs, plain })
}
