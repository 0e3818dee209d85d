//! An op call that is running, and its sums.

use crate::catalog::KERNELS;
use crate::trace::{Direction, KernelSums, Ns, OpCall, Span, Times};

/// What an API call caused.
pub(super) enum Effect {
    /// No other record.
    Nothing,
    /// A wait.
    Sync,
    /// A copy or a memory fill.
    Memory(Span),
    /// A kernel, with its index in the catalogue.
    Kernel(Span, usize),
}

/// An op call under way.
pub(super) struct OpenCall {
    /// Index into the trace's operations.
    operation: usize,
    /// Pass.
    direction: Direction,
    /// Backward calls: index of the forward call.
    forward: Option<usize>,
    /// API calls so far.
    api: Vec<Span>,
    /// GPU items so far.
    gpu: Vec<Span>,
    /// Kernels so far.
    kernels: KernelSums,
    /// Start of each of their API calls.
    launches: Vec<(Ns, KernelSums)>,
    /// Time spent in op calls nested directly in this one.
    pub(super) nested: Ns,
}

impl OpenCall {
    /// A call that has just begun.
    pub(super) fn new(operation: usize, direction: Direction, forward: Option<usize>) -> Self {
        Self {
            operation,
            direction,
            forward,
            api: Vec::new(),
            gpu: Vec::new(),
            kernels: KernelSums::default(),
            launches: Vec::new(),
            nested: 0,
        }
    }

    /// Notes an API call and what it caused.
    pub(super) fn add(&mut self, api: Span, effect: &Effect) {
        self.api.push(api);
        match *effect {
            Effect::Nothing | Effect::Sync => {}
            Effect::Memory(span) => self.gpu.push(span),
            Effect::Kernel(span, kernel) => {
                self.gpu.push(span);
                let mut launch = KernelSums::default();
                launch.count(span.duration(), KERNELS[kernel].uses_tensor_cores);
                self.kernels.add(&launch);
                self.launches.push((api.start, launch));
            }
        }
    }

    /// The finished call.
    pub(super) fn finish(mut self, span: Span, thread: usize) -> OpCall {
        let gpu = covered(&mut self.gpu);
        let first = self.gpu.iter().map(|item| item.start).min();
        let last = self.gpu.iter().map(|item| item.stop).max();
        let extent = first.zip(last).map_or(0, |(first, last)| last - first);
        let times = Times {
            cpu: span.duration() - self.nested,
            gpu,
            api: covered(&mut self.api),
            idle: extent - gpu,
        };
        OpCall {
            span,
            thread,
            operation: self.operation,
            direction: self.direction,
            forward: self.forward,
            times,
            kernels: self.kernels,
            launches: self.launches,
        }
    }
}

/// Nanoseconds that at least one of `spans` covers; sorts them.
fn covered(spans: &mut [Span]) -> Ns {
    spans.sort_by_key(|span| span.start);
    let mut total = 0;
    let mut reached = Ns::MIN;
    for span in spans {
        let start = span.start.max(reached);
        if span.stop > start {
            total += span.stop - start;
            reached = span.stop;
        }
    }
    total
}
