//! The work of one op call, and sums of it.

use super::data_type::bytes_per_element;
use super::effort::Effort;
use super::formulas::Formula;
use super::parameters::{OpParameters, shapes_from_text};
use crate::capture::correlate::{Direction, Label};

/// Forward or backward pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpPass {
    /// The op as written, or not known.
    Forward,
    /// Its gradients.
    Backward,
}

impl From<Direction> for OpPass {
    fn from(direction: Direction) -> Self {
        if direction == Direction::Backward { Self::Backward } else { Self::Forward }
    }
}

/// What a call had to compute and to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpCallWork {
    /// Floating point (or integer) operations.
    pub flop: u64,
    /// Bytes read and written; `None` if the data type is unknown.
    pub bytes: Option<u64>,
    /// Shape of the forward output.
    pub output: Vec<u64>,
    /// Whether the capture lacks parameters, so that their defaults were assumed.
    pub assumed: bool,
}

/// The work of a call; `None` if the op type has no formula, or if the shapes are unknown.
///
/// The backward pass computes the gradients of the input and of the weights: twice the forward work, for attention 2.5
/// times because fused kernels compute the scores again. Its bytes, twice those of the forward pass, are an estimate.
#[must_use]
pub fn work_of_call(
    op_type: &str,
    data_type: &str,
    inputs: &[Vec<u64>],
    parameters: &OpParameters,
    pass: OpPass,
) -> Option<OpCallWork> {
    let formula = Formula::of_op_type(op_type)?;
    let Effort { flop, elements, other_bytes, output, assumed } = formula.effort(inputs, parameters)?;
    let bytes = match bytes_per_element(data_type) {
        Some(size) => Some(elements.checked_mul(size)?.checked_add(other_bytes)?),
        None => None,
    };
    Some(match pass {
        OpPass::Forward => OpCallWork { flop, bytes, output, assumed },
        OpPass::Backward => OpCallWork {
            flop: formula.backward_flop(flop)?,
            bytes: bytes.map(|bytes| bytes.saturating_mul(2)),
            output,
            assumed,
        },
    })
}

/// The work of a call of an op, as its label describes it.
#[must_use]
pub(crate) fn work_of_label(label: &Label) -> Option<OpCallWork> {
    let inputs = shapes_from_text(&label.shapes.inputs);
    let parameters = OpParameters::from_text(&label.shapes.parameters);
    work_of_call(&label.op_type, &label.data_type, &inputs, &parameters, label.direction.into())
}

/// The work of several calls. If the work of one call is unknown, the sum is unknown, because a part of the work
/// divided by the whole time would be a wrong rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WorkSum {
    /// Operations of all calls; `None` if unknown.
    pub flop: Option<u64>,
    /// Bytes of all calls; `None` if unknown.
    pub bytes: Option<u64>,
    /// Whether defaults were assumed for parameters of any call.
    pub assumed: bool,
}

impl Default for WorkSum {
    fn default() -> Self {
        Self { flop: Some(0), bytes: Some(0), assumed: false }
    }
}

impl WorkSum {
    /// Adds this number of calls with the same work.
    pub(crate) fn push(&mut self, work: Option<&OpCallWork>, calls: u64) {
        let times = |one: Option<u64>| one.and_then(|one| one.checked_mul(calls));
        self.merge(&Self {
            flop: times(work.map(|work| work.flop)),
            bytes: times(work.and_then(|work| work.bytes)),
            assumed: work.is_some_and(|work| work.assumed),
        });
    }

    /// Adds another sum.
    pub(crate) fn merge(&mut self, other: &Self) {
        let plus = |a: Option<u64>, b: Option<u64>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
        self.flop = plus(self.flop, other.flop);
        self.bytes = plus(self.bytes, other.bytes);
        self.assumed |= other.assumed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sums_are_unknown_with_any_unknown_call() {
        let inputs = [vec![4, 8], vec![8, 2]];
        let work = work_of_call("mm", "half", &inputs, &OpParameters::default(), OpPass::Forward);
        let work = work.expect("a matrix product");
        assert_eq!((work.flop, work.bytes), (128, Some((32 + 16 + 8) * 2)));
        let mut sum = WorkSum::default();
        sum.push(Some(&work), 3);
        assert_eq!((sum.flop, sum.bytes), (Some(384), Some(336)));
        sum.push(None, 1);
        assert_eq!((sum.flop, sum.bytes), (None, None));
    }

    #[test]
    fn an_unknown_data_type_leaves_the_flop() {
        let inputs = [vec![4, 8], vec![8, 2]];
        let work = work_of_call("mm", "", &inputs, &OpParameters::default(), OpPass::Backward);
        assert_eq!(work.map(|work| (work.flop, work.bytes)), Some((256, None)));
    }

    proptest! {
        /// Any text of a capture gives a figure or `None`, but never a panic.
        #[test]
        fn any_shapes_are_survived(
            op_type in prop::sample::select(vec![
                "linear", "addmm", "mm", "matmul", "baddbmm", "conv2d", "conv_transpose2d", "layer_norm", "batch_norm",
                "scaled_dot_product_attention", "softmax", "embedding", "add", "gelu", "max_pool2d", "mean", "einsum",
            ]),
            inputs in prop::collection::vec(prop::collection::vec(prop_oneof![0_u64..9, any::<u64>()], 0..5), 0..4),
            numbers in prop::collection::vec(prop_oneof![0_u64..4, any::<u64>()], 0..4),
        ) {
            let parameters = OpParameters {
                stride: Some(numbers.clone()),
                padding: Some(numbers.clone()),
                kernel: Some(numbers.clone()),
                dilation: Some(numbers.clone()),
                groups: numbers.first().copied(),
                features: numbers.last().copied(),
                ..OpParameters::default()
            };
            for pass in [OpPass::Forward, OpPass::Backward] {
                drop(work_of_call(op_type, "float32", &inputs, &parameters, pass));
            }
        }
    }
}
