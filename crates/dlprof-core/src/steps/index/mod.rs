//! Index: what a key node decides. Iterations and their states, ops with their IDs, the time line by class, and sums of
//! blocks of iterations, from which the profile of any range is made in milliseconds.

mod block_sums;
mod blocks;
mod by_process;
mod groups;
mod kernel_sums;
mod launch_groups;
mod metric;
mod resources;
mod spilled_work;
mod splitting;
mod summing;
mod sums;
mod timeline;

pub use by_process::ProcessIterationStats;
pub use groups::COMPLETE_MODEL;
pub(crate) use groups::groups_of;
pub use kernel_sums::{KernelSums, KernelTotal, KernelTotals};
pub use metric::{Metric, OpTimes};
pub use resources::{ResourceSplit, Resources};

pub(crate) use block_sums::{BlockGroups, BlockNames, BlockOps, BlockSums, BlockTotals};
pub(crate) use blocks::{BlockRuns, Blocks};
pub(crate) use groups::Groups;
pub(crate) use kernel_sums::add_times;
pub(crate) use launch_groups::{BlockKernels, LastLaunch, LaunchGroup, LaunchKey};
pub(crate) use resources::DeviceResources;
pub(crate) use spilled_work::{Launching, SpilledWork};
pub(crate) use splitting::DATALOADER;
pub(crate) use sums::{GroupSums, OpSums, tensor_cores_of};
#[cfg(test)]
pub(crate) use sums::{NON_TC, TC, TC_UNKNOWN};
pub(crate) use timeline::{Boundaries, Covered};

