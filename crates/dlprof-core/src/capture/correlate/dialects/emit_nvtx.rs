//! PyTorch's `emit_nvtx`: operators, and the nodes of the backward pass with their wrappers.
//!
//! ```text
//! aten::linear, seq = 7                                    an operator; `ingest` separates the numbers
//! autograd::engine::evaluate_function: AddmmBackward0      a wrapper
//! AddmmBackward0, seq = 7                                  the node inside
//! ```

use crate::base::ids::StrId;
use crate::capture::correlate::labels::{Direction, Label, OpIdentity, eligibility_of_type};
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

/// The label of an `emit_nvtx` operator; its type is the part after the namespace.
pub(in crate::capture::correlate) fn operator_label(name: StrId, text: &str, sizes: &str) -> Label {
    let op_type = text.rsplit("::").next().unwrap_or(text);
    let mut label = Label::plain(name, op_type, OpIdentity::NameAndOrdinal, eligibility_of_type(op_type));
    label.direction = Direction::Forward;
    label.shapes = shapes::from_sizes(op_type, sizes);
    label
}

#[cfg(test)]
mod tests {
    use super::*;

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
