//! Everything the tool knows about Tensor Cores: which kernels use them and which ops could.
//!
//! All rules are in this one file, as data, so that two figures can never disagree. Sources:
//!
//! * **DLProf**: its own output on three published captures (1.8.0) and the Viewer guide.
//! * **PyProf**: NVIDIA/PyProf `pyprof/prof/tc.py`, the open ancestor (2020).
//! * **XProf**: TensorFlow `core/profiler/utils/kernel_stats_utils.cc` (2021).
//! * **kineto**: pytorch/kineto `tb_plugin/torch_tb_profiler/profiler/tensor_core.py` (2022).
//! * **H100**: public nsys kernel tables of Hopper and Blackwell GPUs, compared with measured FLOP rates (2024-2026).

use crate::columns::cells_of_bytes;
use bytemuck::{CheckedBitPattern, NoUninit};

/// Whether a kernel uses Tensor Cores, as far as its name shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, NoUninit, CheckedBitPattern)]
#[repr(u8)]
pub enum TensorCores {
    /// The name says that it does.
    Used,
    /// The name says that it does not, or nothing in it suggests so.
    NotUsed,
    /// The name cannot tell. DLProf's figures count these kernels as not using Tensor Cores.
    Unknown,
}

cells_of_bytes! { TensorCores }

impl TensorCores {
    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Used => "true",
            Self::NotUsed => "false",
            Self::Unknown => "unknown",
        }
    }
}

/// A rule: a lower-case part of a kernel name and what it means.
struct Rule {
    part: &'static str,
    at: At,
    means: TensorCores,
}

