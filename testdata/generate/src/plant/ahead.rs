//! Launches far ahead of the GPU: the CPU is through all iterations before the GPU has done the first ones.
//!
//! ```text
//! CPU   │ 0 │ 1 │ 2 │ 3 │
//! GPU     ████████████│████████████│████████████│████████████
//!          of 0         of 1         of 2         of 3
//! ```

use super::book::Book;
use super::kernels::COMPUTE;
use super::records::{NamedRow, Records};
use super::stage::{CALL, LAUNCH, Lane, MAIN_STREAM, OWN_RANGE, Stage};
use super::{FIRST_ITERATION, Planned, processes};
use crate::trace::{Ns, Span};

/// Launches of an iteration.
const LAUNCHES: i64 = 40;
/// From launch to launch.
const LAUNCH_STEP: Ns = 5_000;
/// From the start of an iteration to its first launch, and from its last launch to the next iteration.
const MARGIN: Ns = 10_000;
/// What the GPU needs between two kernels.
const TURNAROUND: Ns = 3_000;

/// A capture of iterations whose kernels take `ns` each.
pub(super) fn plan(ns: Ns, iterations: usize, sm_count: i64) -> Planned {
    let trace = processes(1);
    let mut records = Records::default();
    let mut book = Book::new(iterations, 1, trace.threads.len());
    let mut lane = Lane::new(0, [0, 1], FIRST_ITERATION, sm_count);
    let mut starts = Vec::new();
    let mut cpu_starts = Vec::new();
    let mut cpu = FIRST_ITERATION;
    for _ in 0..iterations {
        cpu_starts.push(cpu);
        let mut stage = Stage { lane: &mut lane, records: &mut records, book: &mut book, iteration: None };
        for launch in 0..LAUNCHES {
            let start = cpu + MARGIN + launch * LAUNCH_STEP;
            let call = Span { start, stop: start + CALL };
            let correlation = stage.call(0, LAUNCH, call);
            stage.lane.now = (call.stop + 1_000).max(stage.lane.now + TURNAROUND);
            if launch == 0 {
                starts.push(stage.lane.now);
            }
            let span = stage.span(0, ns);
            stage.kernel(span, MAIN_STREAM, Some((correlation, call)), OWN_RANGE, COMPUTE);
            stage.lane.now = span.stop;
        }
        let stop = cpu + LAUNCHES * LAUNCH_STEP + 2 * MARGIN;
        let span = Span { start: cpu, stop: stop - 1_000 };
        records.ranges.push(NamedRow { span, thread: 0, name: "train_step" });
        cpu = stop;
    }
    let ends = starts.iter().skip(1).copied().chain([lane.now]);
    let windows: Vec<Span> = starts.iter().zip(ends).map(|(&start, stop)| Span { start, stop }).collect();
    count(&mut book, ns);
    Planned { trace, records, book, iterations: windows, cpu_starts, used_gpus: 1 }
}

/// Every kernel is followed by the time that the GPU needs; after the last one of all the capture ends.
fn count(book: &mut Book, ns: Ns) {
    let last = book.gpus.len().saturating_sub(1);
    for (iteration, gpus) in book.gpus.iter_mut().enumerate() {
        let gaps = LAUNCHES - i64::from(iteration == last);
        for sums in gpus {
            sums.compute_ns += LAUNCHES * ns;
            (0..gaps).for_each(|_| sums.gap(TURNAROUND));
            sums.idle("turnaround", gaps * TURNAROUND);
        }
    }
}
