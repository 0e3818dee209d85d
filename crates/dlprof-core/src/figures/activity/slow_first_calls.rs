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
use crate::capture::classified::classified::Classified;
use rustc_hash::{FxHashMap, FxHashSet};

/// Shorter calls do not matter, however slow they are.
const LEAST_NS: Ns = 500_000;

/// So many times as long as the call in the middle, or longer.
const TIMES_MEDIAN: Ns = 5;

/// No more of the first calls of an operator are looked at: a library may try several algorithms.
const MOST_FIRST: usize = 3;

/// Of fewer calls nobody knows what is usual.
const FEWEST_CALLS: usize = 8;

/// By thread: the first calls of operators in the capture, as long as they are that slow; in any order.
#[must_use]
pub(crate) fn slow_first_calls(classified: &Classified<'_>) -> Vec<Vec<Span>> {
    let ranges = &classified.activity().ranges;
    let operator = |text: usize| ranges.texts.get(text).filter(|says| says.is_operator).map(|says| says.text);
    let calls = || {
        ranges.by_thread.iter().enumerate().flat_map(move |(thread, list)| {
            let rows = list.span.iter().zip(&list.text);
            rows.filter_map(move |(&span, text)| Some((operator(text.index())?, span, thread)))
        })
    };
    let is_long = |span: &Span| span.length() >= LEAST_NS;
    let long: FxHashSet<StrId> =
        calls().filter(|(_, span, _)| is_long(span)).map(|(name, ..)| name).collect();
    let mut by_name: FxHashMap<StrId, Vec<(Span, usize)>> = FxHashMap::default();
    for (name, span, thread) in calls().filter(|(name, ..)| long.contains(name)) {
        by_name.entry(name).or_default().push((span, thread));
    }
    let mut by_thread = vec![Vec::new(); classified.threads()];
    for mut calls in by_name.into_values().filter(|calls| calls.len() >= FEWEST_CALLS) {
        let usual_ns = median(calls.iter().map(|(span, _)| span.length()).collect());
        calls.sort_unstable_by_key(|&(span, thread)| (span.start, thread));
        let is_slow = |span: &Span| is_long(span) && span.length() >= TIMES_MEDIAN.saturating_mul(usual_ns);
        let first = calls.iter().take(MOST_FIRST).take_while(|(span, _)| is_slow(span));
        first.for_each(|&(span, thread)| by_thread[thread].push(span));
    }
    by_thread
}
