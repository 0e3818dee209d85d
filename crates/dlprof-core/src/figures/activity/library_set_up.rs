//! Calls in which a library gets ready, as CPU samples say: a call of any class, such as `cudaFree`, that the function which
//! makes the library's handle makes.
//!
//! ```text
//! thread    ├─ cublasLtCreate ───────────────────┤     in the stacks of samples alone
//! call             ├─ cudaFree ────────────┤
//! samples             ×    ×    ×    ×    ×            all of them in cublasLtCreate: done once
//! ```

use super::idle_host::creating_frame;
use crate::base::ids::{ApiCallId, StrId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How many samples say what a call is in.
const FEWEST_SAMPLES: u64 = 3;

/// Calls that are made while a library gets ready.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LibrarySetUp {
    /// By thread, in order of their start; nothing without such calls.
    pub(crate) by_thread: Vec<Vec<Span>>,
    /// The function of the longest one, and that which makes the library ready.
    pub(crate) longest: Option<(StrId, StrId)>,
}

/// What the samples inside one call say.
#[derive(Debug, Clone, Copy)]
struct InCall {
    samples: u64,
    creating: u64,
    /// The function that makes a library ready, of the last sample that has one.
    function: StrId,
}

/// The calls of a span of which more than half of the samples, and three or more, are in a function that makes a library ready.
#[must_use]
pub(crate) fn library_set_up(classified: &Classified<'_>, span: Span) -> LibrarySetUp {
    let (activity, host) = (classified.activity(), &classified.activity().host);
    let mut by_call: BTreeMap<usize, InCall> = BTreeMap::new();
    for (sample, (&time, &thread)) in host.samples.time.iter().zip(&host.samples.thread).enumerate() {
        if time < span.start || time >= span.end {
            continue;
        }
        let Some(thread) = thread.some() else { continue };
        let Some(call) = call_at(classified, thread, time) else { continue };
        let in_call =
            by_call.entry(call.index()).or_insert(InCall { samples: 0, creating: 0, function: StrId::NONE });
        in_call.samples += 1;
        if let Some(frame) = creating_frame(host, sample, activity.strings) {
            in_call.creating += 1;
            in_call.function = host.stack_frames.symbol[frame];
        }
    }
    by_call.retain(|_, call| call.samples >= FEWEST_SAMPLES && 2 * call.creating > call.samples);
    if by_call.is_empty() {
        return LibrarySetUp::default();
    }
    let calls = &activity.api_calls;
    let mut by_thread = vec![Vec::new(); classified.threads()];
    for &call in by_call.keys() {
        if let Some(thread) = calls.thread[call].some() {
            by_thread[thread.index()].push(calls.span[call]);
        }
    }
    by_thread
        .iter_mut()
        .for_each(|spans: &mut Vec<Span>| spans.sort_unstable_by_key(|one| (one.start, one.end)));
    let longest = by_call.iter().min_by_key(|&(&call, _)| (Reverse(calls.span[call].length()), call));
    LibrarySetUp { by_thread, longest: longest.map(|(&call, of)| (calls.name[call], of.function)) }
}

/// The outer one of the calls that a thread is in at a time: calls of the driver lie inside those of the runtime.
fn call_at(classified: &Classified<'_>, thread: ThreadId, time: Ns) -> Option<ApiCallId> {
    /// How many calls lie inside each other at most, as far as is looked.
    const DEEPEST: usize = 4;
    let (spans, by_thread) = (&classified.activity().api_calls.span, classified.calls_by_thread());
    let thread = thread.index();
    let rows = if thread < by_thread.len() { by_thread.get(thread) } else { &[] };
    let begun = rows.partition_point(|&row| spans[row as usize].start <= time);
    let near = rows[begun.saturating_sub(DEEPEST)..begun].iter();
    near.map(|&row| ApiCallId::new(row as usize)).find(|call| spans[call.index()].end > time)
}
