//! The kernels of planted captures, with what a launch does to the SMs.
//!
//! Both GPUs of the generator hold 64 warps and 32 blocks on an SM, 65536 registers in four partitions and 164 KiB of
//! shared memory, of which each block takes 1 KiB more than it asks for. `w` are the warps of a block, `r` the registers
//! of a warp; a partition holds ⌊16384 / r⌋ warps.

use super::book::Fill;
use super::records::KernelShape;

/// The kernel that keeps the GPU busy between gaps: 8 blocks of 8 warps fill an SM (w = 8, r = 1024), one wave.
pub(crate) const COMPUTE: PlannedKernel = PlannedKernel {
    name: "planted_compute_kernel",
    block: 256,
    registers: 32,
    shared: [0, 0],
    blocks_per_sm: 8,
    occupancy_percent: 100.0,
    limited_by: "warps registers",
    quarter_waves: 4,
};

/// An all-reduce, which one block of 16 warps on each SM runs (w = 16, r = 2048: 2 blocks fit).
pub(crate) const ALL_REDUCE: PlannedKernel = PlannedKernel {
    name: "ncclDevKernel_AllReduce_Sum_f16_RING_LL",
    block: 512,
    registers: 64,
    shared: [0, 0],
    blocks_per_sm: 2,
    occupancy_percent: 50.0,
    limited_by: "registers",
    quarter_waves: 2,
};

/// Kernels that do not fill the GPU.
pub(crate) const UNEVEN: [PlannedKernel; 3] = [
    // w = 4, r = 5376: 3 warps of a partition, 12 of an SM, 3 blocks; shared memory would allow 9. One and a half waves.
    PlannedKernel {
        name: "planted_tail_kernel",
        block: 128,
        registers: 168,
        shared: [384, 16_000],
        blocks_per_sm: 3,
        occupancy_percent: 18.75,
        limited_by: "registers",
        quarter_waves: 6,
    },
    // w = 8, r = 4096: 4 warps of a partition, 16 of an SM, 2 blocks; shared memory would allow 3. Two full waves.
    PlannedKernel {
        name: "planted_full_kernel",
        block: 256,
        registers: 128,
        shared: [0, 49_152],
        blocks_per_sm: 2,
        occupancy_percent: 25.0,
        limited_by: "registers",
        quarter_waves: 8,
    },
    // w = 2, r = 1024: 64 KiB of shared memory let 2 blocks (2 · 65 of 164 KiB) in. Blocks for a quarter of the SMs.
    PlannedKernel {
        name: "planted_small_kernel",
        block: 64,
        registers: 32,
        shared: [32_768, 32_768],
        blocks_per_sm: 2,
        occupancy_percent: 6.25,
        limited_by: "shared",
        quarter_waves: 0,
    },
];

/// A kernel and what a launch does to the SMs.
#[derive(Clone, Copy)]
pub(crate) struct PlannedKernel {
    /// Function.
    name: &'static str,
    /// Threads of a block.
    block: i64,
    /// Registers of a thread.
    registers: i64,
    /// Static and dynamic shared memory.
    shared: [i64; 2],
    /// Blocks that an SM holds.
    blocks_per_sm: i64,
    /// Warps of an SM in use.
    occupancy_percent: f64,
    /// What limits the blocks.
    limited_by: &'static str,
    /// Waves of the grid, in quarters; 0 for blocks on a quarter of the SMs.
    quarter_waves: i64,
}

impl PlannedKernel {
    /// The kernel on a GPU of so many SMs, a multiple of four.
    pub(crate) fn on(self, sm_count: i64) -> (KernelShape, Fill) {
        let Self { name, block, registers, shared, blocks_per_sm, occupancy_percent, limited_by, .. } = self;
        let grid = match self.quarter_waves {
            0 => sm_count / 4,
            quarters => sm_count * blocks_per_sm * quarters / 4,
        };
        let fill = Fill {
            blocks_per_sm,
            occupancy_percent,
            limited_by,
            quarter_waves: self.quarter_waves,
            // One and a half waves take the time of two; of the four halves one is empty.
            tail_quarters: i64::from(self.quarter_waves == 6),
            underfill_quarters: if self.quarter_waves == 0 { 3 } else { 0 },
        };
        (KernelShape { name, grid, block, registers, shared }, fill)
    }
}
