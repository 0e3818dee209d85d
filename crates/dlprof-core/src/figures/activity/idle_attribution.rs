//! Every idle nanosecond of a GPU gets one cause.
//!
//! ```text
//! call, if the item was queued:   ├ call ┤
//! gap                                       s├──────────────────────────────┤e   turnaround, dependency or stall
//!
//! call, if it was issued late:                        a├ call ┤b
//! gap                                       s├─────────┼──────┼────────┼────┤e
//!                                            │ what the│launch, until   │stall or
//!                                            │ thread  │SUBMIT behind b │dependency
//!                                            │ did     │                │
//! ```
//!
//! The whole gap decides; a window is charged with the part of the gap inside it.

use super::cursors::{ByCause, ProcessCursor, ThreadCursor};
use super::gaps::{Gap, Ordering, Queued, Reason, WaitedFor};
use super::gpu_in_window::GpuTime;
use super::host_spans::HostSpans;
use super::idle_time::IdleTime;
use super::range_times::RangeTimes;
use crate::base::groups::Grouped;
use crate::base::ids::{ProcessId, ThreadId};
use crate::base::ordered::partition_near;
use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use crate::capture::classified::classified::Call;
use rustc_hash::FxHashMap;

/// Threads and processes with so few rows are walked from their first row in each gap: where a program starts a thread for each of
/// a hundred thousand launches, to keep the place in each of them takes more memory than all the rest.
const ROWS_WALKED_ANEW: usize = 16;

/// Gives the gaps of GPUs to their causes.
#[derive(Debug)]
pub(super) struct IdleAttribution<'a> {
    host: &'a HostSpans<'a>,
    windows: &'a [Span],
    ordering: Ordering<'a>,
    /// By thread: its waits by end.
    syncs: &'a Grouped<Span>,
    /// By thread: where the last question about its waits ended.
    sync_hints: Vec<usize>,
    /// By process: its threads.
    threads: Grouped<ThreadId>,
    devices: Vec<Device<'a>>,
    /// What the issuing thread did not explain; kept to be used again.
    left: Vec<Span>,
    /// What is owed to ranges of the host; kept to be used again.
    in_ranges: Vec<Span>,
    /// What nothing tells about; kept to be used again.
    unknown: Vec<Span>,
    /// Time by range of the host, where somebody asks for it.
    pub(super) ranges: Option<RangeTimes<'a>>,
    /// By thread: the time of the cause `unknown` in gaps that it ends, where somebody asks for it. Parts of several GPUs
    /// overlap.
    pub(super) unexplained: Option<Vec<Vec<Span>>>,
}

/// Where the walk over the gaps of one GPU is.
#[derive(Debug)]
struct Device<'a> {
    /// The first window that ends after the last gap's start.
    window: usize,
    /// Of the threads with many rows that ended its gaps: most GPUs know few of all.
    threads: FxHashMap<ThreadId, Box<ThreadCursor<'a>>>,
    /// Of the processes of these.
    processes: FxHashMap<ProcessId, Box<ProcessCursor<'a>>>,
}

/// Rows of one GPU, of windows that follow each other.
pub(super) struct WindowRows<'a> {
    /// The window of the first row.
    pub(super) first: usize,
    pub(super) rows: &'a mut [GpuTime],
}

impl<'a> IdleAttribution<'a> {
    pub(super) fn new(host: &'a HostSpans<'a>, windows: &'a [Span]) -> Self {
        let classified = host.classified;
        let device = || Device { window: 0, threads: FxHashMap::default(), processes: FxHashMap::default() };
        Self {
            host,
            windows,
            ordering: Ordering::new(classified),
            syncs: classified.waits_by_end(),
            sync_hints: vec![0; classified.threads()],
            threads: classified.threads_by_process(),
            devices: std::iter::repeat_with(device).take(classified.activity.devices.len()).collect(),
            left: Vec::new(),
            in_ranges: Vec::new(),
            unknown: Vec::new(),
            ranges: None,
            unexplained: None,
        }
    }

    /// Gives the parts of a gap in windows to their causes, and says how much each got. Gaps of a GPU come in order of time;
    /// `rows` are those of the windows that the GPU's work reaches.
    pub(super) fn add_long(&mut self, gap: &Gap, rows: WindowRows<'_>) -> ByCause {
        let WindowRows { first, rows } = rows;
        let from = self.first_window(gap).max(first);
        let windows = self.windows[from..].iter().take_while(|window| window.start < gap.span.end).count();
        let of_gap = from - first..from - first + windows;
        let sum = |rows: &[GpuTime]| {
            let mut sum = IdleTime::default();
            rows[of_gap.clone()].iter().for_each(|row| sum.merge(&row.idle));
            sum.causes
        };
        let mut before = sum(rows);
        self.add(gap, WindowRows { first, rows });
        before.iter_mut().zip(sum(rows)).for_each(|(before, after)| *before = after - *before);
        before
    }

