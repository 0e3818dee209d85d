//! Lays out what one GPU and its process do, from left to right, and counts it.
//!
//! ```text
//! thread   ──────cause──────┤call a├──b
//! GPU      ██████┤s   gap          e├█████████ running ████
//!                                                          └ now
//! ```
//!
//! At any time one kernel runs on the main stream; [`Stage::run`] lets it go on, a gap ends it and the next one begins
//! after the gap. All calls that have nothing to do with a gap lie where a kernel runs.

use super::book::{Book, Launch};
use super::kernels::{COMPUTE, PlannedKernel};
use super::records::{CallRow, ItemRow, NamedRow, Records, Work};
use crate::trace::{Ns, Span};
use std::collections::BTreeMap;

/// Class and name of an API function.
pub(crate) type Function = (&'static str, &'static str);

/// Launches a kernel.
pub(crate) const LAUNCH: Function = ("launch", "cudaLaunchKernel_v7000");
/// Makes a stream wait.
pub(crate) const WAIT_EVENT: Function = ("api", "cudaStreamWaitEvent_v3020");
/// Waits for a stream.
pub(crate) const STREAM_SYNC: Function = ("sync", "cudaStreamSynchronize_v3020");

/// The main stream.
pub(crate) const MAIN_STREAM: i64 = 7;
/// From the start of a usual launch call to its end.
pub(crate) const CALL: Ns = 3_000;
/// From the start of a usual launch call to the start of its kernel.
pub(crate) const LATENCY: Ns = 4_000;
/// How long a kernel runs at least between two gaps.
pub(crate) const RUN: Ns = 20_000;
/// How long a kernel runs where the host must have been quiet for a millisecond.
pub(crate) const QUIET: Ns = 1_300_000;
/// A gap below this is short.
const LONG_GAP: Ns = 1_000_000;

/// Which range a launch belongs to.
pub(crate) type Owner = [&'static str; 2];
/// To none.
pub(crate) const NO_RANGE: Owner = ["none", ""];
/// To an open range of its own thread.
pub(crate) const OWN_RANGE: Owner = ["own", ""];

/// A process, its GPU and its threads.
pub(crate) struct Lane {
    /// Number of the process and of its GPU.
    pub(crate) number: usize,
    /// The main thread.
    pub(crate) main: usize,
    /// The thread of the backward pass.
    pub(crate) backward: usize,
    /// Up to when the GPU's time is laid out.
    pub(crate) now: Ns,
    /// SMs of the GPU.
    pub(crate) sm_count: i64,
    /// Last correlation id.
    correlation: i64,
    /// The kernel that runs on the main stream.
    running: Option<Running>,
    /// By stream: when its last item ends.
    stream_ends: BTreeMap<i64, Ns>,
}

/// A kernel whose end is open.
struct Running {
    kernel: PlannedKernel,
    start: Ns,
    call: Option<(i64, Span)>,
    owner: Owner,
}

impl Lane {
    /// A process that has done nothing yet.
    pub(crate) fn new(number: usize, [main, backward]: [usize; 2], now: Ns, sm_count: i64) -> Self {
        let stream_ends = BTreeMap::new();
        Self { number, main, backward, now, sm_count, correlation: 0, running: None, stream_ends }
    }
}

/// A lane in an iteration.
pub(crate) struct Stage<'a> {
    /// The process.
    pub(crate) lane: &'a mut Lane,
    /// Where events go.
    pub(crate) records: &'a mut Records,
    /// Where they are counted.
    pub(crate) book: &'a mut Book,
    /// The iteration, from 0; none before the first.
    pub(crate) iteration: Option<usize>,
}

