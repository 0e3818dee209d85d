//! Adds up idle time by the innermost range of the host that was open.

use crate::base::ids::{DeviceId, ProcessId, StrId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use crate::capture::classified::innermost::InnermostRanges;
use crate::capture::classified::waiting_ranges::WaitingThreads;
use rustc_hash::FxHashMap;

/// Adds up idle time by range.
#[derive(Debug)]
pub(super) struct RangeTimes<'a> {
    classified: &'a Classified<'a>,
    /// By thread; made at the first question.
    innermost: Vec<Option<InnermostRanges>>,
    /// By process: its first thread with a range open; made at the first question.
    first_open: FxHashMap<ProcessId, WaitingThreads>,
    pub(super) sums: FxHashMap<(usize, DeviceId, StrId), Ns>,
    /// What the innermost range of a thread is.
    innermost_of: Innermost,
    /// Shorter gaps do not count.
    pub(super) least_gap_ns: Ns,
}

/// Which ranges of a thread are asked for.
#[derive(Debug, Clone, Copy)]
enum Innermost {
    All,
    OutermostOperators,
    /// Those whose texts say something.
    Where(fn(&str) -> bool),
}

impl Innermost {
    fn of_thread(self, classified: &Classified<'_>, thread: ThreadId) -> InnermostRanges {
        match self {
            Self::All => InnermostRanges::of_thread(classified, thread),
            Self::OutermostOperators => InnermostRanges::of_outermost_operators(classified, thread),
            Self::Where(says) => InnermostRanges::of_thread_where(classified, thread, says),
        }
    }
}

impl<'a> RangeTimes<'a> {
    pub(super) fn new(classified: &'a Classified<'a>) -> Self {
        let innermost = std::iter::repeat_with(|| None).take(classified.threads()).collect();
        Self {
            classified,
            innermost,
            first_open: FxHashMap::default(),
            sums: FxHashMap::default(),
            innermost_of: Innermost::All,
            least_gap_ns: 0,
        }
    }

    /// The same in long gaps alone, and of a trace of torch.profiler operators count for what they call inside: users know those by
    /// name.
    pub(super) fn of_ops_in_long_gaps(classified: &'a Classified<'a>) -> Self {
        let innermost_of = match classified.activity.about.recorder.is_torch_profiler() {
            true => Innermost::OutermostOperators,
            false => Innermost::All,
        };
        let least_gap_ns = classified.settings.thresholds.long_gap_ns;
        Self { innermost_of, least_gap_ns, ..Self::new(classified) }
    }

    /// The same, but ranges whose texts do not say something do not count: time belongs to the one around them.
    pub(super) fn of_ranges_where(classified: &'a Classified<'a>, says: fn(&str) -> bool) -> Self {
        Self { innermost_of: Innermost::Where(says), ..Self::new(classified) }
    }

    /// Takes spans in which a range of a thread is open. The spans come in order of time.
    pub(super) fn add(&mut self, window: usize, device: usize, thread: ThreadId, spans: &[Span]) {
        let classified = self.classified;
        let Some(innermost) = self.innermost.get_mut(thread.index()) else { return };
        let innermost = innermost.get_or_insert_with(|| self.innermost_of.of_thread(classified, thread));
        let labels = &classified.activity.ranges.by_thread[thread.index()].text;
        for &span in spans {
            innermost.each_in(span, |piece, row| {
                let text = row.map_or(StrId::NONE, |row| {
                    classified.activity.ranges.texts[labels[row as usize].index()].text
                });
                *self.sums.entry((window, DeviceId::new(device), text)).or_default() += piece.length();
            });
        }
    }

    /// Takes a span in which a range of any thread of a process is open: that of the first one counts.
    pub(super) fn add_of_any(
        &mut self,
        window: usize,
        device: usize,
        (process, threads): (ProcessId, &[ThreadId]),
        span: Span,
    ) {
        let new = || WaitingThreads::with_ranges(self.classified, threads);
        let first = self.first_open.entry(process).or_insert_with(new).find(span.start);
        if let Some(thread) = first {
            self.add(window, device, thread, &[span]);
        }
    }
}
