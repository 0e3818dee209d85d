//! When GPUs idle for a thread, and neither a call nor a range says what it does.

use super::gaps::{Gap, GapFinder};
use super::gpu_in_window::GpuTime;
use super::host_spans::HostSpans;
use super::idle_attribution::{IdleAttribution, WindowRows};
use super::waiting::WaitingTimes;
use crate::base::ids::StrId;
use crate::base::time::Span;
use crate::capture::classified::classified::Classified;
use rustc_hash::FxHashMap;

/// By thread that ends gaps: the idle time of the cause [`Unknown`](crate::capture::classified::Cause::Unknown) in windows, which
/// are in order of time and do not overlap. Nothing is said of threads without a process.
#[must_use]
pub(crate) fn unexplained_times(classified: &Classified<'_>, windows: &[Span]) -> WaitingTimes {
    let host = HostSpans::new(classified);
    let mut rows = vec![GpuTime::default(); windows.len()];
    let mut idle = IdleAttribution::new(&host, windows);
    idle.unexplained = Some(vec![Vec::new(); classified.threads()]);
    let mut finder = GapFinder::new(classified);
    let mut add = |gap: &Gap| idle.add(gap, WindowRows { first: 0, rows: &mut rows });
    classified.items_in_order().for_each(|item| finder.add(item).iter().for_each(&mut add));
    finder.rest().iter().for_each(add);
    WaitingTimes::new(idle.unexplained.take().unwrap_or_default())
}

/// A function of the operating system's libraries, and how often it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OsCallCount {
    /// The function.
    pub function: StrId,
    /// Number of calls.
    pub calls: u64,
}

/// The calls of the operating system that threads make themselves right before, in or right behind some times, by function.
///
/// ```text
/// OS calls   ├open┤   ├read┤   ├read┤         ├open┤
/// times           ├───┤    ├───┤    ├───┤              three calls
/// ```
#[must_use]
pub(crate) fn os_calls_beside(classified: &Classified<'_>, times: &WaitingTimes) -> Vec<OsCallCount> {
    let Some(calls) = &classified.activity().os_calls else { return Vec::new() };
    let mut counts: FxHashMap<StrId, u64> = FxHashMap::default();
    for (row, (&span, &thread)) in calls.span.iter().zip(calls.thread).enumerate() {
        if calls.nesting.get(row).is_some_and(|&nesting| nesting > 0) {
            continue;
        }
        let times = times.of(thread);
        let next = times.partition_point(|time| time.end < span.start);
        if times.get(next).is_some_and(|time| time.start <= span.end) {
            *counts.entry(calls.name[row]).or_default() += 1;
        }
    }
    let mut counts: Vec<OsCallCount> =
        counts.into_iter().map(|(function, calls)| OsCallCount { function, calls }).collect();
    let strings = classified.activity().strings;
    counts.sort_by_key(|count| (std::cmp::Reverse(count.calls), strings.get(count.function)));
    counts
}
