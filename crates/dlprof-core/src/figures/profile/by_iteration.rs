//! Iterations: kernels and resource usage of each.

use super::ProfiledIterations;
use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::{Ns, Span};
use crate::steps::index::{IndexContents, KernelSums, Resources};

/// One iteration, aggregated or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IterationStats {
    /// Its number.
    pub iteration: u32,
    /// Whether it is in the aggregated range.
    pub is_aggregated: bool,
    /// Start and end on the clock in force.
    pub span: Span,
    /// Start and end on the clock of the CPU.
    pub cpu_span: Span,
    /// Kernels of the op calls that start in it.
    pub kernels: KernelSums,
    /// Its time by class, summed over the GPUs that count.
    pub resources: Resources,
}

/// All iterations in order.
pub(super) fn iterations(index: &IndexContents, range: &ProfiledIterations) -> Vec<IterationStats> {
    (0..range.total())
        .zip(&index.kernels)
        .map(|(iteration, &kernels)| {
            let span = range.windows.span(iteration);
            IterationStats {
                iteration,
                is_aggregated: range.is_aggregated(iteration),
                span,
                cpu_span: range.windows.cpu_span(iteration),
                kernels,
                resources: range.windows.resources(&index.split, span),
            }
        })
        .collect()
}

/// The standard deviation of a sample (n − 1); 0 for fewer than two.
#[must_use]
pub(crate) fn standard_deviation(sample: &[Ns]) -> f64 {
    let count = count_to_f64(sample.len() as u64);
    if sample.len() < 2 {
        return 0.0;
    }
    let mean = sample.iter().map(|&value| to_f64(value)).sum::<f64>() / count;
    let squares: f64 = sample.iter().map(|&value| (to_f64(value) - mean).powi(2)).sum();
    (squares / (count - 1.0)).sqrt()
}
