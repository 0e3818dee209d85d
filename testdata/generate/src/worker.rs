//! A thread that opens ranges and calls CUDA, and the GPU streams that do the work.

mod open_call;

use crate::catalog::KERNELS;
use crate::rng::Rng;
use crate::trace::{
    Api, ApiCall, CopyKind, CopyRecord, Direction, KernelRecord, MemsetRecord, Ns, OpName, Origin, Range,
    Span, SyncRecord, Text, Trace,
};
use open_call::{Effect, OpenCall};

/// Time between a launch's return and the kernel's start on an idle GPU.
const LAUNCH_LATENCY: Ns = 2_200;
/// Time between two items of a busy stream.
const STREAM_GAP: Ns = 650;
/// CPU time between two things a thread does.
const STEP: Ns = 900;

/// What changes while a process runs.
pub(crate) struct Process {
    /// Number of the process.
    pub(crate) rank: usize,
    /// Current time of its (only) running thread.
    pub(crate) clock: Ns,
    /// When each stream has done all that was asked of it.
    pub(crate) streams: Vec<Ns>,
    /// Last correlation id.
    pub(crate) correlation: i64,
    /// Last launch number.
    pub(crate) grid_id: i64,
    /// Next sequence number of the backward graph.
    pub(crate) sequence: u32,
    /// Last operator number.
    pub(crate) op_id: u32,
    /// Main thread.
    pub(crate) main_thread: usize,
    /// Thread of the backward pass.
    pub(crate) autograd_thread: Option<usize>,
}

impl Process {
    /// Whether this is the second process: its kernels take longer, so that it owns most GPU time.
    pub(crate) fn is_straggler(&self) -> bool {
        self.rank == 1
    }
}

/// A range under way.
struct OpenRange {
    /// When it was opened.
    start: Ns,
    /// Its text.
    text: Text,
    /// The op call that it is, if any.
    call: Option<OpenCall>,
}

/// A thread that waits for another one of its process.
pub(crate) struct Suspended {
    /// Which thread it is.
    thread: usize,
    /// Its ranges under way.
    open: Vec<OpenRange>,
}

impl Suspended {
    /// A thread without ranges under way.
    pub(crate) fn new(thread: usize) -> Self {
        Self { thread, open: Vec::new() }
    }
}

/// A running thread.
pub(crate) struct Worker<'a> {
    /// Where everything is recorded.
    pub(crate) trace: &'a mut Trace,
    /// Its process.
    pub(crate) process: &'a mut Process,
    /// Source of jitter.
    pub(crate) rng: &'a mut Rng,
    /// Percentage by which durations vary.
    pub(crate) jitter: i64,
    /// Factor on all CPU times.
    pub(crate) slowdown: i64,
    /// Percentage of the catalogue's durations that kernels of this process take.
    pub(crate) kernel_percent: i64,
    /// Factor on all durations in this step.
    pub(crate) step_factor: f64,
    /// Factor on the durations of the kernels of the op under way.
    pub(crate) kernel_factor: f64,
    /// Which thread it is.
    pub(crate) thread: usize,
    /// Ranges under way, outermost first.
    open: Vec<OpenRange>,
}

impl<'a> Worker<'a> {
    /// The main thread of a process.
    pub(crate) fn new(trace: &'a mut Trace, process: &'a mut Process, rng: &'a mut Rng, jitter: i64) -> Self {
        let kernel_percent = if process.is_straggler() { 106 } else { 100 };
        let thread = process.main_thread;
        Self {
            trace,
            process,
            rng,
            jitter,
            slowdown: 1,
            kernel_percent,
            step_factor: 1.0,
            kernel_factor: 1.0,
            thread,
            open: Vec::new(),
        }
    }

    /// Continues as another thread of the process; returns the one that waits now.
    pub(crate) fn switch_thread(&mut self, next: Suspended) -> Suspended {
        self.pass(8_000);
        let thread = std::mem::replace(&mut self.thread, next.thread);
        let open = std::mem::replace(&mut self.open, next.open);
        Suspended { thread, open }
    }

