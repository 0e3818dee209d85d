//! What follows from the metrics of a launch: figures, and the words that they are given in.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Where the FLOP of a launch come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FlopSource {
    /// Counters of instructions.
    Counters,
    /// Instructions per cycle, times cycles.
    Rates,
    /// Instructions by opcode.
    Opcodes,
    /// Counters of operations.
    Ops,
    /// 512 for each instruction, which holds on compute capability 7.0 if it adds in FP32.
    Assumed,
    /// Several of these.
    Mixed,
}

impl FlopSource {
    /// The word for people and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Counters => "counters",
            Self::Rates => "rates",
            Self::Opcodes => "opcodes",
            Self::Ops => "ops",
            Self::Assumed => "assumed",
            Self::Mixed => "mixed",
        }
    }

    /// The source of a sum.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        if self == other { self } else { Self::Mixed }
    }
}

/// What Tensor Cores multiply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TensorPrecision {
    Bf16,
    Fp16,
    Tf32,
    Fp64,
    Fp8,
    Fp6,
    Fp4,
    Int8,
    Int4,
    Int1,
    /// A name that is not known.
    Other,
}

impl TensorPrecision {
    /// The word for people and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bf16 => "bf16",
            Self::Fp16 => "fp16",
            Self::Tf32 => "tf32",
            Self::Fp64 => "fp64",
            Self::Fp8 => "fp8",
            Self::Fp6 => "fp6",
            Self::Fp4 => "fp4",
            Self::Int8 => "int8",
            Self::Int4 => "int4",
            Self::Int1 => "int1",
            Self::Other => "other",
        }
    }
}

/// What says whether a launch ran on Tensor Cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TensorEvidence {
    /// Counters of operations.
    Ops,
    /// Instructions by opcode.
    Opcodes,
    /// The use of the pipe.
    Pipe,
}

/// What limits a kernel, by its use of the GPU's two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NcuBound {
    /// Memory: 80 % of what it can do, or clearly more used than the SMs.
    Memory,
    /// The SMs.
    Compute,
    /// Both about as much.
    Balanced,
    /// Neither is used to 60 %: what the kernel waits for.
    Latency,
    /// Neither is used to 60 %, and there are fewer blocks than run at once.
    SmallGrid,
}

impl NcuBound {
    /// The word for people and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Compute => "compute",
            Self::Balanced => "balanced",
            Self::Latency => "latency",
            Self::SmallGrid => "small_grid",
        }
    }

    /// What limits, from the use of both sides in percent.
    #[must_use]
    pub fn of(sm_percent: Option<f64>, memory_percent: Option<f64>, waves: Option<f64>) -> Option<Self> {
        let (sm, memory) = (sm_percent?, memory_percent?);
        let most = sm.max(memory);
        Some(if most >= 80.0 {
            if memory > sm { Self::Memory } else { Self::Compute }
        } else if most < 60.0 {
            if waves.is_some_and(|waves| waves < 1.0) { Self::SmallGrid } else { Self::Latency }
        } else if (sm - memory).abs() < 10.0 {
            Self::Balanced
        } else if sm > memory {
            Self::Compute
        } else {
            Self::Memory
        })
    }
}

