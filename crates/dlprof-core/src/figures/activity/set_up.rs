//! What lies between calls that set something up.
//!
//! ```text
//! GPU       ├ A ┤                                   ├ B ┤
//! thread      load ├──┤ reads a file ├──┤ makes a table ├─┤ launches B
//!                  └──────── between, with them ──────────┘
//! ```
//!
//! A library that loads code when it is first called also reads files and prepares what it needs between these calls.

use super::long_gaps::LongGap;
use crate::base::intervals::union;
use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use crate::capture::classified::classified::Classified;

/// Between the first and the last call of a gap that set something up, such calls take at least one in so many nanoseconds; else
/// the program does other things in between.
const LEAST_PART: Ns = 4;

/// The time in some gaps of GPUs in which the thread that ends the gap is in no call, but between two that set something up, summed
/// over the gaps. Gaps whose time is mostly waiting for something else do not count.
#[must_use]
pub fn between_setup_ns(classified: &Classified<'_>, gaps: &[LongGap]) -> Ns {
    let is_on_the_way = |gap: &&LongGap| gap.cause == Cause::Setup || Cause::ISSUING.contains(&gap.cause);
    gaps.iter().filter(is_on_the_way).map(|gap| between_setup_in(classified, gap)).sum()
}

fn between_setup_in(classified: &Classified<'_>, gap: &LongGap) -> Ns {
    let Some(launch) = classified.call_of(gap.ended_by.index()) else { return 0 };
    let Some(thread) = launch.thread.some() else { return 0 };
    let spans = &classified.activity().calls.span;
    let rows = classified.calls_by_thread().get(thread.index());
    let first = rows.partition_point(|&row| spans[row as usize].start < gap.span.start);
    let inside = rows[first..].iter().map(|&row| row as usize);
    let calls: Vec<usize> = inside.take_while(|&call| spans[call].start < gap.span.end).collect();
    let setups = calls.iter().filter(|&&call| classified.call_class(call) == Cause::Setup);
    let setups: Vec<Span> = union(setups.map(|&call| spans[call].clip(gap.span)).collect());
    let (Some(begin), Some(end)) = (setups.first(), setups.last()) else { return 0 };
    let all = Span::new(begin.start, end.end);
    if LEAST_PART * length(&setups) < all.length() {
        return 0;
    }
    let called =
        union(calls.iter().map(|&call| spans[call].clip(all)).filter(|span| span.length() > 0).collect());
    all.length() - length(&called)
}

fn length(spans: &[Span]) -> Ns {
    spans.iter().map(|span| span.length()).sum()
}
