//! First calls of operators that take many times as long as later ones: their code is loaded, libraries look for algorithms, memory
//! is taken for the first time. Later steps do not have that.
//!
//! ```text
//! thread    ├─ addmm ───────────┤├─ addmm ──────┤├ addmm ┤├ addmm ┤├ addmm ┤├ addmm ┤ …
//!           └───────── done once ───────────────┘
//! ```

use crate::base::ids::StrId;
use crate::base::ratios::median;
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use rustc_hash::{FxHashMap, FxHashSet};

/// Shorter calls do not matter, however slow they are.
const LEAST_NS: Ns = 500_000;

/// This many times as long as the call in the middle, or longer.
const TIMES_MEDIAN: Ns = 5;

/// No more of the first calls of an operator are looked at: a library may try several algorithms.
const MOST_FIRST: usize = 3;

/// Of fewer calls nobody knows what is usual.
const FEWEST_CALLS: usize = 8;

/// By thread: the first calls of operators in the capture, as long as they are that slow, of operators of which a call that begins in
/// a span is long; in any order. Only where there is one, the calls of the whole capture are looked at.
#[must_use]
pub(crate) fn slow_first_calls(capture: &CaptureContents, span: Span) -> Vec<Vec<Span>> {
    let ranges = &capture.ranges;
    let operator = |text: usize| ranges.texts.get(text).filter(|says| says.is_operator).map(|says| says.text);
    let mut long: FxHashSet<StrId> = FxHashSet::default();
    for (list, zones) in ranges.by_thread.iter().zip(capture.range_zones().iter()) {
        for row in zones.near_starts(0..list.span.len(), span).flatten() {
            let call = list.span[..][row];
            if (span.start..span.end).contains(&call.start) && call.length() >= LEAST_NS {
                long.extend(operator(list.text[..][row].index()));
            }
        }
    }
    let mut by_thread = vec![Vec::new(); ranges.by_thread.len()];
    if long.is_empty() {
        return by_thread;
    }
    let mut by_name: FxHashMap<StrId, Vec<(Span, usize)>> = FxHashMap::default();
    for (thread, list) in ranges.by_thread.iter().enumerate() {
        for (&span, text) in list.span.iter().zip(&list.text) {
            if let Some(name) = operator(text.index()).filter(|name| long.contains(name)) {
                by_name.entry(name).or_default().push((span, thread));
            }
        }
    }
    for mut calls in by_name.into_values().filter(|calls| calls.len() >= FEWEST_CALLS) {
        let usual_ns = median(calls.iter().map(|(span, _)| span.length()).collect());
        calls.sort_unstable_by_key(|&(span, thread)| (span.start, thread));
        let least_ns = TIMES_MEDIAN.saturating_mul(usual_ns).max(LEAST_NS);
        let first = calls.iter().take(MOST_FIRST).take_while(|(span, _)| span.length() >= least_ns);
        first.for_each(|&(span, thread)| by_thread[thread].push(span));
    }
    by_thread
}
