//! What the host does up to each launch.
//!
//! ```text
//! calls of thread 1   ├launch┤   ├event┤  ├wait──┤    ├launch┤
//! calls of thread 2                                                 ├launch┤
//! time before                    ├────────┤      ├───────────┤├────────────┤     without the wait
//! ```
//!
//! Threads of a process mostly take turns, as forward and backward pass do: while one launches, the others wait for it.

use crate::base::groups::Grouped;
use crate::base::ids::{ApiCallId, Maybe, ProcessId, ThreadId};
use crate::base::time::{Ns, Span, total};
use crate::capture::classified::Classified;
use crate::capture::names::ApiClass;
use rustc_hash::FxHashMap;

/// By API call that launches and starts in a time: how long its process takes from the end of the launch, copy or memset call
/// before it, on whatever thread, or from the start of that time, to its own end, without waits of its thread. The first call of
/// a process takes its own time. A call inside another launch call has the time of that one.
#[must_use]
pub(crate) fn host_before_launches(classified: &Classified<'_>, inside: Span) -> FxHashMap<ApiCallId, Ns> {
    let mut before = FxHashMap::default();
    let calls = &classified.activity().api_calls;
    let ends_by_process = ends_by_process(classified, inside);
    for thread in (0..classified.threads()).map(ThreadId::new) {
        let rows = classified.calls_by_thread().get(thread.index());
        let from = rows.partition_point(|&row| calls.span[row as usize].start < inside.start);
        let ends =
            classified.process(thread.into()).map_or(&[][..], |process| ends_by_process.get(process.index()));
        // The end of the last call of the thread that gave work to a GPU, its own time, and the waits since then.
        let (mut last, mut last_ns, mut waits) = ((from > 0).then_some(inside.start), 0, Vec::new());
        for &row in &rows[from..] {
            let (call, span) = (ApiCallId::new(row as usize), calls.span[row as usize]);
            if span.start >= inside.end {
                break;
            }
            let class = classified.function(call).class;
            match class {
                ApiClass::Launch | ApiClass::Copy => {
                    let is_nested = last.is_some_and(|end| span.end <= end);
                    if !is_nested {
                        let of_process = ends.partition_point(|&end| end <= span.start).checked_sub(1);
                        let since = last.max(of_process.map(|at| ends[at])).unwrap_or(span.start);
                        let open = Span::new(since.min(span.start), span.end);
                        let waits_ns = total(waits.drain(..).map(|wait: Span| wait.clip(open).length()));
                        last_ns = (open.length() - waits_ns).max(0);
                        last = Some(span.end);
                    }
                    if class == ApiClass::Launch {
                        before.insert(call, last_ns);
                    }
                }
                ApiClass::Sync => waits.push(span),
                _ => {}
            }
        }
    }
    before
}

/// By process: the ends of the calls that start in a time and give work to a GPU, in order.
fn ends_by_process(classified: &Classified<'_>, inside: Span) -> Grouped<Ns> {
    let activity = classified.activity();
    let calls = &activity.api_calls;
    let gives_work = |call: &usize| {
        (inside.start..inside.end).contains(&calls.span[*call].start)
            && matches!(classified.function(ApiCallId::new(*call)).class, ApiClass::Launch | ApiClass::Copy)
    };
    let mut ends: Vec<(Ns, Maybe<ThreadId>)> = (0..calls.span.len())
        .filter(gives_work)
        .map(|call| (calls.span[call].end, calls.thread[call]))
        .collect();
    ends.sort_unstable();
    let process_of = |(_, thread): (Ns, Maybe<ThreadId>)| classified.process(thread).map(ProcessId::index);
    Grouped::new(activity.memory, activity.processes.len(), ends.iter().copied(), process_of)
        .map(activity.memory, |(end, _)| end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ActivitySettings;
    use crate::capture::classified::Activity;
    use crate::tests::drawn::Drawn;

    #[test]
    fn a_launch_has_the_time_from_the_one_before_without_waits() {
        let mut drawn = Drawn::new();
        drawn.launch(100..110, "first", 120..130).launch(150..160, "second", 170..180);
        drawn.api_call("cudaStreamSynchronize", 170..270, 7);
        drawn.launch(300..310, "third", 320..330).launch(900..910, "outside", 920..930);
        let capture = drawn.capture();
        let settings = ActivitySettings::default();
        let classified = Classified::new(Activity::of(&capture), &settings);
        let before = host_before_launches(&classified, Span::new(0, 800));
        let mut times: Vec<Ns> = before.into_values().collect();
        times.sort_unstable();
        assert_eq!(times, [10, 50, 50], "its own time; 110 to 160; 160 to 310 without 100 of waiting");
        let before = host_before_launches(&classified, Span::new(140, 800));
        let mut times: Vec<Ns> = before.into_values().collect();
        times.sort_unstable();
        assert_eq!(times, [20, 50], "from the start of the time on");
    }

    /// The backward pass of a program on a thread of its own, between two forward passes.
    #[test]
    fn what_other_threads_launch_meanwhile_is_not_time_of_the_next_launch() {
        let mut drawn = Drawn::new();
        drawn.launch(100..110, "forward", 120..130);
        drawn.thread();
        drawn.launch(130..140, "backward", 150..160).launch(860..900, "backward", 910..920);
        drawn.on(ThreadId::new(0)).launch(920..930, "forward", 940..950);
        let capture = drawn.capture();
        let settings = ActivitySettings::default();
        let classified = Classified::new(Activity::of(&capture), &settings);
        let before = host_before_launches(&classified, Span::new(0, 1000));
        let mut times: Vec<(Ns, Ns)> =
            before.into_iter().map(|(call, ns)| (capture.api_calls.span[call].start, ns)).collect();
        times.sort_unstable();
        assert_eq!(times, [(100, 10), (130, 30), (860, 760), (920, 30)]);
    }
}
