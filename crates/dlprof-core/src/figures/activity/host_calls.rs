//! API calls by window and by function. A call counts where it starts, whole, and calls inside calls count by themselves.

use super::windows::WindowFinder;
use crate::base::ids::StrId;
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use crate::capture::names::ApiClass;
use crate::columns::{Buffer, PerText, cells_of_numbers, table};
use bytemuck::{Pod, Zeroable};
use std::ops::RangeInclusive;

/// Some API calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct CallSum {
    /// Number.
    pub calls: u64,
    /// Plain sum of their lengths, over all threads.
    pub time_ns: Ns,
}

impl CallSum {
    /// Adds a call.
    pub(crate) fn add(&mut self, call: Span) {
        self.calls += 1;
        self.time_ns = self.time_ns.saturating_add(call.length());
    }
}

/// API calls that start in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct WindowCalls {
    by_class: [CallSum; ApiClass::ALL.len()],
    /// Number of calls that launch a graph.
    pub graph_launches: u64,
}

cells_of_numbers! {
    WindowCalls: "launch_calls" "launch_time" "sync_calls" "sync_time" "copy_calls" "copy_time"
        "allocation_calls" "allocation_time"
        "setup_calls" "setup_time" "api_calls" "api_time" "graph_launches";
}

table! {
    /// A row per window.
    "window_calls" WindowCallRows built by WindowCallRowsBuilder, by () {
        /// The API calls that start in it.
        calls: WindowCalls, "";
    }
}

impl WindowCalls {
    /// Adds the calls of another window.
    pub fn merge(&mut self, other: &Self) {
        for (sum, other) in self.by_class.iter_mut().zip(&other.by_class) {
            sum.calls += other.calls;
            sum.time_ns = sum.time_ns.saturating_add(other.time_ns);
        }
        self.graph_launches += other.graph_launches;
    }

    /// Those of a class.
    #[must_use]
    pub fn of(&self, class: ApiClass) -> CallSum {
        self.by_class[class.index()]
    }
}

/// The API calls that start in each window. Windows are in order of time and do not overlap.
#[must_use]
pub fn calls_by_window(classified: &Classified<'_>, windows: &[Span]) -> Buffer<WindowCalls> {
    let mut sums = classified.activity().memory.filled(windows.len(), WindowCalls::default());
    let mut finder = WindowFinder::new(windows);
    for (call, span) in classified.activity().counted_calls() {
        let Some(window) = finder.find(span.start) else { continue };
        let function = classified.function(call);
        sums[window].by_class[function.class.index()].add(span);
        sums[window].graph_launches += u64::from(function.is_graph_launch);
    }
    sums
}

/// The calls of an API function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionCalls {
    /// What the function is for.
    pub class: ApiClass,
    /// The function, as the export spells it.
    pub function: StrId,
    /// Its calls.
    pub sum: CallSum,
}

/// The classes of calls that the table of host calls lists: those that a step should rarely make.
pub const LISTED_CLASSES: [ApiClass; 3] = [ApiClass::Sync, ApiClass::Allocation, ApiClass::Setup];

/// The calls of some classes that start in a range, by class, then by name of the function.
#[must_use]
pub fn calls_by_function(
    classified: &Classified<'_>,
    range: Span,
    classes: &[ApiClass],
) -> Vec<FunctionCalls> {
    let activity = classified.activity();
    let mut sums = PerText::new(activity.strings.len(), CallSum::default());
    for (call, span) in activity.counted_calls() {
        let name = activity.api_calls.name[call];
        if range.start <= span.start && span.start < range.end {
            sums[name].add(span);
        }
    }
    let called = sums.of_texts().filter(|(_, sum)| sum.calls > 0);
    let row = |(function, &sum): (StrId, &CallSum)| FunctionCalls {
        class: ApiClass::of(activity.strings.get(function)),
        function,
        sum,
    };
    let mut rows: Vec<FunctionCalls> = called.map(row).filter(|row| classes.contains(&row.class)).collect();
    rows.sort_by_key(|row| (row.class, activity.strings.get(row.function)));
    rows
}

/// The median duration of the calls of a class that start in a range, and the nearest time of some if it is none of them; `None`
/// without any calls.
#[must_use]
pub(crate) fn median_call_within(
    classified: &Classified<'_>,
    range: Span,
    class: ApiClass,
    times: RangeInclusive<Ns>,
) -> Option<Ns> {
    let (least, most) = (*times.start(), *times.end());
    let place = |ns: Ns| usize::try_from(ns.clamp(least, most) - least).unwrap_or(0);
    let mut counts = vec![0_usize; place(most) + 1];
    for (call, span) in classified.activity().counted_calls() {
        let is_inside = range.start <= span.start && span.start < range.end;
        if is_inside && classified.function(call).class == class {
            counts[place(span.length())] += 1;
        }
    }
    let middle = counts.iter().sum::<usize>() / 2;
    let mut before = 0;
    let mut known = times.zip(counts);
    known
        .find(|(_, count)| {
            before += count;
            before > middle
        })
        .map(|(ns, _)| ns)
}

/// The launch calls of a thread over the whole capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThreadLaunches {
    /// The calls.
    pub sum: CallSum,
    /// Start of the first one.
    pub first_launch_ns: Ns,
    /// Start of the last one.
    pub last_launch_ns: Ns,
}

impl ThreadLaunches {
    /// Launches per second from the first to the last; `None` if both start at the same time.
    #[must_use]
    pub(crate) fn per_second(&self) -> Option<f64> {
        super::per_second(self.sum.calls.saturating_sub(1), self.last_launch_ns - self.first_launch_ns)
    }
}

/// By thread: its launch calls.
#[must_use]
pub fn launches_by_thread(classified: &Classified<'_>) -> Vec<ThreadLaunches> {
    let calls = &classified.activity().api_calls;
    let mut threads = vec![ThreadLaunches::default(); classified.threads()];
    for (call, span) in classified.activity().counted_calls() {
        let Some(thread) = calls.thread[call].some() else { continue };
        let row = &mut threads[thread.index()];
        if classified.function(call).class != ApiClass::Launch {
            continue;
        }
        let is_first = row.sum.calls == 0;
        row.first_launch_ns = if is_first { span.start } else { row.first_launch_ns.min(span.start) };
        row.last_launch_ns = if is_first { span.start } else { row.last_launch_ns.max(span.start) };
        row.sum.add(span);
    }
    threads
}
