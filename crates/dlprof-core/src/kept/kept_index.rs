//! An index as files.

use super::folder::{FolderWriter, KeptFolder};
use crate::base::ids::ProcessId;
use crate::base::reach::{Reach, Reaches};
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use crate::columns::{FactTable, TableDeclaration, table};
use crate::steps::index::{
    BlockGroups, BlockKernels, BlockNames, BlockOps, BlockRuns, BlockSums, BlockTotals, Blocks, Boundaries,
    Covered, DeviceResources, Index, IndexContents, IndexedCalls, KernelSums, ProcessIterationStats,
    ResourceSplit, SpilledWork,
};
use crate::steps::iterate::{Iterations, Launched, Op};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io;

table! {
    /// A row per iteration.
    "iterations" IterationSums built by IterationSumsBuilder, by () {
        /// The kernels of the op calls that start in it.
        kernels: KernelSums, "ns";
    }
}

table! {
    /// A row per process and iteration.
    "process_iterations" ProcessIterations built by ProcessIterationsBuilder, by () {
        /// The process.
        process: ProcessId, "";
        /// Number of the iteration in the process.
        iteration: u32, "";
        /// Start and end.
        span: Span, "ns";
        /// 1 if it is not an iteration, else 0.
        is_outside: u8, "";
        /// Kernels of the process' op calls that start in it.
        kernels: KernelSums, "ns";
    }
}

/// All declarations, which define the layout of the files.
pub(super) const DECLARATIONS: &[TableDeclaration] = &[
    IndexedCalls::DECLARATION,
    IterationSums::DECLARATION,
    ProcessIterations::DECLARATION,
    DeviceResources::DECLARATION,
    Boundaries::DECLARATION,
    Launched::DECLARATION,
    BlockRuns::DECLARATION,
    BlockTotals::DECLARATION,
    BlockOps::DECLARATION,
    BlockGroups::DECLARATION,
    BlockKernels::DECLARATION,
    SpilledWork::DECLARATION,
    BlockNames::DECLARATION,
];

/// The small data of an index.
#[derive(Serialize, Deserialize)]
struct Rest<'a> {
    iterations: Cow<'a, Iterations>,
    ops: Cow<'a, [Op]>,
    gpus: usize,
    reaches: Cow<'a, [Reach]>,
    cuts: Cow<'a, [Ns]>,
    gpu_span: [Ns; 2],
    block_length: u32,
}

/// Writes an index.
pub(super) fn write(index: &Index, folder: &mut FolderWriter) -> io::Result<()> {
    folder.table(&index.calls)?;
    folder.table(&IterationSums { kernels: index.kernels.clone() })?;
    let rows = &index.process_iterations;
    folder.table(&ProcessIterations {
        process: rows.iter().map(|row| row.process).collect(),
        iteration: rows.iter().map(|row| row.iteration).collect(),
        span: rows.iter().map(|row| row.span).collect(),
        is_outside: rows.iter().map(|row| u8::from(row.is_outside)).collect(),
        kernels: rows.iter().map(|row| row.kernels).collect(),
    })?;
    let split = &index.split;
    let (reaches, rows) = split.parts();
    folder.tables(DeviceResources::DECLARATION.name, rows)?;
    folder.table(&index.launched)?;
    folder.table(&Boundaries::from(&index.covered))?;
    folder.table(index.blocks.runs())?;
    folder.table(&index.sums.totals)?;
    folder.table(&index.sums.ops)?;
    folder.table(&index.sums.groups)?;
    folder.table(&index.sums.kernels)?;
    folder.table(&index.spilled)?;
    folder.table(&index.sums.names)?;
    folder.description(&Rest {
        iterations: Cow::Borrowed(&index.iterations),
        ops: Cow::Borrowed(&index.ops),
        gpus: split.gpus,
        reaches: Cow::Borrowed(reaches.of()),
        cuts: Cow::Borrowed(&split.cuts),
        gpu_span: [index.gpu_span.start, index.gpu_span.end],
        block_length: index.blocks.length(),
    })
}

/// Maps an index; none if its files are damaged.
pub(super) fn read(folder: &KeptFolder, capture: &Capture) -> Option<IndexContents> {
    let rest: Rest<'_> = folder.description()?;
    let iterations = rest.iterations.into_owned();
    let blocks = Blocks::from_runs(iterations.total(), rest.block_length, folder.table()?)?;
    let sums = BlockSums {
        totals: folder.table()?,
        ops: folder.table()?,
        groups: folder.table()?,
        kernels: folder.table()?,
        names: folder.table()?,
    };
    let of_iterations: IterationSums = folder.table()?;
    let boundaries: Boundaries = folder.table()?;
    let rows: ProcessIterations = folder.table()?;
    let row = |at: usize| ProcessIterationStats {
        process: rows.process[..][at],
        iteration: rows.iteration[..][at],
        span: rows.span[..][at],
        is_outside: rows.is_outside[..][at] != 0,
        kernels: rows.kernels[..][at],
    };
    let resources: Vec<DeviceResources> = folder.tables(DeviceResources::DECLARATION.name)?;
    let [of_gpus, idle_before] = <[DeviceResources; 2]>::try_from(resources).ok()?;
    let reaches = Reaches::from(rest.reaches.into_owned());
    let cuts = (rest.cuts.into_owned(), rest.gpus);
    let split = ResourceSplit::new(&capture.memory, cuts, reaches, of_gpus, idle_before)?;
    let spilled: SpilledWork = folder.table()?;
    let fits = spilled.fits(capture)
        && sums.fits(capture, blocks.all().len())
        && split.devices() == capture.devices.len()
        && of_iterations.kernels.len() == iterations.total() as usize;
    if !fits {
        return None;
    }
    Some(IndexContents {
        capture: capture.clone(),
        iterations,
        ops: rest.ops.into_owned(),
        calls: folder.table()?,
        split,
        launched: folder.table()?,
        gpu_span: Span::new(rest.gpu_span[0], rest.gpu_span[1]),
        kernels: of_iterations.kernels,
        process_iterations: (0..rows.process.len()).map(row).collect(),
        covered: Covered::from(&boundaries),
        blocks,
        spilled,
        sums,
    })
}
