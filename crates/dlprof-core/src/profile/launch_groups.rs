//! The launches of the aggregated iterations, summed up by op, kernel, grid and GPU. All figures of kernels are made of these.

use super::ProfileContents;
use crate::index::LaunchGroup;
use std::borrow::Cow;
use std::ops::Range;

impl ProfileContents {
    /// The launches of the op calls of the aggregated iterations.
    pub(crate) fn launch_groups(&self) -> &[LaunchGroup] {
        &self.launch_groups
    }

    /// The launches of the op calls of some of the aggregated iterations, given as places. What is short is decided by the settings.
    pub(crate) fn launch_groups_of(&self, places: Range<usize>) -> Cow<'_, [LaunchGroup]> {
        let number = |place: usize| self.iterations.start + u32::try_from(place).unwrap_or(u32::MAX);
        let range = number(places.start)..number(places.end);
        let short_kernel_ns = self.settings.activity.thresholds.short_kernel_ns;
        if range == self.iterations.range() && short_kernel_ns == crate::activity::SHORT_KERNEL_NS {
            return Cow::Borrowed(&self.launch_groups);
        }
        Cow::Owned(self.index.launch_groups(range, short_kernel_ns))
    }
}
