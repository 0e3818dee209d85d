//! The aggregated iterations as the windows that figures are about.

use super::ProfileContents;
use crate::base::ids::DeviceId;
use crate::base::time::{Ns, Span};
use crate::figures::activity::whole_range;

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

    /// Length of the capture: of the whole trace, as nsys says, or up to the last event where it says nothing; of a part of a
    /// capture the length of the part.
    #[must_use]
    pub fn captured_ns(&self) -> Ns {
        let capture = &self.capture;
        let to_last_event = self.iterations.boundaries.last().map_or(0, |end| end - capture.begin());
        let traced = capture.notes.traced_ns.filter(|_| capture.cut.is_none());
        traced.map_or(to_last_event, |traced| traced.max(to_last_event))
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
