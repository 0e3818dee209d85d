//! Kernel summaries and totals: from the GPU work of the aggregated iterations.

use super::Input;
use super::metric::Metric;
use super::sums::{KernelNameSums, TC, TC_UNKNOWN};
use crate::correlate::TensorCores;
use crate::ids::{ApiCallId, OpCallId, OpId, StrId, WorkId};
use crate::time::Ns;
use crate::trace::WorkKind;

/// The launches of a kernel by an op.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelSummary {
    /// The op.
    pub op: OpId,
    /// Short name of the kernel.
    pub name: StrId,
    /// Long name of the kernel launched last.
    pub long_name: StrId,
    /// Whether any of the launches uses Tensor Cores; unknown if none does and some name does not tell.
    pub tensor_cores: TensorCores,
    /// Durations on the GPU.
    pub gpu: Metric,
    /// Durations of the API calls that launched it. A call that launches several kernels counts once.
    pub api: Metric,
}

/// Kernels or memory operations of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KernelTotal {
    /// Sum of durations on the GPU.
    pub gpu_ns: Ns,
    /// Sum of durations of their API calls.
    pub api_ns: Ns,
    /// Distinct names: of kernels, or of API functions for memory.
    pub names: u64,
    /// Kernels, or copies and memsets.
    pub launches: u64,
}

impl KernelTotal {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            gpu_ns: self.gpu_ns + other.gpu_ns,
            api_ns: self.api_ns + other.api_ns,
            names: self.names + other.names,
            launches: self.launches + other.launches,
        }
    }
}

/// All GPU work by class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KernelTotals {
    /// Kernels that use Tensor Cores.
    pub tc: KernelTotal,
    /// All other kernels.
    pub non_tc: KernelTotal,
    /// Copies and memsets.
    pub memory: KernelTotal,
    /// Of the other kernels: those whose name does not tell.
    pub tc_unknown: KernelTotal,
}

impl KernelTotals {
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            tc: self.tc.plus(other.tc),
            non_tc: self.non_tc.plus(other.non_tc),
            memory: self.memory.plus(other.memory),
            tc_unknown: self.tc_unknown.plus(other.tc_unknown),
        }
    }

    /// Kernels and memory.
    #[must_use]
    pub fn all(&self) -> KernelTotal {
        self.tc.plus(self.non_tc).plus(self.memory)
    }
}

/// Summaries by op and short name, in order of op ID and name.
pub(super) fn summaries(input: &Input<'_>, sums: &[KernelNameSums]) -> Vec<KernelSummary> {
    let mut summaries: Vec<KernelSummary> = sums.iter().map(summary).collect();
    summaries.sort_unstable_by_key(|summary| (summary.op, input.trace.strings.get(summary.name)));
    summaries
}

fn summary(sums: &KernelNameSums) -> KernelSummary {
    let tensor_cores = match sums.classes {
        classes if classes & TC != 0 => TensorCores::Used,
        classes if classes & TC_UNKNOWN != 0 => TensorCores::Unknown,
        _ => TensorCores::NotUsed,
    };
    let KernelNameSums { op, name, gpu, api, .. } = *sums;
    KernelSummary { op, name, long_name: sums.last.long_name, tensor_cores, gpu, api }
}

/// A kernel launch of the aggregated iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelLaunch {
    /// The iteration of its op call.
    pub iteration: u32,
    /// The op call.
    pub call: OpCallId,
    /// The kernel.
    pub kernel: WorkId,
    /// The API call, or none.
    pub api: ApiCallId,
}

/// All launches, ordered by iteration, op name, op ID, short kernel name and start of the API call.
pub(super) fn launches(input: &Input<'_>) -> Vec<KernelLaunch> {
    let work = &input.trace.gpu_work;
    let mut launches = Vec::new();
    for call in input.aggregated_calls() {
        let kernels = input.correlation.work_by_call.get(call.index()).iter();
        launches.extend(kernels.filter(|id| work.kind(**id) == WorkKind::Kernel).map(|&kernel| {
            KernelLaunch {
                iteration: input.iterations.of_call[call.index()],
                call,
                kernel,
                api: input.correlation.launches.work_api[kernel.index()],
            }
        }));
    }
    launches.sort_by_cached_key(|launch| {
        let op = input.ops.of_call[launch.call.index()];
        let name = input.trace.strings.get(work.short_name[launch.kernel.index()]);
        (launch.iteration, input.name(op), op, name, input.launch_order(launch.kernel))
    });
    launches
}
