//! What is planted besides idle time: overlap, copies, loose work, the host's side, memory, counters, kernels.

use super::kernels::{ALL_REDUCE, COMPUTE, UNEVEN};
use super::records::{MemoryRow, MetricRow, NamedRow, SampleRow, SwitchRow, Work};
use super::stage::{CALL, Function, LAUNCH, NO_RANGE, Owner, QUIET, RUN, STREAM_SYNC, Stage};
use crate::trace::{Ns, Span};

/// The stream of communication.
const COMMUNICATION_STREAM: i64 = 13;
/// The stream of copies.
const COPY_STREAM: i64 = 14;

const COPY_ASYNC: Function = ("copy", "cudaMemcpyAsync_v3020");
const COPY: Function = ("copy", "cudaMemcpy_v3020");
const SET_ASYNC: Function = ("copy", "cudaMemsetAsync_v3020");

/// CUPTI's kinds of copies: to the device, to the host, inside the device.
const HTOD: i64 = 1;
const DTOH: i64 = 2;
const DTOD: i64 = 8;
/// CUPTI's kinds of memory.
const PAGEABLE: i64 = 0;
const PINNED: i64 = 1;
const DEVICE: i64 = 2;

/// Text of the range in which the main thread waits for the backward pass.
const BACKWARD: Owner = ["by_time", "backward"];

/// Asynchronous copies: CUPTI's kind, memory kinds of source and target, words of the group.
const ASYNC_COPIES: [(i64, i64, i64, [&str; 3]); 4] = [
    (HTOD, PINNED, DEVICE, ["HtoD", "pinned", "async"]),
    (DTOH, DEVICE, PINNED, ["DtoH", "pinned", "async"]),
    (DTOH, DEVICE, PAGEABLE, ["DtoH", "pageable", "async"]),
    (DTOD, DEVICE, DEVICE, ["DtoD", "", "async"]),
];

