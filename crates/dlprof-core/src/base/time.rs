//! Times and spans.
//!
//! Every time is an integer number of nanoseconds from the start of the capture. Times can be negative:
//! nsys records events that began before the session did.

use crate::columns::cells_of_numbers;
use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

/// Nanoseconds from the start of the capture, or a length in nanoseconds.
pub type Ns = i64;

/// The largest sum of times, or of bytes, of an input that is read. Figures are made of a few such sums at most, so they fit
/// in 64 bits.
pub(crate) const LARGEST_SUM: i64 = i64::MAX / 4;

/// The sum of lengths; the largest that there is, if it is too great.
#[must_use]
pub fn total(lengths: impl Iterator<Item = Ns>) -> Ns {
    lengths.fold(0, Ns::saturating_add)
}

/// A half-open interval `[start, end)` on the time line of the capture.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Pod, Zeroable, Serialize, Deserialize,
)]
#[repr(C)]
pub struct Span {
    /// First nanosecond inside.
    pub start: Ns,
    /// First nanosecond after the span; never before `start`.
    pub end: Ns,
}

cells_of_numbers! { Span: "start" "end"; }

impl Span {
    /// A span from `start` to `end`; an `end` before `start` gives the empty span at `start`.
    #[must_use]
    pub fn new(start: Ns, end: Ns) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Length in nanoseconds.
    #[must_use]
    pub fn length(self) -> Ns {
        self.end.saturating_sub(self.start)
    }

    /// The part of `self` inside `window`; empty (at the nearer edge) if there is none.
    #[must_use]
    pub fn clip(self, window: Self) -> Self {
        let start = self.start.clamp(window.start, window.end);
        Self::new(start, self.end.clamp(window.start, window.end))
    }

    /// Whether no nanosecond is inside.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.end == self.start
    }
}
