//! Kernels by op and name.

use crate::base::ids::{OpId, StrId, WorkId};
use crate::capture::CaptureContents;
use crate::capture::correlate::TensorCores;
use crate::steps::index::{LaunchGroup, Metric, tensor_cores_of};

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
    /// The first of the launches in the file.
    pub example: WorkId,
    /// Durations on the GPU.
    pub gpu: Metric,
    /// Durations of the API calls that launched it. A call that launches several kernels counts once.
    pub api: Metric,
}

/// Summaries by op and short name, in order of op ID and name.
pub(super) fn summaries(capture: &CaptureContents, groups: &[LaunchGroup]) -> Vec<KernelSummary> {
    let is_same = |a: &LaunchGroup, b: &LaunchGroup| (a.key.op, a.key.name) == (b.key.op, b.key.name);
    let mut summaries: Vec<KernelSummary> =
        groups.chunk_by(is_same).filter_map(|groups| summary(capture, groups)).collect();
    summaries.sort_unstable_by_key(|summary| (summary.op, capture.strings.get(summary.name)));
    summaries
}

fn summary(capture: &CaptureContents, groups: &[LaunchGroup]) -> Option<KernelSummary> {
    let first = groups.first()?;
    let (mut last, mut gpu, mut api) = (first.last, Metric::default(), Metric::default());
    let (mut classes, mut example) = (0, first.example);
    for group in groups {
        example = example.min(group.example);
        last.or_later(group.last, &capture.strings);
        gpu.merge(group.gpu);
        api.merge(group.api);
        classes |= group.classes;
    }
    Some(KernelSummary {
        op: first.key.op,
        name: first.key.name,
        long_name: last.long_name,
        tensor_cores: tensor_cores_of(classes),
        example,
        gpu,
        api,
    })
}
