//! How many blocks of a kernel fit a multiprocessor at a time.
//!
//! ```text
//! warps      ⌊ warps of an SM ÷ warps of a block ⌋
//! registers  a warp takes its threads × registers per thread, rounded up to the unit, of one partition of the SM
//! shared     ⌊ shared memory of an SM ÷ (what a block takes, rounded up to the unit) ⌋
//! blocks     blocks of an SM
//! ```
//!
//! The smallest of the four decides. This is an upper bound: clusters, barriers and launch bounds are not considered, and the
//! largest carve-out of shared memory is assumed. The rules are those of NVIDIA's occupancy calculator
//! (`cuda_occupancy.h`, CUDA 13); those of AMD's compute units differ in their numbers alone.

use super::limits::SmLimits;
use crate::base::ratios::count_to_f64;
use crate::read::facts::Vendor;

/// The resources that a block of a kernel needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockResources {
    /// Threads of a block: x · y · z.
    pub threads: u64,
    /// Registers of a thread.
    pub registers_per_thread: u64,
    /// Static and dynamic shared memory of a block, in bytes.
    pub shared_bytes: u64,
}

/// What limits the number of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limiter {
    /// The warps of an SM.
    Warps,
    /// The registers of an SM, of a block or of a thread.
    Registers,
    /// The shared memory of an SM or of a block.
    Shared,
    /// The number of blocks of an SM.
    Blocks,
}

impl Limiter {
    /// All factors, in the order in which reports list them.
    pub const ALL: [Self; 4] = [Self::Warps, Self::Registers, Self::Shared, Self::Blocks];

    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warps => "warps",
            Self::Registers => "registers",
            Self::Shared => "shared",
            Self::Blocks => "blocks",
        }
    }
}

/// A set of limiting factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Limiters(u8);

impl Limiters {
    fn insert(&mut self, limiter: Limiter) {
        self.0 |= 1 << (limiter as u8);
    }

    /// Whether a factor is among them.
    #[must_use]
    pub fn contains(self, limiter: Limiter) -> bool {
        self.0 & (1 << (limiter as u8)) != 0
    }

    /// The factors in the order of [`Limiter::ALL`], joined by spaces.
    #[must_use]
    pub fn words(self) -> String {
        let words = Limiter::ALL.into_iter().filter(|limiter| self.contains(*limiter)).map(Limiter::as_str);
        words.collect::<Vec<_>>().join(" ")
    }

    /// The same of GPUs of a maker: warps are NVIDIA's.
    #[must_use]
    pub fn words_on(self, vendor: Vendor) -> String {
        match vendor {
            Vendor::Nvidia | Vendor::Unknown => self.words(),
            _ => self.words().replace(Limiter::Warps.as_str(), "waves"),
        }
    }
}

/// How many blocks of a kernel fit a multiprocessor at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Occupancy {
    /// Blocks that an SM can run at the same time. 0 means that the block cannot run, so the capture is wrong.
    pub blocks_per_sm: u64,
    /// Warps of an SM.
    pub warps_per_sm: u64,
    /// Most warps that an SM could hold.
    pub most_warps: u64,
    /// All factors that allow no more blocks.
    pub limited_by: Limiters,
}

/// Where the registers of a block are checked, its warps count as a multiple of this. It is the number of register
/// partitions; 6.0 has two, but its code must also fit 6.1, which has four.
const CHECKED_WARPS: u64 = 4;
/// Most threads of a block on every GPU of the table.
const MOST_THREADS: u64 = 1024;

impl Occupancy {
    /// The occupancy of a kernel; `None` if a block has no threads, or more threads than any GPU can run.
    #[must_use]
    pub fn of(block: BlockResources, limits: &SmLimits) -> Option<Self> {
        if !(1..=MOST_THREADS).contains(&block.threads) {
            return None;
        }
        let warps = block.threads.div_ceil(limits.threads_per_warp);
        let allowed = [
            (Limiter::Warps, Some(limits.warps / warps)),
            (Limiter::Registers, blocks_by_registers(block.registers_per_thread, warps, limits)),
            (Limiter::Shared, blocks_by_shared_memory(block.shared_bytes, limits)),
            (Limiter::Blocks, Some(limits.blocks)),
        ];
        let blocks_per_sm = allowed.iter().filter_map(|(_, blocks)| *blocks).min()?;
        let mut limited_by = Limiters::default();
        for (limiter, _) in allowed.iter().filter(|(_, blocks)| *blocks == Some(blocks_per_sm)) {
            limited_by.insert(*limiter);
        }
        Some(Self {
            blocks_per_sm,
            warps_per_sm: blocks_per_sm * warps,
            most_warps: limits.warps,
            limited_by,
        })
    }

