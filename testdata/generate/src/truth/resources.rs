//! What the GPUs did: every nanosecond of every GPU counts once.

use super::iterations::Iterations;
use crate::catalog::KERNELS;
use crate::options::{Options, Style};
use crate::trace::{Ns, Span, Trace};
use serde::Serialize;

/// Nanoseconds of all GPUs by what they did; every nanosecond of every GPU counts once.
#[derive(Serialize, Clone, Copy, Default)]
pub(super) struct ResourceTruth {
    /// Number of the iteration; absent for the sum.
    iteration: Option<usize>,
    /// Some kernel that uses Tensor Cores ran.
    tc_kernel_ns: Ns,
    /// Otherwise: some other kernel ran.
    non_tc_kernel_ns: Ns,
    /// Otherwise: some copy or memory fill ran.
    memory_ns: Ns,
    /// Otherwise: some op call was under way on some thread.
    cpu_ns: Ns,
    /// Otherwise.
    other_ns: Ns,
}

/// Activity of a kernel that uses Tensor Cores; of several activities the first counts.
const TC_KERNEL: usize = 0;
/// Activity of another kernel.
const OTHER_KERNEL: usize = 1;
/// Activity of a copy or memory fill.
const MEMORY: usize = 2;
/// Activity of an op call.
const CPU: usize = 3;
/// Number of activities.
const ACTIVITIES: usize = 4;

/// A start (+1) or an end (-1) of an activity.
type Edge = (Ns, usize, i32);

/// The split of every GPU's time, by iteration and in total, summed over the GPUs.
pub(super) fn resource_truths(
    options: &Options,
    trace: &Trace,
    iterations: &Iterations,
) -> Vec<ResourceTruth> {
    let mut by_iteration: Vec<_> = (0..iterations.len())
        .map(|index| ResourceTruth { iteration: Some(index), ..ResourceTruth::default() })
        .collect();
    for gpu in 0..usize::from(options.gpus) {
        let mut edges = activity_edges(options, trace, gpu);
        edges.sort_unstable_by_key(|&(time, _, _)| time);
        split_time(&edges, iterations, &mut by_iteration);
    }
    let mut total = ResourceTruth::default();
    for part in &by_iteration {
        total.tc_kernel_ns += part.tc_kernel_ns;
        total.non_tc_kernel_ns += part.non_tc_kernel_ns;
        total.memory_ns += part.memory_ns;
        total.cpu_ns += part.cpu_ns;
        total.other_ns += part.other_ns;
    }
    by_iteration.push(total);
    by_iteration
}

/// Starts and ends of all that matters to a GPU.
fn activity_edges(options: &Options, trace: &Trace, gpu: usize) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut add = |span: Span, activity| {
        edges.push((span.start, activity, 1));
        edges.push((span.stop, activity, -1));
    };
    let is_here = |process: usize| trace.processes[process].gpu == gpu;
    for record in trace.kernels.iter().filter(|record| is_here(record.origin.process)) {
        let uses_tensor_cores = KERNELS[record.kernel].uses_tensor_cores;
        add(record.span, if uses_tensor_cores { TC_KERNEL } else { OTHER_KERNEL });
    }
    for record in trace.copies.iter().filter(|record| is_here(record.origin.process)) {
        add(record.span, MEMORY);
    }
    for record in trace.memsets.iter().filter(|record| is_here(record.origin.process)) {
        add(record.span, MEMORY);
    }
    // Without ranges, all that is known of the CPU is its API calls.
    let on_cpu: Vec<Span> = match options.style {
        Style::None => trace.api_calls.iter().map(|call| call.span).collect(),
        _ => trace.calls.iter().map(|call| call.span).collect(),
    };
    for span in on_cpu {
        add(span, CPU);
    }
    edges
}

/// Gives every nanosecond between 0 and the end to the first activity that is under way.
fn split_time(edges: &[Edge], iterations: &Iterations, split: &mut [ResourceTruth]) {
    let mut under_way = [0; ACTIVITIES];
    let mut edges = edges.iter().peekable();
    for (index, part) in split.iter_mut().enumerate() {
        let Span { mut start, stop } = iterations.span(index);
        while start < stop {
            while let Some((_, activity, change)) = edges.next_if(|(time, _, _)| *time <= start) {
                under_way[*activity] += change;
            }
            let next = edges.peek().map_or(stop, |(time, _, _)| stop.min(*time));
            *part.share(&under_way) += next - start;
            start = next;
        }
    }
}

impl ResourceTruth {
    /// The share that counts while these numbers of activities are under way.
    fn share(&mut self, under_way: &[i32; ACTIVITIES]) -> &mut Ns {
        match under_way.map(|number| number > 0) {
            [true, _, _, _] => &mut self.tc_kernel_ns,
            [_, true, _, _] => &mut self.non_tc_kernel_ns,
            [_, _, true, _] => &mut self.memory_ns,
            [_, _, _, true] => &mut self.cpu_ns,
            _ => &mut self.other_ns,
        }
    }
}
