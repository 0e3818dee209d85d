//! Sums over kernels, and over the times of op calls.

use crate::base::time::Ns;
use crate::capture::correlate::{CallTimes, TensorCores};
use crate::columns::cells_of_numbers;
use bytemuck::{Pod, Zeroable};

/// Kernel launches and the plain sum of their durations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct KernelSums {
    /// Launches.
    pub launches: u64,
    /// Sum of durations.
    pub gpu_ns: Ns,
    /// Launches of kernels that use Tensor Cores.
    pub tc_launches: u64,
    /// Sum of their durations.
    pub tc_gpu_ns: Ns,
    /// Sum of durations of kernels whose name does not tell.
    pub tc_unknown_gpu_ns: Ns,
}

/// Kernels or memory operations of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct KernelTotal {
    /// Sum of durations on the GPU.
    pub gpu_ns: Ns,
    /// Sum of durations of their API calls.
    pub api_ns: Ns,
    /// Distinct names: of kernels, or of API functions for memory.
    pub names: u64,
    /// Kernels, or copies and memsets.
    pub launches: u64,
}

/// All GPU work by class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct KernelTotals {
    /// Kernels that use Tensor Cores.
    pub tc: KernelTotal,
    /// All other kernels.
    pub non_tc: KernelTotal,
    /// Copies and memsets.
    pub memory: KernelTotal,
    /// Of the other kernels: those whose name does not tell.
    pub tc_unknown: KernelTotal,
}

cells_of_numbers! {
    KernelSums: "launches" "gpu_ns" "tc_launches" "tc_gpu_ns" "tc_unknown_gpu_ns";
    KernelTotals:
        "tc_gpu_ns" "tc_api_ns" "tc_names" "tc_launches"
        "non_tc_gpu_ns" "non_tc_api_ns" "non_tc_names" "non_tc_launches"
        "memory_gpu_ns" "memory_api_ns" "memory_names" "memory_launches"
        "tc_unknown_gpu_ns" "tc_unknown_api_ns" "tc_unknown_names" "tc_unknown_launches";
}

impl KernelSums {
    /// Adds a launch.
    pub(crate) fn push(&mut self, duration: Ns, tensor_cores: TensorCores) {
        self.launches += 1;
        self.gpu_ns += duration;
        match tensor_cores {
            TensorCores::Used => {
                self.tc_launches += 1;
                self.tc_gpu_ns += duration;
            }
            TensorCores::Unknown => self.tc_unknown_gpu_ns += duration,
            TensorCores::NotUsed => {}
        }
    }

    /// Adds other launches.
    pub fn add(&mut self, other: &Self) {
        self.launches += other.launches;
        self.gpu_ns += other.gpu_ns;
        self.tc_launches += other.tc_launches;
        self.tc_gpu_ns += other.tc_gpu_ns;
        self.tc_unknown_gpu_ns += other.tc_unknown_gpu_ns;
    }
}

impl KernelTotal {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            gpu_ns: self.gpu_ns + other.gpu_ns,
            api_ns: self.api_ns + other.api_ns,
            names: self.names + other.names,
            launches: self.launches + other.launches,
        }
    }
}

impl KernelTotals {
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self {
            tc: self.tc.plus(other.tc),
            non_tc: self.non_tc.plus(other.non_tc),
            memory: self.memory.plus(other.memory),
            tc_unknown: self.tc_unknown.plus(other.tc_unknown),
        }
    }

    /// Kernels and memory.
    #[must_use]
    pub fn all(&self) -> KernelTotal {
        self.tc.plus(self.non_tc).plus(self.memory)
    }
}

/// Adds the times of an op call to a sum.
pub(crate) fn add_times(sum: &mut CallTimes, times: &CallTimes) {
    sum.cpu_ns += times.cpu_ns;
    sum.gpu_ns += times.gpu_ns;
    sum.api_ns += times.api_ns;
    sum.cpu_overhead_ns += times.cpu_overhead_ns;
    sum.gpu_idle_ns += times.gpu_idle_ns;
}
