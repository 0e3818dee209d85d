//! What the names of operators and annotations of torch.profiler say.

use crate::capture::correlate::dialects::emit_nvtx;
use crate::capture::names::profiler_step;
use std::borrow::Cow;

/// What stands around the launches of a compiled graph; the digits between tell compilations apart.
const COMPILED_GRAPH: &str = "## Call CompiledFxGraph ";

/// Operators and nodes that only stand around others, by how their names begin.
const PASSING_THROUGH: &[&str] =
    &["Torch-Compiled Region", "CompiledFunction", "CheckpointFunction", "AOTDispatch", "torch::jit::"];

/// How texts of collectives begin that name the operation.
const COLLECTIVE_TEXTS: &[&str] = &["nccl:", "rccl:", "gloo:", "mpi:", "hccl:", "xccl:"];

/// Whether an operator or a node only stands around others: it owns nothing that an operator inside does.
pub(super) fn passes_through(name: &str) -> bool {
    let name = emit_nvtx::unwrapped(name);
    name == "execute"
        || name.starts_with(COMPILED_GRAPH)
        || PASSING_THROUGH.iter().any(|begin| name.starts_with(begin))
}

/// Whether a range is part of a collective.
pub(crate) fn is_collective(name: &str) -> bool {
    name == "record_param_comms" || name.starts_with("c10d::") || names_collective(name)
}

/// Whether a range of a collective names its operation: `nccl:all_reduce`.
pub(super) fn names_collective(name: &str) -> bool {
    COLLECTIVE_TEXTS.iter().any(|begin| name.starts_with(begin))
}

/// Whether an operator is a node of the backward pass by its name alone, as in PyTorch 1.8, which records no sequence numbers.
pub(super) fn is_node_by_name(name: &str) -> bool {
    !name.contains("::") && emit_nvtx::is_node(name)
}

/// The text of an annotation as part of names: without what changes from run to run.
pub(super) fn annotation(text: &str) -> Cow<'_, str> {
    if profiler_step(text).is_some() {
        "ProfilerStep".into()
    } else if text.starts_with(COMPILED_GRAPH) && text.ends_with("##") {
        format!("{COMPILED_GRAPH}##").into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_passes_through_and_what_exchanges() {
        for name in ["execute", "Torch-Compiled Region: 0/0", "CompiledFunctionBackward", "torch::jit::call"]
        {
            assert!(passes_through(name), "{name}");
        }
        assert!(passes_through("autograd::engine::evaluate_function: CheckpointFunctionBackward"));
        assert!(!passes_through("aten::execute") && !passes_through("AddmmBackward0"));
        for name in ["record_param_comms", "nccl:all_reduce", "c10d::allreduce_", "gloo:broadcast"] {
            assert!(is_collective(name), "{name}");
        }
        assert!(!is_collective("ncclKernel") && !names_collective("c10d::allreduce_"));
        assert!(is_node_by_name("AddmmBackward") && !is_node_by_name("aten::convolution_backward"));
    }

    #[test]
    fn annotations_are_named_without_what_changes() {
        assert_eq!(annotation("ProfilerStep#12"), "ProfilerStep");
        assert_eq!(annotation("ProfilerStep # 3"), "ProfilerStep");
        assert_eq!(annotation("## Call CompiledFxGraph fzxkw2 ##"), "## Call CompiledFxGraph ##");
        assert_eq!(annotation("Optimizer.step#Adam.step"), "Optimizer.step#Adam.step");
    }
}
