//! Steps of PyTorch's optimizer as iterations, where a trace has no `ProfilerStep#N`.
//!
//! PyTorch itself records `Optimizer.step#SGD.step` around each update of the parameters. Where the rhythm of the kernels repeats as
//! often, this range says where a step is in words that a user knows, and ends where the program does, not inside a period.

use super::finder::{Delimiter, DelimiterKind, IterationCandidate, Wanted};
use super::found;
use crate::capture::Capture;

/// How PyTorch calls the update.
const PREFIX: &str = "Optimizer.step#";

/// The updates of the only optimizer, where a rhythm of kernels was found that repeats as often, give or take one.
pub(super) fn delimiter(
    capture: &Capture,
    rhythm: &Delimiter,
    candidates: &[IterationCandidate],
) -> Option<Delimiter> {
    capture.kineto.as_ref()?;
    let DelimiterKind::Period { .. } = rhythm.kind else { return None };
    let is_update = |of: &&IterationCandidate| of.kind == DelimiterKind::Range && of.name.starts_with(PREFIX);
    let mut updates = candidates.iter().filter(is_update);
    let (update, others) = (updates.next()?, updates.next());
    let periods = rhythm.by_process.iter().map(|process| process.iterations.len()).max()?;
    if others.is_some() || update.executions.abs_diff(periods) > 1 {
        return None;
    }
    let found = found::find(capture, Some(Wanted::Range(&update.name))).delimiter?;
    Some(Delimiter { confidence: rhythm.confidence, ..found })
}
