//! The GPUs of pairs.

/// A type of GPU, as an export describes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Board {
    /// As nsys spells it.
    pub(crate) name: &'static str,
    /// Its chip.
    pub(crate) chip: &'static str,
    /// Compute capability.
    pub(crate) capability: [i64; 2],
    /// Number of multiprocessors.
    pub(crate) sm_count: i64,
    /// Clock in Hz.
    pub(crate) clock: i64,
    /// Bytes of memory.
    pub(crate) memory: i64,
    /// Bytes per second of its memory.
    pub(crate) bandwidth: i64,
    /// Warps and blocks that a multiprocessor holds.
    pub(crate) warps_and_blocks: [i64; 2],
    /// Shared memory of a multiprocessor, and the most that a block may ask for.
    pub(crate) shared: [i64; 2],
}

impl Board {
    /// FP32 on plain cores 19.5, TF32 156 TFLOP/s.
    pub(crate) const A100: Self = Self {
        name: "NVIDIA A100-SXM4-80GB",
        chip: "GA100",
        capability: [8, 0],
        sm_count: 108,
        clock: 1_410_000_000,
        memory: 85_095_874_560,
        bandwidth: 2_039_040_000_000,
        warps_and_blocks: [64, 32],
        shared: [167_936, 166_912],
    };

    /// The planted captures of the newer schema have it.
    pub(crate) const H100: Self = Self {
        name: "NVIDIA H100 80GB HBM3",
        chip: "GH100",
        capability: [9, 0],
        sm_count: 132,
        memory: 85_027_454_976,
        ..Self::A100
    };

    /// FP32 15.7, FP16 on Tensor Cores 125 TFLOP/s; no TF32.
    pub(super) const V100: Self = Self {
        name: "Tesla V100-SXM2-16GB",
        chip: "GV100",
        capability: [7, 0],
        sm_count: 80,
        clock: 1_530_000_000,
        memory: 16_945_512_448,
        bandwidth: 898_048_000_000,
        warps_and_blocks: [64, 32],
        shared: [98_304, 98_304],
    };

    /// Has no Tensor Cores.
    pub(super) const P100: Self = Self {
        name: "Tesla P100-SXM2-16GB",
        chip: "GP100",
        capability: [6, 0],
        sm_count: 56,
        clock: 1_480_500_000,
        memory: 17_071_734_784,
        bandwidth: 732_160_000_000,
        warps_and_blocks: [64, 32],
        shared: [65_536, 49_152],
    };

    /// Computes FP64 at a sixty-fourth of the FP32 rate.
    pub(super) const RTX_3090: Self = Self {
        name: "NVIDIA GeForce RTX 3090",
        chip: "GA102",
        capability: [8, 6],
        sm_count: 82,
        clock: 1_695_000_000,
        memory: 25_447_170_048,
        bandwidth: 936_096_000_000,
        warps_and_blocks: [48, 16],
        shared: [102_400, 101_376],
    };
}
