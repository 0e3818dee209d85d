//! What fits a streaming multiprocessor, by compute capability.
//!
//! Source: NVIDIA's CUDA programming guide, "Compute Capabilities", and the occupancy calculator of the CUDA toolkit
//! 13 (`cuda_occupancy.h`). A number of the export replaces the number of the table.

use super::known::known;
use crate::read::facts::{ComputeCapability, Device};

/// What fits a streaming multiprocessor (SM).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmLimits {
    /// Threads of a warp.
    pub threads_per_warp: u64,
    /// Registers are allocated to a warp in multiples of this.
    pub register_unit: u64,
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
        let Some(capability) = facts.compute_capability else { return Self::of_amd(facts) };
        let table = Self::of_capability(capability)?;
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

/// What fits a compute unit (CU) of an architecture of AMD.
struct ComputeUnit {
    architectures: &'static [&'static str],
    wave: u64,
    simds: u64,
    waves_of_simd: u64,
    /// Registers of vectors, and accumulators, of each lane of a SIMD; a wave takes them in units.
    registers: u64,
    register_unit: u64,
    registers_of_wave: u64,
    /// Local data share (LDS).
    lds_kib: u64,
    lds_unit: u64,
}

const CDNA_3: ComputeUnit = ComputeUnit {
    architectures: &["gfx90a", "gfx942"],
    wave: 64,
    simds: 4,
    waves_of_simd: 8,
    registers: 512,
    register_unit: 8,
    registers_of_wave: 512,
    lds_kib: 64,
    lds_unit: 512,
};

/// Source: AMD's ISA documents of MI200, MI300, CDNA 4, RDNA 3 and RDNA 4, and `AMDGPUBaseInfo.cpp` of LLVM (VGPRs in all, and by
/// which unit). Of RDNA, half of what the two CUs of a workgroup processor share, and waves of 32.
const COMPUTE_UNITS: [ComputeUnit; 3] = [
    CDNA_3,
    ComputeUnit { architectures: &["gfx950"], lds_kib: 160, lds_unit: 1280, ..CDNA_3 },
    ComputeUnit {
        architectures: &["gfx1100", "gfx1101", "gfx1151", "gfx1200", "gfx1201"],
        wave: 32,
        simds: 2,
        waves_of_simd: 16,
        registers: 1536,
        register_unit: 24,
        registers_of_wave: 256,
        ..CDNA_3
    },
];

impl SmLimits {
    /// The limits of a GPU of AMD, for workgroups of compute kernels; `None` of architectures that are not known.
    fn of_amd(facts: &Device) -> Option<Self> {
        let architecture = facts.architecture.as_deref()?;
        let unit = COMPUTE_UNITS.iter().find(|unit| unit.architectures.contains(&architecture))?;
        let simds = known(facts.simds_per_sm).unwrap_or(unit.simds);
        let registers = unit.registers * unit.wave * simds;
        let shared_bytes = known(facts.shared_bytes_per_sm).unwrap_or(unit.lds_kib << 10);
        let warps = known(facts.warps_per_sm).unwrap_or(unit.waves_of_simd * simds);
        Some(Self {
            threads_per_warp: unit.wave,
            register_unit: unit.register_unit * unit.wave,
            warps,
            blocks: warps,
            shared_bytes,
            shared_bytes_per_block: shared_bytes,
            reserved_bytes_per_block: 0,
            shared_unit_bytes: unit.lds_unit,
            register_partitions: simds,
            registers,
            registers_per_thread: unit.registers_of_wave,
            registers_per_block: registers,
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
            threads_per_warp: 32,
            register_unit: 256,
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
    use crate::figures::gpu::occupancy::{BlockResources, Occupancy};

    #[test]
    fn compute_units_of_amd_hold_waves_of_64() {
        let device =
            |architecture: &str| Device { architecture: Some(architecture.into()), ..Device::default() };
        let limits = SmLimits::of_device(&device("gfx942")).expect("CDNA 3");
        assert_eq!((limits.threads_per_warp, limits.warps, limits.shared_bytes), (64, 32, 65_536));
        let block = BlockResources { threads: 256, registers_per_thread: 128, shared_bytes: 16_384 };
        let found = Occupancy::of(block, &limits).expect("a workgroup");
        // 128 registers leave room for four waves on each SIMD, 16 KiB for four workgroups of four waves.
        assert_eq!((found.blocks_per_sm, found.warps_per_sm, found.most_warps), (4, 16, 32));
        let whole = BlockResources { threads: 256, registers_per_thread: 512, shared_bytes: 0 };
        assert_eq!(Occupancy::of(whole, &limits).expect("a workgroup").warps_per_sm, 4);
        let rdna = SmLimits::of_device(&device("gfx1100")).expect("RDNA 3");
        // Waves of 32: 128 registers are taken as 144, so that ten fit each of two SIMDs; a workgroup has eight.
        let found = Occupancy::of(block, &rdna).expect("a workgroup");
        assert_eq!((found.blocks_per_sm, found.warps_per_sm, found.most_warps), (2, 16, 32));
        assert_eq!(SmLimits::of_device(&device("gfx1030")), None, "nothing is known of RDNA 2");
        assert_eq!(SmLimits::of_device(&device("gfx950")).expect("CDNA 4").shared_bytes, 163_840);
    }

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
