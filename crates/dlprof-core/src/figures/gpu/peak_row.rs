//! The peaks of a GPU, and a row of the table of peaks.

use crate::read::facts::ComputeCapability;

/// Peaks in TFLOP/s (10¹²; TOP/s for integers), dense; `None` where a GPU has no unit for it or no figure is known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Peaks {
    /// Memory bandwidth in GB/s (10⁹ bytes).
    pub gb_per_s: Option<f64>,
    /// Vector units, fp32.
    pub fp32: Option<f64>,
    /// Vector units, fp64.
    pub fp64: Option<f64>,
    /// Matrix units, fp64.
    pub fp64_matrix: Option<f64>,
    /// Matrix units, fp32 numbers rounded to TF32.
    pub tf32: Option<f64>,
    /// Matrix units, fp16 with fp32 accumulation; vector units of GPUs without matrix units.
    pub fp16: Option<f64>,
    /// Matrix units, bfloat16 with fp32 accumulation.
    pub bf16: Option<f64>,
    /// Matrix units, fp8 with fp32 accumulation.
    pub fp8: Option<f64>,
    /// Matrix units, int8; vector units of GPUs without matrix units.
    pub int8: Option<f64>,
}

/// How sure the figures of a row are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// A data sheet or white paper has them.
    Published,
    /// They follow from published figures, or published figures disagree.
    Derived,
    /// The user's settings have them.
    User,
}

/// Peaks of a GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct PeakRow {
    /// Product name; its words find the row.
    pub name: String,
    /// Compute capability; `None` if a user's row does not say, and of GPUs that are not NVIDIA's.
    pub compute_capability: Option<ComputeCapability>,
    /// Number of multiprocessors; `None` fits any number.
    pub sm_count: Option<u64>,
    /// The peaks.
    pub peaks: Peaks,
    /// How sure they are.
    pub grade: Grade,
    /// Where they come from.
    pub source: String,
}
