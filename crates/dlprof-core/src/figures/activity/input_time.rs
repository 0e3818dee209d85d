//! What input cost: time in ranges that load data, and time in calls that read.

use super::gpu_times::Union;
use super::windows::whole_range;
use crate::base::ids::ThreadId;
use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use crate::capture::classified::classified::Classified;
use crate::capture::classified::order::RowOrder;
use crate::capture::names::OsCallKind;
use crate::read::facts::ThreadRangeFacts;

/// Time that the ranges that load data cover on the thread that spends most in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderCost {
    /// The thread.
    pub thread: ThreadId,
    /// By window: the time.
    pub by_window: Vec<Ns>,
}

/// What reading cost; `None` if no range loads data in the windows. The thread is that with most such time from the start of the
/// first window to the end of the last, of equal ones the first.
#[must_use]
pub fn reader_cost(classified: &Classified<'_>, windows: &[Span]) -> Option<ReaderCost> {
    let whole = [whole_range(windows)];
    let mut best: Option<(Ns, usize)> = None;
    for (thread, ranges) in classified.activity().ranges.by_thread.iter().enumerate() {
        let mut total = 0;
        covered(data_loading(classified, ranges), &whole, |_, ns| total += ns);
        if total > best.map_or(0, |(most, _)| most) {
            best = Some((total, thread));
        }
    }
    let (_, thread) = best?;
    let mut by_window = vec![0; windows.len()];
    let ranges = data_loading(classified, &classified.activity().ranges.by_thread[thread]);
    covered(ranges, windows, |window, ns| by_window[window] += ns);
    Some(ReaderCost { thread: ThreadId::new(thread), by_window })
}

/// Ranges of a thread that load data.
fn data_loading(classified: &Classified<'_>, ranges: &ThreadRangeFacts) -> Vec<Span> {
    let rows = ranges.span.iter().zip(&ranges.text);
    let loads = rows.filter(|(_, label)| classified.range_class(**label).opens == Some(Cause::DataLoading));
    loads.map(|(&span, _)| span).collect()
}

/// By window: time that calls which read files or connections cover, on all threads together and inside ops too. `None` if the
/// capture has no table of such calls.
#[must_use]
pub fn os_read_time(classified: &Classified<'_>, windows: &[Span]) -> Option<Vec<Ns>> {
    let calls = classified.activity().host.os_calls.as_ref()?;
    let rows = calls.span.iter().zip(&calls.name);
    let reads = rows.filter(|(_, name)| classified.os_call_kind(**name) == OsCallKind::Read);
    let mut by_window = vec![0; windows.len()];
    covered(reads.map(|(&span, _)| span).collect(), windows, |window, ns| by_window[window] += ns);
    Some(by_window)
}

/// Calls `put` with each window that spans cover and the nanoseconds.
pub(super) fn covered(spans: Vec<Span>, windows: &[Span], mut put: impl FnMut(usize, Ns)) {
    let order = RowOrder::by_key(spans.len(), |row| spans[row].start);
    let mut union = Union::default();
    let mut at = 0;
    while let Some(row) = order.row(at) {
        union.add(spans[row], windows, &mut put);
        at += 1;
    }
}
