//! The time line of the iterations, and their kernels.

use crate::options::Style;
use crate::trace::{KernelSums, Ns, OpCall, Span, Trace};
use serde::Serialize;

/// An iteration.
#[derive(Serialize)]
pub(super) struct IterationTruth {
    /// Its number.
    index: usize,
    /// First nanosecond.
    start_ns: Ns,
    /// Nanosecond after the last.
    stop_ns: Ns,
    /// Kernels launched by its op calls.
    kernels: u64,
    /// Kernels that use Tensor Cores.
    tc_kernels: u64,
    /// Sum of the durations of the kernels.
    kernel_gpu_ns: Ns,
    /// Sum of the durations of those that use Tensor Cores.
    tc_kernel_gpu_ns: Ns,
}

/// The time line of the iterations.
pub(super) struct Iterations {
    /// Start of each iteration; the first is 0.
    starts: Vec<Ns>,
    /// End of the last.
    pub(super) end: Ns,
}

impl Iterations {
    /// Iterations at the key calls of a thread; only one without such a thread.
    pub(super) fn new(trace: &Trace, key_thread: Option<usize>) -> Self {
        let boundaries = trace.key_calls.iter().filter(|(thread, _)| Some(*thread) == key_thread);
        let starts = std::iter::once(0).chain(boundaries.map(|&(_, start)| start)).collect();
        let calls = trace.calls.iter().map(|call| call.span.stop);
        let kernels = trace.kernels.iter().map(|kernel| kernel.span.stop);
        let copies = trace.copies.iter().map(|copy| copy.span.stop);
        let memsets = trace.memsets.iter().map(|memset| memset.span.stop);
        let end = calls.chain(kernels).chain(copies).chain(memsets).max().unwrap_or(0);
        Self { starts, end }
    }

    /// Number of iterations.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The iteration that `time` lies in.
    pub(super) fn at(&self, time: Ns) -> usize {
        self.starts.partition_point(|&start| start <= time).saturating_sub(1)
    }

    /// When an iteration lasts.
    pub(super) fn span(&self, index: usize) -> Span {
        let stop = self.starts.get(index + 1).copied().unwrap_or(self.end);
        Span { start: self.starts[index], stop }
    }
}

/// The kernels of an op call by iteration: those that it launched in each; with DLProf's markers all of them belong to that in which
/// it starts.
pub(super) fn kernels_by_iteration<'a>(
    style: Style,
    call: &'a OpCall,
    iterations: &'a Iterations,
) -> Box<dyn Iterator<Item = (usize, KernelSums)> + 'a> {
    match style {
        Style::Markers => Box::new(std::iter::once((iterations.at(call.span.start), call.kernels))),
        Style::EmitNvtx | Style::Ranges | Style::None => {
            Box::new(call.launches.iter().map(|&(start, sums)| (iterations.at(start), sums)))
        }
    }
}

/// The iterations and their kernels.
pub(super) fn iteration_truths(style: Style, trace: &Trace, iterations: &Iterations) -> Vec<IterationTruth> {
    let mut sums = vec![KernelSums::default(); iterations.len()];
    for call in &trace.calls {
        kernels_by_iteration(style, call, iterations).for_each(|(at, kernels)| sums[at].add(&kernels));
    }
    let truth = |(index, sums): (usize, &KernelSums)| {
        let span = iterations.span(index);
        IterationTruth {
            index,
            start_ns: span.start,
            stop_ns: span.stop,
            kernels: sums.launches,
            tc_kernels: sums.tc_launches,
            kernel_gpu_ns: sums.gpu_ns,
            tc_kernel_gpu_ns: sums.tc_gpu_ns,
        }
    };
    sums.iter().enumerate().map(truth).collect()
}