/// Where in the name the part must stand.
enum At {
    /// Anywhere.
    Anywhere,
    /// Not directly after a letter, because short mnemonics occur inside other words.
    WordStart,
    /// At the very start of the short name.
    ShortNameStart,
    /// At the very start of the short name, with this further on.
    ShortNameStartThen(&'static str),
}

const fn rule(part: &'static str, at: At, means: TensorCores) -> Rule {
    Rule { part, at, means }
}

use At::{Anywhere, ShortNameStart, ShortNameStartThen, WordStart};
use TensorCores::{NotUsed, Unknown, Used};

/// The first rule that matches decides.
const KERNEL_RULES: &[Rule] = &[
    // A whole graph launch that is recorded as one piece of work. It is not known which kernels ran in it.
    rule("cuda graph ", ShortNameStart, Unknown),
    // These use FP32 cores, whatever else the name says. H100 2024: cuBLAS launches `sm80_xmma_gemm_…_ffma` for
    // FP32.
    rule("ffma", WordStart, NotUsed),
    rule("simt", WordStart, NotUsed),
    // Triton names its kernels after the fused ops; whether they call `tl.dot` is not in the name. 2023.
    rule("triton_", ShortNameStart, Unknown),
    // nvFuser names its kernels by number, before 2024 `CudaCodeGen::kernel1`. On Hopper they load tiles (`TensorMap`) for wgmma.
    // 2023, 2024.
    rule("nvfuser_", ShortNameStart, Unknown),
    rule("cudacodegen::kernel", Anywhere, Unknown),
    // XLA's products that Triton compiles.
    rule("gemm_fusion_", ShortNameStart, Unknown),
    // cuBLAS 12 on Hopper and later (wgmma); neither "gemm" nor "mma" is in the name. H100 2024.
    rule("nvjet_", Anywhere, Used),
    // MMA shapes: Volta 884, Turing 1688 and 8816, Ampere 16816 and 16832. PyProf 2020, XProf 2021.
    rule("h884", WordStart, Used),
    rule("s884", WordStart, Used),
    rule("d884", WordStart, Used),
    rule("h1688", WordStart, Used),
    rule("s1688", WordStart, Used),
    rule("c1688", WordStart, Used),
    rule("i8816", WordStart, Used),
    rule("16816", Anywhere, Used),
    rule("i16832", WordStart, Used),
    rule("16832gemm", Anywhere, Used),
    rule("tensor16x8x", Anywhere, Used),
    // Instructions.
    rule("hmma", WordStart, Used),
    rule("imma", WordStart, Used),
    rule("dmma", WordStart, Used),
    rule("qmma", WordStart, Used),
    rule("wmma", WordStart, Used),
    rule("gmma", WordStart, Used),
    rule("hgmma", WordStart, Used),
    rule("igmma", WordStart, Used),
    rule("qgmma", WordStart, Used),
    rule("wgmma", WordStart, Used),
    rule("mma_sync", Anywhere, Used),
    // CUTLASS. DLProf: a kernel named `Kernel` counted because of `cutlass_tensorop_…` in its long name.
    rule("tensorop", Anywhere, Used),
    rule("tensor_op", Anywhere, Used),
    // cuDNN and cuBLAS. PyProf 2020.
    rule("dgrad_1x1_stride_2x2", Anywhere, Used),
    rule("first_layer_wgrad_kernel", Anywhere, Used),
    rule("conv1x1", Anywhere, Used),
    rule("conv2d_c1_k1", Anywhere, Used),
    rule("direct_group", Anywhere, Used),
    rule("xmma_implicit_gemm", Anywhere, Used),
    rule("xmma_sparse_conv", Anywhere, Used),
    rule("xmma_warp_specialized_implicit_gemm", Anywhere, Used),
    rule("xmma_gemm", Anywhere, Used),
    rule("xmma_sparse_gemm", Anywhere, Used),
    rule("xmma_fprop", Anywhere, Used),
    rule("xmma_dgrad", Anywhere, Used),
    rule("xmma_wgrad", Anywhere, Used),
    // Attention: Tensor Cores in FP16 and BF16; memory-efficient attention also exists in FP32. H100 2024.
    rule("flash_fwd", Anywhere, Used),
    rule("flash_bwd", Anywhere, Used),
    rule("fmha_cutlassf_f32", Anywhere, Unknown),
    rule("fmha_cutlassb_f32", Anywhere, Unknown),
    rule("fmha_", WordStart, Used),
    rule("sdpa_sm", Anywhere, Used),
    rule("sdpa_", WordStart, Used),
    // Products and attention of TensorRT-LLM on Blackwell (tcgen05), named after the types of their operands, as in vLLM. B200 2026.
    rule("bmm_mx", ShortNameStartThen("sm100"), Used),
    rule("bmm_e2m", ShortNameStartThen("sm100"), Used),
    rule("bmm_e4m", ShortNameStartThen("sm100"), Used),
    rule("bmm_e5m", ShortNameStartThen("sm100"), Used),
    rule("bmm_bfloat16", ShortNameStartThen("sm100"), Used),
    rule("bmm_fp", ShortNameStartThen("sm100"), Used),
    rule("fmhasm100", ShortNameStart, Used),
    // Matrix work on FP32, FP64 or complex cores, and matrix-vector products. DLProf, PyProf 2020.
    rule("sgemm", Anywhere, NotUsed),
    rule("dgemm", Anywhere, NotUsed),
    rule("cgemm", Anywhere, NotUsed),
    rule("hgemm", Anywhere, NotUsed),
    rule("hhgemm", Anywhere, NotUsed),
    rule("gemv", Anywhere, NotUsed),
    rule("winograd", Anywhere, NotUsed),
    rule("scudnn", Anywhere, NotUsed),
];

/// Whether a kernel uses Tensor Cores, by its own names: the demangled one and the short one.
#[must_use]
pub(crate) fn kernel_uses_tensor_cores(long_name: &str, short_name: &str) -> TensorCores {
    let long = long_name.to_ascii_lowercase();
    let short = short_name.to_ascii_lowercase();
    let matches = |rule: &&Rule| match rule.at {
        Anywhere => long.contains(rule.part) || short.contains(rule.part),
        WordStart => starts_a_word(&long, rule.part) || starts_a_word(&short, rule.part),
        ShortNameStart => short.starts_with(rule.part),
        ShortNameStartThen(further) => {
            short.strip_prefix(rule.part).is_some_and(|rest| rest.contains(further))
        }
    };
    KERNEL_RULES.iter().find(matches).map_or(NotUsed, |rule| rule.means)
}

/// What kernels of AMD that compute products or attention are called, in lower case: by Tensile, MIOpen, Composable Kernel,
/// rocWMMA and Triton.
const ROCM_MATRIX: &[&str] = &[
    "cijk_",
    "mfma",
    "xdl",
    "wmma",
    "gemm",
    "2ck16tensor_operation",
    "ck::tensor_operation",
    "ck_tile",
    "conv",
    "attn",
    "attention",
    "fmha",
    "flash",
    "triton_",
];

/// Of a kernel of AMD: whether it uses matrix units is not in the names of those that compute products, and no other does.
#[must_use]
pub(crate) fn of_rocm(long_name: &str, short_name: &str) -> TensorCores {
    let (long, short) = (long_name.to_ascii_lowercase(), short_name.to_ascii_lowercase());
    let is_matrix = ROCM_MATRIX.iter().any(|part| short.contains(part))
        || ["mfma", "gemm", "ck_tile::", "ck::"].iter().any(|part| long.contains(part));
    if is_matrix { Unknown } else { NotUsed }
}

fn starts_a_word(name: &str, part: &str) -> bool {
    name.match_indices(part).any(|(at, _)| !name[..at].ends_with(|c: char| c.is_ascii_alphabetic()))
}

/// Op types that could use Tensor Cores, whatever their data type and shapes (DLProf since 0.16).
/// DLProf's own answers: `conv2d`, `linear`, `MatMul`, `Conv2D` and its gradients; the rest is kineto's list.
const ELIGIBLE_TYPES: &[&str] = &[
    "_convolution",
    "_convolution_nogroup",
    "_scaled_dot_product_cudnn_attention",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_flash_attention",
    "_scaled_mm",
    "_thnn_fused_gru_cell",
    "_thnn_fused_lstm_cell",
    "addbmm",
    "addmm",
    "addmm_",
    "addmv",
    "addr",
    "baddbmm",
    "bmm",
    "chain_matmul",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
    "cudnn_convolution",
    "cudnn_convolution_transpose",
    "gru_cell",
    "linalg_multi_dot",
    "linear",
    "lstm_cell",
    "matmul",
    "mm",
    "mv",
    "rnn_relu_cell",
    "rnn_tanh_cell",
    "scaled_dot_product_attention",
];

/// Ends of TensorFlow op types that could use Tensor Cores. XProf 2021.
const ELIGIBLE_ENDS: &[&str] = &[
    "Conv2D",
    "Conv2DBackpropFilter",
    "Conv2DBackpropInput",
    "Conv3D",
    "CudnnRNN",
    "DepthwiseConv2dNative",
    "DepthwiseConv2dNativeBackpropFilter",
    "DepthwiseConv2dNativeBackpropInput",
    "FusedMatMul",
    "MatMul",
    "XlaDot",
    "XlaDotV2",
];

/// Parts of TensorFlow op types that could use Tensor Cores. XProf 2021.
const ELIGIBLE_PARTS: &[&str] = &["BatchMatMul", "CudnnRNNBackprop", "CudnnRNNForward", "CudnnRNNV"];

/// Whether ops of a type could use Tensor Cores.
#[must_use]
pub(crate) fn op_type_is_eligible(op_type: &str) -> bool {
    ELIGIBLE_TYPES.binary_search(&op_type).is_ok()
        || ELIGIBLE_ENDS.iter().any(|end| op_type.ends_with(end))
        || ELIGIBLE_PARTS.iter().any(|part| op_type.contains(part))
}

/// Whether a data type has 16 bits, which is what automatic mixed precision uses.
#[must_use]
pub(crate) fn is_16_bit(data_type: &str) -> bool {
    ["float16", "half", "bfloat16"].contains(&data_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(ELIGIBLE_TYPES.is_sorted());
        assert!(ELIGIBLE_ENDS.is_sorted());
    }

    #[test]
    fn kernel_names_of_public_captures() {
        let used = [
            "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn",
            "turing_h1688gemm_128x128_ldg8_stages_32x1_tn",
            "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_tn",
            "ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_stages_64x6_tn",
            "ampere_s1688tf32gemm_128x128",
            "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize96x64x32_stage4_warpsize2x2x1_tensor16x8x16_kernel",
            "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32_warpgroupsize1x1x1_execute_kernel__5x_cublas",
            "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT",
            "nvjet_sm90_hss_320x128_64x3_1x2_h_bz_coopB_TNN",
            "void cutlass::Kernel<cutlass_80_tensorop_s16816gemm_f16_64x64_32x6_tn_align8>(T1::Params)",
            "void cutlass::Kernel<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8>(T1::Params)",
            "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, cutlass::half_t>>(Flash_fwd_params)",
            "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel::Params)",
            "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16",
            "bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1_16dp256b_dynBatch_sm100f",
            "bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_swiGlu_dynBatch_sm100f",
            "bmm_E4m3_E4m3E4m3_Fp32_t128x8x128u2_s6_et128x8_sm100a",
            "bmm_Fp16_Fp16_Fp32_t128x8x128u2_sm100a",
            "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext",
        ];
        let not_used = [
            "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_alignc4",
            "cutlass_80_simt_sgemm_128x32_8x5_nn_align1",
            "ampere_sgemm_128x64_tn",
            "volta_sgemm_32x32_sliced1x4_tn",
            "volta_scudnn_128x64_relu_interior_nn_v1",
            "volta_gcgemm_32x32_nt",
            "implicit_convolve_hhgemm",
            "void wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, 0, 512>(int, int)",
            "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, 0, 1, 2>",
            "redzone_checker",
            "bmm_fp32_reference_kernel",
            "splitKreduce_kernel",
            "void gemvx::kernel<int, int, __half>",
            "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
            "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)",
        ];
        let unknown = ["triton_tem_fused_mm_3", "fmha_cutlassF_f32_aligned_64x64_rf_sm80"];
        for (names, expected) in [(&used[..], Used), (&not_used[..], NotUsed), (&unknown[..], Unknown)] {
            for name in names {
                assert_eq!(kernel_uses_tensor_cores(name, name), expected, "{name}");
            }
        }
        assert_eq!(kernel_uses_tensor_cores("void Kernel<cutlass_tensorop_h884fprop>()", "Kernel"), Used);
    }

    #[test]
    fn eligible_op_types() {
        for op_type in ["conv2d", "linear", "MatMul", "Conv2DBackpropInput", "mm"] {
            assert!(op_type_is_eligible(op_type), "{op_type}");
        }
        for op_type in ["relu", "max_pool2d", "cuda", "Const", "_Send", ""] {
            assert!(!op_type_is_eligible(op_type), "{op_type}");
        }
    }
}
