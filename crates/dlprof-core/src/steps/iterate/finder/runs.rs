//! From executions to iterations.
//!
//! ```text
//! measure/step    ├1┤  ├2┤  ├3┤                    ├4┤  ├5┤
//! eval/step                      ├─┤ ├─┤                         ends the run
//! GPU              ▒▒▒  ▒▒▒  ▒▒▒  ▒▒  ▒▒            ▒▒▒  ▒▒▒       ▒ teardown
//! iterations      │─1──│─2──│─3─│                  │─4──│─5─│
//! ```
//!
//! An iteration runs from one execution to the next. It ends earlier only at the end of a run: where an execution of
//! the same name that is not part of the section comes between, and at the last one.

use super::gpu_load::GpuLoad;
use super::paths::Execution;
use crate::base::ratios::median;
use crate::base::time::{Ns, Span};

/// The end of a run.
#[derive(Clone, Copy)]
struct RunEnd {
    /// GPU work counts whose call starts before this.
    reach: Ns,
    /// The next execution of the name, before which the iteration ends.
    next: Ns,
}

/// The runs of a section.
pub(super) struct Runs {
    /// By execution: where the last iteration of a run ends; none inside runs.
    last: Vec<Option<RunEnd>>,
    /// Median interval between executions inside runs.
    pub(super) interval_ns: Ns,
}

impl Runs {
    /// Finds the runs of a section. `of_leaf` are all executions of its name on its thread, in order of start.
    pub(super) fn new(executions: &[Execution], of_leaf: &[Execution]) -> Self {
        let next = next_of_leaf(executions, of_leaf);
        let own_next = |at: usize| executions.get(at + 1).map(|next| next.span.start);
        let ends_run: Vec<bool> = (0..executions.len())
            .map(|at| own_next(at).is_none_or(|own| next[at].is_some_and(|next| next < own)))
            .collect();
        let interval = |at: usize| Some(own_next(at)? - executions[at].span.start);
        let mut inside: Vec<Ns> =
            (0..executions.len()).filter(|&at| !ends_run[at]).filter_map(interval).collect();
        if inside.is_empty() {
            inside = (0..executions.len()).filter_map(interval).collect();
        }
        let interval_ns = median(inside);
        let last = |at: usize| {
            let reach = executions[at].span.start.saturating_add(interval_ns + interval_ns / 2);
            let next = next[at].unwrap_or(Ns::MAX);
            ends_run[at].then_some(RunEnd { reach: reach.min(next), next })
        };
        Self { last: (0..executions.len()).map(last).collect(), interval_ns }
    }

    /// Every time between which GPU work must be known before iterations can be made.
    pub(super) fn marks<'a>(&'a self, executions: &'a [Execution]) -> impl Iterator<Item = Ns> + 'a {
        let starts = executions.iter().map(|execution| execution.span.start);
        starts.chain(self.last.iter().filter_map(|last| Some((*last)?.reach)))
    }

    /// The iterations: in order, and none overlaps the next.
    pub(super) fn iterations(&self, executions: &[Execution], load: &GpuLoad) -> Vec<Span> {
        let iteration = |(at, execution): (usize, &Execution)| {
            let Span { start, end } = execution.span;
            let own_next = executions.get(at + 1).map_or(Ns::MAX, |next| next.span.start);
            match self.last[at] {
                None => Span::new(start, own_next),
                Some(RunEnd { reach, next }) => {
                    let gpu_end = load.latest_end(start, reach).unwrap_or(end);
                    Span::new(start, gpu_end.min(next).max(end).min(own_next))
                }
            }
        };
        executions.iter().enumerate().map(iteration).collect()
    }

    /// The intervals that tell of the rhythm: those inside runs, or all if no run has two executions.
    pub(super) fn intervals(&self, executions: &[Execution]) -> Vec<Span> {
        let has_inner = self.last.iter().any(Option::is_none);
        let pairs = executions.windows(2).enumerate();
        let counted = pairs.filter(|(at, _)| !has_inner || self.last[*at].is_none());
        counted.map(|(_, pair)| Span::new(pair[0].span.start, pair[1].span.start)).collect()
    }
}

/// By execution: where the next execution of the name starts that lies neither in this one nor around it.
fn next_of_leaf(executions: &[Execution], of_leaf: &[Execution]) -> Vec<Option<Ns>> {
    let first = executions.first().map_or(0, |first| first.span.start);
    let mut at = of_leaf.partition_point(|other| other.span.start <= first);
    let next = |execution: &Execution| {
        while of_leaf.get(at).is_some_and(|other| {
            other.span.start < execution.span.end || other.span.start <= execution.span.start
        }) {
            at += 1;
        }
        of_leaf.get(at).map(|other| other.span.start)
    };
    executions.iter().map(next).collect()
}