    /// Warps of an SM in percent of the most that it could hold.
    #[must_use]
    pub fn percent(self) -> f64 {
        count_to_f64(self.warps_per_sm) / count_to_f64(self.most_warps.max(1)) * 100.0
    }
}

/// Blocks that the registers allow; `None` if a thread takes none.
fn blocks_by_registers(per_thread: u64, warps: u64, limits: &SmLimits) -> Option<u64> {
    if per_thread == 0 {
        return None;
    }
    if per_thread > limits.registers_per_thread {
        return Some(0);
    }
    let per_warp = (limits.threads_per_warp * per_thread).next_multiple_of(limits.register_unit);
    if per_warp * warps.next_multiple_of(CHECKED_WARPS) > limits.registers_per_block {
        return Some(0);
    }
    let warps_of_partition = limits.registers / limits.register_partitions / per_warp;
    Some(warps_of_partition * limits.register_partitions / warps)
}

/// Blocks that the shared memory allows; `None` if a block takes none.
fn blocks_by_shared_memory(bytes: u64, limits: &SmLimits) -> Option<u64> {
    if bytes > limits.shared_bytes_per_block {
        return Some(0);
    }
    let taken = (bytes + limits.reserved_bytes_per_block).next_multiple_of(limits.shared_unit_bytes);
    limits.shared_bytes.checked_div(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn occupancy(capability: (i64, i64), threads: u64, registers: u64, shared: u64) -> Occupancy {
        let limits = SmLimits::of_capability(capability).expect("a capability of the table");
        let block = BlockResources { threads, registers_per_thread: registers, shared_bytes: shared };
        Occupancy::of(block, &limits).expect("a block that exists")
    }

    /// Worked out with pencil and paper from the rules above.
    #[test]
    fn ten_cases_by_hand() {
        let cases = [
            ((7, 0), 256, 64, 0, 4, 50.0, "registers"),
            ((7, 0), 256, 32, 0, 8, 100.0, "warps registers"),
            ((8, 0), 128, 168, 16_384, 3, 18.75, "registers"),
            ((8, 0), 256, 128, 49_152, 2, 25.0, "registers"),
            ((8, 6), 256, 40, 0, 6, 100.0, "warps registers"),
            ((8, 9), 1024, 64, 0, 1, 66.67, "warps registers"),
            ((9, 0), 384, 168, 232_448, 1, 18.75, "registers shared"),
            ((6, 0), 96, 128, 0, 5, 23.44, "registers"),
            ((12, 0), 256, 64, 33_792, 2, 33.33, "shared"),
            ((9, 0), 1024, 65, 0, 0, 0.0, "registers"),
        ];
        for (capability, threads, registers, shared, blocks, percent, limited_by) in cases {
            let found = occupancy(capability, threads, registers, shared);
            let case = format!("{capability:?}, {threads} threads, {registers} registers, {shared} bytes");
            assert_eq!(found.blocks_per_sm, blocks, "{case}");
            assert!((found.percent() - percent).abs() < 0.005, "{case}: {}", found.percent());
            assert_eq!(found.limited_by.words(), limited_by, "{case}");
        }
    }

    #[test]
    fn impossible_blocks_have_no_occupancy() {
        let limits = SmLimits::of_capability((8, 0)).expect("8.0 is in the table");
        for threads in [0, 1025, u64::MAX] {
            let block = BlockResources { threads, registers_per_thread: 32, shared_bytes: 0 };
            assert_eq!(Occupancy::of(block, &limits), None);
        }
        let block = BlockResources { threads: 32, registers_per_thread: u64::MAX, shared_bytes: u64::MAX };
        assert_eq!(Occupancy::of(block, &limits).map(|found| found.blocks_per_sm), Some(0));
    }

    proptest! {
        /// More of anything never lets more warps run than fit, and never more blocks.
        #[test]
        fn more_resources_never_mean_more_blocks(
            threads in 1_u64..=1024, registers in 0_u64..=300, shared in 0_u64..=300_000,
            more_registers in 0_u64..=50, more_shared in 0_u64..=10_000,
            capability in prop::sample::select(vec![(5, 3), (6, 0), (7, 5), (8, 0), (8, 6), (9, 0), (12, 0)]),
        ) {
            let some = occupancy(capability, threads, registers.max(1), shared);
            let more = occupancy(capability, threads, registers.max(1) + more_registers, shared + more_shared);
            prop_assert!(more.blocks_per_sm <= some.blocks_per_sm);
            prop_assert!(some.warps_per_sm <= some.most_warps);
            prop_assert!(Limiter::ALL.into_iter().any(|limiter| some.limited_by.contains(limiter)));
        }
    }
}