impl Stage<'_> {
    /// The sums of this GPU in this iteration.
    pub(crate) fn sums(&mut self) -> Option<&mut super::book::GpuSums> {
        Some(&mut self.book.gpus[self.iteration?][self.lane.number])
    }

    /// Makes an API call; returns its correlation id.
    pub(crate) fn call(&mut self, thread: usize, (class, name): Function, span: Span) -> i64 {
        self.lane.correlation += 1;
        let correlation = self.lane.correlation;
        self.records.calls.push(CallRow { span, thread, name, correlation });
        if let Some(iteration) = self.iteration {
            self.book.calls[iteration].entry(class).or_default().add(span.duration());
            self.book.functions.entry((class, name)).or_default().add(span.duration());
        }
        if class == "launch" {
            let sums = &mut self.book.threads[thread];
            sums.launches.add(span.duration());
            let first = sums.launch_starts.map_or(span.start, |(first, _)| first.min(span.start));
            let last = sums.launch_starts.map_or(span.start, |(_, last)| last.max(span.start));
            sums.launch_starts = Some((first, last));
        }
        correlation
    }

    /// Adds an item on a stream; it has an owner and, of a launch, a call.
    pub(crate) fn item(
        &mut self,
        span: Span,
        stream: i64,
        call: Option<(i64, Span)>,
        owner: Owner,
        work: Work,
    ) {
        let stream_end = self.lane.stream_ends.insert(stream, span.stop);
        let owner = if call.is_some() { owner } else { ["no_call", ""] };
        self.book.attribution.entry(owner).or_default().add(span.duration());
        if let Work::Kernel(_) = work {
            match call {
                Some((_, call)) => self.book.launches.push(Launch { call, kernel: span, stream_end }),
                None => self.book.without_call.add(span.duration()),
            }
            if span.duration() < 10_000 {
                self.book.short.add(span.duration());
            }
        }
        let (process, correlation) = (self.lane.number, call.map(|(id, _)| id));
        self.records.items.push(ItemRow { span, process, stream, correlation, work });
    }

    /// Adds a kernel.
    pub(crate) fn kernel(
        &mut self,
        span: Span,
        stream: i64,
        call: Option<(i64, Span)>,
        owner: Owner,
        kernel: PlannedKernel,
    ) {
        let (shape, fill) = kernel.on(self.lane.sm_count);
        let empty = super::book::KernelSums { shape, fill, sum: super::book::Sum::default() };
        self.book.kernels.entry(shape.name).or_insert(empty).sum.add(span.duration());
        self.item(span, stream, call, owner, Work::Kernel(shape));
    }

    /// Lets the running kernel go on.
    pub(crate) fn run(&mut self, ns: Ns) {
        self.lane.now += ns;
        if let Some(sums) = self.sums() {
            sums.compute_ns += ns;
        }
    }

    /// Begins a kernel on the main stream, now.
    pub(crate) fn begin(&mut self, kernel: PlannedKernel, call: Option<(i64, Span)>, owner: Owner) {
        self.end();
        self.lane.running = Some(Running { kernel, start: self.lane.now, call, owner });
    }

    /// Ends the running kernel, now.
    pub(crate) fn end(&mut self) {
        let Some(Running { kernel, start, call, owner }) = self.lane.running.take() else { return };
        let span = Span { start, stop: self.lane.now };
        self.kernel(span, MAIN_STREAM, call, owner, kernel);
    }

    /// Launches a kernel that follows the running one without a gap; the call lies where that one runs.
    pub(crate) fn follow(&mut self, thread: usize, kernel: PlannedKernel, owner: Owner) {
        let call = self.span(-CALL - 2_000, -2_000);
        let correlation = self.call(thread, LAUNCH, call);
        self.begin(kernel, Some((correlation, call)), owner);
    }

    /// A span relative to now.
    pub(crate) fn span(&self, from: Ns, to: Ns) -> Span {
        Span { start: self.lane.now + from, stop: self.lane.now + to }
    }

    /// Ends the running kernel and passes a gap with its idle time by cause; the parts add up to the gap.
    pub(crate) fn gap(&mut self, parts: &[(&'static str, Ns)]) {
        self.end();
        let length = parts.iter().map(|(_, ns)| ns).sum();
        self.lane.now += length;
        let Some(sums) = self.sums() else { return };
        sums.gap(length);
        parts.iter().for_each(|&(cause, ns)| sums.idle(cause, ns));
    }

    /// The same for a gap that a late call of a thread ends: of such gaps, the time in which the host issues counts.
    /// `waiting` is the time from the start of the gap to the end of the call.
    pub(crate) fn late_gap(&mut self, parts: &[(&'static str, Ns)], thread: usize, waiting: Ns) {
        self.gap(parts);
        self.book.threads[thread].waiting_ns += waiting;
        let Some(sums) = self.sums() else { return };
        let length: Ns = parts.iter().map(|(_, ns)| ns).sum();
        let is_issuing = |cause: &str| matches!(cause, "launch" | "api" | "host_range" | "host_issue");
        let issuing: Ns = parts.iter().filter(|(cause, _)| is_issuing(cause)).map(|(_, ns)| ns).sum();
        if length < LONG_GAP {
            sums.cpu_in_short_gaps_ns += issuing;
        } else {
            sums.cpu_in_long_gaps_ns += issuing;
        }
    }

    /// A gap of a cause on the thread, then a usual launch, whose own part of the gap is `launch`. Returns the span of the
    /// cause; the new kernel runs for [`RUN`].
    pub(crate) fn caused_gap(&mut self, cause: &'static str, ns: Ns, thread: usize, owner: Owner) -> Span {
        let start = self.lane.now;
        let called = Span { start: start + ns, stop: start + ns + CALL };
        self.late_gap(&[(cause, ns), ("launch", LATENCY)], thread, ns + CALL);
        let correlation = self.call(thread, LAUNCH, called);
        self.begin(COMPUTE, Some((correlation, called)), owner);
        self.run(RUN);
        Span { start, stop: called.start }
    }

    /// A named row on the main thread.
    pub(crate) fn named(&self, span: Span, name: &'static str) -> NamedRow {
        NamedRow { span, thread: self.lane.main, name }
    }
}

/// An amount in equal pieces of at most `most`, the first ones longer by what does not divide.
pub(crate) fn pieces(amount: Ns, most: Ns) -> impl Iterator<Item = Ns> {
    let count = (amount + most - 1) / most;
    (0..count).map(move |at| amount / count + i64::from(at < amount % count))
}
