//! Sums of blocks of iterations as columns, and the sums of a range made from them.
//!
//! ```text
//! blocks       block 0 │ block 1 │ block 2 │ block 3 │ block 4
//! range              ╰e╯─────────┴─────────┴─────────╯e╯
//!              merged: the sums of blocks 1 to 3; summed up from the op calls: the edges
//! ```

use super::by_process::{KernelsByProcess, ProcessIterationStats};
use super::kernel_sums::{KernelSums, KernelTotals};
use super::launch_groups::{BlockKernels, BlockKernelsBuilder, LaunchGroup};
use super::metric::OpTimes;
use super::summing::Summing;
use super::sums::{GroupSums, OpSums, RangeSums};
use super::{Blocks, IndexContents, Launching};
use crate::base::ids::{GroupId, OpId, StrId, WorkId};
use crate::base::time::Ns;
use crate::capture::names::SHORT_KERNEL_NS;
use crate::capture::{Capture, CaptureContents};
use crate::columns::{FactColumn, Memory, table};
use crate::steps::iterate::{Iterations, Op};
use rayon::prelude::*;
use std::ops::Range;

table! {
    /// A row per block of iterations: where its rows in the other tables end, and its totals.
    "block_totals" BlockTotals built by BlockTotalsBuilder, by () {
        /// End of its ops.
        ops_end: u32, "";
        /// End of its groups.
        groups_end: u32, "";
        /// End of its kernels.
        kernels_end: u32, "";
        /// End of its API functions.
        names_end: u32, "";
        /// Kinds of copies without an API call, a bit each.
        unnamed_memory: u32, "";
        /// GPU work by class; names are not counted.
        totals: KernelTotals, "ns";
    }
}

table! {
    /// A row per block and op.
    "block_ops" BlockOps built by BlockOpsBuilder, by () {
        /// The op.
        op: OpId, "";
        /// One sample per call.
        times: OpTimes, "ns";
        /// Its kernels.
        kernels: KernelSums, "ns";
    }
}

table! {
    /// A row per block and group.
    "block_groups" BlockGroups built by BlockGroupsBuilder, by () {
        /// The group.
        group: GroupId, "";
        /// One sample per iteration in which it ran.
        times: OpTimes, "ns";
    }
}

table! {
    /// A row per block and API function that copied or filled.
    "block_names" BlockNames built by BlockNamesBuilder, by () {
        /// The API function.
        name: StrId, "";
    }
}

/// The sums of all blocks.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockSums {
    pub(crate) totals: BlockTotals,
    pub(crate) ops: BlockOps,
    pub(crate) groups: BlockGroups,
    pub(crate) kernels: BlockKernels,
    pub(crate) names: BlockNames,
}

/// Builds the sums of all blocks, one block after the other.
struct BlockSumsBuilder {
    totals: BlockTotalsBuilder,
    ops: BlockOpsBuilder,
    groups: BlockGroupsBuilder,
    kernels: BlockKernelsBuilder,
    names: BlockNamesBuilder,
}

impl BlockSumsBuilder {
    fn new(memory: &Memory) -> Self {
        Self {
            totals: BlockTotalsBuilder::new(memory, 0),
            ops: BlockOpsBuilder::new(memory, 0),
            groups: BlockGroupsBuilder::new(memory, 0),
            kernels: BlockKernelsBuilder::new(memory, 0),
            names: BlockNamesBuilder::new(memory, 0),
        }
    }

    fn push(&mut self, sums: &RangeSums) {
        let Self { totals, ops, groups, kernels, names } = self;
        for row in &sums.ops {
            ops.op.push(row.op);
            ops.times.push(row.times);
            ops.kernels.push(row.kernels);
        }
        for row in &sums.groups {
            groups.group.push(row.group);
            groups.times.push(row.times);
        }
        for row in &sums.kernels {
            kernels.push(row);
        }
        names.name.extend(sums.memory_apis.iter().copied());
        let end = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        totals.ops_end.push(end(ops.op.len()));
        totals.groups_end.push(end(groups.group.len()));
        totals.kernels_end.push(end(kernels.op.len()));
        totals.names_end.push(end(names.name.len()));
        totals.unnamed_memory.push(sums.unnamed_memory);
        totals.totals.push(sums.totals);
    }

    fn finish(self) -> BlockSums {
        BlockSums {
            totals: self.totals.finish(),
            ops: self.ops.finish(),
            groups: self.groups.finish(),
            kernels: self.kernels.finish(),
            names: self.names.finish(),
        }
    }
}

impl BlockSums {
    /// The sums of a block.
    fn of_block(&self, block: u32) -> RangeSums {
        let at = block as usize;
        let rows = |ends: &[u32]| rows_of(ends, block);
        let op = |row: usize| OpSums {
            op: self.ops.op[..][row],
            times: self.ops.times[..][row],
            kernels: self.ops.kernels[..][row],
        };
        let group =
            |row: usize| GroupSums { group: self.groups.group[..][row], times: self.groups.times[..][row] };
        RangeSums {
            ops: rows(&self.totals.ops_end).map(op).collect(),
            groups: rows(&self.totals.groups_end).map(group).collect(),
            kernels: rows(&self.totals.kernels_end).map(|row| self.kernels.get(row)).collect(),
            memory_apis: self.names.name[..][rows(&self.totals.names_end)].to_vec(),
            unnamed_memory: self.totals.unnamed_memory[..][at],
            totals: self.totals.totals[..][at],
        }
    }

