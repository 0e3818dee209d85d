//! Idle time of a GPU in a window, by cause.

use super::cursors::ByCause;
use super::step_class::StepClass;
use crate::base::time::{Ns, Span};
use crate::capture::classified::Cause;
use bytemuck::{Pod, Zeroable};

/// Idle time of a GPU in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct IdleTime {
    pub(super) causes: ByCause,
    /// Of gaps that a late call ended, what lies after the start of a wait of its thread that ended in the gap before the call:
    /// the time for which the wait had let the queue run dry.
    pub drained_by_sync_ns: Ns,
    /// Of it, what waiting and launching again took.
    pub sync_cost_ns: Ns,
    /// Of that, what lies in short gaps; in longer ones other work is the cause.
    pub sync_cost_short_gaps_ns: Ns,
    /// In short gaps: time in which the host issued work or was on its way to it. The program is launch-bound.
    pub cpu_in_short_gaps_ns: Ns,
    /// The same in long gaps: work of the CPU between steps.
    pub cpu_in_long_gaps_ns: Ns,
    /// Number of parts of gaps in the window.
    pub gaps: u64,
    /// The longest of them.
    pub longest_gap_ns: Ns,
}

impl IdleTime {
    /// Idle time of a cause.
    #[must_use]
    pub fn of(&self, cause: Cause) -> Ns {
        self.causes[cause.index()]
    }

    /// Idle time of some causes together.
    #[must_use]
    pub fn of_all(&self, causes: &[Cause]) -> Ns {
        causes.iter().map(|&cause| self.of(cause)).sum()
    }

    /// Idle time of the causes that count to a class of the step.
    #[must_use]
    pub fn of_class(&self, class: StepClass) -> Ns {
        class.causes().map(|cause| self.of(cause)).sum()
    }

    /// The causes that have time, in order, with their time.
    pub fn causes(&self) -> impl Iterator<Item = (Cause, Ns)> + '_ {
        Cause::ALL.into_iter().map(|cause| (cause, self.of(cause))).filter(|&(_, ns)| ns != 0)
    }

    /// Adds idle time of another window or GPU.
    pub fn merge(&mut self, other: &Self) {
        self.causes.iter_mut().zip(&other.causes).for_each(|(sum, ns)| *sum += ns);
        self.drained_by_sync_ns += other.drained_by_sync_ns;
        self.sync_cost_ns += other.sync_cost_ns;
        self.sync_cost_short_gaps_ns += other.sync_cost_short_gaps_ns;
        self.cpu_in_short_gaps_ns += other.cpu_in_short_gaps_ns;
        self.cpu_in_long_gaps_ns += other.cpu_in_long_gaps_ns;
        self.gaps += other.gaps;
        self.longest_gap_ns = self.longest_gap_ns.max(other.longest_gap_ns);
    }

    /// Adds the time of a window in which no gap can be: before the first and after the last item of a GPU.
    pub(super) fn add_outside(&mut self, window: Span, busy: Option<Span>) {
        let Some(busy) = busy else { return };
        let before = busy.start.min(window.end) - window.start;
        let behind = window.end - busy.end.max(window.start);
        self.causes[Cause::Edge.index()] += before.max(0) + behind.max(0);
    }

    /// The idle time of a window, or of several, in which a GPU has no work: before its first or after its last, or it has none
    /// at all.
    pub(super) fn without_work(length_ns: Ns, is_used: bool) -> Self {
        let mut idle = Self::default();
        idle.causes[if is_used { Cause::Edge } else { Cause::Unused }.index()] = length_ns;
        idle
    }

    pub(super) fn add_part(&mut self, length: Ns) {
        self.gaps += 1;
        self.longest_gap_ns = self.longest_gap_ns.max(length);
    }
}
