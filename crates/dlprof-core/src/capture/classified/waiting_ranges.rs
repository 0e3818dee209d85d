//! Which thread of a process waits in a range at any time.

use super::classified::Classified;
use crate::base::ids::ThreadId;
use crate::base::intervals::difference;
use crate::base::ordered::partition_near;
use crate::base::time::{Ns, Span};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// By time: the thread with a user range open and no API call near; of several, the one that launched most GPU time, then the
/// first.
#[derive(Debug)]
pub(crate) struct WaitingThreads {
    spans: Vec<(Span, ThreadId)>,
    hint: usize,
}

impl WaitingThreads {
    /// Of the threads of a process.
    pub(crate) fn new(classified: &Classified<'_>, threads: &[ThreadId], launched_ns: &[Ns]) -> Self {
        let mut ranked = threads.to_vec();
        ranked.sort_by_key(|thread| (-launched_ns[thread.index()], *thread));
        let waits = |thread: &ThreadId| waiting_in_range(classified, *thread);
        Self::first_of(&ranked, &ranked.iter().map(waits).collect::<Vec<_>>())
    }

    /// The first of some threads that has a user range open, whether it waits or not; both ends of ranges count.
    pub(crate) fn with_ranges(classified: &Classified<'_>, threads: &[ThreadId]) -> Self {
        let ranges = |thread: &ThreadId| classified.in_user_ranges(*thread);
        Self::first_of(threads, &threads.iter().map(ranges).collect::<Vec<_>>())
    }

    fn first_of(ranked: &[ThreadId], open: &[Vec<Span>]) -> Self {
        let spans = first_open(open);
        Self { spans: spans.into_iter().map(|(span, rank)| (span, ranked[rank])).collect(), hint: 0 }
    }

    /// The thread at a time.
    pub(crate) fn find(&mut self, time: Ns) -> Option<ThreadId> {
        self.hint = partition_near(&self.spans, self.hint, |(span, _)| span.end <= time);
        self.spans.get(self.hint).filter(|(span, _)| span.start <= time).map(|&(_, thread)| thread)
    }
}

/// When a thread has a user range open and no API call is open or near.
fn waiting_in_range(classified: &Classified<'_>, thread: ThreadId) -> Vec<Span> {
    let ranges = classified.in_user_ranges(thread);
    if ranges.is_empty() {
        return ranges;
    }
    let near = classified.settings.thresholds.waiting_ns;
    let calls = classified.calls_by_thread().get(thread.index());
    let call_near = |&row: &u32| {
        let call = classified.activity().api_calls.span[row as usize];
        // Without both ends: a time just as far away is not near.
        Span::new(call.start.saturating_sub(near).saturating_add(1), call.end.saturating_add(near))
    };
    difference(&ranges, calls.iter().map(call_near))
}

/// By time, the first of some sets of disjoint spans that covers it.
fn first_open(sets: &[Vec<Span>]) -> Vec<(Span, usize)> {
    if let [only] = sets {
        return only.iter().map(|&span| (span, 0)).collect();
    }
    let of_set =
        |(rank, spans): (usize, &Vec<Span>)| spans.iter().map(move |&span| (span, rank)).collect::<Vec<_>>();
    let mut starts: Vec<(Span, usize)> = sets.iter().enumerate().flat_map(of_set).collect();
    // A stable sort merges the sets, which are sorted.
    starts.sort();
    let mut starts = starts.into_iter().peekable();
    let mut open: BinaryHeap<Reverse<(usize, Ns)>> = BinaryHeap::new();
    let mut found: Vec<(Span, usize)> = Vec::new();
    let mut at = Ns::MIN;
    loop {
        while let Some((span, rank)) = starts.next_if(|(span, _)| span.start <= at) {
            open.push(Reverse((rank, span.end)));
        }
        while open.peek().is_some_and(|Reverse((_, end))| *end <= at) {
            open.pop();
        }
        let next = starts.peek().map(|(span, _)| span.start);
        let Some(&Reverse((rank, end))) = open.peek() else {
            let Some(next) = next else { return found };
            at = next;
            continue;
        };
        let until = next.map_or(end, |next| next.min(end));
        match found.last_mut() {
            Some((last, of)) if *of == rank && last.end == at => last.end = until,
            _ => found.push((Span::new(at, until), rank)),
        }
        at = until;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::intervals::union;
    use proptest::prelude::*;

    fn spans() -> impl Strategy<Value = Vec<Span>> {
        prop::collection::vec((0i64..40, 1i64..12).prop_map(|(s, l)| Span::new(s, s + l)), 0..8)
    }

    fn covers(spans: &[Span], time: Ns) -> bool {
        spans.iter().any(|span| span.start <= time && time < span.end)
    }

    proptest! {
        #[test]
        fn the_first_open_set_is_found(sets in prop::collection::vec(spans(), 0..4)) {
            let sets: Vec<Vec<Span>> = sets.into_iter().map(union).collect();
            let found = first_open(&sets);
            for time in -1..60 {
                let expected = sets.iter().position(|set| covers(set, time));
                let at = found.iter().find(|(span, _)| span.start <= time && time < span.end);
                prop_assert_eq!(at.map(|&(_, rank)| rank), expected, "at {}", time);
            }
        }
    }
}
