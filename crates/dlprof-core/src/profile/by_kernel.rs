//! Kernels by op and name.

use crate::capture::CaptureContents;
use crate::correlate::TensorCores;
use crate::ids::{OpId, StrId};
use crate::index::{KernelNameSums, Metric, TC, TC_UNKNOWN};

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

/// Summaries by op and short name, in order of op ID and name.
pub(super) fn summaries(capture: &CaptureContents, sums: &[KernelNameSums]) -> Vec<KernelSummary> {
    let mut summaries: Vec<KernelSummary> = sums.iter().map(summary).collect();
    summaries.sort_unstable_by_key(|summary| (summary.op, capture.strings.get(summary.name)));
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
