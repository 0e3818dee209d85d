//! The facts that decide what GPUs did in a span and why they idled, copied out of those of a capture. With them the figures of
//! one iteration of a long capture do not take the time of all.
//!
//! Facts of other times may be among them: they change nothing. So each table keeps what reaches into the span, and what the few
//! items and calls that are named from there need.

use super::span_items::SpanItems;
use super::{GpuTimes, IdleRange, gpu_times, idle_ranges};
use crate::base::ids::{ApiCallId, DeviceId, StrId, StreamId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::{
    Activity, ApiCallColumns, Classified, GpuItems, MpiCalls, OsCalls, Overheads,
};
use crate::capture::{HostZones, WorkZones};
use crate::read::facts::{GraphOrigin, OverheadKind, ThreadRangeFacts};
use rayon::prelude::*;

/// What some GPUs did in each window, as [`gpu_times()`] says; nothing is said of other GPUs. Windows touch each other.
pub(crate) fn gpu_times_near(
    classified: &Classified<'_>,
    zones: &HostZones,
    devices: &[DeviceId],
    windows: &[Span],
) -> GpuTimes {
    let facts = Facts::new(classified, zones, devices, super::whole_range(windows));
    gpu_times(&Classified::new(facts.activity(classified.activity()), classified.settings), windows)
}

/// In which ranges of the host some GPUs idled in each window, as [`idle_ranges()`] says; nothing is said of other GPUs. Windows
/// touch each other.
pub(crate) fn idle_ranges_near(
    classified: &Classified<'_>,
    zones: &HostZones,
    devices: &[DeviceId],
    windows: &[Span],
) -> Vec<IdleRange> {
    let facts = Facts::new(classified, zones, devices, super::whole_range(windows));
    idle_ranges(&Classified::new(facts.activity(classified.activity()), classified.settings), windows)
}

/// Facts near a span.
#[derive(Debug)]
struct Facts {
    items: Items,
    calls: Calls,
    ranges: Vec<ThreadRangeFacts>,
    mpi: Calls,
    os_calls: Option<Calls>,
    overheads: (Vec<Span>, Vec<ThreadId>, Vec<OverheadKind>),
}

/// Calls on CPU threads near a span.
#[derive(Debug)]
struct Calls {
    span: Vec<Span>,
    thread: Vec<ThreadId>,
    name: Vec<StrId>,
}

impl Calls {
    fn new(span: &[Span], thread: &[ThreadId], name: &[StrId], rows: &[usize]) -> Self {
        Self { span: pick(span, rows), thread: pick(thread, rows), name: pick(name, rows) }
    }
}

/// GPU items near a span, with what the causes of gaps depend on.
#[derive(Debug)]
struct Items {
    kernels: usize,
    whole_graphs: usize,
    copies: usize,
    span: Vec<Span>,
    device: Vec<DeviceId>,
    stream: Vec<StreamId>,
    call: Vec<ApiCallId>,
    short_name: Vec<StrId>,
    graph: Vec<GraphOrigin>,
    transfer_graph: Vec<GraphOrigin>,
}

/// The values of some rows.
fn pick<T: Copy>(column: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|&row| column[row]).collect()
}

/// Rows that may start before a time and end behind another.
fn open_rows(zones: &WorkZones, spans: &[Span], before: Ns, behind: Ns) -> Vec<usize> {
    let rows = zones.near_open(0..spans.len(), before, behind).flatten();
    rows.filter(|&row| spans[row].start < before && spans[row].end > behind).collect()
}

impl Facts {
    fn new(classified: &Classified<'_>, zones: &HostZones, devices: &[DeviceId], span: Span) -> Self {
        let all = classified.activity();
        let near = SpanItems::new(&all.items, all.streams, devices, span);
        let host = Span::new(near.gaps_from, span.end);
        let calls = calls(classified, &zones.api_calls, &near, host);
        let open = |zones, spans| open_rows(zones, spans, host.end, host.start);
        let ranges = all.ranges.iter().zip(&zones.ranges).map(|(ranges, zones)| {
            let mut rows = open(zones, &ranges.span);
            rows.extend(lasting_op(classified, ranges));
            rows.sort_unstable();
            rows.dedup();
            ThreadRangeFacts {
                span: rows.iter().map(|&row| ranges.span[..][row]).collect(),
                text: rows.iter().map(|&row| ranges.text[..][row]).collect(),
            }
        });
        let mpi = open(&zones.mpi, all.mpi.span);
        let overheads = open(&zones.overheads, all.overheads.span);
        let os_calls = all.os_calls.map(|all| {
            let rows = open(&zones.os_calls, all.span);
            Calls::new(all.span, all.thread, all.name, &rows)
        });
        let overheads = (
            pick(all.overheads.span, &overheads),
            pick(all.overheads.thread, &overheads),
            pick(all.overheads.kind, &overheads),
        );
        Self {
            items: Items::new(classified, &near.rows, &calls),
            ranges: ranges.collect(),
            calls: Calls::new(all.calls.span, all.calls.thread, all.calls.name, &calls),
            mpi: Calls::new(all.mpi.span, all.mpi.thread, all.mpi.name, &mpi),
            os_calls,
            overheads,
        }
    }

