//! When GPUs idle for a thread, and neither a call nor a range says what it does.

use super::gaps::{Gap, GapFinder};
use super::host_spans::HostSpans;
use super::idle_attribution::IdleAttribution;
use super::idle_host::{IdleHost, idle_host};
use super::waiting::WaitingTimes;
use crate::base::ids::{Maybe, StrId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use crate::read::facts::{HostFacts, OverheadKind};
use rustc_hash::FxHashMap;

/// By thread that ends gaps: the idle time of the cause [`Unknown`](crate::capture::classified::Cause::Unknown) in windows, which
/// are in order of time and do not overlap. Nothing is said of threads without a process.
#[must_use]
pub(crate) fn unexplained_times(classified: &Classified<'_>, windows: &[Span]) -> WaitingTimes {
    let host = HostSpans::new(classified);
    let mut idle = IdleAttribution::new(&host, windows);
    idle.unexplained = Some(vec![Vec::new(); classified.threads()]);
    let mut finder = GapFinder::new(classified);
    let mut add = |gap: &Gap| idle.note(gap);
    classified.items_in_order().for_each(|item| finder.add(item).iter().for_each(&mut add));
    finder.rest().iter().for_each(add);
    WaitingTimes::new(idle.unexplained.take().unwrap_or_default())
}

/// What threads do while GPUs idle for them and neither a call nor a range says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnexplainedHost {
    /// The same as of all time in which GPUs wait for the host, of this time alone.
    pub host: IdleHost,
    /// Calls of the operating system around it, most calls first.
    pub os_calls: Vec<OsCallSum>,
    /// How often code is loaded around it.
    pub loads: u64,
}

impl UnexplainedHost {
    /// What was recorded of some times, those of the cause [`Unknown`](crate::capture::classified::Cause::Unknown).
    #[must_use]
    pub(crate) fn of(classified: &Classified<'_>, times: &WaitingTimes, host: &HostFacts) -> Self {
        Self {
            host: idle_host(classified, times, host),
            os_calls: os_calls_beside(classified, times),
            loads: loads_beside(classified, times),
        }
    }
}

/// Calls of a function of the operating system's libraries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OsCallSum {
    /// The function.
    pub function: StrId,
    /// Number of calls.
    pub calls: u64,
    /// How long they take in all.
    pub time_ns: Ns,
}

/// The calls of the operating system that threads make themselves right before, in or right after some times, by function.
///
/// ```text
/// OS calls   ├open┤   ├read┤   ├read┤         ├open┤
/// times           ├───┤    ├───┤    ├───┤              three calls
/// ```
fn os_calls_beside(classified: &Classified<'_>, times: &WaitingTimes) -> Vec<OsCallSum> {
    let Some(calls) = &classified.activity().host.os_calls else { return Vec::new() };
    let mut sums: FxHashMap<StrId, (u64, Ns)> = FxHashMap::default();
    for (row, (&span, &thread)) in calls.span.iter().zip(&calls.thread).enumerate() {
        if calls.nesting.get(row).is_some_and(|&nesting| nesting > 0) {
            continue;
        }
        if thread.some().is_some_and(|thread| is_beside(times.of(thread), span)) {
            let (calls, time_ns) = sums.entry(calls.name[row]).or_default();
            (*calls, *time_ns) = (*calls + 1, *time_ns + span.length());
        }
    }
    let sums = sums.into_iter();
    let mut sums: Vec<OsCallSum> =
        sums.map(|(function, (calls, time_ns))| OsCallSum { function, calls, time_ns }).collect();
    let strings = classified.activity().strings;
    sums.sort_by_key(|sum| (std::cmp::Reverse(sum.calls), strings.get(sum.function)));
    sums
}

/// How often the profiler recorded right before, in or right after some times that their threads loaded code, as `dlopen` does.
fn loads_beside(classified: &Classified<'_>, times: &WaitingTimes) -> u64 {
    let overheads = &classified.activity().host.overheads;
    let rows = overheads.span.iter().zip(&overheads.thread).zip(&overheads.kind);
    let is_meant = |&((&span, &thread), &kind): &((&Span, &Maybe<ThreadId>), &OverheadKind)| {
        kind == OverheadKind::Setup && thread.some().is_some_and(|thread| is_beside(times.of(thread), span))
    };
    rows.filter(is_meant).count() as u64
}

/// Whether a span touches one of some times, which are in order and disjoint.
fn is_beside(times: &[Span], span: Span) -> bool {
    let next = times.partition_point(|time| time.end < span.start);
    times.get(next).is_some_and(|time| time.start <= span.end)
}
