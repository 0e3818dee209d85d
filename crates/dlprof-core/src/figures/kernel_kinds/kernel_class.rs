//! What the name of a kernel says it computes.

use crate::capture::names::{NamedKind, checks_algorithms};
use regex::bytes::{RegexSet, RegexSetBuilder};
use std::sync::LazyLock;

/// What kernels are told apart by. A kernel may be of several classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KernelClass {
    /// Matrix math.
    Matrix,
    /// Matrix math in FP32, on cores that are not Tensor Cores.
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
    /// Fused attention written for GPUs before Hopper.
    OlderAttention,
    /// Transforms or lays out what a convolution reads or writes, or prepares addresses for it, so that another kernel computes it
    /// as products.
    Transform,
    /// Names FP16 or BF16.
    Half,
    /// Turns the filter of a convolution into the layout of a library, whatever the layout of the tensors is.
    FilterLayout,
    /// Launched by the runtime of a compiler by itself, where it moves or fills data.
    Runtime,
}

/// The classes of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct KernelClasses(u32);

impl KernelClasses {
    /// What the demangled and the short name say of a kernel of a kind.
    pub(crate) fn of(long_name: &str, short_name: &str, kind: Option<NamedKind>) -> Self {
        let found = PATTERNS.matches(long_name.as_bytes());
        let short = SHORT_PATTERNS.matches(short_name.as_bytes());
        let is = |pattern: LongPattern| found.matched(pattern as usize);
        let is_short = |pattern: ShortPattern| short.matched(pattern as usize);
        // A convolution may name the layouts that it reads and writes. Names of parameters say nothing where the function's does.
        let is_layout = match is_short(ShortPattern::Layout) {
            true => !is_short(ShortPattern::Computes),
            false => is(LongPattern::Layout) && !is(LongPattern::Computes),
        };
        let is_helper = is_short(ShortPattern::Helper);
        let is_transform =
            is_helper || is_short(ShortPattern::Transform) && !is_short(ShortPattern::Products);
        let mut classes = Self::default();
        let mut put = |class: KernelClass, is_so: bool| classes.0 |= u32::from(is_so) << class as u32;
        let is_attention = matches!(kind, Some(NamedKind::Attention | NamedKind::AttentionHelper));
        let multiplies = matches!(kind, Some(NamedKind::Attention | NamedKind::Matrix));
        put(KernelClass::Matrix, multiplies);
        put(KernelClass::Fp32Matrix, is(LongPattern::Fp32) && !is(LongPattern::OtherType));
        put(KernelClass::Fp64, is(LongPattern::Fp64));
        put(KernelClass::Layout, is_layout);
        put(KernelClass::FusedAttention, is_attention);
        put(KernelClass::Softmax, is_short(ShortPattern::Softmax) && !is(LongPattern::LogSoftmax));
        put(KernelClass::Dropout, is(LongPattern::Dropout));
        put(KernelClass::Autotuning, checks_algorithms(short_name));
        put(KernelClass::MemoryBound, is(LongPattern::MemoryBound) && !multiplies && !is_attention);
        put(KernelClass::MultiTensor, is(LongPattern::MultiTensor) && !is(LongPattern::CopiesTensors));
        put(KernelClass::NanCheck, is(LongPattern::NanCheck));
        put(
            KernelClass::Convolution,
            is(LongPattern::Convolution)
                && !is_layout
                && matches!(kind, Some(NamedKind::Matrix | NamedKind::Transform)),
        );
        put(KernelClass::OlderAttention, is(LongPattern::BeforeHopper) && !is(LongPattern::HopperOrLater));
        put(KernelClass::Transform, is_transform);
        put(KernelClass::Half, is(LongPattern::Half));
        put(KernelClass::FilterLayout, is_layout && is(LongPattern::FilterLayout));
        put(KernelClass::Runtime, is_short(ShortPattern::Runtime));
        classes
    }

    /// Whether the name says this.
    pub(crate) fn has(self, class: KernelClass) -> bool {
        self.0 & (1 << class as u32) != 0
    }
}

