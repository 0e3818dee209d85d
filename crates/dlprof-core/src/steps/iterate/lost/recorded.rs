//! What was recorded of the threads of a capture, by piece of the time line: start-up and each iteration.

use crate::base::ids::{Maybe, ThreadId, all};
use crate::base::ordered::Cursor;
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use crate::steps::iterate::Iterations;
use crate::steps::iterate::launched::launch_calls;
use std::ops::Range;

/// A capture and its iterations.
pub(super) struct Recorded<'a> {
    pub(super) capture: &'a Capture,
    iterations: &'a Iterations,
    pub(super) pieces: usize,
    /// By piece, and at the end: how many iterations there are before it. Start-up and what is outside are none.
    before: Vec<usize>,
}

/// CUDA records of a thread.
#[derive(Clone, Copy)]
pub(super) struct Records {
    pub(super) thread: ThreadId,
    pub(super) launches: u64,
    pub(super) last_start: Ns,
    pub(super) end_ns: Ns,
    /// The piece in which the last of them starts.
    pub(super) last: usize,
}

impl<'a> Recorded<'a> {
    pub(super) fn new(capture: &'a Capture, iterations: &'a Iterations) -> Self {
        let pieces = iterations.total() as usize;
        let is_iteration = |at: usize| at > 0 && !iterations.outside.get(at).copied().unwrap_or(false);
        let mut before = vec![0; pieces + 1];
        for at in 0..pieces {
            before[at + 1] = before[at] + usize::from(is_iteration(at));
        }
        Self { capture, iterations, pieces, before }
    }

    pub(super) fn is_iteration(&self, piece: usize) -> bool {
        self.before[piece + 1] > self.before[piece]
    }

    /// A piece of the time line.
    pub(super) fn span(&self, piece: usize) -> Span {
        Span::new(self.iterations.boundaries[piece], self.iterations.boundaries[piece + 1])
    }

    pub(super) fn iterations_in(&self, pieces: Range<usize>) -> usize {
        self.before[pieces.end] - self.before[pieces.start.min(pieces.end)]
    }

    /// How many iterations there are after a piece.
    pub(super) fn later(&self, last: usize) -> usize {
        self.iterations_in(last + 1..self.pieces)
    }

    /// The first iteration from a piece on.
    pub(super) fn first_from(&self, piece: usize) -> usize {
        self.before.partition_point(|&before| before <= self.before[piece]) - 1
    }

    /// Finds pieces of times that mostly ascend.
    pub(super) fn cursor(&self) -> Cursor<'a> {
        Cursor::new(self.iterations.inner_boundaries())
    }

    /// The CUDA records of each thread that has some.
    pub(super) fn by_thread(&self) -> Vec<Records> {
        let none = |thread| Records { thread, launches: 0, last_start: Ns::MIN, end_ns: Ns::MIN, last: 0 };
        let mut records: Vec<Records> = all(self.capture.threads.len()).map(none).collect();
        let calls = &self.capture.api_calls;
        for (span, thread) in calls.span.iter().zip(&calls.thread) {
            let Some(thread) = thread.some() else { continue };
            let records = &mut records[thread.index()];
            records.last_start = span.start.max(records.last_start);
            records.end_ns = span.end.max(records.end_ns);
        }
        for (thread, _) in launch_calls(self.capture) {
            records[thread.index()].launches += 1;
        }
        let mut piece = self.cursor();
        for records in &mut records {
            records.last = piece.at_or_before(records.last_start);
        }
        records.retain(|records| records.end_ns > Ns::MIN);
        records
    }

    /// The piece in which the last GPU work without a call starts; the first piece if there is none.
    pub(super) fn last_with_work(&self) -> usize {
        let (work, launches) = (&self.capture.work, &self.capture.launches);
        let without_call = work.span.iter().zip(&launches.api).filter(|(_, call)| call.is_none());
        let start = without_call.map(|(span, _)| span.start).max();
        start.map_or(0, |start| self.cursor().at_or_before(start))
    }

    /// The later pieces in which ranges start.
    pub(super) fn with_ranges(&self, last: usize) -> Vec<usize> {
        let mut has_ranges = vec![false; self.pieces];
        for thread in 0..self.capture.ranges.by_thread.len() {
            self.starts_of_ranges(ThreadId::new(thread)).for_each(|at| has_ranges[at] = true);
        }
        (last + 1..self.pieces).filter(|&at| has_ranges[at]).collect()
    }

    /// The pieces in which ranges of a thread start.
    fn starts_of_ranges(&self, thread: ThreadId) -> impl Iterator<Item = usize> + '_ {
        let ranges = self.capture.ranges.by_thread.get(thread.index());
        let mut piece = self.cursor();
        let spans = ranges.into_iter().flat_map(|ranges| &ranges.span);
        spans.map(move |span| piece.at_or_before(span.start))
    }

    /// By thread: the later pieces in which ranges or calls of the operating system of it start, in order.
    pub(super) fn signs(&self, threads: &[Records]) -> Vec<Vec<usize>> {
        let mut signs = match &self.capture.host.os_calls {
            Some(calls) => self.starts_of(threads, calls.span.iter().zip(&calls.thread)),
            None => vec![Vec::new(); threads.len()],
        };
        for (signs, one) in signs.iter_mut().zip(threads) {
            self.starts_of_ranges(one.thread).for_each(|piece| note(signs, piece, one.last));
            signs.sort_unstable();
            signs.dedup();
        }
        signs
    }

    /// By thread: the later pieces in which CUDA calls of it start, in order.
    pub(super) fn with_calls(&self, threads: &[Records]) -> Vec<Vec<usize>> {
        let calls = &self.capture.api_calls;
        let mut pieces = self.starts_of(threads, calls.span.iter().zip(&calls.thread));
        for pieces in &mut pieces {
            pieces.sort_unstable();
            pieces.dedup();
        }
        pieces
    }

    /// By thread: the later pieces in which some calls of it start.
    fn starts_of<'b>(
        &self,
        threads: &[Records],
        calls: impl Iterator<Item = (&'b Span, &'b Maybe<ThreadId>)>,
    ) -> Vec<Vec<usize>> {
        let mut pieces = vec![Vec::new(); threads.len()];
        let mut of_thread = vec![None; self.capture.threads.len()];
        for (at, one) in threads.iter().enumerate() {
            of_thread[one.thread.index()] = Some((at, one.last));
        }
        let mut piece = self.cursor();
        for (span, thread) in calls {
            if let Some((at, last)) = thread.some().and_then(|thread| of_thread[thread.index()]) {
                note(&mut pieces[at], piece.at_or_before(span.start), last);
            }
        }
        pieces
    }
}

/// Adds a later piece; most come several times in a row.
fn note(signs: &mut Vec<usize>, piece: usize, last: usize) {
    if piece > last && signs.last() != Some(&piece) {
        signs.push(piece);
    }
}
