//! What kernels compute, as one kind for each kernel: how the kernel time divides.

use super::kernel_class::{KernelClass, KernelClasses};
use crate::base::function_name::function_name;
use crate::base::time::Ns;
use crate::capture::correlate::TensorCores;
use crate::figures::by_name::KernelName;
use crate::figures::profile::ProfileContents;
use regex::bytes::{RegexSet, RegexSetBuilder};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What a kernel computes. The order is that of precedence: a kernel is of the first kind that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KernelKind {
    /// Exchange with other GPUs.
    Communication,
    /// A whole CUDA graph, whose kernels the capture does not tell apart.
    Graph,
    /// Fused attention.
    Attention,
    /// Changes of the layout of a tensor.
    Layout,
    /// Transforms and addresses, so that another kernel computes a convolution as products.
    Transform,
    /// Checks of algorithms that are tried.
    Check,
    /// Normalisation by batch, layer or group.
    Normalisation,
    /// Softmax.
    Softmax,
    /// Matrix math and convolutions in FP64.
    Fp64Matrix,
    /// Matrix math and convolutions on Tensor Cores.
    TensorCoreMatrix,
    /// Matrix math and convolutions in FP32, without Tensor Cores.
    Fp32Matrix,
    /// Matrix math and convolutions of which the name tells no more.
    Matrix,
    /// Updates of many parameters at a time.
    Optimizer,
    /// Sums and other reductions.
    Reduction,
    /// Sorting, gathering, scattering, concatenation.
    Rearrangement,
    /// Element by element, copies included.
    Elementwise,
    /// Code that a compiler generated, whose name tells neither what it computes nor whether it uses Tensor Cores.
    Unknown,
    /// None of these.
    Other,
}

impl KernelKind {
    /// The words for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Communication => "communication",
            Self::Graph => "whole CUDA graphs",
            Self::Attention => "fused attention",
            Self::Layout => "layout changes",
            Self::Transform => "FFT, Winograd, im2col",
            Self::Check => "checks of tried algorithms",
            Self::Normalisation => "normalisation",
            Self::Softmax => "softmax",
            Self::Fp64Matrix => "FP64 matrix math",
            Self::TensorCoreMatrix => "Tensor Core matrix math",
            Self::Fp32Matrix => "FP32 matrix math",
            Self::Matrix => "other matrix math",
            Self::Optimizer => "optimizer",
            Self::Reduction => "reduction",
            Self::Rearrangement => "sort, gather, concat",
            Self::Elementwise => "elementwise",
            Self::Unknown => "unknown (generated)",
            Self::Other => "other",
        }
    }

    /// Whether it is matrix math, fused attention included.
    #[must_use]
    pub fn is_matrix(self) -> bool {
        use KernelKind::{Attention, Fp32Matrix, Fp64Matrix, Matrix, TensorCoreMatrix};
        matches!(self, Attention | Fp64Matrix | TensorCoreMatrix | Fp32Matrix | Matrix)
    }

    /// The kind of a kernel by its demangled name, and what is known of it.
    pub(crate) fn of(
        long_name: &str,
        classes: KernelClasses,
        is_communication: bool,
        tensor_cores: TensorCores,
    ) -> Self {
        let base = base_name(long_name);
        let found = BASE_PATTERNS.matches(base.as_bytes());
        let is = |class: KernelClass| classes.has(class);
        let says = |pattern: BasePattern| found.matched(pattern as usize);
        let is_matrix = is(KernelClass::Matrix) || is(KernelClass::Fp64) || is(KernelClass::Convolution);
        let decisions = [
            (is_communication, Self::Communication),
            (says(BasePattern::Graph), Self::Graph),
            (is(KernelClass::FusedAttention), Self::Attention),
            (is(KernelClass::Layout), Self::Layout),
            (is(KernelClass::Transform), Self::Transform),
            (is(KernelClass::Autotuning), Self::Check),
            (says(BasePattern::Normalisation), Self::Normalisation),
            (is(KernelClass::Softmax) || says(BasePattern::Softmax), Self::Softmax),
            (is_matrix && is(KernelClass::Fp64), Self::Fp64Matrix),
            (is_matrix && tensor_cores == TensorCores::Used, Self::TensorCoreMatrix),
            (is(KernelClass::Fp32Matrix), Self::Fp32Matrix),
            (is_matrix, Self::Matrix),
            (is(KernelClass::MultiTensor) || says(BasePattern::Optimizer), Self::Optimizer),
            (says(BasePattern::Reduction), Self::Reduction),
            (says(BasePattern::Rearrangement), Self::Rearrangement),
            (says(BasePattern::Elementwise) || is(KernelClass::Dropout), Self::Elementwise),
            (tensor_cores == TensorCores::Unknown, Self::Unknown),
        ];
        decisions.into_iter().find(|(fits, _)| *fits).map_or(Self::Other, |(_, kind)| kind)
    }
}