    /// The first window that ends after the start of a gap.
    fn first_window(&mut self, gap: &Gap) -> usize {
        let window = &mut self.devices[gap.device].window;
        *window = partition_near(self.windows, *window, |window| window.end <= gap.span.start);
        *window
    }

    /// Gives the parts of a gap in windows to their causes. Gaps of a GPU come in order of time; `rows` are those of the windows
    /// that the GPU's work reaches.
    pub(super) fn add(&mut self, gap: &Gap, rows: WindowRows<'_>) {
        let window = self.first_window(gap).max(rows.first);
        if self.windows.get(window).is_none_or(|window| window.start >= gap.span.end) {
            return;
        }
        let why = self.why(gap);
        let inside = rows.rows[window - rows.first..].iter_mut().zip(&self.windows[window..]).zip(window..);
        for ((row, span), window) in inside.take_while(|((_, span), _)| span.start < gap.span.end) {
            self.add_part(gap, (gap.span.clip(*span), window), why, &mut row.idle);
        }
    }

    /// Gives the parts of a gap in windows to their causes, where what is noted of ranges or threads is all that counts. Gaps of a GPU
    /// come in order of time.
    pub(super) fn note(&mut self, gap: &Gap) {
        let (first, windows) = (self.first_window(gap), self.windows);
        if windows.get(first).is_none_or(|window| window.start >= gap.span.end) {
            return;
        }
        let (why, mut idle) = (self.why(gap), IdleTime::default());
        let inside = (first..).zip(&windows[first..]).take_while(|(_, span)| span.start < gap.span.end);
        for (window, span) in inside {
            self.add_part(gap, (gap.span.clip(*span), window), why, &mut idle);
        }
    }

    /// Gives the parts of a gap in some spans of the host to their causes, without the time in which what was submitted waits for work
    /// from before the recording: that goes by whatever the host does. Spans are sorted and disjoint; gaps of a GPU come in order of time.
    pub(super) fn add_inside(&mut self, gap: &Gap, spans: &[Span], idle: &mut IdleTime) {
        let first = spans.partition_point(|span| span.end <= gap.span.start);
        let inside = spans[first..].iter().take_while(|span| span.start < gap.span.end).enumerate();
        let mut why = None;
        for (at, span) in inside {
            let why = *why.get_or_insert_with(|| self.why(gap));
            let part = self.before_earlier_work(gap.span.clip(*span), why.0);
            self.add_part(gap, (part, at), why, idle);
        }
    }

    /// A part of a gap up to where what ends the gap waits for work from before the recording.
    fn before_earlier_work(&self, part: Span, reason: Reason) -> Span {
        let end = match reason {
            Reason::Queued(Queued::EarlierWork) => part.start,
            Reason::Issued { call, waited_for: WaitedFor::EarlierWork } => self.submitted(part, call),
            _ => part.end,
        };
        Span::new(part.start, end)
    }

    /// The time of a gap in a span in which work was submitted, nothing held it back, and it did not start.
    pub(super) fn stalled_ns(&mut self, gap: &Gap, span: Span) -> Ns {
        let part = gap.span.clip(span);
        match self.why(gap).0 {
            Reason::Queued(Queued::Stall) => part.length(),
            Reason::Issued { call, waited_for: WaitedFor::Nothing } => part.end - self.submitted(part, call),
            _ => 0,
        }
    }

    /// From when on in a part of a gap the GPU can start what a call submitted.
    fn submitted(&self, part: Span, call: Call) -> Ns {
        let submit_ns = self.host.classified.settings.thresholds.submit_ns;
        call.span.end.saturating_add(submit_ns).clamp(part.start, part.end)
    }

    /// What kept a gap from ending before, and from when on a wait had let the queue run dry.
    fn why(&mut self, gap: &Gap) -> (Reason, Option<Ns>) {
        let reason = self.host.classified.reason(gap, &mut self.ordering);
        let drained_from = match reason {
            Reason::Issued { call, .. } => self.drained_from(gap.span, call),
            _ => None,
        };
        (reason, drained_from)
    }

    fn add_part(
        &mut self,
        gap: &Gap,
        (part, window): (Span, usize),
        (reason, drained_from): (Reason, Option<Ns>),
        idle: &mut IdleTime,
    ) {
        if part.is_empty() {
            return;
        }
        idle.add_part(part.length());
        let (call, waited_for) = match reason {
            Reason::NoCall => return idle.causes[Cause::NoApiCall.index()] += part.length(),
            Reason::Queued(queued) => return idle.causes[Cause::from(queued).index()] += part.length(),
            Reason::Issued { call, waited_for } => (call, waited_for),
        };
        let mut sums = ByCause::default();
        self.attribute(gap, (part, window), call, waited_for, &mut sums);
        let of = |causes: &[Cause]| -> Ns { causes.iter().map(|cause| sums[cause.index()]).sum() };
        let is_short = gap.span.length() < self.host.classified.settings.thresholds.long_gap_ns;
        let drained = drained_from.map_or(0, |from| part.end - from.max(part.start)).max(0);
        let cost = drained.min(of(&Cause::SYNC_COST));
        idle.drained_by_sync_ns += drained;
        idle.sync_cost_ns += cost;
        if is_short {
            idle.sync_cost_short_gaps_ns += cost;
            idle.cpu_in_short_gaps_ns += of(&Cause::ISSUING);
        } else {
            idle.cpu_in_long_gaps_ns += of(&Cause::ISSUING);
        }
        idle.causes.iter_mut().zip(sums).for_each(|(sum, ns)| *sum += ns);
    }

