//! What a thread, or any thread of a process, was doing, walked along with the gaps of a GPU.
//!
//! ```text
//! API calls   ├ launch ┤    ├ launch ┤              ├ sync ─────┤
//! ranges          ├ get_batch ──────────┤
//! cause       launch─┤data_loading──────┤──host_issue─┤sync─────┤
//! ```
//!
//! Every nanosecond goes to the first open cause. Gaps of one GPU that end by calls of one thread follow each other, so each row
//! of the thread is met once.

use super::host_spans::{HostSpans, Open, Source};
use crate::base::ids::ThreadId;
use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nanoseconds by cause, indexed by [`Cause::index`].
pub(super) type ByCause = [Ns; Cause::ALL.len()];

/// Walks one thread.
#[derive(Debug)]
pub(super) struct ThreadCursor<'a> {
    host: &'a HostSpans<'a>,
    sources: Vec<Source<'a>>,
    open: Open,
    has_ops: bool,
    /// Start of the next row of any table.
    next: Ns,
}

impl<'a> ThreadCursor<'a> {
    pub(super) fn new(host: &'a HostSpans<'a>, thread: ThreadId) -> Self {
        let sources = host.sources(thread);
        Self {
            host,
            open: Open::default(),
            has_ops: host.has_ops(thread),
            next: first_start(&sources),
            sources,
        }
    }

    /// Gives each nanosecond of a part of a gap to its cause; parts come in order of time. What has no cause is put into `left`,
    /// what is owed to ranges of the host into `in_ranges`.
    pub(super) fn attribute(
        &mut self,
        part: Span,
        sums: &mut ByCause,
        left: &mut Vec<Span>,
        in_ranges: &mut Vec<Span>,
    ) {
        let mut at = part.start;
        while at < part.end {
            self.meet(at);
            let (cause, until) = self.first_open(at);
            let end = until.min(self.next).min(part.end);
            match cause {
                Some(cause) => {
                    sums[cause.index()] += end - at;
                    if cause == Cause::HostRange {
                        push_joined(in_ranges, Span::new(at, end));
                    }
                }
                None => push_joined(left, Span::new(at, end)),
            }
            at = end;
        }
    }

    /// Nanoseconds of a part of a gap in which the profiler held the thread up; parts come in order of time.
    pub(super) fn profiled(&mut self, part: Span) -> Ns {
        let (mut at, mut sum) = (part.start, 0);
        while at < part.end {
            self.meet(at);
            let until = self.open.until(Cause::Profiler);
            let end = if until > at { until.min(part.end) } else { self.next.min(part.end) };
            sum += if until > at { end - at } else { 0 };
            at = end;
        }
        sum
    }

    fn meet(&mut self, time: Ns) {
        if time < self.next {
            return;
        }
        for source in &mut self.sources {
            source.meet(time, self.host, &mut self.open);
        }
        self.next = first_start(&self.sources);
    }

    /// The first open cause at a time, and until when nothing changes but by further rows.
    #[inline]
    fn first_open(&self, at: Ns) -> (Option<Cause>, Ns) {
        let in_op = self.open.op_until > at;
        let mut until = if in_op { self.open.op_until } else { Ns::MAX };
        for &cause in Cause::ON_THREAD {
            let open_until = match cause {
                // Inside ops, waiting is not waiting for input, and reading is like any call.
                Cause::InputWait if in_op || !self.has_ops => Ns::MIN,
                Cause::Io if in_op => Ns::MIN,
                Cause::OsCall if in_op => self.open.until(Cause::OsCall).max(self.open.until(Cause::Io)),
                _ => self.open.until(cause),
            };
            if open_until > at {
                until = until.min(open_until);
                return (Some(cause), until);
            }
        }
        (None, until)
    }
}

fn first_start(sources: &[Source<'_>]) -> Ns {
    sources.iter().map(|source| source.next).min().unwrap_or(Ns::MAX)
}

/// Adds a span to a list, joined with the last one where they touch.
fn push_joined(list: &mut Vec<Span>, span: Span) {
    match list.last_mut() {
        Some(last) if last.end == span.start => last.end = span.end,
        _ => list.push(span),
    }
}

/// Walks all threads of a process.
#[derive(Debug)]
pub(super) struct ProcessCursor<'a> {
    host: &'a HostSpans<'a>,
    sources: Vec<Source<'a>>,
    /// Where the next rows are.
    queue: BinaryHeap<Reverse<(Ns, usize)>>,
    open: Open,
}

impl<'a> ProcessCursor<'a> {
    pub(super) fn new(host: &'a HostSpans<'a>, threads: impl Iterator<Item = ThreadId>) -> Self {
        let sources: Vec<Source<'a>> = threads.flat_map(|thread| host.process_sources(thread)).collect();
        let queue = sources.iter().enumerate().map(|(at, source)| Reverse((source.next, at))).collect();
        Self { host, sources, queue, open: Open::default() }
    }

    /// Gives each nanosecond to what is open on any thread, else to [`Cause::Unknown`]; parts come in order of time. What is owed
    /// to ranges of the host is put into `in_ranges`, what nothing tells about into `unknown`.
    pub(super) fn attribute(
        &mut self,
        part: Span,
        sums: &mut ByCause,
        in_ranges: &mut Vec<Span>,
        unknown: &mut Vec<Span>,
    ) {
        let mut at = part.start;
        while at < part.end {
            let next = self.meet(at);
            let open = Cause::IN_PROCESS.iter().find(|&&cause| self.open.until(cause) > at);
            let until = open.map_or(Ns::MAX, |&cause| self.open.until(cause));
            let end = until.min(next).min(part.end);
            let cause = open.copied().unwrap_or(Cause::Unknown);
            sums[cause.index()] += end - at;
            match cause {
                Cause::HostRange => in_ranges.push(Span::new(at, end)),
                Cause::Unknown => push_joined(unknown, Span::new(at, end)),
                _ => {}
            }
            at = end;
        }
    }

    /// Meets all rows up to a time; returns the start of the next one.
    fn meet(&mut self, time: Ns) -> Ns {
        while let Some(mut first) = self.queue.peek_mut() {
            let Reverse((next, at)) = *first;
            if next > time {
                return next;
            }
            let source = &mut self.sources[at];
            source.meet(time, self.host, &mut self.open);
            *first = Reverse((source.next, at));
        }
        Ns::MAX
    }
}
