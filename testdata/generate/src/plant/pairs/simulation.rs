//! Runs a program: a host that launches, and GPUs whose streams run what they get, in order.
//!
//! ```text
//! host     ┤call├ ┤call├ ┤call├ ┤──── wait ────├
//! stream        ├█ kernel █├├█ kernel █├├█ kernel █┤
//!            latency      turnaround
//! ```

use super::super::records::{CallRow, ItemRow, NamedRow, Records, Work};
use super::super::stage::MAIN_STREAM;
use super::program::{Act, Program, Transfer};
use crate::trace::{Ns, Span};
use std::collections::BTreeMap;

/// From the start of a launch call to the start of its kernel on an idle GPU.
pub(super) const LATENCY: Ns = 6_000;
/// From the end of a kernel to the start of the next one in its stream.
const TURNAROUND: Ns = 1_000;
/// From the end of the work that a call waits for to the end of the call.
const WAKE_UP: Ns = 2_000;
/// A call that finds nothing to wait for, or makes an event.
const SHORT_CALL: Ns = 2_000;
/// The threads of a process.
const THREADS: usize = 2;

/// What came out.
pub(super) struct Run {
    /// The events.
    pub(super) records: Records,
    /// The iterations on the first GPU's host.
    pub(super) iterations: Vec<Span>,
    /// Time of all kernels, summed over the GPUs.
    pub(super) kernel_ns: Ns,
}

/// A process and its GPU.
struct Process {
    number: usize,
    now: Ns,
    thread: usize,
    stream: i64,
    correlation: i64,
    /// By stream: when its last item ends.
    ends: BTreeMap<i64, Ns>,
    /// By stream: before this nothing starts.
    held: BTreeMap<i64, Ns>,
    /// Open ranges: name, start and thread.
    open: Vec<(&'static str, Ns, usize)>,
}

/// How long before the first iteration a program begins.
const BEFORE: Ns = 1_000_000;
/// After this many lengths of an iteration it does a last thing, which no iteration owns.
const BEHIND: Ns = 4;

/// Runs a program, whose first iteration begins at a time.
pub(super) fn run(program: &Program, start: Ns) -> Run {
    let mut processes: Vec<Process> =
        (0..program.gpus).map(|number| Process::new(number, start - BEFORE)).collect();
    let mut stage = Stage { program, records: Records::default(), kernel_ns: 0 };
    stage.iteration(&mut processes, &vec![program.around.clone(); program.gpus]);
    processes.iter_mut().for_each(|process| process.now = start);
    stage.kernel_ns = 0;
    let mut iterations = Vec::new();
    for steps in &program.iterations {
        let start = processes[0].now;
        stage.iteration(&mut processes, steps);
        iterations.push(Span { start, stop: processes[0].now });
    }
    let kernel_ns = stage.kernel_ns;
    let last = iterations.iter().map(|span| span.duration()).max().unwrap_or(0);
    processes.iter_mut().for_each(|process| process.now += BEHIND * last);
    stage.iteration(&mut processes, &vec![program.around.clone(); program.gpus]);
    Run { records: stage.records, iterations, kernel_ns }
}

struct Stage<'a> {
    program: &'a Program,
    records: Records,
    kernel_ns: Ns,
}

