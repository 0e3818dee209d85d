//! What kernels compute, as one kind for each kernel: how the kernel time divides.

use super::kernel_class::{KernelClass, KernelClasses};
use crate::base::function_name::function_name;
use crate::base::time::Ns;
use crate::capture::correlate::TensorCores;
use crate::capture::names::{Exchange, NamedKind};
use crate::figures::by_name::KernelName;
use crate::figures::profile::ProfileContents;
use crate::read::facts::Vendor;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What a kernel computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KernelKind {
    /// Exchange with other GPUs.
    Communication,
    /// A whole CUDA graph, whose kernels the capture does not tell apart.
    Graph,
    /// Fused attention, with what prepares and combines its parts.
    Attention,
    /// Changes of the layout of a tensor.
    Layout,
    /// Transforms, so that another kernel computes a convolution as products.
    Transform,
    /// Checks of algorithms that are tried.
    Check,
    /// Normalisation, whatever is fused with it.
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
    /// Updates of parameters.
    Optimizer,
    /// Sums and other reductions.
    Reduction,
    /// Sorting, gathering, scattering, concatenation.
    Rearrangement,
    /// Element by element, copies included.
    Elementwise,
    /// Changes of the number format with scales.
    Quantisation,
    /// Which token goes to which expert, and the local order of tokens.
    Routing,
    /// Keys and values are written into a cache, or its pages moved.
    Cache,
    /// From logits to tokens.
    Sampling,
    /// Rows of a table by their numbers.
    Embedding,
    /// Scans of state spaces and linear attention.
    Recurrence,
    /// Pooling.
    Pooling,
    /// A loss.
    Loss,
    /// Addresses, descriptors and plans for another kernel.
    Preparation,
    /// The name does not tell.
    Unknown,
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
            Self::Quantisation => "quantisation",
            Self::Routing => "MoE routing",
            Self::Cache => "KV cache",
            Self::Sampling => "sampling",
            Self::Embedding => "embedding",
            Self::Recurrence => "recurrence",
            Self::Pooling => "pooling",
            Self::Loss => "loss",
            Self::Preparation => "preparation",
            Self::Unknown => "unknown",
        }
    }

    /// The words for people, of GPUs of a maker: Tensor Cores are NVIDIA's.
    #[must_use]
    pub fn words_on(self, vendor: Vendor) -> &'static str {
        match self {
            Self::TensorCoreMatrix if vendor != Vendor::Nvidia => "matrix math on matrix units",
            Self::Graph if vendor != Vendor::Nvidia => "whole graphs",
            kind => kind.words(),
        }
    }

    /// Whether it is matrix math, fused attention included.
    #[must_use]
    pub fn is_matrix(self) -> bool {
        use KernelKind::{Attention, Fp32Matrix, Fp64Matrix, Matrix, TensorCoreMatrix};
        matches!(self, Attention | Fp64Matrix | TensorCoreMatrix | Fp32Matrix | Matrix)
    }

    /// The kind of a kernel by what its name says, and what is known of it.
    pub(crate) fn of(
        says: Option<NamedKind>,
        exchange: Exchange,
        classes: KernelClasses,
        tensor_cores: TensorCores,
    ) -> Self {
        if exchange.is_yes() {
            return Self::Communication;
        }
        match says {
            None => Self::Unknown,
            Some(NamedKind::Graph) => Self::Graph,
            Some(NamedKind::Attention | NamedKind::AttentionHelper) => Self::Attention,
            Some(NamedKind::Layout) => Self::Layout,
            Some(NamedKind::Transform) => Self::Transform,
            Some(NamedKind::Check) => Self::Check,
            Some(NamedKind::Normalisation) => Self::Normalisation,
            Some(NamedKind::Softmax) => Self::Softmax,
            Some(NamedKind::Matrix) if classes.has(KernelClass::Fp64) => Self::Fp64Matrix,
            Some(NamedKind::Matrix) if tensor_cores == TensorCores::Used => Self::TensorCoreMatrix,
            Some(NamedKind::Matrix) if classes.has(KernelClass::Fp32Matrix) => Self::Fp32Matrix,
            Some(NamedKind::Matrix) => Self::Matrix,
            Some(NamedKind::Optimizer) => Self::Optimizer,
            Some(NamedKind::Reduction) => Self::Reduction,
            Some(NamedKind::Rearrangement) => Self::Rearrangement,
            Some(NamedKind::Elementwise) => Self::Elementwise,
            Some(NamedKind::Quantisation) => Self::Quantisation,
            Some(NamedKind::Routing) => Self::Routing,
            Some(NamedKind::Cache) => Self::Cache,
            Some(NamedKind::Sampling) => Self::Sampling,
            Some(NamedKind::Embedding) => Self::Embedding,
            Some(NamedKind::Recurrence) => Self::Recurrence,
            Some(NamedKind::Pooling) => Self::Pooling,
            Some(NamedKind::Loss) => Self::Loss,
            Some(NamedKind::Preparation) => Self::Preparation,
        }
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

#[cfg(test)]
mod tests {
    use super::*;
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
