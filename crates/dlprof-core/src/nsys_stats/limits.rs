//! How much of ranges in each other a report may name, so that its cost grows with the capture and no faster.
//!
//! A range in a thousand others stands in a thousand rows of nsys's reports, or has a stack of a thousand numbers.

/// Pairs of a call and a range that contains it: so many, or so many for each call, if that is more.
const PAIRS_OF_CALLS: (usize, usize) = (20_000_000, 20);

/// Pairs of a range and another that contains it: so many, or so many for each range.
const PAIRS_OF_RANGES: (usize, usize) = (20_000_000, 64);

/// Rows of kernels by range.
pub(super) const MOST_ROWS: usize = 400_000;

/// Bytes of names of kernels that follow the names of ranges.
pub(super) const MOST_NAME_BYTES: usize = 200 << 20;

/// What there is too much of for a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TooMuch {
    /// Ranges in each other.
    Nested,
    /// Different ranges and kernels.
    Rows,
    /// Text of names of kernels that follow the names of ranges.
    Names,
}

/// Pairs that may still be looked at.
pub(super) struct Pairs(usize);

impl Pairs {
    /// Those of calls and the ranges that contain them.
    pub(super) fn of_calls(calls: usize) -> Self {
        Self::of(PAIRS_OF_CALLS, calls)
    }

    /// Those of ranges and the ranges that contain them.
    pub(super) fn of_ranges(ranges: usize) -> Self {
        Self::of(PAIRS_OF_RANGES, ranges)
    }

    fn of((least, for_each): (usize, usize), items: usize) -> Self {
        Self(least.max(for_each.saturating_mul(items)))
    }

    /// Looks at some.
    pub(super) fn take(&mut self, pairs: usize) -> Result<(), TooMuch> {
        self.0 = self.0.checked_sub(pairs).ok_or(TooMuch::Nested)?;
        Ok(())
    }
}
