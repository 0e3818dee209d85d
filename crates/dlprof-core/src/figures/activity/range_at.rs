//! The innermost range of the program that is open on a thread at a time.

use crate::base::ids::{Maybe, StrId, ThreadId};
use crate::base::time::Ns;
use crate::capture::classified::classified::Classified;
use crate::capture::classified::innermost::InnermostRanges;

/// Answers for the threads and times it was made for.
pub(super) struct RangeAt<'a> {
    classified: &'a Classified<'a>,
    /// By thread.
    innermost: Vec<InnermostRanges>,
}

impl<'a> RangeAt<'a> {
    /// Of the ranges whose texts `keep` accepts.
    pub(super) fn new(
        classified: &'a Classified<'a>,
        keep: fn(&str) -> bool,
        asked: impl Iterator<Item = (Maybe<ThreadId>, Ns)>,
    ) -> Self {
        let mut times = vec![Vec::new(); classified.activity().ranges.by_thread.len()];
        for (thread, time) in asked {
            if let Some(times) = thread.some().and_then(|thread| times.get_mut(thread.index())) {
                times.push(time);
            }
        }
        let of_thread = |(thread, mut times): (usize, Vec<Ns>)| {
            times.sort_unstable();
            InnermostRanges::of_thread_at(classified, ThreadId::new(thread), &times, keep)
        };
        Self { classified, innermost: times.into_iter().enumerate().map(of_thread).collect() }
    }

    /// Its text; none outside all ranges, and of no thread.
    pub(super) fn text(&mut self, thread: Maybe<ThreadId>, time: Ns) -> StrId {
        let Some(thread) = thread.some() else { return StrId::NONE };
        let ranges = &self.classified.activity().ranges;
        let row = self.innermost.get_mut(thread.index()).and_then(|innermost| innermost.find(time));
        row.map_or(StrId::NONE, |row| {
            let label = ranges.by_thread[thread.index()].text[row as usize];
            ranges.texts[label.index()].text
        })
    }
}