/// All kernels of a kind: part of the kernel time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelKindTime {
    /// What they compute.
    pub kind: KernelKind,
    /// Plain sum of their durations.
    pub gpu_time_ns: Ns,
    /// Number of launches.
    pub calls: u64,
}

impl ProfileContents {
    /// What a kernel computes, by its row of [`ProfileContents::kernel_names`].
    #[must_use]
    pub fn kernel_kind(&self, kernel: &KernelName) -> KernelKind {
        self.judge_kernel(kernel.example).kind
    }

    /// The kernel time by kind, most time first; the kinds add up to the time of the kernels given.
    #[must_use]
    pub fn kernel_kinds(&self, kernels: &[KernelName]) -> Vec<KernelKindTime> {
        let mut sums: BTreeMap<KernelKind, KernelKindTime> = BTreeMap::new();
        for kernel in kernels {
            let kind = self.kernel_kind(kernel);
            let sum = sums.entry(kind).or_insert(KernelKindTime { kind, gpu_time_ns: 0, calls: 0 });
            sum.gpu_time_ns += kernel.gpu_time_ns;
            sum.calls += kernel.calls;
        }
        let mut kinds: Vec<KernelKindTime> = sums.into_values().collect();
        kinds.sort_by_key(|kind| (Reverse(kind.gpu_time_ns), kind.kind));
        kinds
    }
}

/// The name of a kernel without return type, namespaces, template arguments and parameters.
#[must_use]
pub fn base_name(long_name: &str) -> &str {
    const ANONYMOUS: [&str; 2] = ["(anonymous namespace)::", "<unnamed>::"];
    let mut name = long_name;
    // What follows the last anonymous namespace before the arguments begin.
    while let Some((at, length)) = ANONYMOUS.iter().find_map(|&words| Some((name.find(words)?, words.len())))
    {
        if name[..at].contains(['<', '(']) {
            break;
        }
        name = &name[at + length..];
    }
    let end = name.find(['<', '(']).filter(|&at| at > 0).unwrap_or(name.len());
    let qualified = name[..end].trim_end();
    let word = qualified.strip_prefix("void ").unwrap_or(qualified);
    let word = word.rsplit("::").next().unwrap_or_default();
    match word {
        "" => long_name,
        // Of a return type that depends on conditions, or of a name as the compiler encodes it.
        "enable_if" | "enable_if_t" => function_name(long_name),
        _ if word.starts_with("_Z") => function_name(long_name),
        _ => word,
    }
}

/// The patterns of base names, in the order of [`BASE_PATTERNS`].
#[derive(Clone, Copy)]
enum BasePattern {
    Graph,
    Normalisation,
    Softmax,
    Optimizer,
    Reduction,
    Rearrangement,
    Elementwise,
}

/// Names of kernels that compute element by element. CuPy gives its own kernels the name of their function behind `cupy_`, with
/// the types of their arguments; those that do something else come before in the order of patterns.
const ELEMENTWISE: &str = "elementwise|pointwise|triton_poi_|vectorized|copy|fill|relu|gelu|silu|sigmoid|tanh|dropout|\
    distribution|^cupyx?_";