impl Stage<'_> {
    /// Three items that overlap by half: compute of `ns`, then communication, then a copy, each one and a half times as long
    /// as what it does alone.
    ///
    /// ```text
    /// compute        ├─────ns─────┤
    /// communication         ├─────┼─────ns─────┤
    /// copy                               ├─────┼─────ns─────┤
    /// ```
    pub(crate) fn overlap(&mut self, ns: Ns) {
        let (half, main) = (ns / 2, self.lane.main);
        self.run(RUN);
        let reduce = self.span(-15_000, -12_000);
        let copy = self.span(-11_000, -8_000);
        let compute = self.span(-7_000, -4_000);
        let [reduce_id, copy_id, compute_id] = [(LAUNCH, reduce), (COPY_ASYNC, copy), (LAUNCH, compute)]
            .map(|(function, span)| self.call(main, function, span));
        self.run(ns);
        self.end();
        let communicated = self.span(-half, ns);
        self.kernel(communicated, COMMUNICATION_STREAM, Some((reduce_id, reduce)), NO_RANGE, ALL_REDUCE);
        self.lane.now += ns;
        let copied = self.span(-half, ns);
        let call = (copy_id, copy);
        self.copy(copied, call, (DTOH, DEVICE, PINNED, ["DtoH", "pinned", "async"]), 1 << 16);
        self.lane.now += ns;
        if let Some(sums) = self.sums() {
            sums.communication_ns += ns + half;
            sums.exposed_communication_ns += ns;
            sums.copy_ns += ns + half;
            sums.exposed_copy_ns += ns;
        }
        self.begin(COMPUTE, Some((compute_id, compute)), NO_RANGE);
        self.run(RUN);
    }

    /// Adds a copy and counts it.
    fn copy(
        &mut self,
        span: Span,
        call: (i64, Span),
        (kind, source, target, words): (i64, i64, i64, [&'static str; 3]),
        bytes: i64,
    ) {
        self.item(span, COPY_STREAM, Some(call), NO_RANGE, Work::Copy { kind, source, target, bytes });
        self.count_copy(words, span, call.1, bytes);
    }

    fn count_copy(&mut self, words: [&'static str; 3], span: Span, call: Span, bytes: i64) {
        let sum = self.book.copies.entry(words).or_default();
        sum.gpu.add(span.duration());
        sum.bytes += bytes;
        sum.api_time_ns += call.duration();
    }

    /// Copies and a memset of about so many bytes, one after the other while no kernel runs; then a pageable copy and the
    /// reading of a value, both hidden behind a kernel.
    pub(crate) fn copies(&mut self, bytes: i64) {
        let main = self.lane.main;
        self.run(40_000);
        let calls = [0, 1, 2, 3, 4, 5].map(|at| self.span(at * 5_000 - 38_000, at * 5_000 - 38_000 + CALL));
        let functions = [COPY_ASYNC, COPY_ASYNC, COPY_ASYNC, COPY_ASYNC, SET_ASYNC, LAUNCH];
        let calls: Vec<(i64, Span)> = functions
            .into_iter()
            .zip(calls)
            .map(|(function, span)| (self.call(main, function, span), span))
            .collect();
        self.end();
        let began = self.lane.now;
        for ((at, copy), &call) in (1..).zip(ASYNC_COPIES).zip(&calls) {
            let span = self.span(0, 9_000 + at * 700);
            self.copy(span, call, copy, bytes + at * 256);
            self.lane.now = span.stop;
        }
        let span = self.span(0, 6_000);
        self.item(span, COPY_STREAM, Some(calls[4]), NO_RANGE, Work::Memset(bytes));
        self.count_copy(["memset", "", "async"], span, calls[4].1, bytes);
        self.lane.now = span.stop;
        let exposed = self.lane.now - began;
        if let Some(sums) = self.sums() {
            sums.copy_ns += exposed;
            sums.exposed_copy_ns += exposed;
        }
        self.begin(COMPUTE, Some(calls[5]), NO_RANGE);
        self.hidden_copies(bytes);
    }

    /// A pageable copy, whose call waits for it, and the reading of four bytes, while a kernel runs.
    fn hidden_copies(&mut self, bytes: i64) {
        let main = self.lane.main;
        self.run(70_000);
        let (call, copied) = (self.span(-60_000, -30_000), self.span(-57_000, -32_000));
        let id = self.call(main, COPY, call);
        self.copy(copied, (id, call), (HTOD, PAGEABLE, DEVICE, ["HtoD", "pageable", "sync"]), bytes);
        let (call, read) = (self.span(-25_000, -22_000), self.span(-20_000, -18_500));
        let id = self.call(main, COPY_ASYNC, call);
        self.copy(read, (id, call), (DTOH, DEVICE, PAGEABLE, ["DtoH", "pageable", "async"]), 4);
        self.call(main, STREAM_SYNC, self.span(-21_500, -17_000));
        if let Some(sums) = self.sums() {
            sums.copy_ns += copied.duration() + read.duration();
        }
        if let Some(iteration) = self.iteration {
            self.book.scalar_reads[iteration] += 1;
        }
    }

    /// The backward thread launches three kernels while the main thread waits in a range; the first one comes late.
    pub(crate) fn loose(&mut self, ns: Ns) {
        let backward = self.lane.backward;
        self.run(QUIET);
        let start = self.lane.now - QUIET / 2;
        self.caused_gap("host_range", ns, backward, BACKWARD);
        for _ in 0..2 {
            self.follow(backward, COMPUTE, BACKWARD);
            self.run(RUN);
        }
        let range = Span { start, stop: self.lane.now };
        self.records.ranges.push(NamedRow { span: range, thread: self.lane.main, name: BACKWARD[1] });
        // The main thread has no call near those of the backward thread.
        self.run(200_000);
        self.follow(self.lane.main, COMPUTE, NO_RANGE);
        self.run(RUN);
    }

    /// The main thread waits for input in a call, half of the time off the CPU, while samples are taken of it, of another
    /// thread of its process, and of `worker`, a thread of another process.
    pub(crate) fn host(&mut self, ns: Ns, worker: usize) {
        self.run(QUIET);
        let (main, backward) = (self.lane.main, self.lane.backward);
        let gap = self.caused_gap("input_wait", ns, main, NO_RANGE);
        let wait = Span { start: gap.start - QUIET / 2 - 500_000, stop: gap.stop };
        self.records.os_calls.push(self.named(wait, "sem_clockwait"));
        self.book.os_calls.entry("sem_clockwait").or_default().add(ns);
        let quarter = ns / 4;
        for (time, is_in) in [(gap.start + quarter, false), (gap.start + 2 * quarter, true)] {
            self.records.switches.push(SwitchRow { time, thread: main, is_in });
        }
        self.book.threads[main].off_cpu_ns += quarter;
        for eighth in [1, 5, 6] {
            self.sample(gap.start + ns * eighth / 8, main, "issuing", FORMATTING);
        }
        self.book.threads[main].samples += 3;
        self.sample(gap.start + ns / 2, backward, "same_process", KERNEL_ONLY);
        for eighth in [2, 3] {
            self.sample(gap.start + ns * eighth / 8 + 1, worker, "other_process", DECODING);
        }
    }

    fn sample(&mut self, time: Ns, thread: usize, role: &'static str, sampled: Sampled) {
        self.records.samples.push(SampleRow { time, thread, frames: sampled.frames });
        *self.book.samples.entry([role, sampled.function, sampled.module]).or_default() += 1;
    }

    /// Two allocations, the free of the larger one, and pinned memory of the host.
    pub(crate) fn memory(&mut self, bytes: i64, start: Ns) {
        let process = self.lane.number;
        let events = [
            (6_000, DEVICE, 0, bytes),
            (7_000, DEVICE, 0, 2 * bytes),
            (8_000, PINNED, 0, bytes),
            (9_000, DEVICE, 1, 2 * bytes),
        ];
        for (at, kind, operation, bytes) in events {
            self.records.memory.push(MemoryRow { time: start + at, process, kind, operation, bytes });
        }
        let Some(iteration) = self.iteration else { return };
        let last = iteration.checked_sub(1).and_then(|last| self.book.memory.get(&(last, process)));
        let before = last.map_or(super::STATIC_BYTES, |last| last.end_bytes);
        let sums = super::book::MemorySums {
            peak_bytes: before + 3 * bytes,
            end_bytes: before + bytes,
            allocations: 2,
            frees: 1,
            allocated_bytes: 3 * bytes,
        };
        self.book.memory.insert((iteration, process), sums);
    }

    /// Five samples of two counters.
    pub(crate) fn metrics(&mut self, start: Ns) {
        let Some(iteration) = self.iteration else { return };
        let gpu = self.lane.number;
        for (at, number) in (0..5).flat_map(|at| [(at, 1), (at, 2)]) {
            let rank = i64::try_from(gpu + iteration).unwrap_or(0);
            let value = (number * 30 + at * 3 + rank) % 101;
            let time = start + 10_000 + at * 1_500;
            self.records.metrics.push(MetricRow { time, gpu, metric: number, value });
            let (samples, sum) = self.book.metrics.entry((iteration, gpu, number)).or_default();
            *samples += 1;
            *sum += value;
        }
    }

    /// Kernels that do not fill the GPU, one after the other.
    pub(crate) fn kernels(&mut self, ns: Ns) {
        for (at, kernel) in (0..).zip(UNEVEN) {
            self.follow(self.lane.main, kernel, NO_RANGE);
            self.run(ns + 501 * at);
        }
        self.follow(self.lane.main, COMPUTE, NO_RANGE);
        self.run(RUN);
    }
}

/// A stack, and the function and binary that speak for it.
#[derive(Clone, Copy)]
struct Sampled {
    frames: &'static [(&'static str, &'static str)],
    function: &'static str,
    module: &'static str,
}

/// Unresolved in its innermost frame.
const FORMATTING: Sampled = Sampled {
    frames: &[
        ("0x7f3a11", "/usr/lib/libc.so.6"),
        ("format_float", "/usr/lib/libpython3.so"),
        ("main", "/usr/bin/python3"),
    ],
    function: "format_float",
    module: "libpython3.so",
};
/// Nothing but the kernel of the operating system.
const KERNEL_ONLY: Sampled = Sampled {
    frames: &[("[Max depth]", "[kernel.kallsyms]")],
    function: "[kernel.kallsyms]",
    module: "[kernel.kallsyms]",
};
/// A worker of the data loader.
const DECODING: Sampled = Sampled {
    frames: &[("decode_jpeg", "/opt/lib/libimage.so"), ("worker_loop", "/usr/bin/python3")],
    function: "decode_jpeg",
    module: "libimage.so",
};
