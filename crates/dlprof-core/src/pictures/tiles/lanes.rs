//! The lanes of a whole capture: which items each has, in rows that do not overlap.

use super::counters::{Counter, CounterHead, counters};
use super::row::{Row, numbers};
use crate::base::groups::Grouped;
use crate::base::ids::{ApiCallId, DeviceId, Maybe, OpCallId, SampleId, ThreadId, WorkId};
use crate::base::limits;
use crate::base::time::{Ns, Span};
use crate::capture::correlate::{Mode, UNASSOCIATED};
use crate::capture::{Capture, CaptureContents};
use crate::columns::{Buffer, Memory};
use crate::pictures::timeline::{LaneKind, LaneOwner, thread_owner};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Most rows of a lane. What overlaps more than that is left out.
const MOST_ROWS: usize = 16;

/// Most lanes: those with most items.
const MOST_LANES: usize = limits::TIMELINE_LANES.most;

/// Everything that ran in a capture, as lanes from which tiles are cut. It takes about five bytes an item.
#[derive(Debug)]
pub struct CaptureLanes {
    pub(super) capture: Capture,
    pub(super) lanes: Vec<CaptureLane>,
    /// They are numbered after the lanes.
    pub(super) counters: Vec<Counter>,
    span: Span,
}

/// What a lane is, and how much it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LaneHead {
    /// What the items are.
    pub kind: LaneKind,
    /// Whose they are.
    pub owner: LaneOwner,
    /// Number of rows; items of a row do not overlap.
    pub rows: usize,
    /// Number of items.
    pub items: usize,
    /// Items left out because more than 16 overlap.
    pub left_out: usize,
}

/// A lane of the whole capture.
#[derive(Debug)]
pub(super) struct CaptureLane {
    pub(super) kind: LaneKind,
    pub(super) owner: LaneOwner,
    /// The place of the thread, of the stream, or of the GPU of idle time.
    pub(super) of: usize,
    pub(super) rows: Vec<Row>,
    /// Of idle time: by item, the piece of work with whose end it begins. The item itself is the piece that ends it.
    pub(super) begun_by: Option<Buffer<u32>>,
    left_out: usize,
}

impl CaptureLanes {
    /// All lanes of a capture: GPUs first, each with its idle time and its streams, then threads, those with most API calls first.
    #[must_use]
    pub fn new(capture: &Capture) -> Self {
        let mut lanes = capture.pool.install(|| {
            let (mut gpus, threads) = rayon::join(|| gpu_lanes(capture), || thread_lanes(capture));
            gpus.extend(threads);
            gpus
        });
        keep_largest(&mut lanes);
        let counters = counters(capture);
        let spans = lanes.iter().filter_map(|lane| lane.reach(capture));
        let spans = spans.chain(counters.iter().filter_map(|counter| counter.reach(capture)));
        let span = spans.reduce(|a, b| Span::new(a.start.min(b.start), a.end.max(b.end))).unwrap_or_default();
        Self { capture: capture.clone(), lanes, counters, span }
    }

    /// From the first start of an item to the last end.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// What the lanes are, in the order in which they are numbered.
    #[must_use]
    pub fn heads(&self) -> Vec<LaneHead> {
        self.lanes.iter().map(CaptureLane::head).collect()
    }

    /// What the counters are, which are numbered after the lanes.
    #[must_use]
    pub fn counter_heads(&self) -> Vec<CounterHead> {
        self.counters.iter().map(Counter::head).collect()
    }
}

impl CaptureLane {
    fn new(kind: LaneKind, owner: LaneOwner, of: usize) -> Self {
        Self { kind, owner, of, rows: Vec::new(), begun_by: None, left_out: 0 }
    }

    /// The lane with items, which come in order of start, of equal starts the longest first: each goes to the first row that is
    /// free, so that items that lie in others are below them.
    fn filled(mut self, memory: &Memory, items: &[u32], span: impl Fn(usize) -> Span) -> Self {
        let mut free_from: Vec<Ns> = Vec::new();
        for &item in items {
            let span = span(item as usize);
            let free = free_from.iter().position(|&end| end <= span.start);
            let Some(row) = free.or_else(|| (self.rows.len() < MOST_ROWS).then_some(self.rows.len())) else {
                self.left_out += 1;
                continue;
            };
            if row == self.rows.len() {
                self.rows.push(Row::new(memory));
                free_from.push(Ns::MIN);
            }
            free_from[row] = span.end;
            self.rows[row].push(item, span);
        }
        self
    }

    fn head(&self) -> LaneHead {
        let (kind, owner, left_out) = (self.kind, self.owner.clone(), self.left_out);
        LaneHead { kind, owner, rows: self.rows.len(), items: self.items(), left_out }
    }

