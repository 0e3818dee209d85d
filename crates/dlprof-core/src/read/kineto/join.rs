//! GPU work and synchronisations to their API calls. A correlation id is unique within a process, but GPU work of a trace does
//! not say of which process it is: where calls of two processes have one id, nothing says whose an item is. Where tools merged the
//! traces of several ranks, labels of processes and GPUs say which of them belong together.

use super::by_correlation::ByCorrelation;
use super::rows::{NOWHERE, RawCall};
use super::threads::ResolvedThreads;
use crate::read::facts::{CorrelationId, NO_CORRELATION};
use rustc_hash::FxHashMap;

/// What GPU work and its call have in common: the label of their processes, and the correlation id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct JoinKey {
    pub(super) label: u32,
    pub(super) correlation: i64,
}

/// Calls by label and correlation id.
pub(super) struct Joined {
    /// Those of processes without a label: the row of the first call to start with an id.
    rows: ByCorrelation,
    labelled: FxHashMap<JoinKey, u32>,
}

/// Stands for the rows of calls of two processes that have one id.
const AMBIGUOUS: u32 = u32::MAX - 1;

impl Joined {
    pub(super) fn new(calls: &[RawCall], threads: &ResolvedThreads) -> Self {
        let with_id = || (0_u32..).zip(calls).filter(|(_, call)| call.correlation != 0);
        let rows = ByCorrelation::of(with_id().map(|(_, call)| call.correlation));
        let mut joined = Self { rows, labelled: FxHashMap::default() };
        for (row, call) in with_id() {
            let key = key_of(call, threads);
            let Some(held) = joined.put(key, row).filter(|&held| held != AMBIGUOUS) else { continue };
            let other = &calls[held as usize];
            if threads.process(other.thread) != threads.process(call.thread) {
                joined.replace(key, AMBIGUOUS);
            } else if (call.span.start, row) < (other.span.start, held) {
                joined.replace(key, row);
            }
        }
        joined
    }

    /// Puts a row, unless its key has one, which is returned.
    fn put(&mut self, key: JoinKey, row: u32) -> Option<u32> {
        if key.label == NOWHERE {
            return self.rows.put(key.correlation, row);
        }
        let held = *self.labelled.entry(key).or_insert(row);
        (held != row).then_some(held)
    }

    fn replace(&mut self, key: JoinKey, row: u32) {
        match key.label {
            NOWHERE => self.rows.replace(key.correlation, row),
            _ => drop(self.labelled.insert(key, row)),
        }
    }

    /// The row of the call that launched what has a key.
    pub(super) fn row(&self, key: JoinKey) -> Option<u32> {
        let row = match key.label {
            NOWHERE => self.rows.get(key.correlation),
            _ => self.labelled.get(&key).copied(),
        };
        row.filter(|&row| row != AMBIGUOUS)
    }

    /// Whether work has the number of a call, and no call in the trace has it.
    pub(super) fn is_of_other_call(&self, key: JoinKey) -> bool {
        let row = match key.label {
            NOWHERE => self.rows.get(key.correlation),
            _ => self.labelled.get(&key).copied(),
        };
        key.correlation != 0 && row.is_none()
    }

    /// The id that a row and what belongs to it share in the facts: rows have distinct ones, because the trace's may be larger.
    pub(super) fn key(&self, key: JoinKey) -> CorrelationId {
        self.row(key).unwrap_or(NO_CORRELATION)
    }

    /// The id of the call in a row: none, if it is not the one that others belong to.
    pub(super) fn key_of_call(&self, row: usize, call: &RawCall, threads: &ResolvedThreads) -> CorrelationId {
        let key = self.key(key_of(call, threads));
        if key as usize == row { key } else { NO_CORRELATION }
    }
}

fn key_of(call: &RawCall, threads: &ResolvedThreads) -> JoinKey {
    JoinKey { label: threads.label(threads.process(call.thread)), correlation: call.correlation }
}
