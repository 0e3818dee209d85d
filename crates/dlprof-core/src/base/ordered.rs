//! Searches in lists that ascend.

use crate::base::time::Ns;

/// As [`slice::partition_point`], faster where the answer is near `hint`: the first step looks there, the next ones at
/// distances that double.
pub(crate) fn partition_near<T>(list: &[T], hint: usize, is_before: impl Fn(&T) -> bool) -> usize {
    let hint = hint.min(list.len());
    let (mut low, mut high, mut step) = (0, list.len(), 1);
    if hint < list.len() && is_before(&list[hint]) {
        low = hint + 1;
        while low + step < high && is_before(&list[low + step]) {
            low += step + 1;
            step *= 2;
        }
        high = high.min(low + step);
    } else {
        high = hint;
        while step < high && !is_before(&list[high - step]) {
            high -= step;
            step *= 2;
        }
        low = low.max(high.saturating_sub(step));
    }
    low + list[low..high].partition_point(is_before)
}

/// How many boundaries are at or before a time, for times that mostly ascend.
pub(crate) struct Cursor<'a> {
    boundaries: &'a [Ns],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// `boundaries` ascend.
    pub(crate) fn new(boundaries: &'a [Ns]) -> Self {
        Self { boundaries, at: 0 }
    }

    /// Number of boundaries at or before `time`.
    #[inline]
    pub(crate) fn at_or_before(&mut self, time: Ns) -> usize {
        self.at = partition_near(self.boundaries, self.at, |&boundary| boundary <= time);
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_hint_gives_the_partition_point(mut list in prop::collection::vec(0..40, 0..60), hint in 0..70_usize, at in 0..41) {
            list.sort_unstable();
            let expected = list.partition_point(|&item| item < at);
            prop_assert_eq!(partition_near(&list, hint, |&item| item < at), expected);
        }
    }
}
