//! How much time and memory a query may take.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much a query may take, apart from the reading of captures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From its start to its end.
    pub time: Duration,
    /// For sorting, grouping and the answer.
    pub memory_bytes: usize,
}

impl Default for Limits {
    /// One minute and 1 GiB.
    fn default() -> Self {
        Self { time: Duration::from_mins(1), memory_bytes: 1 << 30 }
    }
}

/// Why a query was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// It took too long.
    Time,
    /// It took too much memory.
    Memory,
}

/// Watches a running query. Clones watch the same one.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    limits: Limits,
    start: Instant,
    /// What SQLite held before.
    held: i64,
    stopped: Arc<Mutex<Option<Stopped>>>,
}

impl Watch {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, start: Instant::now(), held: held_bytes(), stopped: Arc::default() }
    }

    /// Whether the query must stop; `answer_bytes` is what its answer takes so far.
    pub(super) fn stops(&self, answer_bytes: usize) -> bool {
        let more = usize::try_from(held_bytes() - self.held).unwrap_or(0);
        let stopped = if more.saturating_add(answer_bytes) > self.limits.memory_bytes {
            Stopped::Memory
        } else if self.start.elapsed() > self.limits.time {
            Stopped::Time
        } else {
            return false;
        };
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(stopped);
        true
    }

    /// Why the query was stopped.
    pub(super) fn stopped(&self) -> Option<Stopped> {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What SQLite holds in this process. Other queries and readers count too: SQLite knows of no smaller part that has sorters
/// in it.
fn held_bytes() -> i64 {
    // SAFETY: the function takes nothing, and may be called on any thread at any time.
    #[expect(unsafe_code, reason = "rusqlite has no function for it")]
    unsafe {
        rusqlite::ffi::sqlite3_memory_used()
    }
}
