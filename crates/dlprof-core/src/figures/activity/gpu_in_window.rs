//! What one GPU did in one window.

use super::idle_time::IdleTime;
use crate::base::time::Ns;
use crate::columns::{cells_of_numbers, table};
use bytemuck::{Pod, Zeroable};

/// What one GPU did in one window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
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

cells_of_numbers! {
    GpuTime: "length" "busy" "compute" "communication" "copy" "exposed_communication" "exposed_copy" "unused" "edge" "no_api_call"
        "turnaround" "dependency" "stall" "profiler" "data_loading" "sync" "copy_idle" "allocation" "setup" "slow_launch" "launch"
        "api" "communication_idle" "input_wait" "io" "os_call" "host_range" "host_issue" "unknown" "drained_by_sync" "sync_cost"
        "sync_cost_short_gaps" "cpu_in_short_gaps" "cpu_in_long_gaps" "gaps" "longest_gap";
}

table! {
    /// A row per GPU and window, from the first window that its work reaches to the last; GPU by GPU.
    "gpu_times" GpuTimeRows built by GpuTimeRowsBuilder, by () {
        /// What the GPU did in the window.
        time: GpuTime, "ns";
    }
}

table! {
    /// A row per window.
    "gpu_windows" GpuWindowRows built by GpuWindowRowsBuilder, by () {
        /// Its length.
        length: Ns, "ns";
    }
}

impl GpuTime {
    /// What a GPU does in windows of a length that its work does not reach.
    pub(super) fn without_work(length_ns: Ns, is_used: bool) -> Self {
        Self { length_ns, idle: IdleTime::without_work(length_ns, is_used), ..Self::default() }
    }

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