    /// The causes of the part of a gap in a window. A late call ended the gap.
    fn attribute(
        &mut self,
        gap: &Gap,
        (part, window): (Span, usize),
        call: Call,
        waited_for: WaitedFor,
        sums: &mut ByCause,
    ) {
        let classified = self.host.classified;
        let submitted = self.submitted(part, call);
        let begun = call.span.start.clamp(part.start, submitted);
        let waited = match waited_for {
            WaitedFor::Ordered => Cause::Dependency,
            WaitedFor::EarlierWork => Cause::Unknown,
            WaitedFor::Nothing => Cause::Stall,
        };
        sums[waited.index()] += part.end - submitted;
        let launch = if classified.is_slow(call.span) { Cause::SlowLaunch } else { Cause::Launch };
        let device = &mut self.devices[gap.device];
        let before = Span::new(part.start, begun);
        if let Some(thread) = call.thread.some() {
            let new = || Box::new(ThreadCursor::new(self.host, thread));
            let rows = self.host.rows(thread);
            let mut walked_anew = (rows <= ROWS_WALKED_ANEW).then(new);
            let cursor = match &mut walked_anew {
                Some(cursor) => cursor,
                None => device.threads.entry(thread).or_insert_with(new),
            };
            cursor.attribute(before, sums, &mut self.left, &mut self.in_ranges);
            if let Some(ranges) = self.ranges.as_mut().filter(|_| !self.in_ranges.is_empty()) {
                ranges.add((window, gap), thread, &self.in_ranges);
            }
            self.in_ranges.clear();
            let profiled = cursor.profiled(Span::new(begun, submitted));
            sums[Cause::Profiler.index()] += profiled;
            sums[launch.index()] += submitted - begun - profiled;
        } else {
            sums[launch.index()] += submitted - begun;
            self.left.extend((!before.is_empty()).then_some(before));
        }
        if self.left.is_empty() {
            return;
        }
        match call.thread.some() {
            Some(thread) => {
                let process = classified.activity().recorded.process_of(thread);
                let threads = self.threads.get(process.index());
                let new = || Box::new(ProcessCursor::new(self.host, threads.iter().copied()));
                let mut walked_anew = self.host.have_few_rows(threads, ROWS_WALKED_ANEW).then(new);
                let cursor = match &mut walked_anew {
                    Some(cursor) => cursor,
                    None => device.processes.entry(process).or_insert_with(new),
                };
                for piece in self.left.drain(..) {
                    cursor.attribute(piece, sums, &mut self.in_ranges, &mut self.unknown);
                }
                let unknown = self.unknown.drain(..);
                if let Some(spans) = &mut self.unexplained {
                    spans[thread.index()].extend(unknown);
                }
                if let Some(ranges) = &mut self.ranges {
                    for &span in &self.in_ranges {
                        ranges.add_of_any((window, gap), (process, threads), span);
                    }
                }
                self.in_ranges.clear();
            }
            None => sums[Cause::Unknown.index()] += self.left.drain(..).map(Span::length).sum::<Ns>(),
        }
    }

    /// The earliest start of the waits of the call's thread that end in the gap and not after the call's start; not before the
    /// gap.
    fn drained_from(&mut self, gap: Span, call: Call) -> Option<Ns> {
        let thread = call.thread.some()?.index();
        let (hint, syncs) = (&mut self.sync_hints[thread], self.syncs.get(thread));
        *hint = partition_near(syncs, *hint, |sync| sync.end < gap.start);
        let mut earliest: Option<Ns> = None;
        for sync in syncs[*hint..].iter().take_while(|sync| sync.end <= call.span.start) {
            earliest = Some(earliest.map_or(sync.start, |start| start.min(sync.start)));
            if sync.start <= gap.start {
                break;
            }
        }
        earliest.map(|start| start.max(gap.start))
    }
}

impl From<Queued> for Cause {
    fn from(queued: Queued) -> Self {
        match queued {
            Queued::Turnaround => Self::Turnaround,
            Queued::Dependency => Self::Dependency,
            Queued::EarlierWork => Self::Unknown,
            Queued::Stall => Self::Stall,
        }
    }
}
