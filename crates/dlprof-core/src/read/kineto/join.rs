//! GPU work and synchronisations to their API calls. A correlation id is unique within a process, but GPU work of a trace does
//! not say of which process it is: where calls of two processes have one id, nothing says whose an item is.

use super::by_correlation::ByCorrelation;
use super::rows::RawCall;
use super::threads::ResolvedThreads;
use crate::base::ids::{Maybe, ProcessId};
use crate::read::facts::{CorrelationId, NO_CORRELATION};

/// Calls by correlation id.
pub(super) struct Joined {
    /// The row of the first call to start with an id.
    rows: ByCorrelation,
}

/// Stands for the rows of calls of two processes that have one id.
const AMBIGUOUS: u32 = u32::MAX - 1;

impl Joined {
    pub(super) fn new(calls: &[RawCall], threads: &ResolvedThreads) -> Self {
        let with_id = || (0_u32..).zip(calls).filter(|(_, call)| call.correlation != 0);
        let mut rows = ByCorrelation::of(with_id().map(|(_, call)| call.correlation));
        for (row, call) in with_id() {
            let id = call.correlation;
            let Some(held) = rows.put(id, row).filter(|&held| held != AMBIGUOUS) else { continue };
            let other = &calls[held as usize];
            if threads.process(other.thread) != threads.process(call.thread) {
                rows.replace(id, AMBIGUOUS);
            } else if (call.span.start, row) < (other.span.start, held) {
                rows.replace(id, row);
            }
        }
        Self { rows }
    }

    /// The row of the call that launched what has an id.
    pub(super) fn row(&self, correlation: i64) -> Option<u32> {
        self.rows.get(correlation).filter(|&row| row != AMBIGUOUS)
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
pub(super) fn only_process(threads: &ResolvedThreads) -> Maybe<ProcessId> {
    (threads.processes.len() == 1).then(|| ProcessId::new(0)).into()
}
