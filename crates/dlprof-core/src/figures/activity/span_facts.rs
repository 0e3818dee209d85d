//! The facts that decide what GPUs did in a span and why they idled, copied out of those of a capture. With them the figures of
//! one iteration of a long capture do not take the time of all.
//!
//! Facts of other times may be among them: they change nothing. So each table keeps what reaches into the span, and what the few
//! items and calls that are named from there need.

use super::span_items::SpanItems;
use super::{GpuFigures, gpu_figures};
use crate::base::ids::{ApiCallId, DeviceId, Maybe};
use crate::base::time::{Ns, Span};
use crate::capture::classified::order::{Orders, Row, row};
use crate::capture::classified::{Activity, Classified};
use crate::capture::{HostZones, Launches, WorkZones};
use crate::read::facts::{
    AboutRecording, HostFacts, OsCallFacts, RangeFacts, RecordedTables, ThreadRangeFacts,
};
use rayon::prelude::*;
use std::sync::Arc;

/// What some GPUs did in each window, as [`gpu_figures()`] says; nothing is said of other GPUs. Windows touch each other.
pub(crate) fn gpu_figures_near(
    classified: &Classified<'_>,
    zones: &HostZones,
    devices: &[DeviceId],
    windows: &[Span],
) -> GpuFigures {
    look_near(classified, zones, devices, super::whole_range(windows), |near| gpu_figures(near, windows))
}

