//! The time line: what depends on the key node and not on the range of iterations aggregated.

use super::by_iteration::ProcessIterationStats;
use super::by_op::KernelSums;
use super::resources::ResourceSplit;
use crate::correlate::{Correlation, Mode};
use crate::iterate::{Cursor, Iterations, Ops};
use crate::time::{Ns, Span};
use crate::trace::Trace;
use serde::{Deserialize, Serialize};

/// Everything about all iterations, aggregated or not.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    pub(crate) iterations: Iterations,
    pub(crate) ops: Ops,
    pub(crate) split: ResourceSplit,
    /// By iteration: the kernels of the op calls that start in it.
    pub(crate) kernels: Vec<KernelSums>,
    pub(crate) process_iterations: Vec<ProcessIterationStats>,
    pub(crate) covered: Covered,
    pub(crate) counts: Counts,
}

/// How much a capture holds, whatever is aggregated of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Kernels, whole graph launches included.
    pub kernels: usize,
    /// Whole graph launches.
    pub whole_graphs: usize,
    /// Copies.
    pub copies: usize,
    /// Memsets.
    pub memsets: usize,
    /// CUDA API calls.
    pub api_calls: usize,
    /// Op calls, loose work included.
    pub op_calls: usize,
}

impl Counts {
    pub(super) fn of(trace: &Trace, correlation: &Correlation) -> Self {
        let work = &trace.gpu_work;
        Self {
            kernels: work.kernels,
            whole_graphs: work.whole_graphs,
            copies: work.copies,
            memsets: work.len() - work.kernels - work.copies,
            api_calls: trace.api_calls.len(),
            op_calls: correlation.calls.len(),
        }
    }
}

/// What of the time line op calls and GPU work cover, as far as a range between two boundaries asks for it; in simple mode
/// with API calls, which are what is known of the CPU then.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Covered {
    /// By boundary: the latest end of what starts before it.
    pub(crate) latest_end: Vec<Ns>,
    /// By boundary: the earliest start of what ends behind it.
    pub(crate) earliest_start: Vec<Ns>,
}

impl Covered {
    pub(super) fn new(trace: &Trace, correlation: &Correlation, boundaries: &[Ns]) -> Self {
        let calls = &correlation.calls;
        let on_cpu = (0..calls.len()).filter(|&call| !calls.thread[call].is_none());
        let mut covered = Self::of(on_cpu.map(|call| calls.span[call]), boundaries);
        covered.merge(&Self::of(trace.gpu_work.span.iter().copied(), boundaries));
        if correlation.mode == Mode::Simple {
            covered.merge(&Self::of(trace.api_calls.span.iter().copied(), boundaries));
        }
        covered
    }

    fn of(spans: impl Iterator<Item = Span>, boundaries: &[Ns]) -> Self {
        let mut covered = Self {
            latest_end: vec![Ns::MIN; boundaries.len()],
            earliest_start: vec![Ns::MAX; boundaries.len()],
        };
        let mut cursor = Cursor::new(boundaries);
        // Most spans lie in the same iteration as the one before: together they are one span.
        let (mut behind, mut iteration, mut inside) = (0, Span::default(), None::<Span>);
        for span in spans {
            let is_inside = iteration.start <= span.start
                && span.end <= iteration.end
                && iteration.start < span.end
                && span.start < iteration.end;
            if is_inside {
                let bounds = inside.get_or_insert(span);
                (bounds.start, bounds.end) = (bounds.start.min(span.start), bounds.end.max(span.end));
                continue;
            }
            if let Some(bounds) = inside.take() {
                covered.push(bounds, behind, boundaries);
            }
            behind = cursor.at_or_before(span.start);
            covered.push(span, behind, boundaries);
            iteration = match (behind.checked_sub(1), boundaries.get(behind)) {
                (Some(before), Some(&end)) => Span::new(boundaries[before], end),
                _ => Span::default(),
            };
        }
        if let Some(bounds) = inside {
            covered.push(bounds, behind, boundaries);
        }
        for at in 1..boundaries.len() {
            covered.latest_end[at] = covered.latest_end[at].max(covered.latest_end[at - 1]);
        }
        for at in (1..boundaries.len()).rev() {
            covered.earliest_start[at - 1] = covered.earliest_start[at - 1].min(covered.earliest_start[at]);
        }
        covered
    }

    /// Adds a span, given the first boundary behind its start.
    fn push(&mut self, span: Span, behind: usize, boundaries: &[Ns]) {
        if let Some(end) = self.latest_end.get_mut(behind) {
            *end = span.end.max(*end);
        }
        let before_end = boundaries.partition_point(|&time| time < span.end);
        if let Some(start) = self.earliest_start[..before_end].last_mut() {
            *start = span.start.min(*start);
        }
    }

    fn merge(&mut self, other: &Self) {
        for (mine, other) in self.latest_end.iter_mut().zip(&other.latest_end) {
            *mine = (*mine).max(*other);
        }
        for (mine, other) in self.earliest_start.iter_mut().zip(&other.earliest_start) {
            *mine = (*mine).min(*other);
        }
    }

    /// First start and last end of what lies at least in part between two of the boundaries, clipped to them.
    pub(super) fn between(&self, boundaries: &[Ns], first: usize, last: usize) -> Span {
        let window = Span::new(boundaries[first], boundaries[last]);
        let (start, end) = (self.earliest_start[first], self.latest_end[last]);
        let is_any = end > window.start && start < window.end;
        if is_any { Span::new(start, end).clip(window) } else { Span::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn covered_span_is_that_of_the_spans_inside(
            spans in prop::collection::vec((-20i64..60, 0i64..12).prop_map(|(s, l)| Span::new(s, s + l)), 0..8),
            mut cuts in prop::collection::vec(0i64..50, 2..6),
        ) {
            cuts.sort_unstable();
            cuts[0] = 0;
            let covered = Covered::of(spans.iter().copied(), &cuts);
            for start in 0..cuts.len() - 1 {
                for stop in start..cuts.len() - 1 {
                    let window = Span::new(cuts[start], cuts[stop + 1]);
                    let inside = spans.iter().filter(|span| span.end > window.start && span.start < window.end);
                    let first = inside.clone().map(|span| span.start).min();
                    let last = inside.map(|span| span.end).max();
                    let expected =
                        first.zip(last).map_or(Span::default(), |(first, last)| Span::new(first, last).clip(window));
                    let found = covered.between(&cuts, start, stop + 1);
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }
}
