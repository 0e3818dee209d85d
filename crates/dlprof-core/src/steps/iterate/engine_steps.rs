//! Steps of inference servers as iterations: from the mark of each to the next mark on its thread.
//!
//! A mark inside another is the same step. The texts differ from step to step, so that no range repeats: they are labels.

use super::finder::Delimiter;
use super::profiler_steps::{self, StepsOfThread};
use crate::base::ids::ThreadId;
use crate::capture::Capture;
use crate::capture::names::{Phase, StepMark};

/// What the steps are called all together.
pub(crate) const NAME: &str = "engine step";

/// The steps of the thread that has most of them, and those of other processes; none where there are too few.
pub(super) fn delimiter(capture: &Capture) -> Option<Delimiter> {
    let texts = capture.ranges.texts.iter();
    let marks: Vec<Option<StepMark>> =
        texts.map(|says| StepMark::parse(capture.strings.get(says.text))).collect();
    if marks.iter().flatten().all(|mark| mark.phase == Phase::None) {
        return None;
    }
    let is_step: Vec<bool> = marks.iter().map(Option::is_some).collect();
    let outermost = |(thread, mut steps): StepsOfThread| {
        let mut end = None;
        steps.retain(|(span, _)| {
            let is_inside = end.is_some_and(|end| span.end <= end);
            if !is_inside {
                end = Some(span.end);
            }
            !is_inside
        });
        (thread, steps)
    };
    let by_process = profiler_steps::most_by_process(capture, |thread: ThreadId| {
        outermost(profiler_steps::steps_of(capture, thread, &is_step))
    });
    profiler_steps::series(capture, NAME, by_process)
}