static BASE_PATTERNS: LazyLock<RegexSet> = LazyLock::new(|| {
    let patterns = [
        "^CUDA graph",
        "batch_?norm|layer_?norm|rms_?norm|group_?norm|bn_(fw|bw)",
        "soft_?max",
        "adam|sgd|lamb",
        "reduce|reduction|triton_(per|red)_|^cupy_(nan)?(sum|prod|mean|a?max|a?min|arg(max|min)|all|any|count_nonzero|norm)(_|$)",
        "sort|gather|scatter|index|concat|catarray|embedding|topk|select|scan|^cupy_(take|nonzero|getitem|diag)",
        ELEMENTWISE,
    ];
    let set = RegexSetBuilder::new(patterns).case_insensitive(true).unicode(false).build();
    set.expect("the patterns are constants, and a test compiles them")
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::names::is_communication_kernel;

    #[test]
    fn names_of_real_kernels_have_one_kind() {
        use KernelKind::{
            Communication, Elementwise, Fp32Matrix, Graph, Layout, Normalisation, Other, Rearrangement,
            Reduction, TensorCoreMatrix, Transform,
        };
        let not_used = TensorCores::NotUsed;
        for (name, tensor_cores, kind) in [
            ("ampere_sgemm_128x64_tn", not_used, Fp32Matrix),
            (
                "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn",
                TensorCores::Used,
                TensorCoreMatrix,
            ),
            (
                "bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_swiGlu_dynBatch_sm100f",
                TensorCores::Used,
                TensorCoreMatrix,
            ),
            (
                "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int, float)",
                not_used,
                Elementwise,
            ),
            (
                "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(float)",
                not_used,
                Reduction,
            ),
            (
                "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, 2>(float *)",
                not_used,
                Rearrangement,
            ),
            (
                "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int)",
                not_used,
                Normalisation,
            ),
            ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm *)", not_used, Communication),
            ("void cudnn::ops::nchwToNhwcKernel<float, float>(int)", not_used, Layout),
            ("CUDA graph 3", TensorCores::Unknown, Graph),
            ("cupy_ceil__float_float64", not_used, Elementwise),
            ("cupy_arange__int_int_int64", not_used, Elementwise),
            ("cupy_maximum__float64_float64_float64", not_used, Elementwise),
            ("cupy_sum__float64_float64", not_used, Reduction),
            ("cupy_max", not_used, Reduction),
            ("cupy_take__int_float32", not_used, Rearrangement),
            ("saxpy", not_used, Other),
            ("redzone_checker", not_used, KernelKind::Check),
            ("void cudnn::cnn::im2col4d_kernel<__half, long>(cudnnConvolutionStruct)", not_used, Transform),
            ("cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)", not_used, Transform),
            ("void cudnn::pooling_fw_4d_kernel<float>(cudnnTensorStruct)", not_used, Other),
        ] {
            let base = base_name(name);
            let (classes, exchanges) = (KernelClasses::of(name, base), is_communication_kernel(base));
            assert_eq!(KernelKind::of(name, classes, exchanges, tensor_cores), kind, "{name}");
        }
    }

    #[test]
    fn base_names_are_what_people_call_a_kernel() {
        for (long, base) in [
            ("void at::native::reduce_kernel<512, 1>(float)", "reduce_kernel"),
            ("void at::native::(anonymous namespace)::cat<float (*)(int)>(int)", "cat"),
            ("void <unnamed>::softmax_warp_forward<float>(float *)", "softmax_warp_forward"),
            ("saxpy", "saxpy"),
            ("kernel(int)", "kernel"),
            ("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, 7>(x<int>)", "kernel"),
            ("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bLi64EEEvPT0_", "add_rmsnorm_quant_kernel"),
            ("", ""),
            ("<odd", "<odd"),
            ("a::", "a::"),
        ] {
            assert_eq!(base_name(long), base, "{long}");
        }
    }
}
