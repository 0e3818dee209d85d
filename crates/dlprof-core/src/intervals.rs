//! Sets of nanoseconds, held as sorted lists of disjoint spans.
//!
//! ```text
//! spans      ├────┤   ├──┤
//!               ├───┤      ├─┤
//! union      ├──────┤ ├──┤ ├─┤      union length = 7 + 3 + 2
//! ```

use crate::time::{Ns, Span};

/// Merges spans in any order into a sorted list of disjoint, non-touching, non-empty spans.
#[must_use]
pub fn union(mut spans: Vec<Span>) -> Vec<Span> {
    // Stable, because it merges the sorted runs of which spans are usually made.
    spans.sort();
    let mut merged: Vec<Span> = Vec::new();
    for span in spans.into_iter().filter(|span| !span.is_empty()) {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// Nanoseconds covered at least once by `spans`, which are sorted by start.
#[must_use]
pub fn union_length(spans: impl IntoIterator<Item = Span>) -> Ns {
    let mut covered_to = Ns::MIN;
    let mut length = 0;
    for span in spans {
        let start = span.start.max(covered_to);
        if span.end > start {
            length += span.end - start;
            covered_to = span.end;
        }
    }
    length
}

/// The part of `spans` that `without` does not cover. Both are sorted and disjoint; so is the result.
#[must_use]
pub fn subtract(spans: &[Span], without: &[Span]) -> Vec<Span> {
    let mut rest = Vec::with_capacity(spans.len());
    let mut first = 0;
    for &span in spans {
        while without.get(first).is_some_and(|hole| hole.end <= span.start) {
            first += 1;
        }
        let mut start = span.start;
        for hole in without[first..].iter().take_while(|hole| hole.start < span.end) {
            if hole.start > start {
                rest.push(Span::new(start, hole.start));
            }
            start = start.max(hole.end);
        }
        if start < span.end {
            rest.push(Span::new(start, span.end));
        }
    }
    rest
}

/// For each window between neighbouring `boundaries` (ascending): the nanoseconds that `spans` (sorted,
/// disjoint) cover in it.
#[must_use]
pub fn lengths_in_windows(spans: &[Span], boundaries: &[Ns]) -> Vec<Ns> {
    let mut lengths = vec![0; boundaries.len().saturating_sub(1)];
    let mut window = 0;
    for &span in spans {
        while window + 1 < lengths.len() && boundaries[window + 1] <= span.start {
            window += 1;
        }
        let mut at = window;
        while at < lengths.len() && boundaries[at] < span.end {
            lengths[at] += span.clip(Span::new(boundaries[at], boundaries[at + 1])).length();
            at += 1;
        }
    }
    lengths
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
        }

        #[test]
        fn subtract_leaves_what_is_only_in_the_first(a in spans(), b in spans()) {
            let rest = subtract(&union(a.clone()), &union(b.clone()));
            let expected: Vec<Ns> = covered(&a).into_iter().filter(|t| !covered(&b).contains(t)).collect();
            prop_assert_eq!(covered(&rest), expected);
            prop_assert!(rest.iter().all(|span| !span.is_empty()));
        }

        #[test]
        fn windows_share_out_what_is_covered(spans in spans(), mut cuts in prop::collection::vec(-50i64..50, 2..6)) {
            cuts.sort_unstable();
            let lengths = lengths_in_windows(&union(spans.clone()), &cuts);
            for (window, length) in cuts.windows(2).zip(lengths) {
                let inside = covered(&spans).into_iter().filter(|&t| window[0] <= t && t < window[1]).count();
                prop_assert_eq!(length, Ns::try_from(inside).unwrap_or(Ns::MAX));
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
