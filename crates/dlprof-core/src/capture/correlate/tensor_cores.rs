//! Whether kernels use Tensor Cores, as a value, and which ops could. What names of kernels say stands in
//! [`crate::capture::names`].
//!
//! Sources:
//!
//! * **DLProf**: its own output on three published captures (1.8.0) and the Viewer guide.
//! * **XProf**: TensorFlow `core/profiler/utils/kernel_stats_utils.cc` (2021).
//! * **kineto**: pytorch/kineto `tb_plugin/torch_tb_profiler/profiler/tensor_core.py` (2022).

use crate::columns::cells_of_bytes;
use bytemuck::{CheckedBitPattern, NoUninit};

/// Whether a kernel uses Tensor Cores, as far as its name shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, NoUninit, CheckedBitPattern)]
#[repr(u8)]
pub enum TensorCores {
    /// The name says that it does.
    Used,
    /// The name says that it does not.
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
    fn eligible_op_types() {
        for op_type in ["conv2d", "linear", "MatMul", "Conv2DBackpropInput", "mm"] {
            assert!(op_type_is_eligible(op_type), "{op_type}");
        }
        for op_type in ["relu", "max_pool2d", "cuda", "Const", "_Send", ""] {
            assert!(!op_type_is_eligible(op_type), "{op_type}");
        }
    }
}
