//! Which rows count: those of a window of time, and of a thread or process.

use super::source::process_of;
use crate::time::{Ns, Span};

/// Rows that touch a window of time, of one thread, one process or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    start: Ns,
    end: Ns,
    scope: Scope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    All,
    /// Global id of the thread.
    Thread(i64),
    /// Global id of the process.
    Process(i64),
}

impl Window {
    /// All rows.
    pub(super) fn everything() -> Self {
        Self { start: Ns::MIN, end: Ns::MAX, scope: Scope::All }
    }

    /// Rows of all threads in a span.
    pub(super) fn of_time(start: Ns, end: Ns) -> Self {
        Self { start, end, scope: Scope::All }
    }

    /// Rows of the thread of a range in its span; if it is the main thread, of its process.
    pub(super) fn of_range(start: Ns, end: Ns, global_tid: i64) -> Self {
        let is_main = super::source::pid(global_tid) == super::source::tid(global_tid);
        let scope = if is_main { Scope::Process(process_of(global_tid)) } else { Scope::Thread(global_tid) };
        Self { start, end, scope }
    }

    /// Whether all rows count.
    pub(super) fn is_all(self) -> bool {
        self == Self::everything()
    }

    /// Whether a row touches the window: it starts or ends in it, or spans it.
    fn touches(self, span: Span) -> bool {
        span.start < self.end && span.end >= self.start
    }

    /// Whether a row of a thread counts.
    pub(super) fn has_thread(self, span: Span, global_tid: Option<i64>) -> bool {
        self.touches(span)
            && match self.scope {
                Scope::All => true,
                Scope::Thread(thread) => global_tid == Some(thread),
                Scope::Process(process) => global_tid.map(process_of) == Some(process),
            }
    }

    /// Whether a row of a process counts.
    pub(super) fn has_process(self, span: Span, global_pid: Option<i64>) -> bool {
        self.touches(span)
            && match self.scope {
                Scope::All => true,
                Scope::Thread(thread) => global_pid == Some(process_of(thread)),
                Scope::Process(process) => global_pid == Some(process),
            }
    }
}
