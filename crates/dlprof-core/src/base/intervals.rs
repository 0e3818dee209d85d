//! Sets of nanoseconds, held as sorted lists of disjoint spans.
//!
//! ```text
//! spans      ├────┤   ├──┤
//!               ├───┤      ├─┤
//! union      ├──────┤ ├──┤ ├─┤      union length = 7 + 3 + 2
//! ```

use crate::base::time::{Ns, Span};
use crate::columns::{Buffer, Memory};

/// Merges spans in any order into a sorted list of disjoint, non-touching, non-empty spans.
#[must_use]
pub fn union(mut spans: Vec<Span>) -> Vec<Span> {
    // A stable sort is fast here, because spans usually consist of a few sorted parts, which it merges.
    spans.sort();
    spans.retain(|span| !span.is_empty());
    spans.dedup_by(|next, last| {
        let touches = next.start <= last.end;
        if touches {
            last.end = last.end.max(next.end);
        }
        touches
    });
    spans
}

/// Whether one of sorted disjoint spans holds a time.
pub(crate) fn holds(disjoint: &[Span], time: Ns) -> bool {
    let before = disjoint.partition_point(|span| span.start <= time);
    before > 0 && time < disjoint[before - 1].end
}

/// The parts of a span that sorted disjoint spans cover.
pub(crate) fn parts_in(disjoint: &[Span], span: Span) -> impl Iterator<Item = Span> + '_ {
    let first = disjoint.partition_point(|one| one.end <= span.start);
    disjoint[first..].iter().take_while(move |one| one.start < span.end).map(move |one| one.clip(span))
}

/// How much of a span sorted disjoint spans cover.
pub(crate) fn covered_ns(disjoint: &[Span], span: Span) -> Ns {
    parts_in(disjoint, span).map(Span::length).sum()
}

/// As [`union`], of spans that mostly come in order: those that touch their neighbours are joined before any is stored.
pub(crate) fn union_in_order(spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut joined = Vec::new();
    spans.for_each(|span| push_joined(&mut joined, span));
    union(joined)
}

/// Adds a span to a list; one that touches the last span or begins in it prolongs that one.
pub(crate) fn push_joined(list: &mut Vec<Span>, span: Span) {
    match list.last_mut() {
        Some(last) if last.start <= span.start && span.start <= last.end => last.end = last.end.max(span.end),
        _ => list.push(span),
    }
}

/// Sorted disjoint spans without holes, which come in order of start.
pub(crate) fn difference(spans: &[Span], holes: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut holes = holes.peekable();
    let mut left = Vec::new();
    let mut covered_to = Ns::MIN;
    for span in spans {
        let mut at = span.start.max(covered_to);
        while at < span.end {
            if let Some(hole) = holes.next_if(|hole| hole.start <= at) {
                covered_to = hole.end.max(covered_to);
                at = at.max(covered_to);
            } else {
                let end = holes.peek().map_or(span.end, |hole| hole.start.min(span.end));
                left.push(Span::new(at, end));
                at = end;
            }
        }
    }
    left
}

/// As [`union`], for many spans.
pub(crate) fn union_of(memory: &Memory, spans: impl Iterator<Item = Span>) -> Buffer<Span> {
    let mut merged: Buffer<Span> = memory.buffer(0);
    let mut is_sorted = true;
    for span in spans.filter(|span| !span.is_empty()) {
        match merged.last_mut() {
            // Neighbours often touch or lie inside each other, so most spans are not stored.
            Some(last) if last.start <= span.start && span.start <= last.end => {
                last.end = last.end.max(span.end)
            }
            Some(last) => {
                is_sorted &= *last <= span;
                merged.push(span);
            }
            None => merged.push(span),
        }
    }
    if !is_sorted {
        // A stable sort is fast here, because spans usually consist of a few sorted parts, which it merges.
        merged.sort();
        let mut kept = 0;
        for at in 1..merged.len() {
            let span = merged[at];
            if span.start <= merged[kept].end {
                merged[kept].end = merged[kept].end.max(span.end);
            } else {
                kept += 1;
                merged[kept] = span;
            }
        }
        merged.truncate(kept + 1);
    }
    merged
}

/// Walks along the spans of several classes. If spans of several classes cover a nanosecond, it belongs to the
/// first class:
///
/// ```text
/// class 0   ──────├──┤─────────────────
/// class 1   ────├────┤──├────┤─────────
/// class 2   ──────────────├─────┤──────
/// visited       ├1├─0┤  ├─1──┤2─┤
/// ```
pub(crate) struct ClassSweep<'a, const N: usize> {
    /// The spans of each class, sorted and disjoint.
    classes: [&'a [Span]; N],
    /// For each class: the first span that has not ended yet.
    next: [usize; N],
}

