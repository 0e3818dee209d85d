//! Tables `read_only_kernels`, `read_only_memcpys` and `read_only_memsets`: GPU work with its API calls.

use super::super::columns::columns;
use super::super::keys::{Distinct, KnownColumn};
use super::super::row::Row;
use super::calls::{self, CallRows};
use super::checked::Checked;
use super::dictionary::{Dictionary, TextId};
use super::op_calls::OpCallRows;
use super::source::Source;
use super::table_names::{COPIES, DICTIONARY, GRID_BLOCKS, KERNELS, MEMSETS};
use crate::base::Error;
use crate::base::time::Span;
use crate::columns::{Buffer, Memory};
use crate::read::facts::LaunchConfig;
use rustc_hash::FxHashMap;

columns! {
    after *calls::COLUMNS;
    GPU_START "gpu_start";
    GPU_STOP "gpu_stop";
    DEVICE "device_id";
}

/// Columns of the single tables after the common ones.
const KERNEL_COLUMNS: [&str; 4] = ["long_name_id", "uses_tc", "grid_id", "block_id"];
const COPY_COLUMNS: [&str; 2] = ["num_bytes", "copy_kind"];
const MEMSET_COLUMNS: [&str; 1] = ["num_bytes"];
const FIRST: usize = calls::COLUMNS.len() + COLUMNS.len();
const LONG_NAME: usize = FIRST;
const USES_TC: usize = FIRST + 1;
const GRID: usize = FIRST + 2;
const BLOCK: usize = FIRST + 3;
const BYTES: usize = FIRST;
const COPY_KIND: usize = FIRST + 1;

/// The columns that every table of GPU work has.
pub(super) struct WorkRows {
    pub(super) calls: CallRows,
    pub(super) span: Buffer<Span>,
    pub(super) device: KnownColumn<i64>,
}

/// Kernels.
pub(super) struct KernelRows {
    pub(super) work: WorkRows,
    pub(super) long_name: Buffer<TextId>,
    pub(super) uses_tc: Buffer<bool>,
    /// Position among the distinct grids and blocks.
    pub(super) config: Buffer<u32>,
}

/// Copies or memsets; those of memsets have no kinds.
pub(super) struct TransferRows {
    pub(super) work: WorkRows,
    pub(super) bytes: Buffer<u64>,
    pub(super) kind: Buffer<u8>,
}

/// The three tables.
pub(super) struct GpuWork {
    pub(super) kernels: KernelRows,
    pub(super) configs: Vec<LaunchConfig>,
    pub(super) copies: TransferRows,
    pub(super) memsets: TransferRows,
}

impl WorkRows {
    fn new(memory: &Memory, rows: usize) -> Self {
        Self {
            calls: CallRows::new(memory, rows),
            span: memory.buffer(rows),
            device: KnownColumn::with_capacity(memory, rows),
        }
    }

    fn push(&mut self, row: &Row<'_>, dictionary: &Dictionary, op_calls: &OpCallRows) -> bool {
        if !self.calls.push(row, dictionary, op_calls) {
            return false;
        }
        let checked = &mut self.calls.checked;
        self.span.push(checked.span(row, GPU_START, GPU_STOP));
        self.device.push(i64::from(checked.count::<u32>(row, DEVICE)));
        true
    }
}

pub(super) fn read(
    source: &Source<'_>,
    dictionary: &Dictionary,
    op_calls: &OpCallRows,
) -> Result<GpuWork, Error> {
    let (kernels, configs) = read_kernels(source, dictionary, op_calls)?;
    let copies = read_transfers(source, (COPIES, &COPY_COLUMNS), dictionary, op_calls)?;
    let memsets = read_transfers(source, (MEMSETS, &MEMSET_COLUMNS), dictionary, op_calls)?;
    Ok(GpuWork { kernels, configs, copies, memsets })
}

fn all_columns<'a>(own: &[&'a str]) -> Vec<&'a str> {
    [calls::COLUMNS, COLUMNS, own].concat()
}

fn rows_of(source: &Source<'_>, table: &str) -> Result<usize, Error> {
    Ok(usize::try_from(source.database.row_estimate(table)?).unwrap_or(0))
}

fn read_kernels(
    source: &Source<'_>,
    dictionary: &Dictionary,
    op_calls: &OpCallRows,
) -> Result<(KernelRows, Vec<LaunchConfig>), Error> {
    let sizes = read_sizes(source)?;
    let (rows, memory) = (rows_of(source, KERNELS)?, source.memory);
    let init = || {
        let kernels = KernelRows {
            work: WorkRows::new(memory, rows),
            long_name: memory.buffer(rows),
            uses_tc: memory.buffer(rows),
            config: memory.buffer(rows),
        };
        (kernels, Distinct::<LaunchConfig>::new())
    };
    let columns = all_columns(&KERNEL_COLUMNS);
    let push = |(kernels, configs): &mut (KernelRows, Distinct<LaunchConfig>), row: &Row<'_>| {
        if !kernels.work.push(row, dictionary, op_calls) {
            return;
        }
        let checked = &mut kernels.work.calls.checked;
        let name = dictionary.find(checked.int(row, LONG_NAME));
        kernels.long_name.push(checked.found(name, row, LONG_NAME, DICTIONARY));
        kernels.uses_tc.push(checked.int(row, USES_TC) != 0);
        let mut size = |column| {
            let size = sizes.get(&checked.int(row, column)).copied();
            checked.found(size, row, column, GRID_BLOCKS)
        };
        let config = LaunchConfig { grid: size(GRID), block: size(BLOCK), ..LaunchConfig::default() };
        kernels.config.push(configs.position(config));
    };
    let (mut kernels, configs) =
        source.database.fold(KERNELS, &columns, Some(source.progress), init, push)?;
    std::mem::take(&mut kernels.work.calls.checked).finish(source.database, KERNELS)?;
    Ok((kernels, configs.into_list()))
}

/// Sizes of grids and blocks by id.
fn read_sizes(source: &Source<'_>) -> Result<FxHashMap<i64, [i64; 3]>, Error> {
    let mut sizes = FxHashMap::default();
    let mut checked = Checked::default();
    source.database.read(GRID_BLOCKS, &["id", "x", "y", "z"], |row| {
        checked.next_row();
        let size = [1, 2, 3].map(|column| i64::from(checked.count::<u32>(row, column)));
        sizes.insert(checked.int(row, 0), size);
    })?;
    checked.finish(source.database, GRID_BLOCKS)?;
    Ok(sizes)
}

fn read_transfers(
    source: &Source<'_>,
    (table, own): (&str, &[&str]),
    dictionary: &Dictionary,
    op_calls: &OpCallRows,
) -> Result<TransferRows, Error> {
    let (rows, memory) = (rows_of(source, table)?, source.memory);
    let has_kinds = own.len() > 1;
    let init = || TransferRows {
        work: WorkRows::new(memory, rows),
        bytes: memory.buffer(rows),
        kind: memory.buffer(if has_kinds { rows } else { 0 }),
    };
    let columns = all_columns(own);
    let mut found = source.database.fold(table, &columns, Some(source.progress), init, |found, row| {
        if found.work.push(row, dictionary, op_calls) {
            let checked = &mut found.work.calls.checked;
            found.bytes.push(checked.count(row, BYTES));
            if has_kinds {
                found.kind.push(checked.count(row, COPY_KIND));
            }
        }
    })?;
    std::mem::take(&mut found.work.calls.checked).finish(source.database, table)?;
    Ok(found)
}
