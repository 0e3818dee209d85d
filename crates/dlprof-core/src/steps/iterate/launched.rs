//! What the API calls of each iteration launched: how much, and when it ran.
//!
//! ```text
//! calls        │a b c      │d e f      │g h        iteration of an item: the one in which its call starts
//! GPU            ▒a▒▒b▒▒▒▒c▒▒▒▒▒▒d▒▒▒e▒▒▒f▒▒▒g▒▒h▒
//! GPU clock      │               │           │     boundary: the earliest start of an item of this or a later iteration
//! ```

use super::found::launch_of;
use crate::base::ids::{self, ApiCallId, ThreadId};
use crate::base::ordered::Cursor;
use crate::base::time::Ns;
use crate::capture::Capture;
use crate::capture::names::{ApiClass, ByName};
use crate::columns::table;

table! {
    /// What the API calls that start in an iteration launched, a row per iteration.
    "launched" Launched built by LaunchedBuilder, by () {
        /// Plain sum of the durations of the items.
        gpu: Ns, "ns";
        /// The earliest start of an item; the latest time there is without items.
        first_start: Ns, "ns";
        /// The latest end of an item; the earliest time there is without items.
        last_end: Ns, "ns";
        /// The latest end of their calls; the earliest time there is without items.
        last_call_end: Ns, "ns";
        /// Calls that start kernels or graphs.
        launches: u64, "";
        /// GPU work that belongs to it.
        work: u64, "";
    }
}

/// The API calls that start kernels or graphs: the thread of each, and when it starts.
pub(super) fn launch_calls(capture: &Capture) -> impl Iterator<Item = (ThreadId, Ns)> + '_ {
    let (calls, repeated) = (&capture.api_calls, &capture.repeated_calls);
    let is_launch = ByName::new(&capture.strings, |name| ApiClass::of(name) == ApiClass::Launch);
    let rows = ids::all::<ApiCallId>(calls.len())
        .filter(move |&call| is_launch.get(calls.name[call]) && repeated.counts(call));
    rows.filter_map(move |row| Some((calls.thread[row].some()?, calls.span[row].start)))
}

impl Launched {
    /// Sums up what was launched between boundaries; calls before the first count to the first iteration. The work of op calls is
    /// counted later ([`Self::count_work`]).
    pub(super) fn new(capture: &Capture, inner_boundaries: &[Ns]) -> Self {
        let rows = inner_boundaries.len() + 1;
        let mut gpu = capture.memory.filled(rows, 0);
        let mut first_start = capture.memory.filled(rows, Ns::MAX);
        let mut last_end = capture.memory.filled(rows, Ns::MIN);
        let mut last_call_end = capture.memory.filled(rows, Ns::MIN);
        let mut iteration = Cursor::new(inner_boundaries);
        for work in capture.work_ids() {
            let Some((call, item)) = launch_of(capture, work) else { continue };
            let at = iteration.at_or_before(call.start);
            gpu[at] += item.length();
            first_start[at] = item.start.min(first_start[at]);
            last_end[at] = item.end.max(last_end[at]);
            last_call_end[at] = call.end.max(last_call_end[at]);
        }
        let mut launches = capture.memory.filled(rows, 0);
        for (_, start) in launch_calls(capture) {
            launches[iteration.at_or_before(start)] += 1;
        }
        Self {
            gpu: gpu.into_column(),
            first_start: first_start.into_column(),
            last_end: last_end.into_column(),
            last_call_end: last_call_end.into_column(),
            launches: launches.into_column(),
            work: capture.memory.filled(rows, 0).into_column(),
        }
    }

    /// Counts the work of op calls; `iteration_of` has the iteration of each of them.
    pub(super) fn count_work(&mut self, capture: &Capture, iteration_of: &[u32]) {
        let mut work = capture.memory.filled(self.launches.len(), 0);
        for (call, &at) in iteration_of.iter().enumerate() {
            work[at as usize] += capture.work_by_call.get(call).len() as u64;
        }
        self.work = work.into_column();
    }

    /// Moves pieces of work from the iteration of their op call to the one in which they were launched.
    #[must_use]
    pub(crate) fn with_moved_work(self, moves: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut work = self.work.to_vec();
        for (from, to) in moves {
            work[from as usize] -= 1;
            work[to as usize] += 1;
        }
        Self { work: work.into_iter().collect(), ..self }
    }

    /// Lets the first iteration hold a time in which work runs whose launch was not recorded.
    pub(super) fn begin_with(&mut self, start: Ns, end: Ns) {
        let with = |column: &[Ns], value: fn(Ns, Ns) -> Ns, time: Ns| {
            let mut column = column.to_vec();
            column.iter_mut().take(1).for_each(|first| *first = value(*first, time));
            column.into_iter().collect()
        };
        self.first_start = with(&self.first_start[..], Ns::min, start);
        self.last_end = with(&self.last_end[..], Ns::max, end);
    }

    /// Boundaries of the iterations on the clock of the GPU, one more than iterations; none without items. They ascend. An
    /// iteration ends with its last item where a piece follows that is none (`is_outside`).
    #[must_use]
    pub(crate) fn gpu_boundaries(&self, is_outside: impl Fn(usize) -> bool) -> Option<Vec<Ns>> {
        let ends = self.last_end.iter();
        // The last iteration that launched something ends with it, and so does everything after.
        let end = *ends.rev().find(|&&end| end > Ns::MIN)?;
        let mut boundaries = vec![end; self.first_start.len() + 1];
        for at in (0..self.first_start.len()).rev() {
            boundaries[at] = boundaries[at + 1].min(self.first_start[..][at]);
            let before = at.checked_sub(1).filter(|_| is_outside(at)).map(|before| self.last_end[..][before]);
            if let Some(end) = before.filter(|&end| end > Ns::MIN) {
                boundaries[at] = boundaries[at].min(end);
            }
        }
        Some(boundaries)
    }
}
