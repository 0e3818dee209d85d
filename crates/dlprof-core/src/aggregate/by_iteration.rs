//! Iterations: kernels and resource usage of each.

use super::Input;
use super::by_op::KernelSums;
use super::metric::{count_to_f64, to_f64};
use super::resources::{ResourceSplit, Resources};
use crate::time::{Ns, Span};
use crate::trace::WorkKind;

/// One iteration, aggregated or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IterationStats {
    /// Its number.
    pub iteration: u32,
    /// Whether it is in the aggregated range.
    pub is_aggregated: bool,
    /// Start and end.
    pub span: Span,
    /// Kernels of the op calls that start in it.
    pub kernels: KernelSums,
    /// Its time by class, summed over GPUs.
    pub resources: Resources,
}

/// All iterations in order.
pub(super) fn iterations(input: &Input<'_>, split: &ResourceSplit) -> Vec<IterationStats> {
    let mut kernels = vec![KernelSums::default(); split.by_iteration.len()];
    let work = &input.trace.gpu_work;
    for call in input.correlation.calls.ids() {
        let sums = &mut kernels[input.iterations.of_call[call.index()] as usize];
        for id in input.correlation.work_by_call.get(call.index()) {
            if work.kind(*id) == WorkKind::Kernel {
                let tensor_cores = input.correlation.kernel_tensor_cores[id.index()];
                sums.push(work.span[id.index()].length(), tensor_cores);
            }
        }
    }
    (0..input.iterations.total())
        .zip(kernels)
        .map(|(iteration, kernels)| IterationStats {
            iteration,
            is_aggregated: input.iterations.is_aggregated(iteration),
            span: input.iterations.span(iteration),
            kernels,
            resources: split.by_iteration[iteration as usize],
        })
        .collect()
}

/// The standard deviation of a sample (n − 1); 0 for fewer than two.
#[must_use]
pub fn standard_deviation(sample: &[Ns]) -> f64 {
    let count = count_to_f64(sample.len() as u64);
    if sample.len() < 2 {
        return 0.0;
    }
    let mean = sample.iter().map(|&value| to_f64(value)).sum::<f64>() / count;
    let squares: f64 = sample.iter().map(|&value| (to_f64(value) - mean).powi(2)).sum();
    (squares / (count - 1.0)).sqrt()
}
