//! What the server did over time, for a picture: pieces of equal length, and how much of each steps of a phase take.

use super::{EngineLane, EngineStep, IdlePart};
use crate::base::time::{Ns, Span};
use crate::capture::names::Phase;

/// What the pieces divide into: the phases in their order, and time in which nobody waited for a token.
pub const STRIP_PARTS: [&str; Phase::ALL.len() + 1] =
    ["prefill", "decode", "mixed", "step without requests", "nothing to serve"];

/// The steps of a lane over time. A step lasts from the tokens of the one before to its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepStrip {
    /// From the first step to the last.
    pub span: Span,
    /// Length of a piece; the last one may be shorter.
    pub piece_ns: Ns,
    /// By piece: time of each of [`STRIP_PARTS`].
    pub pieces: Vec<[Ns; STRIP_PARTS.len()]>,
}

impl EngineLane {
    /// Its steps over time, in at most this many pieces; `None` without steps that gave something.
    #[must_use]
    pub fn strip(&self, most: u32) -> Option<StepStrip> {
        let times: Vec<(Span, usize)> = self.steps.iter().flat_map(times_of).collect();
        let start = times.iter().map(|(time, _)| time.start).min()?;
        let end = times.iter().map(|(time, _)| time.end).max().filter(|&end| end > start)?;
        let span = Span::new(start, end);
        let most = Ns::from(most.max(1));
        let piece_ns = (span.length() + most - 1) / most;
        let count = usize::try_from((span.length() + piece_ns - 1) / piece_ns).unwrap_or(1);
        let mut pieces = vec![[0; STRIP_PARTS.len()]; count];
        for (time, part) in times {
            let first = usize::try_from((time.start - start) / piece_ns).unwrap_or(0);
            for (at, piece) in pieces.iter_mut().enumerate().skip(first) {
                let begin = start + piece_ns * Ns::try_from(at).unwrap_or(0);
                if begin >= time.end {
                    break;
                }
                piece[part] += time.clip(Span::new(begin, begin + piece_ns)).length();
            }
        }
        Some(StepStrip { span, piece_ns, pieces })
    }
}

/// The time of a step, with what it is: first the wait for requests, if there was one, then its phase.
fn times_of(step: &EngineStep) -> Vec<(Span, usize)> {
    let phase = Phase::ALL.iter().position(|&phase| phase == step.mark.phase).unwrap_or(0);
    let Some(work) = step.work else { return Vec::new() };
    let Some(period) = step.period else { return vec![(Span::new(work.first, work.out), phase)] };
    let start = work.out - period.length;
    let begun = start + period.of(IdlePart::NoRequest);
    let times = [(Span::new(start, begun), Phase::ALL.len()), (Span::new(begun, work.out), phase)];
    times.into_iter().filter(|(time, _)| !time.is_empty()).collect()
}