use crate::base::Error;
use crate::base::ids::{OpCallId, OpId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::correlate::Label;
use crate::capture::{Capture, CaptureContents};
use crate::columns::{FactColumn, table};
use crate::steps::iterate::{Iterated, Iterations, KeyNodeChoice, Launched, Op, iterate};
use std::ops::Deref;
use std::sync::Arc;

table! {
    /// What the key node says of each op call.
    "indexed_calls" IndexedCalls built by IndexedCallsBuilder, by OpCallId {
        /// Its iteration.
        iteration: u32, "";
        /// Its op.
        op: OpId, "";
    }
}

/// What a key node decides of a capture. It is cheap to clone, and clones share what they hold.
#[derive(Debug, Clone)]
pub struct Index {
    contents: Arc<IndexContents>,
}

/// What an index holds.
#[derive(Debug)]
pub struct IndexContents {
    /// The capture.
    pub capture: Capture,
    /// The iterations.
    pub iterations: Iterations,
    /// All ops of the capture, in byte order of their IDs.
    pub ops: Vec<Op>,
    /// By op call: its iteration and its op.
    pub calls: IndexedCalls,
    /// Every nanosecond of every iteration by class.
    pub split: ResourceSplit,
    /// By iteration: what its API calls launched.
    pub launched: Launched,
    /// From the start of the first GPU item to the end of the last; without GPU work, from the first to the last op call.
    pub gpu_span: Span,
    /// By iteration: the kernels whose API calls start in it.
    pub kernels: FactColumn<(), KernelSums>,
    /// Iterations by process, where several processes run the key node.
    pub process_iterations: Vec<ProcessIterationStats>,
    pub(crate) spilled: SpilledWork,
    pub(crate) covered: Covered,
    pub(crate) blocks: Blocks,
    pub(crate) sums: BlockSums,
}

impl Deref for Index {
    type Target = IndexContents;

    fn deref(&self) -> &IndexContents {
        &self.contents
    }
}

impl From<IndexContents> for Index {
    fn from(contents: IndexContents) -> Self {
        Self { contents: Arc::new(contents) }
    }
}

impl Capture {
    /// Splits the capture into iterations, and sums up what adds up over them.
    ///
    /// # Errors
    /// If the key node never ran, or there are far more iterations and GPUs than work.
    pub fn index(&self, key_node: &KeyNodeChoice) -> Result<Index, Error> {
        self.pool.install(|| index(self, key_node))
    }
}

fn index(capture: &Capture, key_node: &KeyNodeChoice) -> Result<Index, Error> {
    let Iterated { iterations, iteration_of, ops, op_of, launched } = iterate(capture, key_node)?;
    splitting::check_rows(capture, &iterations)?;
    let calls = IndexedCalls { iteration: iteration_of.into_column(), op: op_of.into_column() };
    let blocks = Blocks::new(iterations.total(), ops.len(), &calls.iteration);
    let boundaries = &iterations.boundaries;
    let spilled = SpilledWork::new(capture, &calls, &iterations);
    let launched = launched.with_moved_work(spilled.moves(&calls));
    let launching = Launching::new(capture, &calls, &iterations, &spilled);
    let summed = || block_sums::sum(capture, &iterations, &ops, launching, &blocks);
    let timeline = || {
        let covered = Covered::new(capture, boundaries);
        let gpu_span =
            gpu_span(capture).unwrap_or_else(|| covered.between(boundaries, 0, boundaries.len() - 1));
        (splitting::split(capture, cuts(&iterations, &launched, gpu_span)), covered, gpu_span)
    };
    let ((sums, kernels, process_iterations), (split, covered, gpu_span)) = rayon::join(summed, timeline);
    Ok(Index::from(IndexContents {
        capture: capture.clone(),
        iterations,
        ops,
        calls,
        split,
        launched,
        gpu_span,
        spilled,
        kernels,
        process_iterations,
        covered,
        blocks,
        sums,
    }))
}

/// From the start of the first GPU item to the end of the last.
fn gpu_span(capture: &CaptureContents) -> Option<Span> {
    let spans = capture.work.span.iter();
    let end = spans.clone().map(|span| span.end).max()?;
    Some(Span::new(spans.map(|span| span.start).min()?, end))
}

/// Every time at which a window on some clock begins or ends.
fn cuts(iterations: &Iterations, launched: &Launched, gpu_span: Span) -> Vec<Ns> {
    let mut cuts = iterations.boundaries.clone();
    cuts.extend([iterations.last_end, gpu_span.start, gpu_span.end]);
    if iterations.key_node.is_some() {
        cuts.extend(iterations.gpu_boundaries(launched).unwrap_or_default());
    }
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

impl IndexContents {
    /// An op's label: name, type, direction, data type, shapes.
    #[must_use]
    pub fn label(&self, op: OpId) -> &Label {
        &self.capture.description.labels[self.ops[op.index()].label.index()]
    }

    /// An op's name.
    #[must_use]
    pub fn op_name(&self, op: OpId) -> &str {
        self.capture.names.get(self.label(op).name)
    }

    /// Whether the sums of blocks take much less than the op calls, or at least little. They do not where ops hardly
    /// repeat.
    pub(crate) fn is_worth_keeping(&self) -> bool {
        self.blocks.are_worth_keeping(self.ops.len(), self.calls.op.len())
    }

    /// Finds the work of iterations.
    pub(crate) fn launching(&self) -> Launching<'_> {
        Launching::new(&self.capture, &self.calls, &self.iterations, &self.spilled)
    }

    pub(crate) fn groups(&self) -> Groups<'_> {
        groups(&self.capture, &self.ops)
    }
}

fn groups<'a>(capture: &'a CaptureContents, ops: &[Op]) -> Groups<'a> {
    let name = |op: &Op| capture.names.get(capture.description.labels[op.label.index()].name);
    Groups::new(ops.iter().map(name))
}

impl CaptureContents {
    /// The launch of a kernel.
    pub(crate) fn launch(&self, kernel: WorkId) -> LastLaunch {
        let api = self.launches.api[kernel].some().map(|api| self.api_calls.span[api]);
        LastLaunch::new(api, self.work.span[kernel], self.kernels.long_name[kernel])
    }
}