    fn items(&self) -> usize {
        self.rows.iter().map(|row| row.items.len()).sum()
    }

    /// When an item of a row is.
    pub(super) fn span(&self, capture: &CaptureContents, row: &Row, at: usize) -> Span {
        let item = row.items[at] as usize;
        match &self.begun_by {
            Some(begun_by) => {
                let work = &capture.work.span;
                Span::new(work[WorkId::new(begun_by[at] as usize)].end, work[WorkId::new(item)].start)
            }
            None => span_of(capture, self.kind, self.of, item),
        }
    }

    /// From the first start to the last end.
    fn reach(&self, capture: &CaptureContents) -> Option<Span> {
        let of_row = |row: &Row| {
            let last = row.items.len().checked_sub(1)?;
            Some(Span::new(self.span(capture, row, 0).start, self.span(capture, row, last).end))
        };
        let rows = self.rows.iter().filter_map(of_row);
        rows.reduce(|a, b| Span::new(a.start.min(b.start), a.end.max(b.end)))
    }
}

/// When a row of the table of a lane is; of idle time, the piece of work after it.
fn span_of(capture: &CaptureContents, kind: LaneKind, of: usize, row: usize) -> Span {
    let host = &capture.host;
    match kind {
        LaneKind::Ranges => capture.ranges.by_thread[of].span[..][row],
        LaneKind::Ops => capture.op_calls.span[OpCallId::new(row)],
        LaneKind::ApiCalls => capture.api_calls.span[ApiCallId::new(row)],
        LaneKind::MpiCalls => host.mpi.span[..][row],
        LaneKind::OsCalls => host.os_calls.as_ref().map_or_else(Span::default, |calls| calls.span[..][row]),
        LaneKind::Profiler => host.overheads.span[..][row],
        LaneKind::Samples => {
            let time = host.samples.time[SampleId::new(row)];
            Span::new(time, time)
        }
        LaneKind::Idle | LaneKind::Stream => capture.work.span[WorkId::new(row)],
    }
}

/// Rows by the key of a list of lanes, each group in the order in which lanes take them.
fn in_order(
    capture: &CaptureContents,
    keys: usize,
    rows: usize,
    key: impl Fn(usize) -> Option<usize>,
    span: impl Fn(usize) -> Span,
) -> Grouped<u32> {
    let key = |row: u32| key(row as usize).filter(|&key| key < keys);
    let order = |&row: &u32| {
        let span = span(row as usize);
        (span.start, Reverse(span.end))
    };
    Grouped::sorted(&capture.memory, keys, numbers(rows), key, order)
}

/// The lanes of GPUs, in order of their numbers.
fn gpu_lanes(capture: &CaptureContents) -> Vec<CaptureLane> {
    let work = &capture.work;
    let span = |row: usize| work.span[WorkId::new(row)];
    let by_stream = in_order(
        capture,
        capture.streams.len(),
        work.len(),
        |row| Some(work.stream[WorkId::new(row)].index()),
        span,
    );
    let mut streams: BTreeMap<DeviceId, Vec<usize>> = BTreeMap::new();
    for (stream, described) in capture.streams.iter().enumerate() {
        if !by_stream.get(stream).is_empty() {
            streams.entry(described.device).or_default().push(stream);
        }
    }
    let mut idle = idle_lanes(capture);
    let mut lanes = Vec::new();
    for (device, mut of_device) in streams {
        of_device.sort_by_key(|&stream| (Reverse(by_stream.get(stream).len()), stream));
        lanes.extend(idle.remove(&device));
        for stream in of_device {
            let described = capture.streams[stream];
            let pid = described.process.some().map(|process| capture.processes[process.index()].pid());
            // DLProf databases have no streams.
            let number = capture.description.dlprof.is_none().then_some(described.number);
            let device_id = capture.devices[device.index()].device_id;
            let lane = CaptureLane::new(
                LaneKind::Stream,
                LaneOwner::Stream { device_id, pid, stream: number },
                stream,
            );
            lanes.push(lane.filled(&capture.memory, by_stream.get(stream), span));
        }
    }
    lanes
}

