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
        fn union_length_counts_nanoseconds_once(mut spans in spans()) {
            let expected = covered(&spans).len();
            spans.sort_unstable();
            prop_assert_eq!(union_length(spans), Ns::try_from(expected).unwrap_or(Ns::MAX));
        }
    }
}
