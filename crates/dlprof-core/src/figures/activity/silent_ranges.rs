//! Ranges that wait while nothing is launched.

use crate::base::ids::{ApiCallId, RangeTextId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use crate::capture::names::ApiClass;
use std::collections::BTreeMap;

/// The text of user ranges that cover half of most of these gaps and in which no thread launches or copies anything; of several
/// the one that covers most gaps, then the first. The gaps are in order of time and do not overlap.
#[must_use]
pub(crate) fn silent_range(classified: &Classified<'_>, gaps: &[Span]) -> Option<RangeTextId> {
    let calls = &classified.activity.api_calls;
    let issues =
        |call: &ApiCallId| matches!(classified.function(*call).class, ApiClass::Launch | ApiClass::Copy);
    let mut starts: Vec<Ns> = classified
        .activity()
        .counted_calls()
        .map(|(call, _)| call)
        .filter(issues)
        .map(|call| calls.span[call].start)
        .collect();
    starts.sort_unstable();
    let is_silent = |range: Span| {
        let next = starts.partition_point(|&start| start < range.start);
        starts.get(next).is_none_or(|&start| start >= range.end)
    };
    // By text: the gaps that its ranges cover.
    let mut covered: BTreeMap<RangeTextId, Vec<usize>> = BTreeMap::new();
    for thread in 0..classified.threads() {
        let ranges = &classified.activity.ranges.by_thread[thread];
        for (&span, &label) in ranges.span.iter().zip(&ranges.text) {
            let first = gaps.partition_point(|gap| gap.end <= span.start);
            for (at, gap) in gaps.iter().enumerate().skip(first).take_while(|(_, gap)| gap.start < span.end) {
                let is_half = 2 * gap.clip(span).length() >= gap.length();
                if is_half && classified.range_class(label).is_user && is_silent(span) {
                    covered.entry(label).or_default().push(at);
                }
            }
        }
    }
    let distinct = |mut places: Vec<usize>| {
        places.sort_unstable();
        places.dedup();
        places.len()
    };
    let counts = covered.into_iter().map(|(label, places)| (label, distinct(places)));
    let best = counts.rev().max_by_key(|&(_, count)| count)?;
    (2 * best.1 >= gaps.len()).then_some(best.0)
}
