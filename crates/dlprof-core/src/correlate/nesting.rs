//! Walks the ranges of a thread with the stack of ranges that enclose each.
//!
//! ```text
//! ranges   ├─ step ──────────────────────────┤
//!            ├─ forward ──────┤ ├─ backward ┤
//!              ├ conv ┤├ relu ┤
//! walked   step, step>forward, step>forward>conv, step>forward>relu, step>backward
//! ```
//!
//! Ranges nest by (start, end descending, row). A range that crosses the end of another is its sibling.

use crate::groups::Grouped;
use crate::ids::StrId;
use crate::time::Span;
use crate::trace::{Trace, UNNAMED_DOMAIN};
use std::cmp::Reverse;

/// Domains in which libraries mark their own calls. Their ranges are no ops: work inside them belongs to the
/// user's range around them. What a domain without a name is cannot be known.
const LIBRARY_DOMAINS: &[&str] = &[
    "CCCL",
    "MPI",
    "NCCL",
    "NVSHMEM",
    "OpenACC",
    "OpenSHMEM",
    "TensorRT",
    "UCX",
    "cuBLAS",
    "cuBLASLt",
    "cuDNN",
    "cuFFT",
    "cuSOLVER",
    "cuSPARSE",
    "cuTENSOR",
    UNNAMED_DOMAIN,
];

/// By range: whether it is in the default domain or in one that is no library's.
pub(super) fn user_ranges(trace: &Trace) -> Vec<bool> {
    let library: Vec<StrId> = LIBRARY_DOMAINS.iter().filter_map(|name| trace.strings.find(name)).collect();
    trace.ranges.domain.iter().map(|domain| domain.is_none() || !library.contains(domain)).collect()
}

/// Rows of the users' ranges by thread, in nesting order.
pub(super) fn ranges_by_thread(trace: &Trace) -> Grouped<u32> {
    let ranges = &trace.ranges;
    let is_user = user_ranges(trace);
    let rows = 0..u32::try_from(ranges.len()).unwrap_or(u32::MAX);
    let mut by_thread = Grouped::new(trace.threads.len(), rows, |row| {
        let row = row as usize;
        let thread = ranges.thread[row].some()?;
        is_user[row].then_some(thread.index())
    });
    by_thread.sort_groups_by_key(|&row| {
        let span = ranges.span[row as usize];
        (span.start, Reverse(span.end), row)
    });
    by_thread
}

/// Calls `enter` for each range, in nesting order, with the frames of the ranges around it, outermost first.
/// What `enter` returns is the range's own frame.
pub(super) fn walk<F>(rows: &[u32], spans: &[Span], mut enter: impl FnMut(usize, &[F]) -> F) {
    let mut open: Vec<Span> = Vec::new();
    let mut frames: Vec<F> = Vec::new();
    for &row in rows {
        let span = spans[row as usize];
        while open.pop_if(|around| span.end > around.end || span.start > around.end).is_some() {
            frames.pop();
        }
        let frame = enter(row as usize, &frames);
        open.push(span);
        frames.push(frame);
    }
}
