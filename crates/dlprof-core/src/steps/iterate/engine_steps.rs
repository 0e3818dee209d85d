//! Steps of inference servers as iterations: from the mark of each to the next mark on its thread.
//!
//! A mark inside another is the same step. The texts differ from step to step, so that no range repeats: they are labels.

use super::finder::{Delimiter, ProcessIterations};
use super::profiler_steps::{self, StepsOfThread};
use crate::base::ids::{RangeTextId, ThreadId};
use crate::base::time::Span;
use crate::capture::Capture;
use crate::capture::names::{Phase, StepMark};
use crate::capture::training::training_behind;

/// What the steps are called all together.
pub(crate) const NAME: &str = "engine step";

/// Which steps are iterations.
#[derive(Clone, Copy)]
struct Chosen {
    phase: Phase,
    /// None for any number.
    requests: Option<u64>,
}

impl Chosen {
    /// `engine step decode 32` or `engine step mixed`.
    fn parse(name: &str) -> Option<Self> {
        let mut words = name.strip_prefix(NAME)?.split_whitespace();
        let phase = words.next()?;
        let phase = Phase::ALL.into_iter().find(|known| known.as_str() == phase)?;
        let requests = words.next().map(str::parse).transpose().ok()?;
        words.next().is_none().then_some(Self { phase, requests })
    }

    fn has(self, mark: &StepMark) -> bool {
        mark.phase == self.phase && self.requests.is_none_or(|requests| mark.requests() == Some(requests))
    }
}

/// The steps that a user names: all, or those of a phase, or of a phase and so many requests. None if it is another name, or there
/// are too few.
pub(super) fn named(capture: &Capture, wanted: &str) -> Option<Delimiter> {
    if wanted == NAME {
        return delimiter(capture);
    }
    let chosen = Chosen::parse(wanted)?;
    let mut found = delimiter(capture)?;
    let mark =
        |text: RangeTextId| StepMark::parse(capture.strings.get(capture.ranges.texts[text.index()].text));
    // Processes that do not have the same steps are left out.
    found.by_process.retain(|process| process.iterations.len() == found.labels.len());
    let is_chosen: Vec<bool> =
        found.labels.iter().map(|text| mark(*text).is_some_and(|mark| chosen.has(&mark))).collect();
    let kept = |at: usize| is_chosen.get(at).copied().unwrap_or(false);
    for process in &mut found.by_process {
        let steps = std::mem::take(&mut process.iterations).into_iter().enumerate();
        process.iterations = steps.filter(|(at, _)| kept(*at)).map(|(_, step)| step).collect();
    }
    let labels = std::mem::take(&mut found.labels).into_iter().enumerate();
    found.labels = labels.filter(|(at, _)| kept(*at)).map(|(_, text)| text).collect();
    wanted.clone_into(&mut found.name);
    Some(found).filter(|found| !found.labels.is_empty())
}

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
    let mut found = profiler_steps::series(capture, NAME, by_process, profiler_steps::FEWEST)?;
    found.by_process.iter_mut().for_each(|process| end_before_training(capture, process));
    Some(found)
}

/// Lets steps behind which the program trains end before that: what lies between is no step.
fn end_before_training(capture: &Capture, process: &mut ProcessIterations) {
    let Some(thread) = process.thread.some() else { return };
    let begins: Vec<Span> = process.iterations.iter().map(|step| Span::new(step.start, step.start)).collect();
    for (step, begin) in process.iterations.iter_mut().zip(training_behind(capture, thread, &begins)) {
        step.end = begin.map_or(step.end, |begin| begin.clamp(step.start, step.end));
    }
}
