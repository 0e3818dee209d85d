//! Which formula an op type has.

use super::effort::Effort;
use super::parameters::OpParameters;
use super::{convolution, elementwise, matrix};

/// How the work of an op follows from its shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Formula {
    /// x · wᵀ (+ bias).
    Linear,
    /// bias + a · b.
    AddMatrices,
    /// a · b with broadcast leading dimensions.
    Matrices,
    /// c + a · b in batches, scaled.
    AddBatches,
    /// A convolution over any number of dimensions.
    Convolution,
    /// A transposed convolution.
    TransposedConvolution,
    /// Scaled dot product attention.
    Attention,
    /// Normalisation over features or groups.
    Normalisation,
    /// Normalisation over the batch.
    BatchNormalisation,
    /// Softmax and its logarithm.
    Softmax,
    /// Looking up rows of a table.
    Embedding,
    /// One operation per element of the output.
    OneEach,
    /// A function that takes about eight operations per element.
    EightEach,
    /// The largest or mean value of windows.
    Pooling,
    /// All elements become one.
    Reduction,
}

use Formula::{
    AddBatches, AddMatrices, Attention, BatchNormalisation, Convolution, EightEach, Embedding, Linear,
    Matrices, Normalisation, OneEach, Pooling, Reduction, Softmax, TransposedConvolution,
};

/// Op types, sorted. If a type is not in this list, an underscore at its start or end (`relu_`, `_softmax`) is
/// removed first.
const OP_TYPES: &[(&str, Formula)] = &[
    ("MatMul", Matrices),
    ("_batch_norm_impl_index", BatchNormalisation),
    ("_scaled_dot_product_cudnn_attention", Attention),
    ("_scaled_dot_product_efficient_attention", Attention),
    ("_scaled_dot_product_flash_attention", Attention),
    ("add", OneEach),
    ("addmm", AddMatrices),
    ("avg_pool1d", Pooling),
    ("avg_pool2d", Pooling),
    ("avg_pool3d", Pooling),
    ("baddbmm", AddBatches),
    ("batch_norm", BatchNormalisation),
    ("binary_cross_entropy", Reduction),
    ("bmm", Matrices),
    ("conv1d", Convolution),
    ("conv2d", Convolution),
    ("conv3d", Convolution),
    ("conv_transpose1d", TransposedConvolution),
    ("conv_transpose2d", TransposedConvolution),
    ("conv_transpose3d", TransposedConvolution),
    ("convolution", Convolution),
    ("cross_entropy", Reduction),
    ("cross_entropy_loss", Reduction),
    ("cudnn_batch_norm", BatchNormalisation),
    ("cudnn_convolution", Convolution),
    ("cudnn_convolution_transpose", TransposedConvolution),
    ("div", OneEach),
    ("dropout", OneEach),
    ("embedding", Embedding),
    ("exp", EightEach),
    ("gelu", EightEach),
    ("group_norm", Normalisation),
    ("instance_norm", Normalisation),
    ("l1_loss", Reduction),
    ("layer_norm", Normalisation),
    ("linear", Linear),
    ("log_softmax", Softmax),
    ("matmul", Matrices),
    ("max_pool1d", Pooling),
    ("max_pool2d", Pooling),
    ("max_pool3d", Pooling),
    ("mean", Reduction),
    ("mm", Matrices),
    ("mse_loss", Reduction),
    ("mul", OneEach),
    ("mv", Matrices),
    ("native_batch_norm", BatchNormalisation),
    ("native_group_norm", Normalisation),
    ("native_layer_norm", Normalisation),
    ("neg", OneEach),
    ("nll_loss", Reduction),
    ("nll_loss_forward", Reduction),
    ("norm", Reduction),
    ("relu", OneEach),
    ("scaled_dot_product_attention", Attention),
    ("sigmoid", EightEach),
    ("silu", EightEach),
    ("softmax", Softmax),
    ("sub", OneEach),
    ("sum", Reduction),
    ("tanh", EightEach),
];

impl Formula {
    /// The formula of an op type; `None` if there is none, as for `einsum`, whose equation no capture carries.
    pub(super) fn of_op_type(op_type: &str) -> Option<Self> {
        let find = |name: &str| {
            OP_TYPES.binary_search_by_key(&name, |(known, _)| known).ok().map(|at| OP_TYPES[at].1)
        };
        find(op_type).or_else(|| find(op_type.trim_matches('_')))
    }

    /// The forward work; `None` if the shapes do not fit the op or a number is too large.
    pub(super) fn effort(self, inputs: &[Vec<u64>], parameters: &OpParameters) -> Option<Effort> {
        match self {
            Linear => matrix::linear(inputs),
            AddMatrices => matrix::add_product(inputs),
            Matrices => matrix::product_of(inputs),
            AddBatches => matrix::add_batches(inputs),
            Attention => matrix::attention(inputs, parameters),
            Convolution => convolution::convolution(inputs, parameters),
            TransposedConvolution => convolution::transposed(inputs, parameters),
            Pooling => convolution::pooling(inputs, parameters),
            Normalisation => elementwise::normalisation(inputs, parameters),
            BatchNormalisation => elementwise::batch_normalisation(inputs, parameters),
            Softmax => elementwise::function_of_each(inputs, 5),
            EightEach => elementwise::function_of_each(inputs, 8),
            OneEach => elementwise::one_each(inputs),
            Embedding => elementwise::embedding(inputs),
            Reduction => elementwise::reduction(inputs),
        }
    }

    /// The operations of the backward pass; `None` if they are too many. The first layer of a network needs no gradient of its
    /// input and computes half of it; no capture says which layer that is.
    pub(super) fn backward_flop(self, forward: u64) -> Option<u64> {
        match self {
            Embedding => Some(0),
            Attention => Some(forward.checked_mul(5)? / 2),
            _ => forward.checked_mul(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn op_types_are_sorted_and_found() {
        assert!(OP_TYPES.is_sorted_by_key(|(name, _)| name));
        assert_eq!(Formula::of_op_type("relu_"), Some(OneEach));
        assert_eq!(Formula::of_op_type("_log_softmax"), Some(Softmax));
        assert_eq!(Formula::of_op_type("_convolution"), Some(Convolution));
        assert_eq!(Formula::of_op_type("einsum"), None);
        assert_eq!(Formula::of_op_type("optimizer_step"), None);
    }
}