impl<'a, const N: usize> ClassSweep<'a, N> {
    pub(crate) fn new(classes: [&'a [Span]; N]) -> Self {
        Self { classes, next: [0; N] }
    }

    /// Visits the pieces inside a window, each with its class and the position of its span in the class. A window
    /// must not start before the end of the window of the call before.
    pub(crate) fn walk(&mut self, window: Span, mut visit: impl FnMut(Span, usize, usize)) {
        let mut now = window.start;
        while now < window.end {
            // Find the class of the nanosecond `now`, and the time until which it stays the same.
            let mut until = window.end;
            let mut first = None;
            for (class, spans) in self.classes.iter().enumerate() {
                let at = &mut self.next[class];
                while spans.get(*at).is_some_and(|span| span.end <= now) {
                    *at += 1;
                }
                let Some(span) = spans.get(*at) else { continue };
                if span.start <= now {
                    until = until.min(span.end);
                    first = Some((class, *at));
                    break;
                }
                until = until.min(span.start);
            }
            if let Some((class, at)) = first {
                visit(Span::new(now, until), class, at);
            }
            now = until;
        }
    }
}

/// Nanoseconds covered at least once by `spans`, which are sorted by start. Of spans in any order, [`union`] comes first.
#[must_use]
pub fn union_length(spans: impl IntoIterator<Item = Span>) -> Ns {
    let (mut covered_to, mut started) = (Ns::MIN, Ns::MIN);
    let mut length = 0;
    for span in spans {
        debug_assert!(started <= span.start, "{span:?} comes after {started}");
        started = span.start;
        let start = span.start.max(covered_to);
        if span.end > start {
            length += span.end - start;
            covered_to = span.end;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spans() -> impl Strategy<Value = Vec<Span>> {
        prop::collection::vec((-40i64..40, 0i64..12).prop_map(|(s, l)| Span::new(s, s + l)), 0..24)
    }

    /// The slow, obvious version: look at every nanosecond.
    fn covered(spans: &[Span]) -> Vec<Ns> {
        (-60..60).filter(|&t| spans.iter().any(|span| span.start <= t && t < span.end)).collect()
    }

    proptest! {
        #[test]
        fn union_covers_the_same_nanoseconds(spans in spans()) {
            let merged = union(spans.clone());
            prop_assert_eq!(covered(&spans), covered(&merged));
            prop_assert!(merged.windows(2).all(|pair| pair[0].end < pair[1].start));
            prop_assert_eq!(union_in_order(spans.into_iter()), merged);
        }

        #[test]
        fn a_difference_leaves_what_no_hole_covers(kept in spans(), mut holes in spans()) {
            holes.sort_unstable();
            let kept = union(kept);
            let left = covered(&difference(&kept, holes.iter().copied()));
            let (kept, holes) = (covered(&kept), covered(&holes));
            prop_assert_eq!(left, kept.into_iter().filter(|time| !holes.contains(time)).collect::<Vec<_>>());
        }

        #[test]
        fn union_of_many_spans_is_the_union(spans in spans()) {
            let merged = union_of(&Memory::unlimited(), spans.iter().copied());
            prop_assert_eq!(covered(&spans), covered(&merged));
            prop_assert!(merged.windows(2).all(|pair| pair[0].end <= pair[1].start));
            prop_assert!(merged.is_sorted());
        }

        #[test]
        fn every_nanosecond_is_in_the_first_class_that_applies(
            a in spans(), b in spans(), c in spans(), mut cuts in prop::collection::vec(-50i64..50, 2..6),
        ) {
            cuts.sort_unstable();
            let classes = [union(a), union(b), union(c)];
            let mut sweep = ClassSweep::new([&classes[0], &classes[1], &classes[2]]);
            for window in cuts.windows(2) {
                let mut found: Vec<(Ns, usize)> = Vec::new();
                sweep.walk(Span::new(window[0], window[1]), |piece, class, at| {
                    assert!(classes[class][at].start <= piece.start && piece.end <= classes[class][at].end);
                    found.extend((piece.start..piece.end).map(|t| (t, class)));
                });
                let first = |t: Ns| classes.iter().position(|spans| spans.iter().any(|span| span.start <= t && t < span.end));
                let expected: Vec<(Ns, usize)> =
                    (window[0]..window[1]).filter_map(|t| Some((t, first(t)?))).collect();
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn union_length_counts_nanoseconds_once(mut spans in spans()) {
            let expected = covered(&spans).len();
            spans.sort_unstable();
            prop_assert_eq!(union_length(spans), Ns::try_from(expected).unwrap_or(Ns::MAX));
        }
    }
}
