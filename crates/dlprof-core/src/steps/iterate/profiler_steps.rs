//! Steps of torch.profiler as iterations: its schedule calls them `ProfilerStep#N`.
//!
//! ```text
//! annotations   ├ ProfilerStep#3 ─┤  ├ ProfilerStep#4 ─┤  ├ ProfilerStep#5 ─┤
//! GPU              ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
//! iterations    │         1         │         2         │         3              │
//! ```

use super::finder::{Confidence, Delimiter, DelimiterKind, ProcessIterations, Sections};
use super::found::launch_of;
use crate::base::ids::{self, ProcessId, RangeTextId, ThreadId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use crate::capture::names::profiler_step;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Fewer steps than this are no series: where they begin and end is found as for any other range.
pub(super) const FEWEST: usize = 3;

/// What the steps are called all together.
pub(super) const NAME: &str = "ProfilerStep";

/// A thread with its steps.
pub(super) type StepsOfThread = (ThreadId, Vec<(Span, RangeTextId)>);

/// By process: the thread that has most steps, and these in order; nothing in captures of others than torch.profiler.
fn steps(capture: &Capture) -> BTreeMap<ProcessId, StepsOfThread> {
    if !capture.recorder.is_torch_profiler() {
        return BTreeMap::new();
    }
    let texts = &capture.ranges.texts;
    let is_step: Vec<bool> = texts
        .iter()
        .map(|says| !says.is_operator && profiler_step(capture.strings.get(says.text)).is_some())
        .collect();
    most_by_process(capture, |thread| steps_of(capture, thread, &is_step))
}

/// The ranges of a thread whose texts are steps, an outer one before those inside it.
pub(super) fn steps_of(capture: &Capture, thread: ThreadId, is_step: &[bool]) -> StepsOfThread {
    let ranges = &capture.ranges.by_thread[thread.index()];
    let rows = ranges.span.iter().copied().zip(ranges.text.iter().copied());
    let mut steps: Vec<(Span, RangeTextId)> = rows.filter(|(_, text)| is_step[text.index()]).collect();
    steps.sort_by_key(|(span, _)| (span.start, Reverse(span.end)));
    (thread, steps)
}

/// By process: the thread that has most steps, the first of equals.
pub(super) fn most_by_process(
    capture: &Capture,
    steps_of: impl Fn(ThreadId) -> StepsOfThread,
) -> BTreeMap<ProcessId, StepsOfThread> {
    let mut by_process: BTreeMap<ProcessId, StepsOfThread> = BTreeMap::new();
    for thread in ids::all::<ThreadId>(capture.ranges.by_thread.len()) {
        let (_, steps) = steps_of(thread);
        let most = by_process.entry(capture.process_of(thread)).or_insert_with(|| (thread, Vec::new()));
        if steps.len() > most.1.len() {
            *most = (thread, steps);
        }
    }
    by_process
}

/// Whether what was found is a part of steps that are too few for a series: each of several steps holds it more than once.
pub(super) fn are_around(capture: &Capture, found: &Delimiter) -> bool {
    let by_process = steps(capture);
    let Some((_, steps)) = by_process.values().max_by_key(|(_, steps)| steps.len()) else { return false };
    let starts: Vec<Ns> =
        found.by_process.iter().flat_map(|process| &process.iterations).map(|span| span.start).collect();
    let held = |(step, _): &(Span, RangeTextId)| {
        starts.iter().filter(|&&start| step.start <= start && start < step.end).count()
    };
    steps.len() > 1 && steps.iter().all(|step| held(step) > 1)
}

/// The steps of the thread that has most of them, and those of other processes, as in a trace that was merged of several ranks; none
/// in other captures, or if there are too few.
pub(super) fn delimiter(capture: &Capture) -> Option<Delimiter> {
    series(capture, NAME, steps(capture), FEWEST)
}

/// The same, however few steps there are.
pub(super) fn few(capture: &Capture) -> Option<Delimiter> {
    series(capture, NAME, steps(capture), 1)
}

/// The iterations of steps by process, under a name; of processes with too few none.
pub(super) fn series(
    capture: &Capture,
    name: &str,
    mut by_process: BTreeMap<ProcessId, StepsOfThread>,
    fewest: usize,
) -> Option<Delimiter> {
    // Of equals the first, and all others after the one that has most.
    let main =
        by_process.iter().rev().max_by_key(|(_, (_, steps))| steps.len()).map(|(&process, _)| process)?;
    let (thread, steps) = by_process.remove(&main).filter(|(_, steps)| steps.len() >= fewest)?;
    let others = by_process.into_iter().filter(|(_, (_, steps))| steps.len() >= fewest);
    let others = others.map(|(process, (thread, steps))| iterations_of(capture, process, thread, &steps));
    Some(Delimiter {
        name: name.into(),
        kind: DelimiterKind::Range,
        confidence: Confidence::High,
        by_process: [iterations_of(capture, main, thread, &steps)].into_iter().chain(others).collect(),
        labels: steps.iter().map(|(_, text)| *text).collect(),
        sections: Sections::default(),
        inner_rhythm: None,
        elsewhere: Vec::new(),
    })
}

/// The steps of a process: each up to the next, the last one up to the end of its work.
fn iterations_of(
    capture: &Capture,
    process: ProcessId,
    thread: ThreadId,
    steps: &[(Span, RangeTextId)],
) -> ProcessIterations {
    let starts = steps.iter().map(|(span, _)| span.start);
    let end = steps.last().map(|(last, _)| end_of_last(capture, process, *last));
    let ends = starts.clone().skip(1).chain(end);
    let iterations = starts.zip(ends).map(|(start, end)| Span::new(start, end)).collect();
    ProcessIterations { process, thread: thread.into(), iterations }
}

/// The end of the last step of a process, or of the last work that it launched since the step began.
fn end_of_last(capture: &Capture, process: ProcessId, step: Span) -> Ns {
    let own = |work: &WorkId| capture.work.process[*work].some().is_none_or(|of_work| of_work == process);
    let launched = capture.work_ids().filter(own).filter_map(|work| launch_of(capture, work));
    let since = launched.filter(|(call, _)| call.start >= step.start);
    since.map(|(_, work)| work.end).max().unwrap_or(step.end).max(step.end)
}
