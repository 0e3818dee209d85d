//! Captures that hurt: legal, small in what they say, and as deep as asked for: `--hurt`.
//!
//! ```text
//! open-ranges      ├ step ─────────────────────▶      nested-ranges   ├ layer ────────────────────┤
//!                     ├ step ──────────────────▶                        ├ layer ────────────────┤
//!                        ├ step ───────────────▶                          ├ layer ────────────┤
//! named-ranges     as nested-ranges, each with a text of its own
//! slashes          twenty steps with a range inside whose text is a/a/a/…
//! long-texts       twenty steps with a range and a kernel inside whose texts have so many bytes
//! gpus             so many GPUs, each with one kernel, over at most a thousand steps
//! gpu-steps        so many GPUs and as many steps, each with one kernel of one GPU
//! far-gpus         so many GPUs, each with two kernels, and a step for each kernel: the first GPU has the first and the last
//! threads          so many threads of one process, each with one kernel
//! thread-steps     so many threads of one process and as many steps, each with one kernel of one thread
//! processes        so many processes on one GPU, each with one kernel
//! kernel-names     so many kernels, each with a name of its own, over a hundred steps
//! overlapping-kernels   so many kernels of one stream, none of which ends before all have started
//! ```

use crate::catalog::KERNELS;
use crate::options::Options;
use crate::trace::{
    Api, ApiCall, KernelRecord, KernelSums, Ns, Origin, ProcessInfo, Range, Span, Text, Thread, Trace,
};
use crate::writer::{self, OPEN};
use serde::Serialize;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write as _};

/// Of more ranges only so many launch a kernel.
const MOST_KERNELS: usize = 10_000;
/// Steps of a capture of slashes.
const STEPS: usize = 20;
/// The kernel that is launched.
const KERNEL: usize = 0;
/// From one range to the next, and how long its launch and its kernel take.
const PACE: Ns = 1_000;
const CALL: Ns = 100;
const WORK: Ns = 500;

/// What a capture has too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Excess {
    OpenRanges,
    NestedRanges,
    NamedRanges,
    Slashes,
    LongTexts,
    Gpus,
    GpuSteps,
    FarGpus,
    Threads,
    ThreadSteps,
    Processes,
    KernelNames,
    OverlappingKernels,
}

/// The names on the command line.
const EXCESSES: [(&str, Excess); 13] = [
    ("open-ranges", Excess::OpenRanges),
    ("nested-ranges", Excess::NestedRanges),
    ("named-ranges", Excess::NamedRanges),
    ("slashes", Excess::Slashes),
    ("long-texts", Excess::LongTexts),
    ("gpus", Excess::Gpus),
    ("gpu-steps", Excess::GpuSteps),
    ("far-gpus", Excess::FarGpus),
    ("threads", Excess::Threads),
    ("thread-steps", Excess::ThreadSteps),
    ("processes", Excess::Processes),
    ("kernel-names", Excess::KernelNames),
    ("overlapping-kernels", Excess::OverlappingKernels),
];

/// What a capture has too much of, and how much.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Hurt {
    excess: Excess,
    count: usize,
}

/// Reads `NAME=N`.
pub(crate) fn hurt(text: &str) -> Result<Hurt, String> {
    let (name, count) = text.split_once('=').ok_or("expected NAME=N")?;
    let found = EXCESSES.iter().find(|(known, _)| *known == name);
    let &(_, excess) = found.ok_or_else(|| {
        let names: Vec<&str> = EXCESSES.iter().map(|(name, _)| *name).collect();
        format!("`{name}` is unknown; known are {}", names.join(", "))
    })?;
    let count = count.parse().map_err(|error| format!("`{count}` is not a number: {error}"))?;
    Ok(Hurt { excess, count })
}

/// What is true of the capture.
#[derive(Serialize)]
struct HurtTruth {
    hurt: Hurt,
    ranges: usize,
    kernels: u64,
    kernel_gpu_ns: Ns,
}

/// Writes truth and export.
pub(crate) fn generate(options: &Options, hurt: Hurt) -> Result<(), Box<dyn Error>> {
    let mut trace = laid_out(hurt);
    let mut sums = KernelSums::default();
    trace.kernels.iter().for_each(|kernel| sums.count(kernel.span.duration(), false));
    let truth =
        HurtTruth { hurt, ranges: trace.ranges.len(), kernels: sums.launches, kernel_gpu_ns: sums.gpu_ns };
    let mut file = BufWriter::new(File::create(options.truth_path())?);
    serde_json::to_writer(&mut file, &truth)?;
    writeln!(file)?;
    file.flush()?;
    writer::write(options, &mut trace)
}

