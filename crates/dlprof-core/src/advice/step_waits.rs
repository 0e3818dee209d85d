//! The waits for the GPU inside steps.

use crate::base::time::Ns;
use crate::figures::activity::{WaitPlace, WaitedFor, WindowSyncs};

/// The waits of the iterations, without those of trials and those that a library for communication makes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StepWaits {
    /// By iteration.
    pub(super) by_window: Vec<WindowSyncs>,
    /// Those that do not end a step, by place.
    pub(super) places: Vec<WaitPlace>,
}

impl StepWaits {
    /// How long threads wait directly after asynchronous copies from pageable memory.
    pub(super) fn behind_pageable_ns(&self) -> Ns {
        let places = self.places.iter();
        places.filter(|place| place.waited_for == WaitedFor::PageableCopy).map(|place| place.time_ns).sum()
    }
}
