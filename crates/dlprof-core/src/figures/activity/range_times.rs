//! Adds up idle time by the innermost range of the host that was open.

use super::gaps::Gap;
use crate::base::ids::{DeviceId, ProcessId, StrId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use crate::capture::classified::innermost::InnermostRanges;
use crate::capture::classified::order::Row;
use crate::capture::classified::waiting_ranges::WaitingThreads;
use rustc_hash::FxHashMap;

/// Adds up idle time by range: that of all gaps, and that of long ones.
#[derive(Debug)]
pub(super) struct RangeTimes<'a> {
    classified: &'a Classified<'a>,
    innermost: ByThread,
    /// In long gaps, where other ranges count there.
    in_long_gaps: Option<ByThread>,
    /// By process: its first thread with a range open; made at the first question.
    first_open: FxHashMap<ProcessId, WaitingThreads>,
    pub(super) sums: FxHashMap<(usize, DeviceId, StrId), [Ns; 2]>,
}

/// The innermost ranges by thread; each made at the first question.
#[derive(Debug)]
struct ByThread {
    threads: Vec<Option<InnermostRanges>>,
    /// What the innermost range of a thread is.
    innermost_of: Innermost,
}

/// Which ranges of a thread are asked for.
#[derive(Debug, Clone, Copy)]
enum Innermost {
    All,
    OutermostOperators,
    /// Those whose texts say something.
    Where(fn(&str) -> bool),
}

impl ByThread {
    fn new(classified: &Classified<'_>, innermost_of: Innermost) -> Self {
        Self { threads: std::iter::repeat_with(|| None).take(classified.threads()).collect(), innermost_of }
    }

    fn of_thread(&mut self, classified: &Classified<'_>, thread: ThreadId) -> Option<&mut InnermostRanges> {
        let made = || match self.innermost_of {
            Innermost::All => InnermostRanges::of_thread(classified, thread),
            Innermost::OutermostOperators => InnermostRanges::of_outermost_operators(classified, thread),
            Innermost::Where(says) => InnermostRanges::of_thread_where(classified, thread, says),
        };
        Some(self.threads.get_mut(thread.index())?.get_or_insert_with(made))
    }
}

impl<'a> RangeTimes<'a> {
    /// Of a trace of torch.profiler operators count in long gaps for what they call inside: users know those by name.
    pub(super) fn new(classified: &'a Classified<'a>) -> Self {
        let has_operators = classified.activity.about.recorder.is_torch_profiler();
        let operators = || ByThread::new(classified, Innermost::OutermostOperators);
        Self { in_long_gaps: has_operators.then(operators), ..Self::of(classified, Innermost::All) }
    }

    /// The same, but ranges whose texts do not say something do not count: time belongs to the one around them.
    pub(super) fn of_ranges_where(classified: &'a Classified<'a>, says: fn(&str) -> bool) -> Self {
        Self::of(classified, Innermost::Where(says))
    }

    fn of(classified: &'a Classified<'a>, innermost_of: Innermost) -> Self {
        Self {
            classified,
            innermost: ByThread::new(classified, innermost_of),
            in_long_gaps: None,
            first_open: FxHashMap::default(),
            sums: FxHashMap::default(),
        }
    }

    /// Takes spans of a gap of a GPU in a window in which a range of a thread is open. The spans come in order of time.
    pub(super) fn add(&mut self, (window, gap): (usize, &Gap), thread: ThreadId, spans: &[Span]) {
        let classified = self.classified;
        let is_long = gap.span.length() >= classified.settings.thresholds.long_gap_ns;
        let Some(innermost) = self.innermost.of_thread(classified, thread) else { return };
        let ranges = &classified.activity.ranges;
        let labels = &ranges.by_thread[thread.index()].text[..];
        let key = |row: Option<Row>| {
            let text = row.map_or(StrId::NONE, |row| ranges.texts[labels[row as usize].index()].text);
            (window, DeviceId::new(gap.device), text)
        };
        let sums = &mut self.sums;
        let is_alike = is_long && self.in_long_gaps.is_none();
        for &span in spans {
            innermost.each_in(span, |piece, row| {
                let [all, long] = sums.entry(key(row)).or_default();
                *all += piece.length();
                *long += if is_alike { piece.length() } else { 0 };
            });
        }
        let others = self.in_long_gaps.as_mut().filter(|_| is_long);
        let Some(innermost) = others.and_then(|others| others.of_thread(classified, thread)) else { return };
        for &span in spans {
            innermost.each_in(span, |piece, row| sums.entry(key(row)).or_default()[1] += piece.length());
        }
    }

    /// Takes a span in which a range of any thread of a process is open: that of the first one counts.
    pub(super) fn add_of_any(
        &mut self,
        place: (usize, &Gap),
        (process, threads): (ProcessId, &[ThreadId]),
        span: Span,
    ) {
        let new = || WaitingThreads::with_ranges(self.classified, threads);
        let first = self.first_open.entry(process).or_insert_with(new).find(span.start);
        if let Some(thread) = first {
            self.add(place, thread, &[span]);
        }
    }
}
