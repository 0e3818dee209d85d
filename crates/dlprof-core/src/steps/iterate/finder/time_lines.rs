//! Where ranges run, for the candidates of processes without GPU work: what takes the place of GPU time there.

use super::paths::Paths;
use super::sections::Section;
use crate::base::ids::ThreadId;
use crate::base::intervals::union;
use crate::base::time::{Ns, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The ranges of some threads by how often their name runs, and by how many ranges are around them.
pub(super) struct TimeLines {
    /// By thread and number of executions: where names that run so often, once more or once less, run.
    by_count: BTreeMap<(ThreadId, usize), Covered>,
    /// By thread and number of ranges around.
    by_depth: BTreeMap<(ThreadId, u32), Lengths>,
}

impl TimeLines {
    /// Of the threads of some candidates, which are all candidates of these threads.
    pub(super) fn new<'a>(sections: impl Iterator<Item = &'a Section> + Clone, paths: &Paths) -> Self {
        let mut spans: BTreeMap<(ThreadId, usize), Vec<Span>> = BTreeMap::new();
        for section in sections.clone() {
            let list = spans.entry((section.thread, section.executions.len())).or_default();
            list.extend(section.executions.iter().map(|execution| execution.span));
        }
        spans.values_mut().for_each(|list| *list = union(std::mem::take(list)));
        let near = |&(thread, count): &(ThreadId, usize)| {
            let near = spans.range((thread, count - 1)..=(thread, count + 1));
            Covered::new(&union(near.flat_map(|(_, spans)| spans).copied().collect()))
        };
        let by_count = spans.keys().map(|key| (*key, near(key))).collect();
        let mut by_depth: BTreeMap<(ThreadId, u32), Lengths> = BTreeMap::new();
        for thread in sections.map(|section| section.thread).collect::<BTreeSet<_>>() {
            for execution in paths.of_thread(thread) {
                let depth = paths.depth[execution.path as usize];
                by_depth.entry((thread, depth)).or_default().push(execution.span);
            }
        }
        Self { by_count, by_depth }
    }

    /// How much of a window is covered by ranges of names that run as often as a candidate of a thread, or nearly so.
    pub(super) fn covered_ns(&self, thread: ThreadId, count: usize, window: Span) -> Ns {
        self.by_count.get(&(thread, count)).map_or(0, |covered| covered.inside_ns(window))
    }

    /// The time of the ranges of a depth that start in some disjoint spans, and of all ranges of this depth.
    pub(super) fn at_depth_ns(&self, thread: ThreadId, depth: u32, spans: &[Span]) -> (Ns, Ns) {
        let Some(lengths) = self.by_depth.get(&(thread, depth)) else { return (0, 0) };
        let inside = spans.iter().map(|span| lengths.before(span.end) - lengths.before(span.start)).sum();
        (inside, lengths.all())
    }
}

/// Disjoint spans in order.
struct Covered {
    ends: Vec<Ns>,
    lengths: Lengths,
}

impl Covered {
    fn new(disjoint: &[Span]) -> Self {
        let mut lengths = Lengths::default();
        disjoint.iter().for_each(|&span| lengths.push(span));
        Self { ends: disjoint.iter().map(|span| span.end).collect(), lengths }
    }

    fn inside_ns(&self, window: Span) -> Ns {
        self.before(window.end) - self.before(window.start)
    }

    /// How much is covered before a time.
    fn before(&self, time: Ns) -> Ns {
        let begun = self.lengths.begun(time);
        let still_open = self.ends[..begun].last().map_or(0, |last| (last - time).max(0));
        self.lengths.before(time) - still_open
    }
}

/// Sums of lengths in order of start.
#[derive(Default)]
struct Lengths {
    starts: Vec<Ns>,
    /// By span: the length of it and all before it.
    up_to: Vec<Ns>,
}

impl Lengths {
    fn push(&mut self, span: Span) {
        self.starts.push(span.start);
        self.up_to.push(self.all() + span.length());
    }

    /// The length of all spans that start before a time.
    fn before(&self, time: Ns) -> Ns {
        self.up_to[..self.begun(time)].last().copied().unwrap_or(0)
    }

    /// How many spans start before a time.
    fn begun(&self, time: Ns) -> usize {
        self.starts.partition_point(|&start| start < time)
    }

    fn all(&self) -> Ns {
        self.up_to.last().copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::intervals::union_length;
    use proptest::prelude::*;

    fn spans() -> impl Strategy<Value = Vec<Span>> {
        let span = (0_i64..100, 0_i64..20).prop_map(|(start, length)| Span::new(start, start + length));
        prop::collection::vec(span, 0..12)
    }

    proptest! {
        #[test]
        fn covered_time_is_that_of_the_clipped_spans(spans in spans(), from in 0_i64..120, length in 0_i64..60) {
            let window = Span::new(from, from + length);
            let disjoint = union(spans);
            let clipped = union_length(disjoint.iter().map(|span| span.clip(window)));
            prop_assert_eq!(Covered::new(&disjoint).inside_ns(window), clipped);
        }

        #[test]
        fn lengths_are_those_of_the_spans_that_start_before(mut spans in spans(), time in 0_i64..130) {
            spans.sort();
            let mut lengths = Lengths::default();
            spans.iter().for_each(|&span| lengths.push(span));
            let before = spans.iter().filter(|span| span.start < time).map(|span| span.length());
            prop_assert_eq!(lengths.before(time), before.sum::<Ns>());
        }
    }
}