fn laid_out(hurt: Hurt) -> Trace {
    let mut trace = Trace::default();
    process(&mut trace, 0, 0);
    let end = time(3 * hurt.count);
    match hurt.excess {
        Excess::OpenRanges => deep(&mut trace, hurt.count, |_| OPEN, |_| "step".to_owned()),
        Excess::NestedRanges => {
            deep(&mut trace, hurt.count, |at| end - time(at) / PACE, |_| "layer".to_owned());
        }
        // A letter follows the number, which hence counts no instances.
        Excess::NamedRanges => {
            deep(&mut trace, hurt.count, |at| end - time(at) / PACE, |at| format!("layer{at}x"));
        }
        Excess::Slashes => with_text(&mut trace, &"a/".repeat(hurt.count)),
        Excess::LongTexts => {
            let text = "x".repeat(hurt.count);
            with_text(&mut trace, &text);
            let kernel = named(&mut trace, text);
            trace.kernels.iter_mut().for_each(|record| record.kernel = kernel);
        }
        Excess::Gpus => {
            (1..hurt.count).for_each(|gpu| process(&mut trace, 0, gpu));
            steps(&mut trace, hurt.count, hurt.count.min(1_000), |launch| launch.process = launch.at);
        }
        Excess::GpuSteps => {
            (1..hurt.count).for_each(|gpu| process(&mut trace, 0, gpu));
            steps(&mut trace, hurt.count, hurt.count, |launch| launch.process = launch.at);
        }
        Excess::FarGpus => {
            (1..hurt.count).for_each(|gpu| process(&mut trace, 0, gpu));
            let launches = 2 * hurt.count;
            steps(&mut trace, launches, launches, |launch| {
                launch.process = launch.at.min(launches - 1 - launch.at);
            });
        }
        Excess::Threads => {
            (1..hurt.count).for_each(|number| thread(&mut trace, number));
            steps(&mut trace, hurt.count, hurt.count.min(STEPS), |launch| launch.thread = launch.at);
        }
        Excess::ThreadSteps => {
            (1..hurt.count).for_each(|number| thread(&mut trace, number));
            steps(&mut trace, hurt.count, hurt.count, |launch| launch.thread = launch.at);
        }
        Excess::Processes => {
            (1..hurt.count).for_each(|number| process(&mut trace, number, 0));
            steps(&mut trace, hurt.count, hurt.count.min(STEPS), |launch| {
                (launch.process, launch.thread) = (launch.at, launch.at);
            });
        }
        Excess::KernelNames => {
            let first = named(&mut trace, "kernel_0".to_owned());
            for at in 1..hurt.count {
                named(&mut trace, format!("kernel_{at}"));
            }
            steps(&mut trace, hurt.count, hurt.count.min(100), |launch| launch.kernel = first + launch.at);
        }
        Excess::OverlappingKernels => {
            let all = time(hurt.count);
            steps(&mut trace, hurt.count, hurt.count.min(100), |launch| {
                launch.work_end = all + time(launch.at)
            });
        }
    }
    trace
}

/// Adds a process with a thread; all with one number are one process, which uses several GPUs.
fn process(trace: &mut Trace, number: usize, gpu: usize) {
    let pid = 4_100 + i64::try_from(number).unwrap_or(0);
    let global_pid = pid << 24;
    let process = trace.processes.len();
    trace.processes.push(ProcessInfo { pid, global_pid, gpu });
    if process == number {
        trace.threads.push(Thread { process, global_tid: global_pid | pid, name: "python3" });
    }
}

/// Adds a thread of the first process.
fn thread(trace: &mut Trace, number: usize) {
    let global_tid = trace.threads[0].global_tid + i64::try_from(number).unwrap_or(0);
    trace.threads.push(Thread { process: 0, global_tid, name: "python3" });
}

/// The number of a new kernel.
fn named(trace: &mut Trace, name: String) -> usize {
    trace.further_kernels.push(name);
    KERNELS.len() + trace.further_kernels.len() - 1
}

/// A launch that a capture may change.
struct Launch {
    at: usize,
    thread: usize,
    process: usize,
    kernel: usize,
    work_end: Ns,
}

/// Steps that launch so many kernels together, one after the other.
fn steps(trace: &mut Trace, launches: usize, steps: usize, change: impl Fn(&mut Launch)) {
    let steps = steps.max(1);
    for step in 0..steps {
        let (first, end) = (launches * step / steps, launches * (step + 1) / steps);
        if first < end {
            range(trace, "step", time(first), time(end) - PACE / 10);
        }
        for at in first..end {
            let start = time(at) + 50;
            let work_end = start + 2 * CALL + WORK;
            let mut launch = Launch { at, thread: 0, process: 0, kernel: KERNEL, work_end };
            change(&mut launch);
            self::launch(trace, start, &launch);
        }
    }
}

/// Steps with a range of a text, which launches a kernel.
fn with_text(trace: &mut Trace, text: &str) {
    for step in 0..STEPS {
        let start = time(step);
        range(trace, "step", start, start + 9 * PACE / 10);
        range(trace, text, start + 10, start + 8 * PACE / 10);
        launch_one(trace, start + 20);
    }
}

/// Ranges in each other, with launches in as many as there may be.
fn deep(trace: &mut Trace, count: usize, stop: impl Fn(usize) -> Ns, text: impl Fn(usize) -> String) {
    let every = count.div_ceil(MOST_KERNELS).max(1);
    for at in 0..count {
        range(trace, &text(at), time(at), stop(at));
        if at % every == 0 {
            launch_one(trace, time(at) + 50);
        }
    }
}

fn time(at: usize) -> Ns {
    PACE * Ns::try_from(at).unwrap_or(Ns::MAX / PACE)
}

fn range(trace: &mut Trace, text: &str, start: Ns, stop: Ns) {
    let name = trace.names.intern(text.to_owned());
    let text = Text { name, suffix: None, sequence: None, op_id: None };
    trace.ranges.push(Range { span: Span { start, stop }, thread: 0, text });
}

fn launch_one(trace: &mut Trace, start: Ns) {
    let work_end = start + 2 * CALL + WORK;
    launch(trace, start, &Launch { at: 0, thread: 0, process: 0, kernel: KERNEL, work_end });
}

fn launch(trace: &mut Trace, start: Ns, launch: &Launch) {
    let correlation = i64::try_from(trace.kernels.len()).unwrap_or(i64::MAX) + 1;
    let span = Span { start, stop: start + CALL };
    trace.api_calls.push(ApiCall { span, thread: launch.thread, correlation, api: Api::LaunchKernel });
    let span = Span { start: span.stop + CALL, stop: launch.work_end };
    let origin = Origin { process: launch.process, correlation, stream: 7 };
    trace.kernels.push(KernelRecord { span, origin, kernel: launch.kernel, grid_id: correlation });
}