/// What follows from the metrics of a launch; of a row of a summary, for one launch in the mean. What is unknown is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the names say it, with the unit")]
pub struct NcuFigures {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ns: Option<f64>,
    /// Clock of the SMs while it was measured, in cycles per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sm_hz: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sm_cycles: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sm_active_cycles: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dram_read_bytes: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dram_write_bytes: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dram_bytes: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l2_bytes: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l1_bytes: Option<f64>,
    /// On the vector pipes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp32_flop: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp64_flop: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp16_flop: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp32_flop_source: Option<FlopSource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp64_flop_source: Option<FlopSource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp16_flop_source: Option<FlopSource>,
    /// On Tensor Cores, by precision; an empty list is none at all, unknown if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensor_flop: Option<Vec<(TensorPrecision, f64)>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensor_flop_source: Option<FlopSource>,
    /// All FLOP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flop: Option<f64>,
    /// Precisions of vector instructions that are missing in `flop`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flop_lacks: Vec<Cow<'static, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sm_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dram_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l2_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l1_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub achieved_occupancy_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theoretical_occupancy_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waves: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue_active_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<NcuBound>,
    /// Whether Tensor Cores ran; none if the counters leave it open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensor_cores: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensor_cores_evidence: Option<TensorEvidence>,
    /// Use of the pipe while its SM was active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensor_active_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensor_elapsed_percent: Option<f64>,
    /// Sectors of 32 bytes that loads from global memory moved, and stores to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sectors_ld: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sectors_st: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sectors_per_request_ld: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sectors_per_request_st: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sector_use_percent_ld: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sector_use_percent_st: Option<f64>,
    /// What warps waited for longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_stall: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_stall_percent: Option<f64>,
    /// Roofs at the clocks of this launch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dram_roof_bytes_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp32_roof_flop_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp64_roof_flop_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp16_roof_flop_per_s: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tensor_roofs_flop_per_s: Vec<(TensorPrecision, f64)>,
}

impl NcuFigures {
    /// FLOP on the vector pipes that are known.
    #[must_use]
    pub fn vector_flop(&self) -> Option<f64> {
        let known = [self.fp32_flop, self.fp64_flop, self.fp16_flop];
        self.fp32_flop.map(|_| known.into_iter().flatten().sum())
    }

    /// FLOP on Tensor Cores.
    #[must_use]
    pub fn tensor_flop_sum(&self) -> Option<f64> {
        self.tensor_flop.as_ref().map(|parts| parts.iter().map(|(_, flop)| flop).sum())
    }

    /// FLOP for each byte of DRAM; unknown if no byte moved.
    #[must_use]
    pub fn intensity(&self) -> Option<f64> {
        per(self.flop, self.dram_bytes)
    }

    /// FLOP for each byte of the L2 cache.
    #[must_use]
    pub fn l2_intensity(&self) -> Option<f64> {
        per(self.flop, self.l2_bytes)
    }

    /// FLOP for each byte of the L1 cache.
    #[must_use]
    pub fn l1_intensity(&self) -> Option<f64> {
        per(self.flop, self.l1_bytes)
    }

    /// FLOP per second while it was measured, at the clocks of `ncu`.
    #[must_use]
    pub fn flop_per_s(&self) -> Option<f64> {
        per_second(self.flop, self.duration_ns)
    }

    /// Bytes of DRAM per second while it was measured, at the clocks of `ncu`.
    #[must_use]
    pub fn dram_bytes_per_s(&self) -> Option<f64> {
        per_second(self.dram_bytes, self.duration_ns)
    }

    /// Sectors that loads and stores moved together, and those of them that threads used; unknown if it is for a side that moved any.
    #[must_use]
    pub fn sectors(&self) -> Option<[f64; 2]> {
        let mut sum = [0.0; 2];
        for (sectors, percent) in
            [(self.sectors_ld?, self.sector_use_percent_ld), (self.sectors_st?, self.sector_use_percent_st)]
        {
            if sectors > 0.0 {
                sum[0] += sectors;
                sum[1] += sectors * percent? / 100.0;
            }
        }
        Some(sum)
    }

    /// Where all FLOP come from.
    #[must_use]
    pub fn flop_source(&self) -> Option<FlopSource> {
        self.flop?;
        let tensor = self.tensor_flop.as_ref().filter(|parts| parts.iter().any(|(_, flop)| *flop > 0.0));
        let sources = [
            self.fp32_flop_source,
            self.fp64_flop_source,
            self.fp16_flop_source,
            tensor.and(self.tensor_flop_source),
        ];
        sources.into_iter().flatten().reduce(FlopSource::with)
    }
}

fn per(flop: Option<f64>, bytes: Option<f64>) -> Option<f64> {
    bytes.filter(|bytes| *bytes > 0.0).and_then(|bytes| Some(flop? / bytes))
}

fn per_second(amount: Option<f64>, ns: Option<f64>) -> Option<f64> {
    ns.filter(|ns| *ns > 0.0).and_then(|ns| Some(amount? / (ns * 1e-9)))
}
