//! Which iteration GPU work belongs to: that in which it is launched.
//!
//! ```text
//! iterations   │────1────│────2────│────3────│
//! op call       ├──────────── loop ────────┤        counts in iteration 1, where it starts
//! API calls       a    b    c     d    e            their work belongs to 1, 1, 2, 2, 3
//! ```
//!
//! Nearly all op calls end in the iteration in which they start. What others launch in later iterations is *spilled*, and listed.
//! In DLProf's modes, and in its databases, all work follows its op call, as in DLProf; but not where launches of kernels delimit
//! the iterations, of which DLProf knows nothing.

use super::IndexedCalls;
use crate::base::ids::{OpCallId, WorkId};
use crate::base::intervals::union_length;
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::capture::correlate::{CallTimes, Mode};
use crate::columns::table;
use crate::steps::iterate::Iterations;
use std::borrow::Cow;

table! {
    /// A row per piece of GPU work that belongs to a later iteration than its op call, in order of iteration, op call and work.
    "spilled_work" SpilledWork built by SpilledWorkBuilder, by () {
        /// The iteration in which its API call starts.
        iteration: u32, "";
        /// Its op call.
        call: OpCallId, "";
        /// The work.
        work: WorkId, "";
    }
}

/// Finds the work of iterations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Launching<'a> {
    pub(super) capture: &'a CaptureContents,
    pub(super) calls: &'a IndexedCalls,
    /// Boundaries of the iterations on the clock of the CPU.
    pub(super) boundaries: &'a [Ns],
    pub(super) spilled: &'a SpilledWork,
    /// Whether work follows its op call even where that ends in a later iteration.
    pub(super) follows_op_calls: bool,
}

/// Whether work follows its op call even where that ends in a later iteration.
pub(super) fn follows_op_calls(capture: &CaptureContents, iterations: &Iterations) -> bool {
    let is_launches = iterations.key_node.as_ref().is_some_and(|key_node| key_node.is_launches);
    let is_dlprofs = matches!(capture.description.mode, Mode::PytorchMarkers | Mode::Tensorflow);
    capture.description.dlprof.is_some() || (is_dlprofs && !is_launches)
}

impl SpilledWork {
    /// The work that op calls launch in later iterations.
    pub(super) fn new(capture: &CaptureContents, calls: &IndexedCalls, iterations: &Iterations) -> Self {
        let mut rows: Vec<(u32, OpCallId, WorkId)> = Vec::new();
        let nothing = Self::default();
        let launching = Launching::new(capture, calls, iterations, &nothing);
        if !launching.follows_op_calls {
            for call in capture.op_calls.ids().filter(|&call| launching.may_spill(call)) {
                let own = calls.iteration[call];
                let work = capture.work_by_call.get(call.index()).iter();
                let placed = work.map(|&work| (launching.iteration_of(call, work), call, work));
                rows.extend(placed.filter(|(iteration, ..)| *iteration != own));
            }
        }
        rows.sort_unstable();
        Self {
            iteration: rows.iter().map(|row| row.0).collect(),
            call: rows.iter().map(|row| row.1).collect(),
            work: rows.iter().map(|row| row.2).collect(),
        }
    }

    /// The iteration of the op call of each row, and that to which its work belongs.
    pub(super) fn moves<'a>(&'a self, calls: &'a IndexedCalls) -> impl Iterator<Item = (u32, u32)> + 'a {
        self.call
            .iter()
            .zip(&self.iteration[..])
            .map(|(&call, &iteration)| (calls.iteration[call], iteration))
    }

    /// Whether the rows fit a capture.
    pub(crate) fn fits(&self, capture: &CaptureContents) -> bool {
        let (calls, work) = (capture.op_calls.times.len(), capture.work.span.len());
        self.iteration.is_sorted()
            && self.call.len() == self.iteration.len()
            && self.work.len() == self.iteration.len()
            && self.call.iter().all(|call| call.index() < calls)
            && self.work.iter().all(|id| id.index() < work)
    }
}

impl<'a> Launching<'a> {
    /// How work belongs to iterations.
    pub(super) fn new(
        capture: &'a CaptureContents,
        calls: &'a IndexedCalls,
        iterations: &'a Iterations,
        spilled: &'a SpilledWork,
    ) -> Self {
        let follows_op_calls = follows_op_calls(capture, iterations);
        Self { capture, calls, boundaries: &iterations.boundaries, spilled, follows_op_calls }
    }

    /// Whether an op call reaches into the iteration after that in which it starts.
    #[inline]
    fn may_spill(&self, call: OpCallId) -> bool {
        let end = self.boundaries.get(self.calls.iteration[call] as usize + 1);
        end.is_some_and(|&end| self.capture.op_calls.span[call].end >= end)
    }