/// The patterns of demangled names, in the order of [`PATTERNS`].
#[derive(Clone, Copy)]
enum LongPattern {
    Fp32,
    OtherType,
    Fp64,
    Layout,
    Dropout,
    MemoryBound,
    MultiTensor,
    CopiesTensors,
    NanCheck,
    Convolution,
    Computes,
    LogSoftmax,
    BeforeHopper,
    HopperOrLater,
    Half,
    FilterLayout,
}

/// The patterns of short names, in the order of [`SHORT_PATTERNS`].
#[derive(Clone, Copy)]
enum ShortPattern {
    Softmax,
    Layout,
    Computes,
    Transform,
    Products,
    Helper,
    Runtime,
}

/// Matrix math in FP64.
pub(crate) const FP64: &str =
    r"dgemm|zgemm|d884|f64f64|(gemm|gemv|splitkreduce|trsm|syrk)[^(]*<[^(]*\bdouble\b";

/// Kernels that change a layout, unless their names match [`COMPUTES`].
pub(crate) const LAYOUT: &str = "nchw_?(to|2)_?nhwc|nhwc_?(to|2)_?nchw|ncdhw_?(to|2)_?ndhwc|ndhwc_?(to|2)_?ncdhw|\
     transpose_readwrite|batched_transpose_[0-9]+x[0-9]+|tensortransform|generictranspose|transposekernel|converttensor|\
     swapdimension1and2intensor3|shuffleintensor3";

/// Convolutions and matrix products, whatever layouts their names mention.
pub(crate) const COMPUTES: &str =
    "gemm|xmma_|convolve|winograd|scudnn|[0-9]cudnn|dgrad|wgrad|fprop|conv[123]d";

/// Matrix math of FP32 on plain cores, where no other type is named.
pub(crate) const FP32_PLAIN: &str =
    "sgemm|_ffma|simt_s|scudnn|f32f32_f32f32|(dgrad|wgrad)[0-9a-z_]*_engine<float";

/// Types other than FP32.
pub(crate) const OTHER_THAN_FP32: &str = "half|bfloat|bf16|f16|fp16|int8|i8|e4m3|e5m2|double|f64";

/// Kernels that ask whether numbers are NaN.
pub(crate) const NAN_CHECK: &str = r"\bisnan|isinf|isfinite|nan_check|is_nan";

/// Types of 16 bits.
pub(crate) const HALF: &str = "half|bfloat|bf16|fp16|f16|hgemm";

static PATTERNS: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        FP32_PLAIN,
        OTHER_THAN_FP32,
        FP64,
        LAYOUT,
        "dropout|masked_(fill|scale|softmax)",
        "elementwise|layer_?norm|batch_?norm|bn_(fw|bw)|rms_?norm|catarray|copy_kernel|vectorized_|\
         triton_poi_|triton_per_|reduce_kernel",
        "multi_tensor_apply|fused_?(adam|sgd|lamb)",
        r"multi_tensor_apply.*\bcopy<",
        NAN_CHECK,
        "convolve|convolution|winograd|scudnn|[0-9]cudnn|(^|[^a-z])conv([^e]|$)|dgrad|wgrad|fprop|implicit_gemm|\
         cudnn.*conv([^e]|$)|^igemm_(fwd|bwd|wrw)_",
        COMPUTES,
        r"logsoftmax|softmax_warp_(for|back)ward<[^>]*, *(\(int\))?[0-9]+, *(true|\(bool\)1)",
        r"flash_(fwd|bwd)_([a-z_]+_)?kernel\b|fmha_cutlass[fb]_.*sm(50|70|75|80)|sdpa_sm8[0-9]_flash",
        r"splitkv|sm(90|100|103|110|120)|flashattn(fwd|bwd)sm",
        HALF,
        r"shuffleintensor3simple<[^<>,]+, *(\(int\))?2, *(\(int\))?1, *(\(int\))?0",
    ])
});