/// Lends the facts that decide what some GPUs did in a span, and what calls in it do.
pub(crate) fn look_near<T>(
    classified: &Classified<'_>,
    zones: &HostZones,
    devices: &[DeviceId],
    span: Span,
    look: impl FnOnce(&Classified<'_>) -> T,
) -> T {
    let facts = Facts::new(classified, zones, devices, span);
    let activity = classified.activity().of_tables(&facts.recorded, &facts.launches, &facts.orders);
    look(&Classified::new(activity, classified.settings))
}

/// Facts near a span.
#[derive(Debug)]
struct Facts {
    recorded: RecordedTables,
    launches: Launches,
    orders: Orders,
}

/// Rows that may start before a time and end after another.
fn open_rows(zones: &WorkZones, spans: &[Span], before: Ns, behind: Ns) -> Vec<usize> {
    let rows = zones.near_open(0..spans.len(), before, behind).flatten();
    rows.filter(|&row| spans[row].start < before && spans[row].end > behind).collect()
}

impl Facts {
    fn new(classified: &Classified<'_>, zones: &HostZones, devices: &[DeviceId], span: Span) -> Self {
        let all = classified.activity();
        let memory = all.memory;
        let near = SpanItems::new(all, devices, span);
        let host = Span::new(near.gaps_from, span.end);
        let calls = calls(classified, &zones.api_calls, &near, host);
        let open = |zones: &WorkZones, spans: &[Span]| open_rows(zones, spans, host.end, host.start);
        let ranges = all.ranges.by_thread.iter().zip(zones.ranges.iter()).map(|(ranges, zones)| {
            let mut rows = open(zones, &ranges.span);
            rows.extend(lasting_op(classified, ranges));
            rows.sort_unstable();
            rows.dedup();
            ranges.rows(memory, &numbers(&rows))
        });
        let os_calls = |all: &OsCallFacts| all.rows(memory, &numbers(&open(&zones.os_calls, &all.span)));
        let (mpi, overheads) = (&all.host.mpi, &all.host.overheads);
        let recorded = RecordedTables {
            api_calls: all.api_calls.rows(memory, &numbers(&calls)),
            ranges: RangeFacts {
                texts: Arc::clone(&all.ranges.texts),
                by_thread: ranges.collect(),
                ..RangeFacts::default()
            },
            host: HostFacts {
                mpi: mpi.rows(memory, &numbers(&open(&zones.mpi, &mpi.span))),
                os_calls: all.host.os_calls.as_ref().map(os_calls),
                overheads: overheads.rows(memory, &numbers(&open(&zones.overheads, &overheads.span))),
                ..HostFacts::default()
            },
            ..items(all, &near.rows)
        };
        let call = |&row: &usize| {
            let call = classified.call_row(row).and_then(|call| calls.binary_search(&call.index()).ok());
            Maybe::from(call.map(ApiCallId::new))
        };
        let launches = Launches { api: near.rows.iter().map(call).collect() };
        Self { recorded, launches, orders: Orders::default() }
    }
}

/// Some rows of the GPU work, and what ids in them mean.
fn items(all: &Activity<'_>, rows: &[usize]) -> RecordedTables {
    let (memory, kernels, copies) = (all.memory, all.kernels.len(), all.copies.len());
    let before = |row: usize| rows.partition_point(|&at| at < row);
    let of = |first: usize, end: usize| -> Vec<Row> {
        rows[before(first)..before(end)].iter().map(|&at| row(at - first)).collect()
    };
    RecordedTables {
        work: all.work.rows(memory, &numbers(rows)),
        kernels: all.kernels.rows(memory, &of(0, kernels)),
        copies: all.copies.rows(memory, &of(kernels, kernels + copies)),
        transfers: all.transfers.rows(memory, &of(kernels, all.work.len())),
        about: AboutRecording {
            processes: all.processes.clone(),
            threads: all.threads.clone(),
            devices: all.devices.clone(),
            streams: all.streams.clone(),
            whole_graphs: before(kernels) - before(kernels - all.whole_graphs),
            ..AboutRecording::default()
        },
        ..RecordedTables::default()
    }
}

/// The numbers of rows.
fn numbers(rows: &[usize]) -> Vec<Row> {
    rows.iter().map(|&at| row(at)).collect()
}

/// The first op of a thread that lasts: whether there is one decides what waiting means on the thread.
fn lasting_op(classified: &Classified<'_>, ranges: &ThreadRangeFacts) -> Option<usize> {
    let mut rows = ranges.span.iter().zip(&ranges.text[..]);
    rows.position(|(span, &label)| !span.is_empty() && classified.range_class(label).is_op)
}

/// Rows of API calls, ascending: those of items, those of a span and its neighbours, and the last ones before the calls that may
/// end a gap that make a stream wait. Rows that repeat others are left out.
fn calls(classified: &Classified<'_>, zones: &WorkZones, near: &SpanItems, span: Span) -> Vec<usize> {
    let activity = classified.activity();
    // A thread issues work from a call to the next one, if that comes soon.
    let pause = classified.settings.thresholds.issue_gap_ns.saturating_add(1);
    let mut rows = open_rows(
        zones,
        &activity.api_calls.span,
        span.end.saturating_add(pause),
        span.start.saturating_sub(pause),
    );
    rows.extend(near.rows.iter().filter_map(|&item| classified.call_row(item)).map(ApiCallId::index));
    let starts = near.ending.iter().filter_map(|&item| classified.call_of(item)).map(|call| call.span.start);
    let (first, last) =
        starts.fold((Ns::MAX, Ns::MIN), |(first, last), start| (first.min(start), last.max(start)));
    rows.extend(ordering_calls(classified, first, last));
    rows.retain(|&row| activity.repeated_calls.counts(ApiCallId::new(row)));
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// The calls that make a stream wait and start between two times, and the last one of each thread before.
fn ordering_calls(classified: &Classified<'_>, first: Ns, last: Ns) -> Vec<usize> {
    let (all, repeated) = (&classified.activity().api_calls, &classified.activity().repeated_calls);
    let is_ordering = |&row: &usize| {
        let call = ApiCallId::new(row);
        classified.function(call).is_ordering && all.span[call].start < last && repeated.counts(call)
    };
    let mut found: Vec<usize> = (0..all.span.len()).into_par_iter().filter(is_ordering).collect();
    let mut latest: Vec<Option<Ns>> = vec![None; classified.threads()];
    for &row in &found {
        let start = all.span[row].start;
        if let Some(thread) = all.thread[row].some().filter(|_| start < first) {
            let latest = &mut latest[thread.index()];
            *latest = Some(latest.map_or(start, |latest| latest.max(start)));
        }
    }
    found.retain(|&row| {
        let start = all.span[row].start;
        start >= first || all.thread[row].some().is_some_and(|thread| latest[thread.index()] == Some(start))
    });
    found
}
