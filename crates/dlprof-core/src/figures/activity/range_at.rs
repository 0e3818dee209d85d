//! The innermost range of the program that is open on a thread at a time.

use crate::base::ids::{Maybe, StrId, ThreadId};
use crate::base::time::Ns;
use crate::capture::classified::classified::Classified;
use crate::capture::classified::innermost::InnermostRanges;

/// Answers for any thread and time; what it needs of a thread is computed at the first question.
pub(super) struct RangeAt<'a> {
    classified: &'a Classified<'a>,
    /// Which ranges count, by their texts.
    keep: fn(&str) -> bool,
    /// By thread.
    innermost: Vec<Option<InnermostRanges>>,
}

impl<'a> RangeAt<'a> {
    pub(super) fn new(classified: &'a Classified<'a>, keep: fn(&str) -> bool) -> Self {
        Self {
            classified,
            keep,
            innermost: std::iter::repeat_with(|| None).take(classified.threads()).collect(),
        }
    }

    /// Its text; none outside all ranges, and of no thread.
    pub(super) fn text(&mut self, thread: Maybe<ThreadId>, time: Ns) -> StrId {
        let Some(thread) = thread.some() else { return StrId::NONE };
        let ranges = &self.classified.activity().ranges;
        let row = self.innermost.get_mut(thread.index()).and_then(|innermost| {
            innermost
                .get_or_insert_with(|| InnermostRanges::of_thread_where(self.classified, thread, self.keep))
                .find(time)
        });
        row.map_or(StrId::NONE, |row| {
            let label = ranges.by_thread[thread.index()].text[row as usize];
            ranges.texts[label.index()].text
        })
    }
}
