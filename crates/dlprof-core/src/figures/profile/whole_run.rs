//! The whole run after start-up, where a window that nobody chose holds the smaller part of it.
//!
//! ```text
//! iterations  │ 0: before │ 1 │ 2 │ 3 │ 4 │ an outlier │ a longer one     │ outside
//! window                  └───────────────┘
//! whole run               └──────────────────────────────────────────────── ▒▒▒▒▒ the last GPU work ends
//! ```

use super::ProfileContents;
use crate::base::ratios::percent;
use crate::base::time::{Ns, Span};
use crate::figures::activity::{GpuTime, StepClasses, Verdict};
use crate::steps::iterate::{FigureRules, IterationState};

/// What the used GPUs do in the whole run, as shares of its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WholeRun {
    /// The first iteration of it.
    pub first: u32,
    /// From the start of that iteration to the end of the last GPU work.
    pub span: Span,
    /// What the window holds of it.
    pub window_percent: f64,
    /// Kernels run.
    pub compute_percent: f64,
    /// Data is exchanged and no kernel computes.
    pub communication_percent: f64,
    /// Copies and memsets run and no kernel.
    pub copy_percent: f64,
    /// Nothing runs.
    pub idle_percent: f64,
    /// The class of time that limits it.
    pub verdict: Verdict,
}

impl ProfileContents {
    /// The run after start-up, up to the end of the last GPU work, if a window holds less than half of it though nobody chose
    /// iterations. Of a capture that lost records not enough is known.
    #[must_use]
    pub fn run_beyond(&self, window: Span) -> Option<WholeRun> {
        let iterations = &self.iterations;
        let choice = &iterations.choice;
        let is_chosen = choice.iter_start.is_some()
            || choice.iter_stop.is_some()
            || choice.rules == FigureRules::Dlprof
            || iterations.stored_range.is_some();
        if is_chosen || iterations.key_node.is_none() || !iterations.lost.is_empty() {
            return None;
        }
        let is_start =
            |state: &&IterationState| matches!(state, IterationState::Before | IterationState::WarmUp);
        let first = u32::try_from(iterations.states.iter().take_while(is_start).count()).ok()?;
        if first >= iterations.total() {
            return None;
        }
        let pieces_end = iterations.windows.span(iterations.total() - 1).end;
        let start = iterations.windows.span(first).start;
        let span = Span::new(start, pieces_end.min(self.index.gpu_span.end).max(start));
        if window.length().saturating_mul(2) >= span.length() {
            return None;
        }
        let times = &self.iteration_figures().gpus.times;
        let mut time = GpuTime::default();
        (first as usize..times.windows()).for_each(|piece| time.merge(&times.of_used(piece)));
        let mut classes = StepClasses::of(&time, times.used_gpus())?;
        // Behind the last work GPUs idle for no reason that matters.
        let behind_ns: Ns = pieces_end - span.end;
        classes.length_ns -= behind_ns;
        classes.other_ns -= behind_ns;
        let gpu_ns = span.length().saturating_mul(Ns::try_from(times.used_gpus()).unwrap_or(1));
        Some(WholeRun {
            first,
            span,
            window_percent: percent(window.length(), span.length()),
            compute_percent: percent(time.compute_ns, gpu_ns),
            communication_percent: percent(time.exposed_communication_ns, gpu_ns),
            copy_percent: percent(time.exposed_copy_ns, gpu_ns),
            idle_percent: percent(gpu_ns - time.busy_ns, gpu_ns),
            verdict: classes.verdict(),
        })
    }
}
