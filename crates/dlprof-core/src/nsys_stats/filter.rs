//! Which rows count: those of a window of time, and of a thread or process.

use crate::base::time::{Ns, Span};
use crate::read::facts::global_ids::{pid, process_of, tid};

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
        let is_main = pid(global_tid) == tid(global_tid);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::facts::global_ids::global_id;

    #[test]
    fn rows_count_if_they_touch_the_window() {
        let window = Window::of_time(10, 20);
        let counts = |start, end| window.has_thread(Span::new(start, end), None);
        assert!(counts(5, 10) && counts(19, 30) && counts(12, 13) && counts(0, 100));
        assert!(!counts(20, 30) && !counts(0, 9));
        assert!(Window::everything().is_all() && !window.is_all());
    }

    #[test]
    fn a_range_of_the_main_thread_stands_for_its_process() {
        let thread = global_id;
        let span = Span::new(0, 1);
        let main = Window::of_range(0, 10, thread(7, 7));
        assert!(main.has_thread(span, Some(thread(7, 8))) && !main.has_thread(span, Some(thread(9, 9))));
        let other = Window::of_range(0, 10, thread(7, 8));
        assert!(!other.has_thread(span, Some(thread(7, 7))) && other.has_process(span, Some(thread(7, 0))));
    }
}
