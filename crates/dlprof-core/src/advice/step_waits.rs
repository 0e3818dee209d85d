//! The waits for the GPU inside steps, looked up once for all rules.

use super::scene::Scene;
use crate::base::time::{Ns, Span};
use crate::figures::activity::{
    WaitCosts, WaitPlace, WaitedFor, WindowSyncs, syncs_by_window, wait_costs, wait_places, whole_range,
};

/// The waits of the iterations, without those of trials and those that a library for communication makes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StepWaits {
    /// By iteration.
    pub(super) by_window: Vec<WindowSyncs>,
    /// Those that do not end a step, by place.
    pub(super) places: Vec<WaitPlace>,
}

impl Scene<'_> {
    /// The waits of the iterations.
    pub(super) fn step_waits(&self) -> &StepWaits {
        self.step_waits.get_or_init(|| {
            let (facts, windows, trials) = (self.facts(), self.call_windows(), &self.tried().spans);
            let by_window = syncs_by_window(facts, &windows, trials);
            let places = wait_places(facts, &windows, &by_window, trials);
            StepWaits { by_window, places }
        })
    }

    /// What the waits cost that do not end a step.
    pub(super) fn step_wait_costs(&self) -> WaitCosts {
        let windows: &[Span] = &self.profile.windows()[self.places.clone()];
        let waits = &self.step_waits().by_window;
        wait_costs(self.facts(), &self.call_windows(), waits, &self.tried().spans, whole_range(windows))
    }

    /// How long threads wait directly behind asynchronous copies from pageable memory.
    pub(super) fn waits_behind_pageable_ns(&self) -> Ns {
        let places = self.step_waits().places.iter();
        places.filter(|place| place.waited_for == WaitedFor::PageableCopy).map(|place| place.time_ns).sum()
    }
}