    /// Lets the thread sleep until a time.
    pub(crate) fn sleep_until(&mut self, time: Ns) {
        self.process.clock = self.process.clock.max(time);
    }

    /// Spends CPU time.
    pub(crate) fn pass(&mut self, ns: Ns) {
        self.process.clock += self.rng.jitter(scaled(ns * self.slowdown, self.step_factor), self.jitter);
    }

    /// A range text that is only a name.
    pub(crate) fn text(&mut self, name: &str) -> Text {
        Text { name: self.trace.names.intern(name.to_owned()), suffix: None, sequence: None, op_id: None }
    }

    /// The number of an op.
    pub(crate) fn operation(&mut self, name: String, op_type: &str) -> usize {
        self.trace.operations.intern(OpName { name, op_type: op_type.to_owned() })
    }

    /// Opens a range that is not an op call; returns its start.
    pub(crate) fn open(&mut self, text: Text) -> Ns {
        self.open_range(text, None)
    }

    /// Opens a range that is an op call; returns its start.
    pub(crate) fn open_call(
        &mut self,
        text: Text,
        operation: usize,
        direction: Direction,
        forward: Option<usize>,
    ) -> Ns {
        self.open_range(text, Some(OpenCall::new(operation, direction, forward)))
    }

    /// Opens a range; returns its start.
    fn open_range(&mut self, text: Text, call: Option<OpenCall>) -> Ns {
        let start = self.process.clock;
        self.open.push(OpenRange { start, text, call });
        self.pass(STEP);
        start
    }

    /// Closes the innermost range; returns the index of its op call, if it was one.
    pub(crate) fn close(&mut self) -> Option<usize> {
        let OpenRange { start, text, call } = self.open.pop()?;
        let span = Span { start, stop: self.process.clock };
        self.trace.ranges.push(Range { span, thread: self.thread, text });
        let index = call.map(|call| {
            if let Some(parent) = self.open_call_mut() {
                parent.nested += span.duration();
            }
            self.trace.calls.push(call.finish(span, self.thread));
            self.trace.calls.len() - 1
        });
        self.pass(STEP);
        index
    }

    /// The innermost op call under way.
    fn open_call_mut(&mut self) -> Option<&mut OpenCall> {
        self.open.iter_mut().rev().find_map(|range| range.call.as_mut())
    }

    /// Calls an API function that causes no other record.
    pub(crate) fn plain(&mut self, api: Api, ns: Ns) {
        let (span, _) = self.call(api, ns, 0);
        self.attribute(api, span, &Effect::Nothing);
    }

    /// Launches a kernel.
    pub(crate) fn launch(&mut self, kernel: usize, stream: usize) {
        let (api, correlation) = self.call(Api::LaunchKernel, 4_800, 0);
        let duration = scaled(KERNELS[kernel].duration * self.kernel_percent / 100, self.kernel_factor);
        let span = self.enqueue(api.stop, duration, stream);
        self.process.grid_id += 1;
        let origin = self.origin(correlation, stream);
        let grid_id = self.process.grid_id;
        self.trace.kernels.push(KernelRecord { span, origin, kernel, grid_id });
        self.attribute(Api::LaunchKernel, api, &Effect::Kernel(span, kernel));
    }

    /// Copies memory; a read-back waits for the work of all streams.
    pub(crate) fn copy(&mut self, kind: CopyKind, bytes: i64, stream: usize) {
        let (api, correlation) = self.call(Api::MemcpyAsync, 6_100, 0);
        let ready = match kind {
            CopyKind::HostToDevice => api.stop,
            CopyKind::DeviceToHost => api.stop.max(self.last_gpu_end()),
        };
        let span = self.enqueue(ready, 1_100 + bytes / 12, stream);
        let origin = self.origin(correlation, stream);
        self.trace.copies.push(CopyRecord { span, origin, kind, bytes });
        self.attribute(Api::MemcpyAsync, api, &Effect::Memory(span));
    }

