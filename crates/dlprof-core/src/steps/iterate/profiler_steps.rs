//! Steps of torch.profiler as iterations: its schedule calls them `ProfilerStep#N`.
//!
//! ```text
//! annotations   ├ ProfilerStep#3 ─┤  ├ ProfilerStep#4 ─┤  ├ ProfilerStep#5 ─┤
//! GPU              ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
//! iterations    │         1         │         2         │         3              │
//! ```

use super::finder::{Confidence, Delimiter, DelimiterKind, ProcessIterations, Sections};
use super::found::launch_of;
use crate::base::ids::{self, RangeTextId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use crate::capture::names::profiler_step;
use std::cmp::Reverse;

/// Fewer steps than this are no series: where they begin and end is found as for any other range.
const FEWEST: usize = 3;

/// What the steps are called all together.
pub(super) const NAME: &str = "ProfilerStep";

/// The thread that has most steps, and these in order; none in captures without any.
fn steps(capture: &Capture) -> Option<(ThreadId, Vec<(Span, RangeTextId)>)> {
    if !capture.recorder.is_torch_profiler() {
        return None;
    }
    let texts = &capture.ranges.texts;
    let is_step: Vec<bool> = texts
        .iter()
        .map(|says| !says.is_operator && profiler_step(capture.strings.get(says.text)).is_some())
        .collect();
    let steps_of = |thread: ThreadId| {
        let ranges = &capture.ranges.by_thread[thread.index()];
        let rows = ranges.span.iter().copied().zip(ranges.text.iter().copied());
        let mut steps: Vec<(Span, RangeTextId)> = rows.filter(|(_, text)| is_step[text.index()]).collect();
        steps.sort_by_key(|(span, _)| span.start);
        steps
    };
    let threads =
        ids::all::<ThreadId>(capture.ranges.by_thread.len()).map(|thread| (thread, steps_of(thread)));
    threads
        .max_by_key(|(thread, steps)| (steps.len(), Reverse(*thread)))
        .filter(|(_, steps)| !steps.is_empty())
}

/// Whether what was found is a part of steps that are too few for a series: each of several steps holds it more than once.
pub(super) fn are_around(capture: &Capture, found: &Delimiter) -> bool {
    let Some((_, steps)) = steps(capture) else { return false };
    let starts: Vec<Ns> =
        found.by_process.iter().flat_map(|process| &process.iterations).map(|span| span.start).collect();
    let held = |(step, _): &(Span, RangeTextId)| {
        starts.iter().filter(|&&start| step.start <= start && start < step.end).count()
    };
    steps.len() > 1 && steps.iter().all(|step| held(step) > 1)
}

/// The steps of the thread that has most of them; none in other captures, or if there are too few.
pub(super) fn delimiter(capture: &Capture) -> Option<Delimiter> {
    let (thread, steps) = steps(capture).filter(|(_, steps)| steps.len() >= FEWEST)?;
    let starts = steps.iter().map(|(span, _)| span.start);
    let ends = starts.clone().skip(1).chain([end_of_last(capture, steps.last()?.0)]);
    Some(Delimiter {
        name: NAME.into(),
        kind: DelimiterKind::Range,
        confidence: Confidence::High,
        by_process: vec![ProcessIterations {
            process: capture.process_of(thread),
            thread,
            iterations: starts.zip(ends).map(|(start, end)| Span::new(start, end)).collect(),
        }],
        labels: steps.iter().map(|(_, text)| *text).collect(),
        sections: Sections::default(),
        inner_rhythm: None,
        elsewhere: Vec::new(),
    })
}

/// The end of the last step, or of the last work that was launched since it began.
fn end_of_last(capture: &Capture, step: Span) -> Ns {
    let launched = capture.work_ids().filter_map(|work| launch_of(capture, work));
    let since = launched.filter(|(call, _)| call.start >= step.start);
    since.map(|(_, work)| work.end).max().unwrap_or(step.end).max(step.end)
}
