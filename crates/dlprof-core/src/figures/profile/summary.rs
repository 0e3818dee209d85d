//! The figures of the dashboard.

use super::{Clock, OpStats, ProfiledIterations, standard_deviation};
use crate::base::ratios::{count_to_f64, percent, to_f64};
use crate::base::time::{Ns, Span};
use crate::capture::correlate::Mode;
use crate::steps::index::{DATALOADER, IndexContents, KernelSums, Resources};
use crate::steps::iterate::FigureRules;

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
    /// The clock of all durations and shares.
    pub clock: Clock,
    /// The GPUs over which shares are averaged: those used; by DLProf's rules all of the machine.
    pub gpus: usize,
    /// Share of the wall clock with a kernel running, averaged over these GPUs; none without kernel records.
    pub gpu_utilization_percent: Option<f64>,
    /// Share of TC kernels in the kernel time of ops that are eligible or use Tensor Cores; none without such ops.
    pub tc_utilization_percent: Option<f64>,
    /// Whether the capture has ranges that tell of a data loader, so that its time is known.
    pub knows_dataloader: bool,
    /// Whether the capture tells of I/O, so that its time is known.
    pub knows_io: bool,
    /// Items per second, where a batch size was given and there are iterations.
    pub items_per_s: Option<f64>,
    /// Average length of the aggregated iterations.
    pub average_iteration_ns: f64,
    /// Standard deviation of the aggregated iterations (sample form) without those that hold several passes, of which only the sum is
    /// known; none of fewer than two.
    pub iteration_deviation_ns: Option<f64>,
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

pub(super) fn summarize(index: &IndexContents, iterations: &ProfiledIterations, ops: &[OpStats]) -> Summary {
    let range = iterations.start as usize..iterations.stop as usize + 1;
    let windows = &iterations.windows;
    let window = iterations.aggregated_span();
    let resources_all_gpus = windows.resources(&index.split, window);
    let wall_clock_ns = window.length();
    let covered = index.covered.between(&iterations.boundaries, range.start, range.end).clip(window);
    let durations = iterations.durations();
    let iterations_ns: Ns = durations.iter().sum();
    let has_ops = index.capture.description.mode != Mode::Simple;
    let candidates = ops.iter().filter(|op| op.tc_eligible || op.uses_tc || !has_ops);
    let mut sums = KernelSums::default();
    candidates.for_each(|op| sums.add(&op.kernels));
    // Without ops, no kernel that is known to use them says nothing where the names of others do not tell.
    let is_silent = !has_ops && sums.tc_gpu_ns == 0 && sums.tc_unknown_gpu_ns > 0;
    // DLProf writes 0 for what it does not know.
    let is_dlprof = windows.rules == FigureRules::Dlprof;
    let capture = &index.capture;
    let known = |is_known: bool, figure: f64| (is_known || is_dlprof).then_some(figure);
    let has_kernels = capture.counts().kernels > 0 && iterations.is_any_traced();
    let utilization = percent(resources_all_gpus.kernel_ns(), resources_all_gpus.total());
    Summary {
        wall_clock_ns,
        covered,
        resources: resources_all_gpus.average(windows.gpus),
        resources_all_gpus,
        clock: windows.clock,
        gpus: windows.gpus,
        gpu_utilization_percent: known(has_kernels, utilization),
        tc_utilization_percent: known(sums.gpu_ns > 0 && !is_silent, percent(sums.tc_gpu_ns, sums.gpu_ns)),
        knows_dataloader: is_dlprof
            || capture.description.labels.iter().any(|label| label.op_type == DATALOADER),
        knows_io: is_dlprof,
        items_per_s: iterations.items_per_s(iterations.passes(), iterations_ns),
        average_iteration_ns: to_f64(iterations_ns) / count_to_f64(u64::from(iterations.passes().max(1))),
        iteration_deviation_ns: deviation(&iterations.pass_durations()),
    }
}

/// The standard deviation (n - 1) of durations; none of fewer than two.
fn deviation(durations: &[Ns]) -> Option<f64> {
    (durations.len() > 1).then(|| standard_deviation(durations))
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
            clock: Clock::Cpu,
            gpus: 1,
            gpu_utilization_percent: None,
            tc_utilization_percent: None,
            knows_dataloader: false,
            knows_io: false,
            items_per_s: None,
            average_iteration_ns: 100.0,
            iteration_deviation_ns: None,
        };
        let split = summary(6, 94).covered_resources().map(|split| (split.cpu_ns, split.other_ns));
        assert_eq!(split, Some((6, 4)));
        assert_eq!(summary(60, 40).covered_resources(), None);
    }
}
