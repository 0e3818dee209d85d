//! Which window a time lies in.

use crate::base::ordered::partition_near;
use crate::base::time::{Ns, Span};

/// Finds windows; quick where the next time is near the last one.
#[derive(Debug)]
pub(crate) struct WindowFinder<'a> {
    windows: &'a [Span],
    /// The window found last.
    hint: usize,
}

impl<'a> WindowFinder<'a> {
    /// Windows in order of time, which do not overlap.
    #[must_use]
    pub(crate) fn new(windows: &'a [Span]) -> Self {
        Self { windows, hint: 0 }
    }

    /// The window that a time lies in.
    #[inline]
    pub(crate) fn find(&mut self, time: Ns) -> Option<usize> {
        self.hint = partition_near(self.windows, self.hint, |window| window.end <= time);
        self.windows.get(self.hint).is_some_and(|window| window.start <= time).then_some(self.hint)
    }
}

/// From the start of the first window to the end of the last; empty without windows.
#[must_use]
pub fn whole_range(windows: &[Span]) -> Span {
    match (windows.first(), windows.last()) {
        (Some(first), Some(last)) => Span::new(first.start, last.end),
        _ => Span::default(),
    }
}
