//! How steady, regular and complete the iterations of a candidate are.

use super::gpu_load::GpuLoad;
use super::paths::{Execution, Paths};
use super::runs::Runs;
use super::sections::Section;
use super::time_lines::TimeLines;
use crate::base::ids::{RangeTextId, ThreadId};
use crate::base::intervals::union;
use crate::base::ratios::{median, share_near, to_f64};
use crate::base::time::{Ns, Span};

/// Measures from 0 to 1, and the iterations they are about.
pub(super) struct Measures {
    /// Share of the intervals inside runs within 35 % of their median.
    pub(super) steadiness: f64,
    /// Share of these intervals whose number of kernels is within 20 % of the median.
    pub(super) regularity: f64,
    /// GPU time of all iterations, as a share of that of the process outside warm-ups.
    pub(super) coverage: f64,
    /// GPU time of all iterations.
    pub(super) gpu_ns: Ns,
    /// Median interval.
    pub(super) interval_ns: Ns,
    /// Whether the work of the process is in the iterations.
    pub(super) holds_work: bool,
    /// The iterations.
    pub(super) iterations: Vec<Span>,
}

/// What happened on the GPU around the iterations of a candidate.
pub(super) struct GpuSide<'a> {
    /// The sums of its process between marks that its iterations have.
    pub(super) load: &'a GpuLoad,
    /// GPU time of its process.
    pub(super) process_ns: Ns,
    /// Warm-ups of its thread; their limits are marks too.
    pub(super) warm: &'a [Span],
}

/// The measures of a candidate whose process has GPU work.
pub(super) fn with_gpu(section: &Section, runs: &Runs, iterations: Vec<Span>, gpu: &GpuSide<'_>) -> Measures {
    let intervals = runs.intervals(&section.executions);
    let kernels: Vec<Ns> = gpu.load.in_spans(&intervals).into_iter().map(|asked| asked.kernels).collect();
    let gpu_time =
        |spans: &[Span]| -> Ns { gpu.load.in_spans(spans).into_iter().map(|asked| asked.gpu_ns).sum() };
    let gpu_ns = gpu_time(&iterations);
    let whole_ns = if section.is_warm { gpu.process_ns } else { gpu.process_ns - gpu_time(gpu.warm) };
    Measures {
        steadiness: steadiness(&intervals, runs),
        regularity: match median(kernels.clone()) {
            0 => 0.0,
            typical => share_near(&kernels, typical, 20),
        },
        coverage: share(gpu_ns, whole_ns),
        gpu_ns,
        interval_ns: runs.interval_ns,
        holds_work: true,
        iterations,
    }
}

/// The measures of a candidate whose process has no GPU work: ranges take its place.
pub(super) fn without_gpu(
    section: &Section,
    runs: &Runs,
    iterations: Vec<Span>,
    paths: &Paths,
    time_lines: &TimeLines,
) -> Measures {
    let intervals = runs.intervals(&section.executions);
    let depth = paths.depth[section.executions[0].path as usize];
    let (inside, all) = time_lines.at_depth_ns(section.thread, depth, &iterations);
    let start = section.executions[0].span.start;
    let last = section.executions[section.executions.len() - 1].span.start;
    let window = Span::new(start, last + runs.interval_ns);
    Measures {
        steadiness: steadiness(&intervals, runs),
        regularity: share(
            time_lines.covered_ns(section.thread, section.executions.len(), window),
            window.length(),
        ),
        coverage: share(inside, all),
        gpu_ns: 0,
        interval_ns: runs.interval_ns,
        holds_work: true,
        iterations,
    }
}

fn steadiness(intervals: &[Span], runs: &Runs) -> f64 {
    let lengths: Vec<Ns> = intervals.iter().map(|span| span.length()).collect();
    share_near(&lengths, runs.interval_ns, 35)
}

fn share(part: Ns, whole: Ns) -> f64 {
    if whole <= 0 { 0.0 } else { (to_f64(part) / to_f64(whole)).min(1.0) }
}

/// Distance of the quartiles of durations as a share of their median. The last one does not count, because it may
/// be cut; nor do the first two of the others, or the first if they are fewer than five.
pub(super) fn spread(durations: &[Ns]) -> f64 {
    let others = &durations[..durations.len().saturating_sub(1)];
    let skipped = if others.len() < 5 { 1 } else { 2 };
    let mut sorted = others.get(skipped..).unwrap_or_default().to_vec();
    sorted.sort_unstable();
    // The value at index ⌊q (n − 1) + ½⌋ for q = quarters ÷ 4.
    let quartile = |quarters: usize| {
        sorted.get((quarters * sorted.len().saturating_sub(1) + 2) / 4).copied().unwrap_or(0)
    };
    match quartile(2) {
        0 => 0.0,
        middle => to_f64(quartile(3) - quartile(1)) / to_f64(middle),
    }
}

/// The warm-ups of a thread, disjoint and in order.
pub(super) fn warm_ups(paths: &Paths, thread: ThreadId) -> Vec<Span> {
    let is_warm = |execution: &&Execution| paths.is_warm[execution.path as usize];
    union(paths.of_thread(thread).iter().filter(is_warm).map(|execution| execution.span).collect())
}

/// The texts of executions, if they tell more than the shared name.
pub(super) fn labels(executions: &[Execution]) -> Vec<RangeTextId> {
    let texts: Vec<RangeTextId> = executions.iter().map(|execution| execution.text).collect();
    if texts.windows(2).all(|pair| pair[0] == pair[1]) { Vec::new() } else { texts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_leaves_out_the_ends() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(close(spread(&[900, 500, 100, 100, 100, 100, 7]), 0.0));
        assert!(close(spread(&[900, 100, 110, 100, 7]), 0.1));
        assert!(close(spread(&[900, 500, 90, 100, 110, 120, 7]), 10.0 / 110.0));
        assert!(close(spread(&[5]), 0.0));
        assert!(close(spread(&[]), 0.0));
    }
}
