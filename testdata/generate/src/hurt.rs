//! Captures that hurt: legal, small in what they say, and as deep as asked for: `--hurt`.
//!
//! ```text
//! open-ranges      ├ step ─────────────────────▶      nested-ranges   ├ layer ────────────────────┤
//!                     ├ step ──────────────────▶                        ├ layer ────────────────┤
//!                        ├ step ───────────────▶                          ├ layer ────────────┤
//! named-ranges     as nested-ranges, each with a text of its own
//! slashes          twenty steps with a range inside whose text is a/a/a/…
//! ```

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
}

/// The names on the command line.
const EXCESSES: [(&str, Excess); 4] = [
    ("open-ranges", Excess::OpenRanges),
    ("nested-ranges", Excess::NestedRanges),
    ("named-ranges", Excess::NamedRanges),
    ("slashes", Excess::Slashes),
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
    let (pid, global_pid) = (4_100, 4_100 << 24);
    let mut trace = Trace::default();
    trace.processes.push(ProcessInfo { pid, global_pid, gpu: 0 });
    trace.threads.push(Thread { process: 0, global_tid: global_pid | pid, name: "python3" });
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
        Excess::Slashes => {
            let text = "a/".repeat(hurt.count);
            for step in 0..STEPS {
                let start = time(step);
                range(&mut trace, "step", start, start + 9 * PACE / 10);
                range(&mut trace, &text, start + 10, start + 8 * PACE / 10);
                launch(&mut trace, start + 20);
            }
        }
    }
    trace
}

/// Ranges in each other, with launches in as many as there may be.
fn deep(trace: &mut Trace, count: usize, stop: impl Fn(usize) -> Ns, text: impl Fn(usize) -> String) {
    let every = count.div_ceil(MOST_KERNELS).max(1);
    for at in 0..count {
        range(trace, &text(at), time(at), stop(at));
        if at % every == 0 {
            launch(trace, time(at) + 50);
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

fn launch(trace: &mut Trace, start: Ns) {
    let correlation = i64::try_from(trace.kernels.len()).unwrap_or(i64::MAX) + 1;
    let span = Span { start, stop: start + CALL };
    trace.api_calls.push(ApiCall { span, thread: 0, correlation, api: Api::LaunchKernel });
    let span = Span { start: span.stop + CALL, stop: span.stop + CALL + WORK };
    let origin = Origin { process: 0, correlation, stream: 7 };
    trace.kernels.push(KernelRecord { span, origin, kernel: KERNEL, grid_id: correlation });
}
