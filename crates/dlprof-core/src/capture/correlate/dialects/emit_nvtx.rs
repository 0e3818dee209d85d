//! PyTorch's `emit_nvtx`: operators, and the nodes of the backward pass with their wrappers.
//!
//! ```text
//! aten::linear, seq = 7                                    an operator; `ingest` separates the numbers
//! autograd::engine::evaluate_function: AddmmBackward0      a wrapper
//! AddmmBackward0, seq = 7                                  the node inside
//! ```

use crate::base::ids::StrId;
use crate::capture::correlate::labels::{Direction, Eligibility, Label, OpIdentity, eligibility_of_type};
use crate::capture::correlate::shapes;

/// Text that PyTorch puts around a backward node.
const WRAPPER: &str = "autograd::engine::evaluate_function: ";

/// Whether a range is the wrapper of a backward node.
pub(in crate::capture::correlate) fn is_wrapper(text: &str) -> bool {
    text.starts_with(WRAPPER)
}

/// The name inside a wrapper's text.
pub(in crate::capture::correlate) fn unwrapped(text: &str) -> &str {
    text.strip_prefix(WRAPPER).unwrap_or(text)
}

/// Whether a text names a backward node: `AddmmBackward0`, `MyFunctionBackward`, `my_backward`.
pub(in crate::capture::correlate) fn is_node(text: &str) -> bool {
    let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
    !name.starts_with("aten::")
        && name != "RegisterPostBackwardFunction"
        && (name.ends_with("Backward") || name.ends_with("_backward"))
}

/// Whether a text is of the node that adds a gradient to its parameter, or of its wrapper. It has no sequence number, because no
/// operator made it.
pub(in crate::capture::correlate) fn is_accumulation(text: &str) -> bool {
    unwrapped(text) == "torch::autograd::AccumulateGrad"
}

/// The label of a backward node by itself; it holds until the forward op is known. Accumulations of gradients, of which
/// each parameter has one, are one op.
pub(in crate::capture::correlate) fn node_label(name: StrId, text: &str) -> Label {
    let identity = if is_accumulation(text) { OpIdentity::Name } else { OpIdentity::NameAndOrdinal };
    let mut label = Label::plain(name, unwrapped(text), identity, Eligibility::NotEligible);
    label.direction = Direction::Backward;
    label
}

/// Whether a text is of Python code that PyTorch marks: `Optimizer.step#SGD.step`. A program may run anything in it: the closure of
/// an optimizer's step computes the whole step.
pub(in crate::capture::correlate) fn is_python(text: &str) -> bool {
    text.contains('#') && !text.contains("::")
}

/// The label of an `emit_nvtx` operator; its type is the part after the namespace. Python code is of no direction.
pub(in crate::capture::correlate) fn operator_label(name: StrId, text: &str, sizes: &str) -> Label {
    let op_type = text.rsplit("::").next().unwrap_or(text);
    let mut label = Label::plain(name, op_type, OpIdentity::NameAndOrdinal, eligibility_of_type(op_type));
    label.direction = if is_python(text) { Direction::None } else { Direction::Forward };
    label.shapes = shapes::from_sizes(op_type, sizes);
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accumulations_are_one_op_and_python_code_has_no_direction() {
        let wrapper = "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad";
        assert!(is_accumulation(wrapper) && is_accumulation("torch::autograd::AccumulateGrad"));
        let name = StrId::NONE;
        assert_eq!(node_label(name, wrapper).identity, OpIdentity::Name);
        assert_eq!(node_label(name, "AddmmBackward0").identity, OpIdentity::NameAndOrdinal);
        assert_eq!(operator_label(name, "Optimizer.step#SGD.step", "").direction, Direction::None);
        assert_eq!(operator_label(name, "aten::linear", "").direction, Direction::Forward);
    }

    #[test]
    fn backward_nodes_by_name() {
        for name in ["AddmmBackward0", "ConvolutionBackward12", "ReluBackward", "fused_norm_backward"] {
            assert!(is_node(name), "{name}");
        }
        for name in
            ["aten::convolution_backward", "RegisterPostBackwardFunction", "backward", "Backward pass"]
        {
            assert!(!is_node(name), "{name}");
        }
    }
}
