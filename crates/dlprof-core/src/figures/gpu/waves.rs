//! In how many rounds a GPU runs the blocks of a grid, and how much time the last round wastes.
//!
//! ```text
//! 10 blocks, 2 SMs with 2 blocks each: 3 rounds of at most 4
//!
//! SM 0  ████ ████ ████
//!       ████ ████ ████
//! SM 1  ████ ████ ····   the tail: 2 of 12 places are empty, 1/6 of the time is lost
//!       ████ ████ ····
//! ```
//!
//! Blocks are taken to be equally long, so both losses are upper bounds. Grids of persistent kernels fit the GPU by design
//! and lose nothing.
//!
//! Blocks that share an SM share its units: one block alone on an SM takes about half of the time that it takes beside another
//! one. What a last round wastes is then less than its empty places: an SM works until its own blocks are done. Above, 10 blocks
//! are 5 for each SM, and both SMs work all the time. This loss is *uneven*: blocks per SM, rounded up. Where one block fits an
//! SM, it equals the tail.

use super::limits::SmLimits;
use super::losses::LossShare;
use super::occupancy::{BlockResources, Occupancy};
use crate::base::ratios::count_to_f64;

/// The rounds of a launch. A launch loses to its tail or to underfill, never to both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Waves {
    /// Blocks of the grid ÷ blocks that run at a time on the whole GPU.
    pub waves: f64,
    /// Share of the time that the tail loses: more than one round, and the last one is not full.
    pub tail: LossShare,
    /// Share of the time that is lost because the grid has fewer blocks than the GPU has SMs.
    pub underfill: LossShare,
    /// Share of the time that is lost because some SMs run a block more than others: more than one round, and the blocks do not
    /// divide by the SMs. It is at most the tail.
    pub uneven: LossShare,
}

impl Waves {
    /// The rounds of a grid; `None` if no block can run, or if the grid or the GPU is empty.
    #[must_use]
    pub fn of(grid_blocks: u64, occupancy: Occupancy, sm_count: u64) -> Option<Self> {
        let at_a_time = occupancy.blocks_per_sm.checked_mul(sm_count).filter(|&blocks| blocks > 0)?;
        if grid_blocks == 0 {
            return None;
        }
        let places = grid_blocks.checked_next_multiple_of(at_a_time)?;
        let mut found = Self {
            waves: count_to_f64(grid_blocks) / count_to_f64(at_a_time),
            tail: LossShare::NONE,
            underfill: LossShare::NONE,
            uneven: LossShare::NONE,
        };
        if grid_blocks > at_a_time {
            found.tail = LossShare::new(places - grid_blocks, places);
            let of_busiest = grid_blocks.div_ceil(sm_count) * sm_count;
            found.uneven = LossShare::new(of_busiest - grid_blocks, of_busiest);
        } else if grid_blocks < sm_count {
            found.underfill = LossShare::new(sm_count - grid_blocks, sm_count);
        }
        Some(found)
    }
}

/// How a launch fills its GPU.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LaunchFill {
    /// Occupancy; `None` if the GPU or the block is unknown.
    pub occupancy: Option<Occupancy>,
    /// Waves and losses; `None` also if the number of SMs is unknown or no block can run.
    pub waves: Option<Waves>,
}

impl LaunchFill {
    /// How a grid of so many blocks fills a GPU with these limits and so many SMs.
    #[must_use]
    pub fn of(
        grid_blocks: u64,
        block: BlockResources,
        limits: Option<&SmLimits>,
        sm_count: Option<u64>,
    ) -> Self {
        let occupancy = limits.and_then(|limits| Occupancy::of(block, limits));
        let known = occupancy.zip(sm_count);
        Self { occupancy, waves: known.and_then(|(occupancy, sms)| Waves::of(grid_blocks, occupancy, sms)) }
    }

    /// The occupancy of a block that can run.
    #[must_use]
    pub(crate) fn runnable(&self) -> Option<Occupancy> {
        self.occupancy.filter(|occupancy| occupancy.blocks_per_sm > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Two blocks of 1024 threads fit an SM of capability 8.0.
    fn two_blocks_per_sm() -> Occupancy {
        let block = BlockResources { threads: 1024, registers_per_thread: 32, shared_bytes: 0 };
        let limits = SmLimits::of_capability((8, 0)).expect("8.0 is in the table");
        Occupancy::of(block, &limits).expect("a block that exists")
    }

    #[test]
    fn tail_and_underfill_by_hand() {
        let of = |grid| Waves::of(grid, two_blocks_per_sm(), 2).expect("a grid");
        // 10 blocks: 3 rounds of 4 places, 2 places empty.
        assert_eq!(of(10).tail.of_duration(600), 100);
        assert!((of(10).waves - 2.5).abs() < 1e-12);
        // 8 blocks fill two rounds; 4, 3 and 2 blocks are one round in which every SM works.
        for grid in [8, 4, 3, 2] {
            assert_eq!((of(grid).tail, of(grid).underfill), (LossShare::NONE, LossShare::NONE), "{grid}");
        }
        // One block: one of two SMs works. Rounded down.
        assert_eq!(of(1).underfill.of_duration(601), 300);
        assert_eq!(Waves::of(0, two_blocks_per_sm(), 2), None);
        assert_eq!(Waves::of(1, two_blocks_per_sm(), 0), None);
    }

    /// Blocks that share an SM share its units: what counts is how many blocks the busiest SM runs.
    #[test]
    fn blocks_of_an_sm_are_rounded_up() {
        let of = |grid| Waves::of(grid, two_blocks_per_sm(), 108).expect("a grid");
        // 5.93 blocks per SM take as long as 6; three rounds of 216 places.
        assert_eq!((of(640).uneven, of(640).tail), (LossShare::new(8, 648), LossShare::new(8, 648)));
        // 3 blocks for each SM keep all SMs busy, though the second round of 216 places is half empty.
        assert_eq!((of(324).uneven, of(324).tail), (LossShare::NONE, LossShare::new(108, 432)));
        assert_eq!(of(325).uneven, LossShare::new(107, 432));
        assert_eq!(of(200).uneven, LossShare::NONE, "one round");
    }

    proptest! {
        #[test]
        fn losses_are_parts_of_the_time(grid in 1_u64..1_000_000, sms in 1_u64..200, duration in 0_i64..1 << 40) {
            let waves = Waves::of(grid, two_blocks_per_sm(), sms).expect("a grid");
            let (tail, underfill) = (waves.tail.of_duration(duration), waves.underfill.of_duration(duration));
            prop_assert!(waves.uneven.of_duration(duration) <= tail);
            prop_assert!(tail == 0 || underfill == 0);
            // Half of the time at most: all rounds but the last are full.
            prop_assert!(tail * 2 <= duration);
            prop_assert!(underfill <= duration);
        }
    }
}