static SHORT_PATTERNS: LazyLock<RegexSet> = LazyLock::new(|| {
    set(&[
        "softmax_warp_(for|back)ward|cunn_SoftMax|softmaxforward|softmaxbackward",
        LAYOUT,
        COMPUTES,
        "fft|winograd|im2col|col2im|flip_filter",
        "scudnn|[0-9]cudnn|convolve|gemm|xmma",
        "compute_?[a-z_]*(offsets|pointers|indices)|generatewinogradtiles",
        "^__(pgi|nv)_(uacc_|dev_)[a-z_]*(fill|memset|memcpy|copy)",
    ])
});

/// Patterns for any case.
fn set(patterns: &[&str]) -> RegexSet {
    let set = RegexSetBuilder::new(patterns).case_insensitive(true).unicode(false).build();
    set.expect("the patterns are constants, and a test compiles them")
}

#[cfg(test)]
mod tests {
    use super::KernelClass::{
        Autotuning, Convolution, Fp32Matrix, Fp64, FusedAttention, Half, Layout, Matrix, OlderAttention,
        Softmax, Transform,
    };
    use super::*;
    use crate::capture::names::kernel_name_says;

    /// The classes of a demangled name; its short name is the last part before template arguments and parameters.
    fn classes(name: &str) -> KernelClasses {
        let plain = name.replace("(anonymous namespace)", "anonymous");
        let short = plain.split(['<', '(']).next().unwrap_or(&plain);
        let short = short.rsplit([':', ' ']).next().unwrap_or(short);
        KernelClasses::of(name, short, kernel_name_says(name).kind)
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
        assert!(
            classes("void cudnn::detail::dgrad_engine<float, 512, 6>(int, float const*)").has(Fp32Matrix)
        );
        assert!(classes("void cudnn::cnn::wgrad_alg0_engine<float, 128, 6>(int)").has(Fp32Matrix));
        assert!(!classes("void cudnn::cnn::wgrad_alg0_engine<__half, 128, 6>(int)").has(Fp32Matrix));
        assert_eq!(classes("saxpy"), KernelClasses::default());
    }

    #[test]
    fn names_of_rocm() {
        for name in [
            "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT320x224x64_MI16x16x1_SN_LDSB0",
            "_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3INS_28G",
            "igemm_wrw_gtcx3_nhwc_bf16_bx0_ex1_bt64x64x64_wt32x32x8",
        ] {
            assert!(classes(name).has(Matrix) && !classes(name).has(Layout), "{name}");
        }
        assert!(classes("igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32").has(Convolution));
        for name in ["attn_fwd", "void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16>(int)"] {
            assert!(classes(name).has(FusedAttention), "{name}");
        }
        assert!(classes("batched_transpose_32x16_half").has(Layout));
        assert_eq!(classes("SubTensorOpWithScalar1d"), KernelClasses::default());
    }

    #[test]
    fn what_a_runtime_launches_by_itself_is_told_by_its_name() {
        for name in ["__pgi_uacc_cuda_fill_42_gpu", "__pgi_dev_cumemset_4n"] {
            assert!(classes(name).has(KernelClass::Runtime), "{name}");
        }
        for name in ["feed_input_23_gpu", "fill_42_gpu", "void at::native::FillFunctor<float>(int)"] {
            assert!(!classes(name).has(KernelClass::Runtime), "{name}");
        }
    }

    #[test]
    fn filters_are_told_from_other_tensors_by_the_order_of_dimensions() {
        let shuffle = |order: &str| {
            classes(&format!(
                "void tensorflow::functor::ShuffleInTensor3Simple<float, {order}, false>(int, float const*)"
            ))
        };
        for order in ["2, 1, 0", "(int)2, (int)1, (int)0"] {
            assert!(shuffle(order).has(KernelClass::FilterLayout) && shuffle(order).has(Layout), "{order}");
        }
        assert!(!shuffle("0, 2, 1").has(KernelClass::FilterLayout) && shuffle("0, 2, 1").has(Layout));
    }

