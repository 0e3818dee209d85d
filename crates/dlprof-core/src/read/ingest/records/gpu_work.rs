//! Tables of kernels, whole graph launches, copies and memsets.

use super::name;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::ids::StrId;
use crate::columns::{Buffer, Memory};
use crate::read::facts::{CopyRecords, KernelRecords, MemsetRecords, WorkRecords, WorkRecordsBuilder};
use crate::read::ingest::columns::columns;
use crate::read::ingest::row::Row;
use crate::read::ingest::{TableSource, copies, correlation_id, kernels, memsets};

columns! {
    START "start";
    CORRELATION_ID "correlationId";
    DEVICE_ID "deviceId";
    GREEN_CONTEXT "greenContextId";
}

/// The place of the column that only one of the tables has.
const OWN: usize = COLUMNS.len();

/// The records of all tables of GPU work.
pub(super) struct GpuWorkRecords {
    pub(super) work: WorkRecords,
    pub(super) kernels: KernelRecords,
    pub(super) copies: CopyRecords,
    pub(super) memsets: MemsetRecords,
}

pub(super) fn read(source: &TableSource<'_>) -> Result<GpuWorkRecords, Error> {
    let ((kernels, graphs), (copies, memsets)) = rayon::join(
        || {
            (
                read_table(source, kernels::TABLE, "mangledName"),
                read_table(source, kernels::GRAPHS, "graphId"),
            )
        },
        || {
            (
                read_table(source, copies::TABLE, "virtualAddress"),
                read_table(source, memsets::TABLE, "memKind"),
            )
        },
    );
    let (kernels, graphs, copies, memsets) = (kernels?, graphs?, copies?, memsets?);
    let memory = source.memory;
    let mangled = kernels.own.iter().map(|&id| name(source, Some(id)));
    let of_graphs = graphs.own.iter().map(|_| StrId::NONE);
    let kind = |&kind: &i64| u8::try_from(kind).unwrap_or(u8::MAX);
    let address = |&address: &i64| if address == NULL { 0 } else { address };
    let records = GpuWorkRecords {
        work: WorkRecords::default(),
        kernels: KernelRecords { mangled_name: memory.collect(mangled.chain(of_graphs)).into_column() },
        copies: CopyRecords { address: memory.collect(copies.own.iter().map(address)).into_column() },
        memsets: MemsetRecords { memory: memory.collect(memsets.own.iter().map(kind)).into_column() },
    };
    let mut work = kernels.work;
    for more in [graphs.work, copies.work, memsets.work] {
        work.correlation.extend(more.correlation.iter().copied());
        work.ordinal.extend(more.ordinal.iter().copied());
        work.green_context.extend(more.green_context.iter().copied());
    }
    Ok(GpuWorkRecords { work: work.finish(), ..records })
}

/// Means NULL in the column that only one of the tables has.
const NULL: i64 = i64::MIN;

/// The records of a table.
struct RawTable {
    work: WorkRecordsBuilder,
    /// The column that only this table has.
    own: Buffer<i64>,
}

fn read_table(source: &TableSource<'_>, table: &str, own_column: &str) -> Result<RawTable, Error> {
    let rows = source.rows(table)?;
    let columns = [COLUMNS, &[own_column]].concat();
    source.fold(table, &columns, || RawTable::new(source.memory, rows), RawTable::push)
}

impl RawTable {
    fn new(memory: &Memory, rows: usize) -> Self {
        Self { work: WorkRecordsBuilder::new(memory, rows), own: memory.buffer(rows) }
    }

    fn push(&mut self, row: &Row<'_>) {
        let ignored = &mut Diagnostics::default();
        if row.start(START, ignored).is_none() {
            return;
        }
        self.work.correlation.push(correlation_id(row, CORRELATION_ID, ignored));
        self.work.ordinal.push(row.int(DEVICE_ID, ignored).unwrap_or(0));
        self.work.green_context.push(row.int(GREEN_CONTEXT, ignored).unwrap_or(0));
        self.own.push(row.int(OWN, ignored).unwrap_or(NULL));
    }
}
