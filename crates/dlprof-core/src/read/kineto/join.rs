//! GPU work and synchronisations to their API calls. A correlation id is unique within a process, but GPU work of a trace does
//! not say of which process it is: where calls of two processes have one id, nothing says whose an item is.

use super::rows::RawCall;
use super::threads::ResolvedThreads;
use crate::base::ids::ProcessId;
use crate::read::facts::{CorrelationId, NO_CORRELATION};
use rustc_hash::FxHashMap;

/// Calls by correlation id.
pub(super) struct Joined {
    /// The row of the first call to start with an id; none if calls of two processes have it.
    rows: FxHashMap<i64, Option<u32>>,
}

impl Joined {
    pub(super) fn new(calls: &[RawCall], threads: &ResolvedThreads) -> Self {
        let mut rows: FxHashMap<i64, Option<u32>> = FxHashMap::default();
        for (row, call) in (0_u32..).zip(calls).filter(|(_, call)| call.correlation != 0) {
            let first = rows.entry(call.correlation).or_insert(Some(row));
            let Some(held) = *first else { continue };
            let other = &calls[held as usize];
            if threads.process(other.thread) != threads.process(call.thread) {
                *first = None;
            } else if (call.span.start, row) < (other.span.start, held) {
                *first = Some(row);
            }
        }
        Self { rows }
    }

    /// The row of the call that launched what has an id.
    pub(super) fn row(&self, correlation: i64) -> Option<u32> {
        self.rows.get(&correlation).copied().flatten()
    }

    /// The id that a row and what belongs to it share in the facts: rows have distinct ones, because the trace's may be larger.
    pub(super) fn key(&self, correlation: i64) -> CorrelationId {
        self.row(correlation).unwrap_or(NO_CORRELATION)
    }

    /// The id of the call in a row: none, if it is not the one that others belong to.
    pub(super) fn key_of_call(&self, row: usize, call: &RawCall) -> CorrelationId {
        let key = self.key(call.correlation);
        if key as usize == row { key } else { NO_CORRELATION }
    }
}

/// The process of GPU work whose call is unknown: the only one there is.
pub(super) fn only_process(threads: &ResolvedThreads) -> ProcessId {
    if threads.processes.len() == 1 { ProcessId::new(0) } else { ProcessId::NONE }
}
