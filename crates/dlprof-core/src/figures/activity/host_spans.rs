//! What is open on CPU threads, table by table and in order of start.

use crate::base::groups::Grouped;
use crate::base::ids::{Maybe, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use crate::capture::classified::classified::Classified;
use crate::capture::classified::order::{Row, RowOrder, row, rows_by_thread};
use crate::capture::names::OsCallKind;
use crate::read::facts::{OverheadKind, ThreadRangeFacts};

/// The rows of each thread that open something, by start.
#[derive(Debug)]
pub(super) struct HostSpans<'a> {
    pub(super) classified: &'a Classified<'a>,
    calls: &'a Grouped<Row>,
    ranges: &'a [RowOrder],
    os_calls: &'a Grouped<Row>,
    /// MPI calls and overheads.
    others: &'a Grouped<(Span, Cause)>,
    /// By thread: whether it has an op that lasts.
    has_ops: Vec<bool>,
}

impl<'a> HostSpans<'a> {
    pub(super) fn new(classified: &'a Classified<'a>) -> Self {
        let activity = &classified.activity;
        let (threads, orders) = (classified.threads(), activity.orders);
        let order = |ranges: &ThreadRangeFacts| RowOrder::by_key(ranges.span.len(), |row| ranges.span[row]);
        let os_calls = || {
            activity.host.os_calls.as_ref().map_or_else(Grouped::default, |calls| {
                let opens = |row: usize| classified.os_call_kind(calls.name[row]) != OsCallKind::Other;
                rows_by_thread(activity.memory, threads, &calls.thread, &calls.span, opens)
            })
        };
        let lasting_op = |ranges: &ThreadRangeFacts| {
            let mut rows = ranges.span.iter().zip(&ranges.text);
            rows.any(|(span, &label)| !span.is_empty() && classified.range_class(label).is_op)
        };
        Self {
            classified,
            calls: classified.calls_by_thread(),
            ranges: orders.ranges.get_or_init(|| activity.ranges.by_thread.iter().map(order).collect()),
            os_calls: orders.os_calls.get_or_init(os_calls),
            others: orders.others.get_or_init(|| others(classified)),
            has_ops: activity.ranges.by_thread.iter().map(lasting_op).collect(),
        }
    }

    /// Whether a thread has an op that lasts.
    pub(super) fn has_ops(&self, thread: ThreadId) -> bool {
        self.has_ops.get(thread.index()).is_some_and(|&has| has)
    }

    /// What opens on a thread: its tables that have rows.
    pub(super) fn sources(&'a self, thread: ThreadId) -> Vec<Source<'a>> {
        let mut sources = self.process_sources(thread);
        if thread.index() < self.os_calls.len() {
            let rows = Rows::OsCalls { rows: self.os_calls.get(thread.index()) };
            sources.extend(Source::new(rows, self));
        }
        sources
    }

    /// Number of rows of a thread.
    pub(super) fn rows(&self, thread: ThreadId) -> usize {
        let at = thread.index();
        let ranges = self.classified.activity.recorded.ranges.by_thread.get(at);
        let os_calls = if at < self.os_calls.len() { self.os_calls.get(at).len() } else { 0 };
        self.calls.get(at).len()
            + ranges.map_or(0, |ranges| ranges.span.len())
            + self.others.get(at).len()
            + os_calls
    }

    /// Whether threads have at most so many rows together.
    pub(super) fn have_few_rows(&self, threads: &[ThreadId], most: usize) -> bool {
        let mut rows = 0;
        threads.len() <= most
            && threads.iter().all(|&thread| {
                rows += self.rows(thread);
                rows <= most
            })
    }

    /// The same as [`Self::sources`] without what says nothing about other threads of the process.
    pub(super) fn process_sources(&'a self, thread: ThreadId) -> Vec<Source<'a>> {
        let at = thread.index();
        let calls = Rows::Calls { rows: self.calls.get(at), latest_end: Ns::MIN };
        let ranges = self.classified.activity.recorded.ranges.by_thread.get(at).zip(self.ranges.get(at));
        let ranges = ranges.map(|(ranges, order)| Rows::Ranges { columns: ranges, order });
        let tables = [Some(calls), ranges, Some(Rows::Others(self.others.get(at)))];
        tables.into_iter().flatten().filter_map(|rows| Source::new(rows, self)).collect()
    }
}

/// MPI calls and overheads of each thread, by start.
fn others(classified: &Classified<'_>) -> Grouped<(Span, Cause)> {
    let activity = &classified.activity;
    let (mpi, overheads) = (&activity.host.mpi, &activity.host.overheads);
    let mut rows: Vec<(Maybe<ThreadId>, Span, Cause)> = Vec::new();
    for ((&span, &thread), &name) in mpi.span.iter().zip(&mpi.thread).zip(&mpi.name) {
        rows.push((thread, span, classified.mpi_class(name)));
    }
    for ((&span, &thread), &kind) in overheads.span.iter().zip(&overheads.thread).zip(&overheads.kind) {
        match kind {
            OverheadKind::Profiler => rows.push((thread, span, Cause::Profiler)),
            OverheadKind::Setup => rows.push((thread, span, Cause::Setup)),
            OverheadKind::BufferFull => {}
        }
    }
    let threads = classified.threads();
    let thread = |at: Row| rows[at as usize].0.some().map(ThreadId::index);
    let by_start = |&at: &Row| rows[at as usize].1;
    let grouped = Grouped::sorted(activity.memory, threads, 0..row(rows.len()), thread, by_start);
    grouped.map(activity.memory, |at| (rows[at as usize].1, rows[at as usize].2))
}

/// What is open at the time up to which rows were met. A cause is open until the latest end of its spans, because all of them
/// have started.
#[derive(Debug)]
pub(super) struct Open {
    until: [Ns; Cause::ALL.len()],
    /// Until when an op is open.
    pub(super) op_until: Ns,
}

impl Default for Open {
    fn default() -> Self {
        Self { until: [Ns::MIN; Cause::ALL.len()], op_until: Ns::MIN }
    }
}

impl Open {
    #[inline]
    fn open(&mut self, cause: Cause, end: Ns) {
        let until = &mut self.until[cause.index()];
        *until = end.max(*until);
    }

    /// Until when spans of a cause are open; for [`Cause::Io`] and [`Cause::InputWait`] also those inside ops.
    #[inline]
    pub(super) fn until(&self, cause: Cause) -> Ns {
        self.until[cause.index()]
    }
}

/// Rows of one table on one thread.
#[derive(Debug)]
pub(super) struct Source<'a> {
    rows: Rows<'a>,
    at: usize,
    /// Start of the next row; the largest time after the last one.
    pub(super) next: Ns,
}

#[derive(Debug)]
enum Rows<'a> {
    Calls {
        rows: &'a [Row],
        /// The latest end of the calls that were met.
        latest_end: Ns,
    },
    Ranges {
        columns: &'a ThreadRangeFacts,
        order: &'a RowOrder,
    },
    OsCalls {
        rows: &'a [Row],
    },
    Others(&'a [(Span, Cause)]),
}

impl<'a> Source<'a> {
    /// The rows before the first is met; `None` if there are none.
    fn new(rows: Rows<'a>, host: &HostSpans<'_>) -> Option<Self> {
        let next = rows.start(0, host);
        (next < Ns::MAX).then_some(Self { rows, at: 0, next })
    }

