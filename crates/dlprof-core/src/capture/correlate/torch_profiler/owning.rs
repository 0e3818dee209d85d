//! Which of the ranges around a call owns it.
//!
//! From the outermost range inwards:
//!
//! 1. a collective owns the call, and nothing inside it does;
//! 2. the wrapper of a backward node begins backward work and owns it, unless the node passes through;
//! 3. a node without a wrapper does the same;
//! 4. in backward work an operator of the forward pass is computed again, as for checkpoints: it owns, and is forward work;
//! 5. any other operator owns if nothing around it does and it does not pass through.
//!
//! What nothing owns belongs to the innermost range of any kind.

use super::names;
use crate::capture::correlate::dialects::emit_nvtx;

/// What the text of a range is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A range of the program, such as `record_function`.
    Annotation,
    /// An operator.
    Operator,
    /// What the engine of autograd puts around a node.
    Wrapper,
    /// Part of a collective.
    Collective,
}

/// What the text of a range says about the calls inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Role {
    pub(super) kind: Kind,
    /// Whether it was recorded as an operator, which a collective may be.
    pub(super) is_operator: bool,
    /// Whether it owns nothing that an operator inside does.
    pub(super) passes_through: bool,
    /// Whether it computes gradients for an operator of the forward pass.
    pub(super) is_node: bool,
    /// Whether its name alone says that it belongs to the backward pass.
    pub(super) is_node_by_name: bool,
    /// Whether it names the operation of a collective.
    pub(super) names_collective: bool,
}

impl Role {
    pub(super) fn of(name: &str, is_operator: bool, is_node: bool) -> Self {
        let kind = match is_operator {
            _ if names::is_collective(name) => Kind::Collective,
            true if emit_nvtx::is_wrapper(name) => Kind::Wrapper,
            true => Kind::Operator,
            false => Kind::Annotation,
        };
        Self {
            kind,
            is_operator,
            passes_through: is_operator && names::passes_through(name),
            is_node,
            is_node_by_name: is_operator && names::is_node_by_name(name),
            names_collective: names::names_collective(name),
        }
    }
}

/// What the ranges around a place say: which of them owns what is called there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Owning {
    /// The place of the owner among the ranges around, outermost first.
    pub(super) found: Option<usize>,
    /// Whether it is work of the backward pass.
    pub(super) is_backward: bool,
    /// Whether a wrapper is around.
    is_wrapped: bool,
    /// Whether the owner is a collective.
    pub(super) is_collective: bool,
}

impl Owning {
    /// The same inside one more range, the `place`-th.
    pub(super) fn inside(self, role: Role, has_number: bool, place: usize) -> Self {
        let own = (!role.passes_through).then_some(place);
        match role.kind {
            _ if self.is_collective => self,
            Kind::Collective => Self { found: Some(place), is_collective: true, ..Self::default() },
            Kind::Annotation => self,
            Kind::Wrapper => Self { found: own, is_backward: true, is_wrapped: true, is_collective: false },
            Kind::Operator if has_number && role.is_node => {
                Self { found: if self.is_wrapped { self.found } else { own }, is_backward: true, ..self }
            }
            Kind::Operator if has_number && self.is_backward => Self { found: own, ..Self::default() },
            Kind::Operator => Self { found: self.found.or(own), ..self },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The owner and the direction inside ranges `(name, is an operator, has a number, is a node)`.
    fn owner(ranges: &[(&str, bool, bool, bool)]) -> (Option<usize>, bool) {
        let inside = |owning: Owning, (place, &(name, is_operator, has_number, is_node))| {
            owning.inside(Role::of(name, is_operator, is_node), has_number, place)
        };
        let owning = ranges.iter().enumerate().fold(Owning::default(), inside);
        (owning.found, owning.is_backward)
    }

    const WRAPPER: (&str, bool, bool, bool) =
        ("autograd::engine::evaluate_function: AddmmBackward0", true, true, true);
    const NODE: (&str, bool, bool, bool) = ("AddmmBackward0", true, true, true);
    const PLAIN: (&str, bool, bool, bool) = ("aten::mm", true, false, false);
    const FORWARD: (&str, bool, bool, bool) = ("aten::linear", true, true, false);
    const STEP: (&str, bool, bool, bool) = ("ProfilerStep#1", false, false, false);

    #[test]
    fn the_outermost_operator_owns_in_the_forward_pass() {
        assert_eq!(owner(&[STEP, FORWARD, PLAIN]), (Some(1), false));
        assert_eq!(owner(&[STEP]), (None, false));
        assert_eq!(owner(&[("execute", true, false, false), PLAIN]), (Some(1), false));
    }

    #[test]
    fn wrappers_and_nodes_own_in_the_backward_pass() {
        assert_eq!(owner(&[WRAPPER, NODE, PLAIN]), (Some(0), true));
        assert_eq!(owner(&[NODE, PLAIN]), (Some(0), true), "1.9 has no wrappers");
        let compiled = [
            ("autograd::engine::evaluate_function: CompiledFunctionBackward", true, true, true),
            ("CompiledFunctionBackward", true, true, true),
            ("triton_poi_fused_0", true, false, false),
        ];
        assert_eq!(owner(&compiled[..2]), (None, true));
        assert_eq!(owner(&compiled), (Some(2), true));
    }

    #[test]
    fn what_is_computed_again_is_forward_work() {
        let checkpoint = ("CheckpointFunctionBackward", true, true, true);
        assert_eq!(owner(&[checkpoint, FORWARD, PLAIN]), (Some(1), false));
        assert_eq!(owner(&[checkpoint, PLAIN]), (Some(1), true));
    }

    #[test]
    fn a_collective_owns_whatever_is_around_it() {
        let comms = ("record_param_comms", true, false, false);
        assert_eq!(owner(&[WRAPPER, NODE, comms, PLAIN]), (Some(2), false));
        assert_eq!(owner(&[("nccl:all_reduce", false, false, false), comms]), (Some(0), false));
    }
}
