//! What a program does from one of many equal copies to the next.
//!
//! ```text
//! calls of the thread  │alloc│copy│wait│launch│alloc│copy│wait│launch│alloc│copy│ … pause … │copy│
//!                            └────── round ───┴───── round ───┘          └─┘                 └──┘
//! ```
//!
//! A round lasts from the call of a copy to that of the next, and the last copy of a row for as long as its call. Where the way to
//! the next copy is far longer than usual, the program does something else in between.

use super::copies::{CopyKind, kind_and_memory};
use crate::base::ids::ThreadId;
use crate::base::intervals::holds;
use crate::base::ratios::median;
use crate::base::time::{Ns, Span, total};
use crate::capture::classified::classified::Classified;
use crate::capture::names::ApiClass;
use std::collections::BTreeMap;

/// A way to the next copy that is so many times longer than usual is no round.
const MOST_TIMES: Ns = 10;

/// What comes with some equal copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CopyRounds {
    /// All time of the rounds, summed over threads.
    pub(crate) time_ns: Ns,
    /// Plain sum of the lengths of the calls that begin in them.
    pub(crate) call_time_ns: Ns,
    /// Launches in them.
    pub(crate) launches: u64,
    /// Calls in them that take or give back memory.
    pub(crate) allocations: u64,
    /// Waits for the GPU in them.
    pub(crate) waits: u64,
}

/// The rounds of the copies of a kind and size that start in a range and `is_meant`. A copy is given by its row.
#[must_use]
pub(crate) fn copy_rounds(
    classified: &Classified<'_>,
    range: Span,
    (kind, bytes): (CopyKind, u64),
    is_meant: impl Fn(usize) -> bool,
) -> CopyRounds {
    let activity = classified.activity();
    let mut calls: BTreeMap<ThreadId, Vec<Span>> = BTreeMap::new();
    for item in activity.starting_in(activity.kernels.len()..activity.work.len(), range) {
        let of_bytes = activity.transfers.bytes.get(item - activity.kernels.len()) == Some(&bytes);
        let is_one = of_bytes && kind_and_memory(classified, item).0 == kind && is_meant(item);
        if is_one
            && let Some(call) = classified.call_of(item)
            && let Some(thread) = call.thread.some()
        {
            calls.entry(thread).or_default().push(call.span);
        }
    }
    let rounds: BTreeMap<ThreadId, Vec<Span>> =
        calls.into_iter().map(|(thread, calls)| (thread, rounds_of(calls))).collect();
    let mut sum = CopyRounds {
        time_ns: total(rounds.values().flatten().map(|round| round.length())),
        ..CopyRounds::default()
    };
    let threads = &activity.api_calls.thread;
    for (call, span) in activity.counted_calls() {
        let rounds = threads[call].some().and_then(|thread| rounds.get(&thread));
        if !rounds.is_some_and(|rounds| holds(rounds, span.start)) {
            continue;
        }
        sum.call_time_ns = sum.call_time_ns.saturating_add(span.length());
        match classified.function(call).class {
            ApiClass::Launch => sum.launches += 1,
            ApiClass::Allocation => sum.allocations += 1,
            ApiClass::Sync => sum.waits += 1,
            _ => {}
        }
    }
    sum
}

/// The rounds of the calls of a thread, in order and apart.
fn rounds_of(mut calls: Vec<Span>) -> Vec<Span> {
    calls.sort_unstable_by_key(|call| (call.start, call.end));
    let ways = || calls.windows(2).map(|pair| pair[1].start - pair[0].start);
    let longest = median(ways().collect()).saturating_mul(MOST_TIMES);
    let next = calls.iter().skip(1).map(Some).chain([None]);
    let round = |(call, next): (&Span, Option<&Span>)| match next {
        Some(next) if next.start - call.start <= longest => Span::new(call.start, next.start),
        Some(next) => Span::new(call.start, call.end.min(next.start)),
        None => *call,
    };
    calls.iter().zip(next).map(round).collect()
}
