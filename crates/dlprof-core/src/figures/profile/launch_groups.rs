//! The launches of the aggregated iterations, summed up by op, kernel, grid and GPU. All figures of kernels are made of these.

use super::ProfileContents;
use crate::base::ids::WorkId;
use crate::read::facts::WorkKind;
use crate::steps::index::LaunchGroup;
use std::borrow::Cow;
use std::ops::Range;

impl ProfileContents {
    /// The launches of the op calls of the aggregated iterations.
    pub(crate) fn launch_groups(&self) -> &[LaunchGroup] {
        &self.launch_groups
    }

    /// Whether the op calls of the aggregated iterations launch CUDA graphs that were recorded as one piece each: what happens
    /// inside them is not known.
    #[must_use]
    pub fn has_whole_graphs(&self) -> bool {
        let kernels = self.capture.counts().kernels - self.capture.whole_graphs;
        self.capture.whole_graphs > 0
            && self.launch_groups.iter().any(|group| group.example.index() >= kernels)
    }

    /// The launches of the op calls of some of the aggregated iterations, given as places. What is short is decided by the
    /// settings.
    pub(crate) fn launch_groups_of(&self, places: Range<usize>) -> Cow<'_, [LaunchGroup]> {
        let number = |place: usize| self.iterations.start + u32::try_from(place).unwrap_or(u32::MAX);
        let range = number(places.start)..number(places.end);
        let short_kernel_ns = self.settings.activity.thresholds.short_kernel_ns;
        if range == self.iterations.range() && short_kernel_ns == crate::capture::names::SHORT_KERNEL_NS {
            return Cow::Borrowed(&self.launch_groups);
        }
        Cow::Owned(self.index.launch_groups(range, short_kernel_ns))
    }

    /// Shows the kernels that some of the aggregated iterations launch, each with the place of its iteration, without order
    /// inside an iteration. All iterations are given as places.
    pub(crate) fn for_each_kernel(&self, places: Range<usize>, mut show: impl FnMut(usize, WorkId)) {
        let (index, start) = (&self.index, self.iterations.start);
        let number = |place: usize| start + u32::try_from(place).unwrap_or(u32::MAX);
        let launching = index.launching();
        for part in index.blocks.parts(number(places.start)..number(places.end)) {
            let calls = index.blocks.calls(part.clone(), &index.calls.iteration);
            for (at, iteration) in part.enumerate() {
                let place = (iteration - start) as usize;
                let mut show_all = |work: &[WorkId]| {
                    let kernels = work.iter().filter(|&&id| self.capture.work_kind(id) == WorkKind::Kernel);
                    kernels.for_each(|&kernel| show(place, kernel));
                };
                calls.get(at).iter().for_each(|&call| show_all(&launching.own(call)));
                launching.spilled(iteration).for_each(|(_, work)| show_all(work));
            }
        }
    }
}