impl Stage<'_> {
    /// Runs the steps of all processes side by side, so that they meet where they exchange data.
    fn iteration(&mut self, processes: &mut [Process], steps: &[Vec<Act>]) {
        let most = steps.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..most {
            let mut meeting = Vec::new();
            for (process, step) in processes.iter_mut().zip(steps) {
                match step.get(at) {
                    Some(&Act::Reduce(ns)) => meeting.push((self.launch(process), ns, process)),
                    Some(act) => self.act(process, act),
                    None => {}
                }
            }
            let met = meeting.iter().map(|((_, start), ..)| *start).max().unwrap_or(0);
            for ((correlation, start), ns, process) in meeting {
                let span = Span { start, stop: met + ns };
                self.item(
                    process,
                    span,
                    Some(correlation),
                    Work::Kernel(super::gpus::all_reduce(self.program.board)),
                );
            }
        }
    }

    fn act(&mut self, process: &mut Process, act: &Act) {
        match *act {
            Act::Open(name) => process.open.push((name, process.now, process.thread)),
            Act::Close => self.close(process),
            Act::Stream(stream) => process.stream = stream,
            Act::Backward => process.thread = 1,
            Act::Main => process.thread = 0,
            Act::Launch(..) | Act::Lost(_) | Act::Unseen(_) | Act::Copy(_) | Act::Migrate { .. } => {
                self.submit(process, act);
            }
            Act::Wait => self.drain(process, "cudaStreamSynchronize_v3020", 0),
            Act::Drain(name, ns) => self.drain(process, name, ns),
            Act::Call(name, ns) => drop(self.call(process, name, ns)),
            Act::Os(name, ns) => self.records.os_calls.push(process.spend(name, ns)),
            Act::Work(ns) => process.now += ns,
            Act::Overhead(ns) => self.records.overheads.push(process.spend("Buffer Flush", ns)),
            Act::Taken(ns) => process.hold(process.stream, process.end() + ns),
            Act::HostFunction(ns) => {
                self.call(process, "cudaLaunchHostFunc_v10000", SHORT_CALL);
                process.hold(process.stream, process.end().max(process.now) + ns);
            }
            Act::Follow(from, to) => {
                self.call(process, "cudaEventRecord_v3020", SHORT_CALL);
                self.call(process, "cudaStreamWaitEvent_v3020", SHORT_CALL);
                let end = process.ends.get(&from).copied().unwrap_or(0);
                process.hold(to, end);
            }
            Act::Throttle(ns) => process.now = process.now.max(process.end() - ns),
            Act::Reduce(_) => {}
        }
    }

    /// Gives the GPU something to do.
    fn submit(&mut self, process: &mut Process, act: &Act) {
        match *act {
            Act::Launch(kernel, ns) => {
                let (correlation, start) = self.launch(process);
                let shape = kernel.on(self.program.board.sm_count);
                self.item(process, Span { start, stop: start + ns }, Some(correlation), Work::Kernel(shape));
                if self.program.pace.is_blocking {
                    self.block(process, start + ns);
                }
            }
            Act::Lost(ns) => {
                let (_, start) = self.launch(process);
                process.ends.insert(process.stream, start + ns);
            }
            Act::Unseen(ns) => {
                let start = process.ready(process.now);
                process.ends.insert(process.stream, start + ns);
                process.now += self.program.pace.call + self.program.pace.between;
            }
            Act::Copy(transfer) => self.copy(process, transfer),
            Act::Migrate { kind, bytes, ns } => {
                let start = process.now.max(process.end());
                let work = Work::Copy { kind, source: 6, target: 6, bytes };
                self.item(process, Span { start, stop: start + ns }, None, work);
                process.now = start + ns;
            }
            _ => {}
        }
    }

    /// Calls; returns the correlation id.
    fn call(&mut self, process: &mut Process, name: &'static str, ns: Ns) -> i64 {
        process.correlation += 1;
        let span = Span { start: process.now, stop: process.now + ns };
        let (thread, correlation) = (process.thread(), process.correlation);
        self.records.calls.push(CallRow { span, thread, name, correlation });
        process.now = span.stop + self.program.pace.between;
        correlation
    }

    /// Makes a launch call; returns its correlation id and when the kernel starts.
    fn launch(&mut self, process: &mut Process) -> (i64, Ns) {
        let start = process.ready(process.now);
        (self.call(process, "cudaLaunchKernel_v7000", self.program.pace.call), start)
    }

    /// The last call returns when what it launched is done.
    fn block(&mut self, process: &mut Process, end: Ns) {
        let Some(call) = self.records.calls.last_mut() else { return };
        call.span.stop = end + WAKE_UP;
        process.now = call.span.stop + self.program.pace.between;
    }

    fn copy(&mut self, process: &mut Process, transfer: Transfer) {
        let Transfer { kind, memory: [source, target], bytes, bytes_per_us, is_waited_for } = transfer;
        let start = process.ready(process.now);
        let correlation = self.call(process, "cudaMemcpyAsync_v3020", self.program.pace.call);
        let span = Span { start, stop: start + (1_000 * bytes / bytes_per_us).max(1_000) };
        self.item(process, span, Some(correlation), Work::Copy { kind, source, target, bytes });
        if is_waited_for {
            self.block(process, span.stop);
        }
    }

    /// A call that waits for the stream, then takes `ns` longer.
    fn drain(&mut self, process: &mut Process, name: &'static str, ns: Ns) {
        let done = process.end() + WAKE_UP - process.now;
        self.call(process, name, done.max(SHORT_CALL) + ns);
    }

    fn item(&mut self, process: &mut Process, span: Span, correlation: Option<i64>, work: Work) {
        if let Work::Kernel(_) = work {
            self.kernel_ns += span.duration();
        }
        process.ends.insert(process.stream, span.stop);
        let (number, stream) = (process.number, process.stream);
        self.records.items.push(ItemRow { span, process: number, stream, correlation, work });
    }

    fn close(&mut self, process: &mut Process) {
        let Some((name, start, thread)) = process.open.pop() else { return };
        let span = Span { start, stop: process.now };
        self.records.ranges.push(NamedRow { span, thread, name });
    }
}

impl Process {
    fn new(number: usize, now: Ns) -> Self {
        Self {
            number,
            now,
            thread: 0,
            stream: MAIN_STREAM,
            correlation: 0,
            ends: BTreeMap::new(),
            held: BTreeMap::new(),
            open: Vec::new(),
        }
    }

    /// Place of the thread among those of the capture.
    fn thread(&self) -> usize {
        THREADS * self.number + self.thread
    }

    /// The thread spends some time; a row that says so.
    fn spend(&mut self, name: &'static str, ns: Ns) -> NamedRow {
        let span = Span { start: self.now, stop: self.now + ns };
        self.now = span.stop;
        NamedRow { span, thread: self.thread(), name }
    }

    /// When the work in the stream is done.
    fn end(&self) -> Ns {
        self.ends.get(&self.stream).copied().unwrap_or(0)
    }

    /// When work starts whose call starts now.
    fn ready(&self, call: Ns) -> Ns {
        let held = self.held.get(&self.stream).copied().unwrap_or(0);
        (call + LATENCY).max(self.end() + TURNAROUND).max(held + TURNAROUND)
    }

    /// Nothing starts in a stream before a time.
    fn hold(&mut self, stream: i64, until: Ns) {
        let held = self.held.entry(stream).or_default();
        *held = until.max(*held);
    }
}
