//! The figures of the dashboard.

use super::by_iteration::standard_deviation;
use super::by_op::OpStats;
use super::resources::{ResourceSplit, Resources};
use super::timeline::Covered;
use crate::iterate::Iterations;
use crate::ratios::{count_to_f64, percent, to_f64};
use crate::time::{Ns, Span};

/// The figures of the dashboard.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// From the start of the first to the end of the last aggregated iteration.
    pub wall_clock_ns: Ns,
    /// First start and last end of what the aggregated iterations hold, clipped to them.
    pub covered: Span,
    /// The wall clock by class, averaged over GPUs.
    pub resources: Resources,
    /// The same, summed over GPUs.
    pub resources_all_gpus: Resources,
    /// GPUs of the machine.
    pub gpus: usize,
    /// Share of the wall clock with a kernel running, averaged over GPUs.
    pub gpu_utilization_percent: f64,
    /// Share of TC kernels in the kernel time of ops that are eligible or use Tensor Cores.
    pub tc_utilization_percent: f64,
    /// Wall clock over aggregated iterations.
    pub average_iteration_ns: f64,
    /// Standard deviation of the aggregated iterations (sample form).
    pub iteration_deviation_ns: f64,
}

impl Summary {
    /// The covered span by class, averaged over GPUs, where it is less than half of the wall clock. `None` also where calls
    /// reach out of it, so that what lies outside is not all "other".
    #[must_use]
    pub fn covered_resources(&self) -> Option<Resources> {
        let outside_ns = self.wall_clock_ns - self.covered.length();
        let other_ns = self.resources.other_ns - outside_ns;
        (self.is_late() && other_ns >= 0).then_some(Resources { other_ns, ..self.resources })
    }

    /// Whether what happened covers less than half of the wall clock: a capture that began late or was cut.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.covered.length() > 0 && self.covered.length().saturating_mul(2) < self.wall_clock_ns
    }
}

pub(super) fn summarize(
    iterations: &Iterations,
    split: &ResourceSplit,
    covered: &Covered,
    ops: &[OpStats],
) -> Summary {
    let range = iterations.start as usize..iterations.stop as usize + 1;
    let covered = covered.between(&iterations.boundaries, range.start, range.end);
    let mut resources_all_gpus = Resources::default();
    for iteration in &split.by_iteration[range] {
        resources_all_gpus.add(iteration);
    }
    let wall_clock_ns = iterations.aggregated_span().length();
    let durations: Vec<Ns> =
        iterations.aggregated_boundaries().windows(2).map(|pair| pair[1] - pair[0]).collect();
    let candidates = ops.iter().filter(|op| op.tc_eligible || op.uses_tc);
    let sums = candidates.fold((0, 0), |(tc, all), op| (tc + op.kernels.tc_gpu_ns, all + op.kernels.gpu_ns));
    Summary {
        wall_clock_ns,
        covered,
        resources: resources_all_gpus.average(split.gpus),
        resources_all_gpus,
        gpus: split.gpus,
        gpu_utilization_percent: percent(resources_all_gpus.kernel_ns(), resources_all_gpus.total()),
        tc_utilization_percent: percent(sums.0, sums.1),
        average_iteration_ns: to_f64(wall_clock_ns) / count_to_f64(u64::from(iterations.aggregated())),
        iteration_deviation_ns: standard_deviation(&durations),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covered_span_is_split_only_where_the_rest_is_other() {
        let summary = |cpu_ns, other_ns| Summary {
            wall_clock_ns: 100,
            covered: Span::new(80, 90),
            resources: Resources { cpu_ns, other_ns, ..Resources::default() },
            resources_all_gpus: Resources::default(),
            gpus: 1,
            gpu_utilization_percent: 0.0,
            tc_utilization_percent: 0.0,
            average_iteration_ns: 100.0,
            iteration_deviation_ns: 0.0,
        };
        let split = summary(6, 94).covered_resources().map(|split| (split.cpu_ns, split.other_ns));
        assert_eq!(split, Some((6, 4)));
        assert_eq!(summary(60, 40).covered_resources(), None);
    }
}
