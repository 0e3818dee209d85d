//! What of the time line a capture covers.

use crate::base::ordered::Cursor;
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::capture::correlate::Mode;
use crate::columns::table;

/// What of the time line op calls and GPU work cover, as far as a range between two boundaries asks for it; in simple mode
/// with API calls, which are what is known of the CPU then.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Covered {
    /// By boundary: the latest end of what starts before it.
    latest_end: Vec<Ns>,
    /// By boundary: the earliest start of what ends after it.
    earliest_start: Vec<Ns>,
}

table! {
    /// What of the time line is covered, a row per boundary between iterations.
    "boundaries" Boundaries built by BoundariesBuilder, by () {
        /// The latest end of what starts before it.
        latest_end: Ns, "ns";
        /// The earliest start of what ends after it.
        earliest_start: Ns, "ns";
    }
}

impl From<&Covered> for Boundaries {
    fn from(covered: &Covered) -> Self {
        Self {
            latest_end: covered.latest_end.iter().copied().collect(),
            earliest_start: covered.earliest_start.iter().copied().collect(),
        }
    }
}

impl From<&Boundaries> for Covered {
    fn from(boundaries: &Boundaries) -> Self {
        Self {
            latest_end: boundaries.latest_end.to_vec(),
            earliest_start: boundaries.earliest_start.to_vec(),
        }
    }
}

impl Covered {
    pub(super) fn new(capture: &CaptureContents, boundaries: &[Ns]) -> Self {
        let calls = &capture.op_calls;
        let on_cpu = calls.ids().filter(|&call| !calls.thread[call].is_none());
        let mut covered = Self::of(on_cpu.map(|call| calls.span[call]), boundaries);
        covered.merge(&Self::of(capture.work.span.iter().copied(), boundaries));
        if capture.description.mode == Mode::Simple {
            covered.merge(&Self::of(capture.api_calls.span.iter().copied(), boundaries));
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

    /// Adds a span, given the first boundary after its start.
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
    pub(crate) fn between(&self, boundaries: &[Ns], first: usize, last: usize) -> Span {
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