    /// The duration of the longest kernel of a block; 0 without kernels.
    pub(crate) fn longest_kernel(&self, block: u32) -> Ns {
        let kernels = &self.kernels.gpu[..][rows_of(&self.totals.kernels_end, block)];
        kernels.iter().map(|gpu| gpu.max).max().unwrap_or(0)
    }

    /// Whether the rows of the tables fit each other, a capture and a number of blocks.
    pub(crate) fn fits(&self, capture: &CaptureContents, blocks: usize) -> bool {
        let ends = |ends: &[u32], rows: usize| {
            ends.is_sorted() && ends.len() == blocks && ends.last().is_none_or(|&end| end as usize == rows)
        };
        ends(&self.totals.ops_end, self.ops.op.len())
            && ends(&self.totals.groups_end, self.groups.group.len())
            && ends(&self.totals.kernels_end, self.kernels.op.len())
            && ends(&self.totals.names_end, self.names.name.len())
            && self.kernels.fits(capture)
    }
}

/// The rows of a block, given where those of each block end.
fn rows_of(ends: &[u32], block: u32) -> Range<usize> {
    let at = block as usize;
    let start = at.checked_sub(1).map_or(0, |before| ends[before]);
    start as usize..ends[at] as usize
}

/// Blocks that are summed up at a time.
const AT_A_TIME: usize = 128;

/// Sums up all op calls, block by block on several threads: the sums of every block, the kernels of every iteration, and
/// those of every process.
pub(super) fn sum(
    capture: &Capture,
    iterations: &Iterations,
    ops: &[Op],
    launching: Launching<'_>,
    blocks: &Blocks,
) -> (BlockSums, FactColumn<(), KernelSums>, Vec<ProcessIterationStats>) {
    let groups = super::groups(capture, ops);
    let by_process = KernelsByProcess::new(launching, iterations);
    let mut kernels = capture.memory.filled(iterations.total() as usize, KernelSums::default());
    let sum = |summing: &mut Summing<'_>, (kernels, block): (&mut [KernelSums], u32)| {
        let mut of_block = by_process.block();
        let iterations = blocks.iterations(block);
        let of_iterations = blocks.calls(iterations.clone(), &launching.calls.iteration);
        let sums = summing.sum(iterations, &of_iterations, kernels, |call, work, kernels| {
            of_block.push(call, work, kernels);
        });
        by_process.add(of_block);
        sums
    };
    let summing = || Summing::new(launching, &groups, ops.len(), SHORT_KERNEL_NS);
    let mut sums = BlockSumsBuilder::new(&capture.memory);
    // Only the sums of some blocks are held as rows at a time.
    let length = blocks.length() as usize;
    for (kernels, first) in kernels.chunks_mut(length * AT_A_TIME).zip((0..).step_by(AT_A_TIME)) {
        let parts = kernels.par_chunks_mut(length).zip(first..blocks.all().end);
        let of_blocks: Vec<RangeSums> = parts.map_init(summing, sum).collect();
        of_blocks.iter().for_each(|of_block| sums.push(of_block));
    }
    (sums.finish(), kernels.into_column(), by_process.finish())
}

impl IndexContents {
    /// The sums of a range of iterations.
    pub(crate) fn sums_of(&self, range: Range<u32>) -> RangeSums {
        let cut = self.blocks.cut(range);
        let texts = &self.capture.strings;
        let mut sums = RangeSums::default();
        for block in cut.whole {
            sums = sums.with(self.sums.of_block(block), texts);
        }
        self.with_summed_anew(sums, cut.edges, SHORT_KERNEL_NS)
    }

    /// The launches of a range of iterations. With another length of a short kernel than the usual one they are summed up anew.
    pub(crate) fn launch_groups(&self, range: Range<u32>, short_kernel_ns: Ns) -> Vec<LaunchGroup> {
        if short_kernel_ns == SHORT_KERNEL_NS {
            return self.sums_of(range).kernels;
        }
        let parts = self.blocks.parts(range).collect();
        self.with_summed_anew(RangeSums::default(), parts, short_kernel_ns).kernels
    }

    /// Adds the sums of iterations, each part inside one block, from their op calls.
    fn with_summed_anew(
        &self,
        mut sums: RangeSums,
        parts: Vec<Range<u32>>,
        short_kernel_ns: Ns,
    ) -> RangeSums {
        if parts.is_empty() {
            return sums;
        }
        let groups = self.groups();
        let mut summing = Summing::new(self.launching(), &groups, self.ops.len(), short_kernel_ns);
        for part in parts {
            let mut kernels = vec![KernelSums::default(); part.len()];
            let calls = self.blocks.calls(part.clone(), &self.calls.iteration);
            sums = sums.with(summing.sum(part, &calls, &mut kernels, |_, _, _| {}), &self.capture.strings);
        }
        sums
    }
}

impl CaptureContents {
    /// The kernels among some work.
    pub(crate) fn kernels_of(&self, work: &[WorkId]) -> KernelSums {
        let mut kernels = KernelSums::default();
        for &id in work.iter().filter(|id| id.index() < self.judged.tensor_cores.len()) {
            kernels.push(self.work.span[id].length(), self.judged.tensor_cores[id]);
        }
        kernels
    }
}