    /// The iteration that work of an op call belongs to.
    pub(crate) fn iteration_of(&self, call: OpCallId, work: WorkId) -> u32 {
        let own = self.calls.iteration[call];
        let Some(api) = self.capture.launches.api[work].some() else { return own };
        if self.follows_op_calls || !self.may_spill(call) {
            return own;
        }
        let start = self.capture.api_calls.span[api].start;
        let last = self.boundaries.len().saturating_sub(2);
        let behind = self.boundaries.partition_point(|&boundary| boundary <= start);
        u32::try_from(behind.saturating_sub(1).min(last)).unwrap_or(u32::MAX).max(own)
    }

    /// The work of an op call that belongs to the iteration in which it starts.
    #[inline]
    pub(crate) fn own(&self, call: OpCallId) -> Cow<'a, [WorkId]> {
        let work = self.capture.work_by_call.get(call.index());
        if self.spilled.iteration.is_empty() || !self.may_spill(call) {
            return Cow::Borrowed(work);
        }
        let own = self.calls.iteration[call];
        Cow::Owned(work.iter().copied().filter(|&work| self.iteration_of(call, work) == own).collect())
    }

    /// The times of an op call with the GPU time of the work that belongs to the iteration in which it starts.
    pub(crate) fn own_times(&self, call: OpCallId) -> CallTimes {
        let times = self.capture.op_calls.times[call];
        match self.own(call) {
            Cow::Borrowed(_) => times,
            Cow::Owned(work) => CallTimes { gpu_ns: self.gpu_ns(&work), ..times },
        }
    }

    /// GPU time of some work of an op call: the length of its union.
    pub(crate) fn gpu_ns(&self, work: &[WorkId]) -> Ns {
        let mut spans: Vec<Span> = work.iter().map(|&work| self.capture.work.span[work]).collect();
        // Kernels come before copies, whenever they run.
        spans.sort_unstable();
        union_length(spans)
    }

    /// The work that op calls of earlier iterations launch in an iteration.
    pub(crate) fn spilled(&self, iteration: u32) -> impl Iterator<Item = (OpCallId, &'a [WorkId])> + use<'a> {
        let Self { spilled, .. } = *self;
        let from = spilled.iteration.partition_point(|&of| of < iteration);
        let to = spilled.iteration.partition_point(|&of| of <= iteration);
        let (calls, work) = (&spilled.call[..][from..to], &spilled.work[..][from..to]);
        let mut start = 0;
        calls.chunk_by(|a, b| a == b).map(move |same| {
            start += same.len();
            (same[0], &work[start - same.len()..start])
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::figures::profile::Profile;
    use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
    use crate::tests::drawn::Drawn;

    /// Five steps inside a loop, which launches a kernel after each of them.
    fn profile(range: RangeChoice) -> Profile {
        let mut drawn = Drawn::new();
        drawn.range("loop", 95..160);
        for step in 0..5 {
            let start = 100 + step * 10;
            drawn.range("step", start..start + 4);
            drawn.launch(start + 1..start + 2, "inside", start + 3..start + 5);
            drawn.launch(start + 6..start + 7, "behind", start + 12..start + 14 + step);
        }
        let index = drawn.capture().index(&KeyNodeChoice::Named("step".into())).expect("it ran");
        index.profile(&range).expect("a profile")
    }

    #[test]
    fn work_of_a_loop_belongs_to_the_iterations_of_its_api_calls() {
        let profile = profile(RangeChoice::from(2..=3));
        let launches: Vec<u64> = profile.iteration_stats.iter().map(|row| row.kernels.launches).collect();
        assert_eq!(launches, [0, 2, 2, 2, 2, 2]);
        let names: Vec<(&str, u64, i64)> = profile
            .kernel_names()
            .iter()
            .map(|row| (profile.capture.strings.get(row.name), row.calls, row.gpu_time_ns))
            .collect();
        assert_eq!(names, [("behind", 2, 7), ("inside", 2, 4)]);
        assert_eq!(profile.kernel_totals.all().launches, 4);
        let rows: Vec<u32> = profile.kernel_launches().iter().map(|launch| launch.iteration).collect();
        assert_eq!(rows, [2, 2, 3, 3]);
        let of_loop = profile.op_stats.iter().find(|op| profile.op_name(op.op).ends_with("loop"));
        let of_loop = of_loop.map(|op| (op.times.cpu.count, op.kernels.launches));
        assert_eq!(of_loop, Some((0, 2)), "its call is in iteration 0");
        let launched: u64 = profile.iteration_ops().iter().map(|row| row.kernels.launches).sum();
        assert_eq!(launched, 4);
    }

    #[test]
    fn all_iterations_have_all_work() {
        let profile = profile(RangeChoice::default());
        assert_eq!(profile.kernel_names().iter().map(|row| row.calls).sum::<u64>(), 10);
        let rows = profile.work_by_name().rows;
        let of_iteration =
            |at: u32| rows.iter().filter(|row| row.iteration == at).map(|row| row.launches).sum();
        let launches: Vec<u64> = (0..6).map(of_iteration).collect();
        assert_eq!(launches, [0, 2, 2, 2, 2, 2]);
    }
}
