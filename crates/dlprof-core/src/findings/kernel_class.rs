//! What the name of a kernel says it computes.

use regex::bytes::{RegexSet, RegexSetBuilder};
use std::sync::LazyLock;

/// What kernels are told apart by. A kernel may be of several classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KernelClass {
    /// Matrix math.
    Matrix,
    /// Matrix math in FP32, on cores that are no Tensor Cores.
    Fp32Matrix,
    /// Matrix math in FP64.
    Fp64,
    /// Changes the layout of a tensor and computes nothing.
    Layout,
    /// Fused attention.
    FusedAttention,
    /// Softmax.
    Softmax,
    /// Dropout and masks.
    Dropout,
    /// Checks what an algorithm that is tried wrote beside its output.
    Autotuning,
    /// Computes element by element, normalises, copies: moves more than it computes.
    MemoryBound,
    /// Updates many parameters at a time.
    MultiTensor,
    /// Asks every element whether it is a number.
    NanCheck,
    /// A convolution.
    Convolution,
}

/// The classes of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct KernelClasses(u16);

impl KernelClasses {
    /// What the demangled and the short name say.
    pub(super) fn of(long_name: &str, short_name: &str) -> Self {
        let found = PATTERNS.matches(long_name.as_bytes());
        let short = SHORT_PATTERNS.matches(short_name.as_bytes());
        let is = |pattern: LongPattern| found.matched(pattern as usize);
        let is_short = |pattern: ShortPattern| short.matched(pattern as usize);
        let mut classes = Self::default();
        let mut put = |class: KernelClass, is_so: bool| classes.0 |= u16::from(is_so) << class as u16;
        put(KernelClass::Matrix, is(LongPattern::Matrix));
        put(KernelClass::Fp32Matrix, is(LongPattern::Fp32) && !is(LongPattern::OtherType));
        put(KernelClass::Fp64, is(LongPattern::Fp64));
        put(KernelClass::Layout, is(LongPattern::Layout) || is_short(ShortPattern::Layout));
        put(KernelClass::FusedAttention, is(LongPattern::FusedAttention));
        put(KernelClass::Softmax, is_short(ShortPattern::Softmax));
        put(KernelClass::Dropout, is(LongPattern::Dropout));
        put(KernelClass::Autotuning, is_short(ShortPattern::Autotuning));
        put(KernelClass::MemoryBound, is(LongPattern::MemoryBound) && !is(LongPattern::Matrix));
        put(KernelClass::MultiTensor, is(LongPattern::MultiTensor));
        put(KernelClass::NanCheck, is(LongPattern::NanCheck));
        put(KernelClass::Convolution, is(LongPattern::Convolution));
        classes
    }

    /// Whether the name says this.
    pub(super) fn has(self, class: KernelClass) -> bool {
        self.0 & (1 << class as u16) != 0
    }
}

/// The patterns of demangled names, in the order of [`PATTERNS`].
#[derive(Clone, Copy)]
enum LongPattern {
    Matrix,
    Fp32,
    OtherType,
    Fp64,
    Layout,
    FusedAttention,
    Dropout,
    MemoryBound,
    MultiTensor,
    NanCheck,
    Convolution,
}

/// The patterns of short names, in the order of [`SHORT_PATTERNS`].
#[derive(Clone, Copy)]
enum ShortPattern {
    Softmax,
    Autotuning,
    Layout,
}

const LAYOUT: &str = "nchwtonhwc|nhwctonchw|transpose_readwrite|tensortransform|generictranspose|transposekernel|converttensor|nchw2nhwc|\
                      nhwc2nchw";

static PATTERNS: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        "gemm|gemv|nvjet|cutlass|xmma|convolve|cudnn|winograd|wgrad|dgrad|fprop|flash|fmha|sdpa|attention|_conv",
        "sgemm|_ffma|simt_s|scudnn|f32f32_f32f32",
        "half|bfloat|bf16|f16|fp16|int8|i8|e4m3|e5m2|double|f64",
        r"dgemm|zgemm|d884|f64f64|(gemm|gemv|splitkreduce|trsm|syrk)[^(]*<[^(]*\bdouble\b",
        LAYOUT,
        "flash_(fwd|bwd)|fmha|sdpa_|attentionkernel|cudnn_generated.*(sdpa|flash)",
        "dropout|masked_(fill|scale|softmax)",
        "elementwise|layer_?norm|batch_?norm|bn_(fw|bw)|rms_?norm|catarray|copy_kernel|vectorized_|triton_poi_|triton_per_|reduce_kernel",
        "multi_tensor_apply|fused_?(adam|sgd|lamb)",
        r"\bisnan|isinf|isfinite|nan_check|is_nan",
        "convolve|winograd|scudnn|_conv|dgrad|wgrad|fprop|implicit_gemm|cudnn.*conv",
    ])
});

static SHORT_PATTERNS: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        "softmax_warp_(for|back)ward|cunn_SoftMax|softmaxforward|softmaxbackward",
        "redzone_checker",
        LAYOUT,
    ])
});

/// Patterns for any case.
fn set(patterns: &[&str]) -> RegexSet {
    let set = RegexSetBuilder::new(patterns).case_insensitive(true).unicode(false).build();
    set.expect("the patterns are constants, and a test compiles them")
}

#[cfg(test)]
mod tests {
    use super::KernelClass::{Autotuning, Fp32Matrix, Fp64, FusedAttention, Layout, Matrix, Softmax};
    use super::*;

    /// The classes of a demangled name; its short name is the last part before template arguments and parameters.
    fn classes(name: &str) -> KernelClasses {
        let plain = name.replace("(anonymous namespace)", "anonymous");
        let short = plain.split(['<', '(']).next().unwrap_or(&plain);
        KernelClasses::of(name, short.rsplit([':', ' ']).next().unwrap_or(short))
    }

    #[test]
    fn names_of_real_kernels() {
        assert!(classes("ampere_sgemm_128x64_tn").has(Fp32Matrix));
        assert!(classes("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8").has(Fp32Matrix));
        assert!(!classes("sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n").has(Fp32Matrix));
        assert!(!classes("ampere_fp16_s1688gemm_fp16_128x128_ldg8_f2f_stages_32x1_tn").has(Fp32Matrix));
        assert!(classes("volta_dgemm_64x64_nn").has(Fp64) && classes("volta_dgemm_64x64_nn").has(Matrix));
        assert!(classes("void gemv2T_kernel_val<int, int, double, double, double>(T1)").has(Fp64));
        assert!(!classes("void gemv2T_kernel_val<int, int, float, float>(double *)").has(Fp64));
        assert!(classes("void cudnn::ops::nchwToNhwcKernel<float, float>(int)").has(Layout));
        assert!(classes("void (anonymous namespace)::softmax_warp_forward<float>(float)").has(Softmax));
        assert!(classes("void flash_fwd_kernel<Flash_fwd_traits>(Params)").has(FusedAttention));
        assert!(classes("redzone_checker").has(Autotuning));
        assert_eq!(classes("saxpy"), KernelClasses::default());
    }
}