    /// The same as columns; what is not about time is that of the capture.
    fn activity<'a>(&'a self, all: &Activity<'a>) -> Activity<'a> {
        Activity {
            items: self.items.columns(),
            calls: ApiCallColumns {
                span: &self.calls.span,
                thread: &self.calls.thread,
                name: &self.calls.name,
                ..ApiCallColumns::default()
            },
            ranges: &self.ranges,
            mpi: MpiCalls { span: &self.mpi.span, thread: &self.mpi.thread, name: &self.mpi.name },
            // The nesting of calls is not asked for.
            os_calls: self.os_calls.as_ref().map(|calls| OsCalls {
                span: &calls.span,
                thread: &calls.thread,
                name: &calls.name,
                nesting: &[],
            }),
            overheads: Overheads {
                span: &self.overheads.0,
                thread: &self.overheads.1,
                kind: &self.overheads.2,
            },
            ..*all
        }
    }
}

impl Items {
    /// Copies items. `calls` are the rows of API calls that are copied.
    fn new(classified: &Classified<'_>, rows: &[usize], calls: &[usize]) -> Self {
        let all = &classified.activity().items;
        let before = |row: usize| rows.partition_point(|&at| at < row);
        let kernels = before(all.kernels);
        let call = |&row: &usize| {
            let call = classified.call_row(row).and_then(|call| calls.binary_search(&call.index()).ok());
            call.map_or(ApiCallId::NONE, ApiCallId::new)
        };
        let transfer_graph =
            |&row: &usize| all.transfer_graph.get(row - all.kernels).copied().unwrap_or(GraphOrigin::None);
        Self {
            kernels,
            whole_graphs: kernels - before(all.kernels - all.whole_graphs),
            copies: before(all.kernels + all.copies) - kernels,
            span: pick(all.span, rows),
            device: pick(all.device, rows),
            stream: pick(all.stream, rows),
            call: rows.iter().map(call).collect(),
            short_name: pick(all.short_name, &rows[..kernels]),
            graph: pick(all.graph, &rows[..kernels]),
            transfer_graph: rows[kernels..].iter().map(transfer_graph).collect(),
        }
    }

    fn columns(&self) -> GpuItems<'_> {
        GpuItems {
            span: &self.span,
            device: &self.device,
            stream: &self.stream,
            call: &self.call,
            kernels: self.kernels,
            whole_graphs: self.whole_graphs,
            copies: self.copies,
            short_name: &self.short_name,
            graph: &self.graph,
            transfer_graph: &self.transfer_graph,
            ..GpuItems::default()
        }
    }
}

/// The first op of a thread that lasts: whether there is one decides what waiting means on the thread.
fn lasting_op(classified: &Classified<'_>, ranges: &ThreadRangeFacts) -> Option<usize> {
    let mut rows = ranges.span.iter().zip(&ranges.text[..]);
    rows.position(|(span, &label)| !span.is_empty() && classified.range_class(label).is_op)
}

/// Rows of API calls, ascending: those of items, those of a span and its neighbours, and the last ones before the calls that may
/// end a gap that make a stream wait. Rows that repeat others are left out.
fn calls(classified: &Classified<'_>, zones: &WorkZones, near: &SpanItems, span: Span) -> Vec<usize> {
    let all = &classified.activity().calls;
    // A thread issues work from a call to the next one, if that comes soon.
    let pause = classified.settings.thresholds.issue_gap_ns.saturating_add(1);
    let mut rows =
        open_rows(zones, all.span, span.end.saturating_add(pause), span.start.saturating_sub(pause));
    rows.extend(near.rows.iter().filter_map(|&item| classified.call_row(item)).map(ApiCallId::index));
    let starts = near.ending.iter().filter_map(|&item| classified.call_of(item)).map(|call| call.span.start);
    let (first, last) =
        starts.fold((Ns::MAX, Ns::MIN), |(first, last), start| (first.min(start), last.max(start)));
    rows.extend(ordering_calls(classified, first, last));
    rows.retain(|&row| all.counts(row));
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// The calls that make a stream wait and start between two times, and the last one of each thread before.
fn ordering_calls(classified: &Classified<'_>, first: Ns, last: Ns) -> Vec<usize> {
    let all = &classified.activity().calls;
    let is_ordering = |&row: &usize| {
        classified.function(ApiCallId::new(row)).is_ordering && all.span[row].start < last && all.counts(row)
    };
    let mut found: Vec<usize> = (0..all.span.len()).into_par_iter().filter(is_ordering).collect();
    let mut latest: Vec<Option<Ns>> = vec![None; classified.threads()];
    for &row in &found {
        let start = all.span[row].start;
        if let Some(latest) = latest.get_mut(all.thread[row].index()).filter(|_| start < first) {
            *latest = Some(latest.map_or(start, |latest| latest.max(start)));
        }
    }
    found.retain(|&row| {
        let start = all.span[row].start;
        start >= first || latest.get(all.thread[row].index()).is_some_and(|latest| *latest == Some(start))
    });
    found
}
