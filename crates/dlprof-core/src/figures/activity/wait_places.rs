//! Where the waits inside steps lie, and what they are for.
//!
//! ```text
//! ranges of the thread   ├─ step ──────────────────────────────────────────────┤
//!                          ├─ item ───────────┤    ├─ to ──────────────┤
//! calls                      copy 8 bytes  sync      copy pageable  sync
//!                            to the host  reads it   to the GPU    waits for it
//! ```

use super::copies::{CopyKind, HostMemory, kind_and_memory};
use super::range_at::RangeAt;
use super::syncs::{MOST_SCALAR_BYTES, WindowSyncs, each_wait};
use crate::base::ids::{ApiCallId, StrId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use crate::capture::names::ApiClass;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What a wait is for, as far as the call itself and the call before it on its thread say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum WaitedFor {
    /// A stream, directly after a copy of at most 4096 bytes to the host: the program reads a value.
    Value,
    /// A stream, directly after a larger copy to the host.
    CopyToHost,
    /// A stream, directly after a copy from pageable memory.
    PageableCopy,
    /// A stream, directly after another copy.
    OtherCopy,
    /// A stream; what came before is not a copy.
    Stream,
    /// An event.
    Event,
    /// All work of a device or context.
    Device,
}

/// Waits that have the function, the range and the purpose in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WaitPlace {
    /// The function that waits, as the export spells it.
    pub function: StrId,
    /// Text of the innermost range of the thread; none outside all ranges.
    pub range: StrId,
    /// What they wait for.
    pub waited_for: WaitedFor,
    /// Of [`WaitedFor::PageableCopy`]: bytes of the largest of these copies; else 0.
    pub most_bytes: u64,
    /// Number of waits.
    pub count: u64,
    /// Plain sum of their lengths.
    pub time_ns: Ns,
}

/// The waits of windows that do not end a step, by place; the places with most waits first. `syncs` says of the same windows
/// which wait ends a step, and `trials` when threads try algorithms.
#[must_use]
pub(crate) fn wait_places(
    classified: &Classified<'_>,
    windows: &[Span],
    syncs: &[WindowSyncs],
    trials: &[Vec<Span>],
) -> Vec<WaitPlace> {
    let calls = &classified.activity().api_calls;
    let copies = copies_by_call(classified);
    let mut waits = Vec::new();
    each_wait(classified, windows, trials, |window, call, span| {
        let process = classified.process(calls.thread[call]);
        if syncs[window].terminal.get(&process) != Some(&call) {
            waits.push((call, span));
        }
    });
    let asked = waits.iter().map(|&(call, span)| (calls.thread[call], span.start));
    let mut ranges = RangeAt::new(classified, |_| true, asked);
    let mut places: BTreeMap<(StrId, StrId, WaitedFor), (u64, Ns, u64)> = BTreeMap::new();
    for (call, span) in waits {
        let (purpose, bytes) = waited_for(classified, call, &copies);
        let key = (calls.name[call], ranges.text(calls.thread[call], span.start), purpose);
        let sum = places.entry(key).or_default();
        *sum = (sum.0 + 1, sum.1.saturating_add(span.length()), sum.2.max(bytes));
    }
    let place = |((function, range, waited_for), (count, time_ns, most_bytes))| WaitPlace {
        function,
        range,
        waited_for,
        most_bytes,
        count,
        time_ns,
    };
    let mut places: Vec<WaitPlace> = places.into_iter().map(place).collect();
    places.sort_by_key(|place| std::cmp::Reverse((place.count, place.time_ns)));
    places
}

/// By call that copies: the copy.
fn copies_by_call(classified: &Classified<'_>) -> FxHashMap<ApiCallId, usize> {
    let activity = classified.activity();
    let copies = activity.kernels.len()..activity.kernels.len() + activity.copies.len();
    copies.filter_map(|copy| Some((classified.call_row(copy)?, copy))).collect()
}

/// A call of the runtime may hold those of the driver, so that the call which is known to copy need not be the last one.
const MOST_NESTED_COPIES: usize = 3;

/// What a wait is for, and the bytes of the copy from pageable memory that it waits for.
fn waited_for(
    classified: &Classified<'_>,
    wait: ApiCallId,
    copies: &FxHashMap<ApiCallId, usize>,
) -> (WaitedFor, u64) {
    let activity = classified.activity();
    if classified.function(wait).is_event_sync {
        return (WaitedFor::Event, 0);
    }
    if !classified.function(wait).is_stream_sync {
        return (WaitedFor::Device, 0);
    }
    let Some(copy) = copy_before(classified, wait, copies) else { return (WaitedFor::Stream, 0) };
    let bytes = activity.transfers.bytes.get(copy - activity.kernels.len()).copied();
    match kind_and_memory(classified, copy) {
        (CopyKind::DtoH, _) if bytes.is_some_and(|bytes| bytes <= MOST_SCALAR_BYTES) => (WaitedFor::Value, 0),
        (CopyKind::DtoH, _) => (WaitedFor::CopyToHost, 0),
        (CopyKind::HtoD, HostMemory::Pageable) => (WaitedFor::PageableCopy, bytes.unwrap_or(0)),
        _ => (WaitedFor::OtherCopy, 0),
    }
}

/// The copy that the thread of a call made directly before it.
fn copy_before(
    classified: &Classified<'_>,
    call: ApiCallId,
    copies: &FxHashMap<ApiCallId, usize>,
) -> Option<usize> {
    let calls = &classified.activity().api_calls;
    let thread = calls.thread[call.index()].some()?;
    let rows = classified.calls_by_thread().get(thread.index());
    let order = |row: usize| (calls.span[row], row);
    let place = rows.partition_point(|&row| order(row as usize) < order(call.index()));
    let before = rows[..place].iter().rev().take(MOST_NESTED_COPIES).map(|&row| ApiCallId::new(row as usize));
    before
        .take_while(|&before| classified.function(before).class == ApiClass::Copy)
        .find_map(|before| copies.get(&before).copied())
}