/// Of each GPU the times between its pieces of work.
fn idle_lanes(capture: &CaptureContents) -> BTreeMap<DeviceId, CaptureLane> {
    let (work, devices) = (&capture.work, capture.devices.len());
    let span = |row: usize| work.span[WorkId::new(row)];
    let by_device =
        in_order(capture, devices, work.len(), |row| Some(work.device[WorkId::new(row)].index()), span);
    let lane = |at: usize| {
        let owner = LaneOwner::Gpu { device_id: capture.devices[at].device_id };
        let (mut row, mut begun_by) = (Row::new(&capture.memory), capture.memory.buffer(0));
        let mut last: Option<(u32, Ns)> = None;
        for &item in by_device.get(at) {
            let span = span(item as usize);
            if span.is_empty() {
                continue;
            }
            if let Some((before, end)) = last.filter(|&(_, end)| end < span.start) {
                row.push(item, Span::new(end, span.start));
                begun_by.push(before);
            }
            if last.is_none_or(|(_, end)| end < span.end) {
                last = Some((item, span.end));
            }
        }
        let is_idle = !row.items.is_empty();
        let lane = CaptureLane {
            rows: vec![row],
            begun_by: Some(begun_by),
            ..CaptureLane::new(LaneKind::Idle, owner, at)
        };
        is_idle.then(|| (DeviceId::new(at), lane))
    };
    (0..devices).filter_map(lane).collect()
}

/// The lanes of threads.
fn thread_lanes(capture: &CaptureContents) -> Vec<CaptureLane> {
    let (host, threads) = (&capture.host, capture.threads.len());
    let os_threads = host.os_calls.as_ref().map_or(&[][..], |calls| &calls.thread);
    let of = |kind: LaneKind, rows: usize, thread: &dyn Fn(usize) -> Maybe<ThreadId>| {
        let key = |row| thread(row).some().map(ThreadId::index);
        (kind, in_order(capture, threads, rows, key, |row| span_of(capture, kind, 0, row)))
    };
    let calls = of(LaneKind::ApiCalls, capture.api_calls.len(), &|row| {
        let call = ApiCallId::new(row);
        match capture.repeated_calls.counts(call) {
            true => capture.api_calls.thread[call],
            false => Maybe::NONE,
        }
    });
    let mut order: Vec<usize> = (0..threads).collect();
    order.sort_by_key(|&thread| (Reverse(calls.1.get(thread).len()), thread));
    let tables = [
        of(LaneKind::Ops, op_calls(capture), &|row| lane_of_op_call(capture, OpCallId::new(row))),
        calls,
        of(LaneKind::MpiCalls, host.mpi.span.len(), &|row| host.mpi.thread[..][row]),
        of(LaneKind::OsCalls, os_threads.len(), &|row| os_threads[row]),
        of(LaneKind::Profiler, host.overheads.span.len(), &|row| host.overheads.thread[..][row]),
        of(LaneKind::Samples, host.samples.time.len(), &|row| host.samples.thread[SampleId::new(row)]),
    ];
    let mut lanes = Vec::new();
    for thread in order {
        let lane = |kind, items: &[u32]| {
            let lane = CaptureLane::new(kind, thread_owner(capture, thread), thread);
            lane.filled(&capture.memory, items, |row| span_of(capture, kind, thread, row))
        };
        let mut of_thread = vec![lane(LaneKind::Ranges, &ranges_in_order(capture, thread))];
        of_thread.extend(tables.iter().map(|(kind, items)| lane(*kind, items.get(thread))));
        lanes.extend(of_thread.into_iter().filter(|lane| !lane.rows.is_empty()));
    }
    lanes
}

fn ranges_in_order(capture: &CaptureContents, thread: usize) -> Vec<u32> {
    let spans = capture.ranges.by_thread.get(thread).map_or(&[][..], |ranges| &ranges.span);
    let mut rows: Vec<u32> = numbers(spans.len()).collect();
    rows.sort_by_key(|&row| (spans[row as usize].start, Reverse(spans[row as usize].end)));
    rows
}

/// How many op calls may be shown: none where ranges say the same, or stand for other things.
fn op_calls(capture: &CaptureContents) -> usize {
    match capture.description.mode {
        Mode::Nvtx | Mode::Simple => 0,
        _ => capture.op_calls.span.len(),
    }
}

/// The thread of an op call, unless it only stands for work that no op claims.
fn lane_of_op_call(capture: &CaptureContents, call: OpCallId) -> Maybe<ThreadId> {
    let stands_for_work = capture.names.get(capture.label_of(call).name).starts_with(UNASSOCIATED);
    if stands_for_work { Maybe::NONE } else { capture.op_calls.thread[call] }
}

fn keep_largest(lanes: &mut Vec<CaptureLane>) {
    let mut sizes: Vec<usize> = lanes.iter().map(CaptureLane::items).collect();
    if sizes.len() > MOST_LANES {
        sizes.sort_unstable_by_key(|&items| Reverse(items));
        let least = sizes[MOST_LANES];
        lanes.retain(|lane| lane.items() > least);
    }
}