    #[test]
    fn what_prepares_a_product_is_no_product() {
        for name in [
            "cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)",
            "void cudnn::gemm::computeWgradSplitKOffsetsKernel(cudnn::gemm::ComputeWgradSplitKOffsetsParams)",
            "void cudnn::cnn::kern_precompute_indices<false>(int *, int, int)",
            "void compute_gemm_pointers(float2 **, float2 const *, int, int)",
            "void cudnn::winograd::generateWinogradTilesKernel<0, float, float>(int)",
            "void cudnn::cnn::im2col4d_kernel<__half, long>(cudnn::cnn::im2col4d_params, cudnnConvolutionStruct)",
            "void fft2d_r2c_32x32<__half, false, 1u, true>(float2*, __half const*, int, cudnn::reduced_divisor)",
        ] {
            assert!(classes(name).has(Transform) && !classes(name).has(Matrix), "{name}");
        }
        for name in [
            "volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1",
            "void explicit_convolve_sgemm<__half, int, 128, 5, 5, 3, 3, 3, 0, false>(int, kernel_conv_params)",
        ] {
            assert!(classes(name).has(Convolution) && !classes(name).has(Transform), "{name}");
        }
        assert!(!classes("cask_cudnn::computeOffsetsKernel(int)").has(Convolution));
        assert!(!classes("void cudnn::pooling_fw_4d_kernel<float>(cudnnTensorStruct)").has(Matrix));
        assert!(classes("volta_hgemm_128x64_tn").has(Half) && !classes("volta_sgemm_128x64_tn").has(Half));
    }

    #[test]
    fn a_convolution_that_names_layouts_is_a_convolution() {
        for name in [
            "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nchw_tilesize128x128x32_stage4_warpsize2x2x1_nhwc2nchw",
            "void implicit_convolve_sgemm_nchwToNhwc<float, 128>(int)",
            "void cutlass__5x_cudnn::Kernel<cutlass_tensorop_f16_s16816fprop_optimized_f16_nhwc2nchw_align8>(int)",
            "turing_fp16_s1688cudnn_fp16_256x128_ldg8_relu_filter1x1_stg8_interior_nchw2nhwc_nn_v1",
        ] {
            assert!(classes(name).has(Convolution) && !classes(name).has(Layout), "{name}");
        }
        for name in [
            "void cudnn::ops::nhwcToNchwKernel<__half, __half, float, true, false>(int)",
            "void cudnn::ops::convertTensor_kernel<float, __half, float, 0>(float, float const*)",
            "void cutlass::nchw_to_nhwc_kernel<cutlass::half_t>(int)",
            "void tensorflow::functor::SwapDimension1And2InTensor3UsingTiles<unsigned int, 256, 32, 32>(unsigned int const*)",
        ] {
            assert!(classes(name).has(Layout) && !classes(name).has(Convolution), "{name}");
        }
        assert!(
            classes("void at::native::conv_depthwise2d_forward_kernel<1, float>(float)").has(Convolution)
        );
        assert!(!classes("void at::native::convert_bf16_kernel<float>(float)").has(Convolution));
        let attention = "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x64x128";
        assert!(classes(attention).has(FusedAttention) && !classes(attention).has(Convolution));
    }

    #[test]
    fn softmax_of_a_loss_is_no_attention() {
        assert!(
            !classes("void softmax_warp_forward<float, float, float, 10, true, false>(float *)").has(Softmax)
        );
        assert!(
            !classes("void softmax_warp_backward<float, float, float, (int)10, (bool)1, (bool)0>(T1 *)")
                .has(Softmax)
        );
        assert!(
            classes("void softmax_warp_forward<float, float, float, 10, false, true>(float *)").has(Softmax)
        );
        let of_loss = "void at::native::cunn_SoftMaxForward<4, float, float, float, \
            at::native::LogSoftMaxForwardEpilogue>(float *)";
        assert!(!classes(of_loss).has(Softmax));
    }

    #[test]
    fn generations_of_attention() {
        for name in [
            "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>, \
             false>(pytorch_flash::Flash_fwd_params)",
            "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64>>(flash::Flash_bwd_params)",
            "fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel::Params)",
        ] {
            assert!(classes(name).has(OlderAttention), "{name}");
        }
        for name in [
            "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2>>>>(T1)",
            "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x64x128",
            "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4>>(flash::Flash_fwd_params)",
            "void flashinfer::BatchDecodeKernel<128>(int)",
        ] {
            assert!(!classes(name).has(OlderAttention), "{name}");
        }
    }
}
