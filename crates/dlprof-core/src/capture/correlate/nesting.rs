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

use crate::base::ids::{RangeTextId, StrId, ThreadId};
use crate::base::time::Span;
use crate::read::facts::{Facts, RangeText, SequenceNumber, UNNAMED_DOMAIN};
use std::cmp::Reverse;

/// Domains in which libraries mark their own calls. Their ranges are not ops: work inside them belongs to the
/// user's range around them. It is unknown who uses a domain without a name.
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

/// Whether a domain is not the program's own.
pub(crate) fn is_library_domain(name: &str) -> bool {
    LIBRARY_DOMAINS.contains(&name)
}

/// For each range text: whether it is in the default domain, or in a domain that does not belong to a library. In a trace of
/// torch.profiler annotations are the program's, and operators are not.
pub(super) fn user_texts(facts: &Facts) -> Vec<bool> {
    let library: Vec<StrId> = LIBRARY_DOMAINS.iter().filter_map(|name| facts.strings.find(name)).collect();
    let is_trace = facts.recorder.is_torch_profiler();
    let is_user = |text: &RangeText| match is_trace {
        true => !text.is_operator,
        false => text.domain.is_none() || !library.contains(&text.domain),
    };
    facts.ranges.texts.iter().map(is_user).collect()
}

/// A range on its thread.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) span: Span,
    pub(super) text: RangeTextId,
    pub(super) sequence: SequenceNumber,
}

/// Calls `enter` for each of a thread's ranges that `is_user` keeps, in nesting order, with the frames of the ranges
/// around it, outermost first. What `enter` returns is the range's own frame.
pub(super) fn walk<F>(
    facts: &Facts,
    thread: ThreadId,
    is_user: &[bool],
    mut enter: impl FnMut(Range, &[F]) -> F,
) {
    let ranges = &facts.ranges.by_thread[thread.index()];
    let sequences = &facts.keys.sequences[thread.index()];
    let mut open: Vec<Span> = Vec::new();
    let mut frames: Vec<F> = Vec::new();
    let mut visit = |row: usize| {
        let (span, text) = (ranges.span[..][row], ranges.text[..][row]);
        if !is_user[text.index()] {
            return;
        }
        while open.pop_if(|around| span.end > around.end || span.start > around.end).is_some() {
            frames.pop();
        }
        let frame = enter(Range { span, text, sequence: sequences[..][row] }, &frames);
        open.push(span);
        frames.push(frame);
    };
    let order = |span: &Span| (span.start, Reverse(span.end));
    if ranges.span.is_sorted_by_key(order) {
        (0..ranges.span.len()).for_each(visit);
    } else {
        let mut rows: Vec<u32> = (0..u32::try_from(ranges.span.len()).unwrap_or(u32::MAX)).collect();
        // A stable sort is fast here, because ranges come in sorted parts, which it merges.
        rows.sort_by_key(|&row| order(&ranges.span[..][row as usize]));
        rows.into_iter().for_each(|row| visit(row as usize));
    }
}
