//! The aggregated iterations as the windows that figures are about.

use super::ProfileContents;
use crate::activity::whole_range;
use crate::ids::DeviceId;
use crate::time::Span;

impl ProfileContents {
    /// The aggregated iterations on the clock in force, in order of time. They follow each other without gaps.
    #[must_use]
    pub fn windows(&self) -> Vec<Span> {
        self.iterations.range().map(|iteration| self.iterations.windows.span(iteration)).collect()
    }

    /// The aggregated iterations on the clock of the CPU: an API call belongs to the one in which it starts.
    #[must_use]
    pub fn call_windows(&self) -> Vec<Span> {
        self.iterations.range().map(|iteration| self.iterations.windows.cpu_span(iteration)).collect()
    }

    /// From the start of the first aggregated iteration to the end of the last, on the clock in force.
    #[must_use]
    pub fn window(&self) -> Span {
        whole_range(&self.windows())
    }

    /// The number of the iteration of a window.
    ///
    /// # Panics
    /// If there is no such window.
    #[must_use]
    pub fn iteration_of_window(&self, window: usize) -> u32 {
        self.iterations.range().nth(window).expect("windows are the aggregated iterations")
    }

    /// The number that people know a GPU by.
    #[must_use]
    pub fn device_number(&self, device: DeviceId) -> i64 {
        self.capture.devices[device.index()].device_id
    }
}
