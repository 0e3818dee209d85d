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

/// The steps of the thread that has most of them; none in other captures, or if there are too few.
pub(super) fn delimiter(capture: &Capture) -> Option<Delimiter> {
    capture.kineto.as_ref()?;
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
    let (thread, steps) = threads.max_by_key(|(thread, steps)| (steps.len(), Reverse(*thread)))?;
    if steps.len() < FEWEST {
        return None;
    }
    let starts = steps.iter().map(|(span, _)| span.start);
    let ends = starts.clone().skip(1).chain([end_of_last(capture, steps.last()?.0)]);
    Some(Delimiter {
        name: NAME.into(),
        kind: DelimiterKind::Range,
        confidence: Confidence::High,
        by_process: vec![ProcessIterations {
            process: capture.process_of(thread),
            thread: thread.into(),
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
