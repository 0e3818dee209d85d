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

    /// The columns that are summed up.
    fn rows(&self) -> Rows<'a> {
        let (trace, correlation) = (self.trace, self.correlation);
        Rows {
            texts: &trace.strings,
            work: &trace.gpu_work,
            api_calls: &trace.api_calls,
            work_api: &correlation.launches.work_api,
            tensor_cores: &correlation.kernel_tensor_cores,
            times: &correlation.times,
            work_by_call: &correlation.work_by_call,
            op_of_call: &self.ops.of_call,
        }
    }

    /// The order in which kernels were launched.
    fn launch_order(&self, kernel: WorkId) -> (Ns, Span, &'a str) {
        let work = &self.trace.gpu_work;
        let api = self.correlation.launches.work_api[kernel.index()].some();
        let api = api.map(|api| self.trace.api_calls.span[api.index()]);
        let launch = LastLaunch::new(api, work.span[kernel.index()], work.long_name[kernel.index()]);
        launch.order(&self.trace.strings)
    }
}
