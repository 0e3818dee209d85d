//! Aggregate: from op calls to the numbers of a [`Profile`].
//!
//! This is the cheap half of the analysis; it runs again for another range or key node.

mod blocks;
mod by_iteration;
mod by_kernel;
mod by_op;
mod by_work;
mod categories;
mod groups;
mod metric;
mod profile;
mod ranges;
mod resources;
mod summary;
mod summing;
mod sums;
mod timeline;

pub use by_iteration::{IterationStats, ProcessIterationStats, standard_deviation};
pub use by_kernel::{KernelLaunch, KernelSummary, KernelTotal, KernelTotals};
pub use by_op::{IterationOpStats, KernelSums, OpStats, OpTypeStats};
pub use by_work::{IterationWork, WorkByName, WorkName};
pub use categories::{CategoryTotal, OpCategories};
pub use groups::{COMPLETE_MODEL, GroupStats, groups_of};
pub use metric::{Metric, OpTimes};
pub use profile::{DeviceStats, Profile, aggregate};
pub use resources::{ResourceSplit, Resources};
pub use summary::Summary;
pub use timeline::Counts;

pub(crate) use blocks::{Blocks, Run};
pub(crate) use by_iteration::iterations_by_process;
pub(crate) use groups::Groups;
pub(crate) use profile::{aggregate_and, profile};
pub(crate) use summing::{Rows, Summing};
pub(crate) use sums::{GroupSums, KernelNameSums, LastLaunch, OpSums, RangeSums};
pub(crate) use timeline::{Covered, Timeline};

use crate::correlate::{Correlation, Label};
use crate::ids::{OpCallId, OpId, WorkId};
use crate::iterate::{Iterations, Ops};
use crate::time::{Ns, Span};
use crate::trace::Trace;

/// What the parts of this module read.
#[derive(Clone, Copy)]
struct Input<'a> {
    trace: &'a Trace,
    correlation: &'a Correlation,
    iterations: &'a Iterations,
    ops: &'a Ops,
}

impl<'a> Input<'a> {
    /// Op calls that start in an aggregated iteration.
    fn aggregated_calls(&self) -> impl Iterator<Item = OpCallId> + Clone + use<'a> {
        let iterations = self.iterations;
        self.correlation.calls.ids().filter(|call| iterations.is_aggregated(iterations.of_call[call.index()]))
    }

    fn groups(&self) -> Groups<'a> {
        Groups::new((0..self.ops.ops.len()).map(|op| self.name(OpId::new(op))))
    }

    fn label(&self, op: OpId) -> &'a Label {
        &self.correlation.labels[self.ops.ops[op.index()].label.index()]
    }

    fn name(&self, op: OpId) -> &'a str {
        self.correlation.names.get(self.label(op).name)
    }

    /// The order in which kernels were launched; work without an API call counts from its start on the GPU.
    fn launch_order(&self, kernel: WorkId) -> (Ns, Span, &'a str) {
        let (start, span) = self.launch_time(kernel);
        (start, span, self.trace.strings.get(self.trace.gpu_work.long_name[kernel.index()]))
    }

    /// When a piece of work was launched, and when it ran.
    fn launch_time(&self, work: WorkId) -> (Ns, Span) {
        let span = self.trace.gpu_work.span[work.index()];
        let api = self.correlation.launches.work_api[work.index()].some();
        (api.map_or(span.start, |api| self.trace.api_calls.span[api.index()].start), span)
    }
}
