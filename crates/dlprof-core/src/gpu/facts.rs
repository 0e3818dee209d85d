//! What an export says about a GPU.

use crate::facts::Device;

/// Major and minor compute capability, such as (8, 0).
pub type ComputeCapability = (i64, i64);

/// What the export says about a GPU. A number that is missing, 0 or below is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceFacts {
    /// Product name, as nsys writes it.
    pub name: Option<String>,
    /// Compute capability.
    pub compute_capability: Option<ComputeCapability>,
    /// Number of streaming multiprocessors (SMs).
    pub sm_count: Option<i64>,
    /// Clock of the SMs in Hz.
    pub clock_hz: Option<i64>,
    /// Memory bandwidth in bytes per second.
    pub memory_bandwidth: Option<i64>,
    /// Most warps of an SM.
    pub warps_per_sm: Option<i64>,
    /// Most blocks of an SM.
    pub blocks_per_sm: Option<i64>,
    /// Shared memory of an SM in bytes.
    pub shared_bytes_per_sm: Option<i64>,
    /// Most shared memory of a block in bytes, for kernels that ask for it (`maxShmemPerBlockOptin`).
    pub shared_bytes_per_block: Option<i64>,
    /// Registers of an SM.
    pub registers_per_sm: Option<i64>,
    /// Most registers of a block.
    pub registers_per_block: Option<i64>,
}

impl From<&Device> for DeviceFacts {
    fn from(device: &Device) -> Self {
        Self {
            name: device.name.clone(),
            compute_capability: device.compute_capability,
            sm_count: device.sm_count,
            clock_hz: device.clock_hz,
            memory_bandwidth: device.memory_bandwidth,
            warps_per_sm: device.warps_per_sm,
            blocks_per_sm: device.blocks_per_sm,
            shared_bytes_per_sm: device.shared_bytes_per_sm,
            shared_bytes_per_block: device.shared_bytes_per_block,
            registers_per_sm: device.registers_per_sm,
            registers_per_block: device.registers_per_block,
        }
    }
}

/// A number that the export knows: above 0.
pub(super) fn known(number: Option<i64>) -> Option<u64> {
    number.and_then(|number| u64::try_from(number).ok()).filter(|&number| number > 0)
}