    /// Meets the rows that start at a time or before.
    #[inline]
    pub(super) fn meet(&mut self, time: Ns, host: &HostSpans<'_>, open: &mut Open) {
        while self.next <= time {
            let at = self.at;
            self.at += 1;
            self.next = self.rows.start(self.at, host);
            self.rows.meet(at, self.next, host, open);
        }
    }
}

impl Rows<'_> {
    /// Start of the row at a place.
    #[inline]
    fn start(&self, at: usize, host: &HostSpans<'_>) -> Ns {
        let activity = &host.classified.activity;
        let start = match self {
            Self::Calls { rows, .. } => rows.get(at).map(|&row| activity.api_calls.span[row as usize].start),
            Self::Ranges { columns, order } => order.row(at).map(|row| columns.span[row].start),
            Self::OsCalls { rows } => {
                let spans = activity.host.os_calls.as_ref().map_or(&[][..], |calls| &calls.span);
                rows.get(at).map(|&row| spans[row as usize].start)
            }
            Self::Others(rows) => rows.get(at).map(|(span, _)| span.start),
        };
        start.unwrap_or(Ns::MAX)
    }

    /// Opens what the row at a place opens. `next` is the start of the row after it.
    #[inline]
    fn meet(&mut self, at: usize, next: Ns, host: &HostSpans<'_>, open: &mut Open) {
        let classified = host.classified;
        match self {
            Self::Calls { rows, latest_end } => {
                let call = rows[at] as usize;
                let end = classified.activity.api_calls.span[call].end;
                open.open(classified.call_class(call), end);
                *latest_end = end.max(*latest_end);
                let pause = next.saturating_sub(*latest_end);
                if pause > 0 && pause <= classified.settings.thresholds.issue_gap_ns {
                    // Until `latest_end` a call is open, and calls come before this cause.
                    open.open(Cause::HostIssue, next);
                }
            }
            Self::Ranges { columns, order } => {
                let Some(row) = order.row(at) else { return };
                let (end, class) = (columns.span[row].end, classified.range_class(columns.text[row]));
                if let Some(cause) = class.opens {
                    open.open(cause, end);
                }
                if class.is_op {
                    open.op_until = end.max(open.op_until);
                }
            }
            Self::OsCalls { rows } => {
                let Some(calls) = &classified.activity.host.os_calls else { return };
                let row = rows[at] as usize;
                meet_os_call(calls.span[row], classified.os_call_kind(calls.name[row]), host, open);
            }
            Self::Others(rows) => open.open(rows[at].1, rows[at].0.end),
        }
    }
}

fn meet_os_call(span: Span, kind: OsCallKind, host: &HostSpans<'_>, open: &mut Open) {
    match kind {
        OsCallKind::Read => open.open(Cause::Io, span.end),
        OsCallKind::Wait => {
            open.open(Cause::OsCall, span.end);
            if span.length() >= host.classified.settings.thresholds.long_wait_ns {
                open.open(Cause::InputWait, span.end);
            }
        }
        OsCallKind::Pause => open.open(Cause::OsCall, span.end),
        OsCallKind::Other => {}
    }
}
