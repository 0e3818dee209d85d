//! Figures of GPUs against the slow, obvious version: every nanosecond is looked at by itself.

use super::scene::{DEVICES, Item, Kind, Row, STREAMS, Scene, THREADS, small_thresholds};
use super::slow_idle::{Slow, holds};
use crate::base::ids::ThreadId;
use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use crate::capture::names::Thresholds;
use crate::figures::activity::{GpuTime, gpu_times, waiting_times};
use crate::read::facts::OverheadKind;
use proptest::prelude::*;

const KINDS: [Kind; 8] = [
    Kind::Kernel,
    Kind::Kernel,
    Kind::Kernel,
    Kind::Communication,
    Kind::GraphNode,
    Kind::WholeGraph,
    Kind::Copy,
    Kind::Memset,
];
const CALLS: [&str; 11] = [
    "cudaLaunchKernel",
    "cudaLaunchKernel",
    "cuLaunchKernel",
    "cudaStreamSynchronize",
    "cuStreamSynchronize",
    "cudaMemcpyAsync",
    "cudaMalloc",
    "cudaStreamCreate",
    "cudaEventRecord",
    "cudaStreamWaitEvent",
    "cudaDeviceSynchronize",
];
const RANGES: [&str; 4] = ["forward", "step 3", "get_batch", "train"];
const LIBRARY_CALLS: [&str; 3] = ["ncclAllReduce", "ncclCommInitRank", "ncclSend"];
const OS_CALLS: [&str; 5] = ["read", "poll", "sem_wait", "nanosleep", "ioctl"];
const OVERHEADS: [OverheadKind; 3] = [OverheadKind::Profiler, OverheadKind::Setup, OverheadKind::BufferFull];

/// Mostly thread 0, so that much happens on one thread.
fn threads() -> impl Strategy<Value = usize> {
    prop_oneof![6 => Just(0), 2 => Just(1), 1 => Just(2), 1 => Just(3)]
}

fn rows(
    names: &'static [&'static str],
    count: std::ops::Range<usize>,
    longest: Ns,
) -> impl Strategy<Value = Vec<Row>> {
    let row = (threads(), 0..names.len(), 0i64..60, 0..longest);
    let row = row.prop_map(|(thread, name, start, length)| Row {
        thread,
        name: names[name],
        span: Span::new(start, start + length),
    });
    prop::collection::vec(row, count)
}

pub(super) fn scenes() -> impl Strategy<Value = Scene> {
    let device = prop_oneof![5 => Just(0), 1 => Just(1)];
    let item = (0..KINDS.len(), device, 0..STREAMS, 0i64..70, 0i64..7, 0usize..16);
    let overhead = (threads(), 0..OVERHEADS.len(), 0i64..60, 0i64..8);
    let overhead = overhead.prop_map(|(thread, kind, start, length)| {
        (Row { thread, name: "", span: Span::new(start, start + length) }, OVERHEADS[kind])
    });
    let parts = (
        prop::collection::vec(item, 0..7),
        rows(&CALLS, 0..14, 13),
        rows(&RANGES, 0..7, 25),
        (rows(&LIBRARY_CALLS, 0..3, 15), rows(&LIBRARY_CALLS, 0..3, 15)),
        rows(&OS_CALLS, 0..7, 15),
        prop::collection::vec(overhead, 0..3),
    );
    parts.prop_map(|(items, calls, ranges, (nccl, mpi), os_calls, overheads)| {
        let item = |(kind, device, stream, start, length, call): (usize, usize, usize, Ns, Ns, usize)| Item {
            kind: KINDS[kind],
            device,
            stream,
            span: Span::new(start, start + length),
            // Few items have no call, many share one.
            call: (call > 0 && !calls.is_empty()).then(|| call % calls.len().max(1)),
        };
        let items = items.into_iter().map(item).collect();
        Scene { items, calls, ranges, nccl, mpi, os_calls, overheads, copy_kind: None, idle_from: None }
            .sorted_by_table()
    })
}

/// Windows of any length, some with a hole between.
pub(super) fn windows() -> impl Strategy<Value = Vec<Span>> {
    prop::collection::vec((0i64..6, 0i64..30), 1..5).prop_map(|parts| {
        let mut at = -5;
        let window = |(hole, length)| {
            let start = at + hole;
            at = start + length;
            Span::new(start, at)
        };
        parts.into_iter().map(window).collect()
    })
}

fn slow_row(slow: &Slow<'_>, device: usize, window: Span) -> (GpuTime, [Ns; Cause::ALL.len()]) {
    let mut row = GpuTime { length_ns: window.length(), ..GpuTime::default() };
    let mut causes = [0; Cause::ALL.len()];
    for time in window.start..window.end {
        let covers = |test: &dyn Fn(Kind) -> bool| {
            slow.items(device).any(|item| test(item.kind) && holds(item.span, time))
        };
        let compute = covers(&|kind| kind < Kind::Copy && kind != Kind::Communication);
        let communication = covers(&|kind| kind == Kind::Communication);
        let copy = covers(&|kind| kind >= Kind::Copy);
        row.compute_ns += Ns::from(compute);
        row.communication_ns += Ns::from(communication);
        row.copy_ns += Ns::from(copy);
        row.exposed_communication_ns += Ns::from(communication && !compute);
        row.exposed_copy_ns += Ns::from(copy && !compute && !communication);
        row.busy_ns += Ns::from(compute || communication || copy);
        if !(compute || communication || copy) {
            causes[slow_cause(slow, device, time).index()] += 1;
        }
    }
    add_gaps(slow, device, window, &mut row);
    (row, causes)
}

