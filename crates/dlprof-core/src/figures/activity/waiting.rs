//! When GPUs waited for a thread: they idled, and the call that ended the gap had not returned.
//!
//! ```text
//! gap                  s├──────────────────────────┤e
//! call of thread T                    a├──────┤b
//! waiting for T        s├─────────────────────┤b
//! ```

use super::gaps::{Gap, each_gap, is_small_part};
use super::windows::whole_range;
use crate::base::ids::ThreadId;
use crate::base::intervals::union;
use crate::base::ordered::partition_near;
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;

/// By thread: the union of the times in which a GPU waited for it inside windows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingTimes {
    threads: Vec<Vec<Span>>,
}

impl WaitingTimes {
    /// By thread: times that may overlap.
    pub(super) fn new(threads: Vec<Vec<Span>>) -> Self {
        Self { threads: threads.into_iter().map(union).collect() }
    }

    /// When GPUs waited for a thread, in order of time; empty for threads that the capture does not know.
    #[must_use]
    pub fn of(&self, thread: ThreadId) -> &[Span] {
        self.threads.get(thread.index()).map_or(&[], Vec::as_slice)
    }

    /// Number of threads that the capture knows.
    pub(super) fn known_threads(&self) -> usize {
        self.threads.len()
    }

    /// How long GPUs waited for a thread.
    #[must_use]
    pub fn length(&self, thread: ThreadId) -> Ns {
        self.of(thread).iter().map(|span| span.length()).sum()
    }

    /// The threads that GPUs waited for.
    pub fn threads(&self) -> impl Iterator<Item = ThreadId> + '_ {
        let is_awaited = |(_, spans): &(usize, &Vec<Span>)| !spans.is_empty();
        self.threads.iter().enumerate().filter(is_awaited).map(|(thread, _)| ThreadId::new(thread))
    }
}

/// When GPUs waited for each thread inside windows, which are in order of time and do not overlap.
#[must_use]
pub fn waiting_times(classified: &Classified<'_>, windows: &[Span]) -> WaitingTimes {
    waiting_times_by(classified, windows, is_small_part(classified, whole_range(windows)))
}

/// The same, from all items, or from those of the windows alone.
pub(super) fn waiting_times_by(classified: &Classified<'_>, windows: &[Span], is_part: bool) -> WaitingTimes {
    let mut waits = Waits {
        classified,
        windows,
        next_windows: vec![0; classified.activity().devices.len()],
        threads: vec![Vec::new(); classified.threads()],
    };
    each_gap(classified, whole_range(windows), is_part, |gap| waits.add(gap));
    WaitingTimes::new(waits.threads)
}

struct Waits<'a> {
    classified: &'a Classified<'a>,
    windows: &'a [Span],
    /// By GPU: the first window that ends after the start of the last gap.
    next_windows: Vec<usize>,
    threads: Vec<Vec<Span>>,
}

impl Waits<'_> {
    fn add(&mut self, gap: &Gap) {
        let next = &mut self.next_windows[gap.device];
        *next = partition_near(self.windows, *next, |window| window.end <= gap.span.start);
        let Some(call) = self.classified.call_of(gap.ended_by) else { return };
        let Some(thread) = call.thread.some() else { return };
        let waits = &mut self.threads[thread.index()];
        let waited = Span::new(gap.span.start, gap.span.end.min(call.span.end));
        for window in self.windows[*next..].iter().take_while(|window| window.start < waited.end) {
            let part = waited.clip(*window);
            match waits.last_mut() {
                Some(last) if last.end == part.start => last.end = part.end,
                _ if part.is_empty() => {}
                _ => waits.push(part),
            }
        }
    }
}