    /// Sets memory.
    pub(crate) fn memset(&mut self, bytes: i64, stream: usize) {
        let (api, correlation) = self.call(Api::MemsetAsync, 3_900, 0);
        let span = self.enqueue(api.stop, 1_300 + bytes / 800, stream);
        let origin = self.origin(correlation, stream);
        self.trace.memsets.push(MemsetRecord { span, origin, bytes });
        self.attribute(Api::MemsetAsync, api, &Effect::Memory(span));
    }

    /// Waits for one stream.
    pub(crate) fn synchronize_stream(&mut self, stream: usize) {
        let done = self.process.streams[stream];
        self.synchronize(Api::StreamSynchronize, stream, done);
    }

    /// Waits for all streams.
    pub(crate) fn synchronize_device(&mut self) {
        let done = self.last_gpu_end();
        self.synchronize(Api::DeviceSynchronize, 0, done);
    }

    /// Waits until the GPU has reached a time.
    fn synchronize(&mut self, api: Api, stream: usize, done: Ns) {
        let (span, correlation) = self.call(api, 3_200, done);
        let origin = self.origin(correlation, stream);
        let wait = Span { start: span.start + 700, stop: span.stop - 300 };
        let whole_device = api == Api::DeviceSynchronize;
        self.trace.syncs.push(SyncRecord { span: wait, origin, whole_device });
        self.attribute(api, span, &Effect::Sync);
    }

    /// When the last stream has done all that was asked of it.
    fn last_gpu_end(&self) -> Ns {
        self.process.streams.iter().copied().max().unwrap_or(0)
    }

    /// Records an API call that takes `ns` and lasts at least until just after `until`.
    fn call(&mut self, api: Api, ns: Ns, until: Ns) -> (Span, i64) {
        let start = self.process.clock;
        self.pass(ns);
        let stop = self.process.clock.max(until + 1_400);
        self.process.clock = stop;
        self.process.correlation += self.rng.between(1, 3);
        let correlation = self.process.correlation;
        let span = Span { start, stop };
        self.trace.api_calls.push(ApiCall { span, thread: self.thread, correlation, api });
        self.pass(STEP);
        (span, correlation)
    }

    /// Appends work to a stream.
    fn enqueue(&mut self, ready: Ns, duration: Ns, stream: usize) -> Span {
        let latency = self.rng.jitter(LAUNCH_LATENCY, self.jitter);
        let duration = self.rng.jitter(scaled(duration, self.step_factor), self.jitter);
        let free = &mut self.process.streams[stream];
        let start = (ready + latency).max(*free + STREAM_GAP);
        *free = start + duration;
        Span { start, stop: *free }
    }

    /// The origin of a GPU record on a stream.
    fn origin(&self, correlation: i64, stream: usize) -> Origin {
        Origin { process: self.process.rank, correlation, stream: stream_id(stream) }
    }

    /// Adds an API call to the op call under way, or makes a loose op of it.
    fn attribute(&mut self, api: Api, span: Span, effect: &Effect) {
        if let Some(call) = self.open_call_mut() {
            call.add(span, effect);
            return;
        }
        let op_type = match *effect {
            Effect::Nothing => return,
            Effect::Sync | Effect::Memory(_) => api.name(),
            Effect::Kernel(_, kernel) => KERNELS[kernel].short_name,
        };
        let operation = self.operation(format!("unassociated_{op_type}"), op_type);
        let mut call = OpenCall::new(operation, Direction::None, None);
        call.add(span, effect);
        self.trace.calls.push(call.finish(span, self.thread));
    }
}

/// A duration times a factor; the very duration for the factor 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "durations are far below 2^53 ns"
)]
fn scaled(ns: Ns, factor: f64) -> Ns {
    (ns as f64 * factor).round() as Ns
}

/// The id in the export of a process' n-th stream; the first is the default stream.
fn stream_id(stream: usize) -> i64 {
    match i64::try_from(stream) {
        Ok(0) | Err(_) => 7,
        Ok(number) => 12 + number,
    }
}