fn slow_cause(slow: &Slow<'_>, device: usize, time: Ns) -> Cause {
    match slow.busy(device) {
        _ if slow.items(device).next().is_none() => Cause::Unused,
        Some(busy) if holds(busy, time) => slow.cause(&slow.gap(device, time), time),
        _ => Cause::Edge,
    }
}

fn is_idle(slow: &Slow<'_>, device: usize, time: Ns) -> bool {
    slow.busy(device).is_some_and(|busy| holds(busy, time))
        && !slow.items(device).any(|item| holds(item.span, time))
}

/// What is counted per part of a gap.
fn add_gaps(slow: &Slow<'_>, device: usize, window: Span, row: &mut GpuTime) {
    let mut time = window.start;
    while time < window.end {
        if !is_idle(slow, device, time) {
            time += 1;
            continue;
        }
        let gap = slow.gap(device, time);
        let part = gap.span.clip(window);
        time = part.end;
        let idle = &mut row.idle;
        idle.gaps += 1;
        idle.longest_gap_ns = idle.longest_gap_ns.max(part.length());
        let Some(call) = slow.late_call(&gap) else { continue };
        let time_in = |causes: &[Cause]| -> Ns {
            (part.start..part.end).filter(|&time| causes.contains(&slow.cause(&gap, time))).map(|_| 1).sum()
        };
        let drained = slow.drained_from(&gap, call).map_or(0, |from| part.end - from.max(part.start)).max(0);
        let cost = drained.min(time_in(&Cause::SYNC_COST));
        idle.drained_by_sync_ns += drained;
        idle.sync_cost_ns += cost;
        if gap.span.length() < slow.thresholds.long_gap_ns {
            idle.sync_cost_short_gaps_ns += cost;
            idle.cpu_in_short_gaps_ns += time_in(&Cause::ISSUING);
        } else {
            idle.cpu_in_long_gaps_ns += time_in(&Cause::ISSUING);
        }
    }
}

/// All figures but causes, for comparing.
fn figures(row: &GpuTime) -> [Ns; 13] {
    let idle = &row.idle;
    [
        row.length_ns,
        row.busy_ns,
        row.compute_ns,
        row.communication_ns,
        row.copy_ns,
        row.exposed_communication_ns,
        row.exposed_copy_ns,
        idle.drained_by_sync_ns,
        idle.sync_cost_ns,
        idle.sync_cost_short_gaps_ns,
        idle.cpu_in_short_gaps_ns,
        idle.cpu_in_long_gaps_ns,
        idle.longest_gap_ns,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2500))]

    #[test]
    fn gpu_times_are_those_of_every_nanosecond(scene in scenes(), windows in windows()) {
        let settings = small_thresholds();
        let thresholds: Thresholds = settings.thresholds;
        let times = scene.with(&settings, |classified| gpu_times(classified, &windows));
        let slow = Slow { scene: &scene, thresholds };
        for device in 0..DEVICES {
            prop_assert_eq!(times.used()[device], slow.items(device).next().is_some());
            for (row, &window) in times.of_device(device).zip(&windows) {
                let (expected, causes) = slow_row(&slow, device, window);
                for cause in Cause::ALL {
                    prop_assert_eq!(row.idle.of(cause), causes[cause.index()], "{:?} in {:?}", cause, window);
                }
                prop_assert_eq!(figures(&row), figures(&expected));
                prop_assert_eq!(row.idle.gaps, expected.idle.gaps);
                prop_assert_eq!(row.idle_ns(), causes.iter().sum::<Ns>());
            }
        }
    }

    #[test]
    fn waiting_times_are_those_of_every_nanosecond(scene in scenes(), windows in windows()) {
        let settings = small_thresholds();
        let waiting = scene.with(&settings, |classified| waiting_times(classified, &windows));
        let slow = Slow { scene: &scene, thresholds: settings.thresholds };
        for thread in 0..THREADS {
            for time in -10..140 {
                let waits = (0..DEVICES).filter(|&device| is_idle(&slow, device, time)).any(|device| {
                    let gap = slow.gap(device, time);
                    slow.late_call(&gap).is_some_and(|call| call.thread == thread && time < call.span.end)
                });
                let expected = waits && windows.iter().any(|&window| holds(window, time));
                let found = waiting.of(ThreadId::new(thread)).iter().any(|&span| holds(span, time));
                prop_assert_eq!(found, expected, "thread {} at {}", thread, time);
            }
        }
    }

    /// Nothing depends on where time begins, nor on the order of rows of the host.
    #[test]
    fn a_shift_and_the_order_of_rows_change_nothing(scene in scenes(), windows in windows(), shift in -100i64..100) {
        let settings = small_thresholds();
        let expected = scene.with(&settings, |classified| gpu_times(classified, &windows));
        let moved = |span: &mut Span| *span = Span::new(span.start + shift, span.end + shift);
        let mut other = scene;
        other.items.iter_mut().for_each(|item| moved(&mut item.span));
        let tables = [&mut other.ranges, &mut other.nccl, &mut other.mpi, &mut other.os_calls];
        for rows in tables {
            rows.reverse();
            rows.iter_mut().for_each(|row| moved(&mut row.span));
        }
        other.overheads.iter_mut().for_each(|(row, _)| moved(&mut row.span));
        let last = other.calls.len().saturating_sub(1);
        other.calls.reverse();
        other.calls.iter_mut().for_each(|row| moved(&mut row.span));
        other.items.iter_mut().for_each(|item| item.call = item.call.map(|call| last - call));
        let mut windows = windows;
        windows.iter_mut().for_each(moved);
        let found = other.with(&settings, |classified| gpu_times(classified, &windows));
        prop_assert_eq!(found, expected);
    }
}
