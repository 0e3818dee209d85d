//! What fits a streaming multiprocessor, by compute capability.
//!
//! Source: NVIDIA's CUDA programming guide, "Compute Capabilities", and the occupancy calculator of the CUDA toolkit
//! 13 (`cuda_occupancy.h`). A number of the export replaces the number of the table.

use super::known::known;
use crate::read::facts::{ComputeCapability, Device};

/// What fits a streaming multiprocessor (SM).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmLimits {
    /// Warps of an SM.
    pub warps: u64,
    /// Blocks of an SM.
    pub blocks: u64,
    /// Shared memory of an SM in bytes, at the largest carve-out.
    pub shared_bytes: u64,
    /// Shared memory of a block in bytes, for kernels that ask for as much.
    pub shared_bytes_per_block: u64,
    /// Shared memory that the system takes for each block, in bytes.
    pub reserved_bytes_per_block: u64,
    /// Shared memory is allocated in multiples of this number of bytes.
    pub shared_unit_bytes: u64,
    /// Parts of an SM that share out its registers and warps.
    pub register_partitions: u64,
    /// Registers of an SM.
    pub registers: u64,
    /// Registers of a thread.
    pub registers_per_thread: u64,
    /// Registers of a block.
    pub registers_per_block: u64,
}

/// Limits of a compute capability, as the table below writes them.
struct Entry {
    capabilities: &'static [ComputeCapability],
    /// Warps and blocks of an SM.
    residents: (u64, u64),
    /// Shared memory of an SM and of a block in KiB.
    shared_kib: (u64, u64),
    generation: Generation,
}

/// How an architecture shares out memory and registers.
#[derive(Clone, Copy)]
enum Generation {
    /// Maxwell and Pascal, with their number of register partitions.
    Early { partitions: u64, registers_per_block: u64 },
    /// Volta and Turing.
    Volta,
    /// Ampere and later: the system takes 1 KiB of every block.
    Ampere,
}

const FULL: u64 = 65_536;
const EARLY: Generation = Generation::Early { partitions: 4, registers_per_block: FULL };
const EARLY_MOBILE: Generation = Generation::Early { partitions: 4, registers_per_block: FULL / 2 };
const P100: Generation = Generation::Early { partitions: 2, registers_per_block: FULL };

const fn entry(
    capabilities: &'static [ComputeCapability],
    residents: (u64, u64),
    shared_kib: (u64, u64),
    generation: Generation,
) -> Entry {
    Entry { capabilities, residents, shared_kib, generation }
}

const TABLE: &[Entry] = &[
    entry(&[(5, 0)], (64, 32), (64, 48), EARLY),
    entry(&[(5, 2)], (64, 32), (96, 48), EARLY),
    entry(&[(5, 3)], (64, 32), (64, 48), EARLY_MOBILE),
    entry(&[(6, 0)], (64, 32), (64, 48), P100),
    entry(&[(6, 1)], (64, 32), (96, 48), EARLY),
    entry(&[(6, 2)], (64, 32), (64, 48), EARLY_MOBILE),
    entry(&[(7, 0), (7, 2)], (64, 32), (96, 96), Generation::Volta),
    entry(&[(7, 5)], (32, 16), (64, 64), Generation::Volta),
    entry(&[(8, 0)], (64, 32), (164, 163), Generation::Ampere),
    entry(&[(8, 6)], (48, 16), (100, 99), Generation::Ampere),
    entry(&[(8, 7)], (48, 16), (164, 163), Generation::Ampere),
    entry(&[(8, 9)], (48, 24), (100, 99), Generation::Ampere),
    entry(&[(9, 0), (10, 0), (10, 3)], (64, 32), (228, 227), Generation::Ampere),
    entry(&[(10, 1), (11, 0)], (48, 24), (228, 227), Generation::Ampere),
    entry(&[(12, 0), (12, 1)], (48, 24), (100, 99), Generation::Ampere),
];

impl SmLimits {
    /// The limits of a compute capability; `None` if the table does not have it.
    #[must_use]
    pub fn of_capability(capability: ComputeCapability) -> Option<Self> {
        TABLE.iter().find(|entry| entry.capabilities.contains(&capability)).map(Entry::limits)
    }

    /// The limits of a GPU: those of the export, and those of its compute capability if the export has none.
    #[must_use]
    pub fn of_device(facts: &Device) -> Option<Self> {
        let table = Self::of_capability(facts.compute_capability?)?;
        let or = |said: Option<i64>, from_table: u64| known(said).unwrap_or(from_table);
        Some(Self {
            warps: or(facts.warps_per_sm, table.warps),
            blocks: or(facts.blocks_per_sm, table.blocks),
            shared_bytes: or(facts.shared_bytes_per_sm, table.shared_bytes),
            shared_bytes_per_block: or(facts.shared_bytes_per_block, table.shared_bytes_per_block),
            registers: or(facts.registers_per_sm, table.registers),
            registers_per_block: or(facts.registers_per_block, table.registers_per_block),
            ..table
        })
    }
}

impl Entry {
    fn limits(&self) -> SmLimits {
        let partitions = match self.generation {
            Generation::Early { partitions, .. } => partitions,
            Generation::Volta | Generation::Ampere => 4,
        };
        let (reserved, unit) = match self.generation {
            Generation::Early { .. } | Generation::Volta => (0, 256),
            Generation::Ampere => (1024, 128),
        };
        let (per_thread, per_block) = match self.generation {
            Generation::Early { registers_per_block, .. } => (255, registers_per_block),
            Generation::Volta | Generation::Ampere => (256, FULL),
        };
        SmLimits {
            warps: self.residents.0,
            blocks: self.residents.1,
            shared_bytes: self.shared_kib.0 << 10,
            shared_bytes_per_block: self.shared_kib.1 << 10,
            reserved_bytes_per_block: reserved,
            shared_unit_bytes: unit,
            register_partitions: partitions,
            registers: FULL,
            registers_per_thread: per_thread,
            registers_per_block: per_block,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_export_replaces_numbers_it_knows() {
        let facts = Device {
            compute_capability: Some((7, 0)),
            warps_per_sm: Some(48),
            blocks_per_sm: Some(0),
            shared_bytes_per_sm: Some(-1),
            ..Device::default()
        };
        let limits = SmLimits::of_device(&facts).expect("7.0 is in the table");
        assert_eq!((limits.warps, limits.blocks, limits.shared_bytes), (48, 32, 96 << 10));
        assert_eq!(SmLimits::of_device(&Device::default()), None);
        assert_eq!(SmLimits::of_capability((3, 5)), None);
    }
}
