//! What one GPU did in one window.

use super::idle_time::IdleTime;
use crate::time::Ns;

/// What one GPU did in one window.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GpuTime {
    /// Length of the window.
    pub length_ns: Ns,
    /// Time covered by any item.
    pub busy_ns: Ns,
    /// Time covered by kernels that do not exchange data, whole graphs included.
    pub compute_ns: Ns,
    /// Time covered by kernels that exchange data between GPUs.
    pub communication_ns: Ns,
    /// Time covered by copies and memsets.
    pub copy_ns: Ns,
    /// Communication while no other kernel ran.
    pub exposed_communication_ns: Ns,
    /// Copies and memsets while no kernel ran.
    pub exposed_copy_ns: Ns,
    /// The rest of the window.
    pub idle: IdleTime,
}

impl GpuTime {
    /// Time without any item.
    #[must_use]
    pub fn idle_ns(&self) -> Ns {
        self.length_ns - self.busy_ns
    }

    /// Adds what the same GPU did in another window.
    pub fn merge(&mut self, other: &Self) {
        self.length_ns += other.length_ns;
        self.busy_ns += other.busy_ns;
        self.compute_ns += other.compute_ns;
        self.communication_ns += other.communication_ns;
        self.copy_ns += other.copy_ns;
        self.exposed_communication_ns += other.exposed_communication_ns;
        self.exposed_copy_ns += other.exposed_copy_ns;
        self.idle.merge(&other.idle);
    }
}
