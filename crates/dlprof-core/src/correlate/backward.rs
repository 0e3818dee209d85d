//! Backward nodes to the forward op they belong to, by PyTorch's sequence number.
//!
//! ```text
//! main thread      ├ aten::linear ─────────┤
//!                    ├ aten::addmm, seq = 7┤
//! autograd thread                                ├ evaluate_function: AddmmBackward0 ─┤
//!                                                  ├ AddmmBackward0, seq = 7 ┤
//! ```
//!
//! The node belongs to the op call that contains the latest range with its number before it.

use super::OpCalls;
use super::labels::{Direction, Identity, Label};
use crate::diagnostics::{Code, Diagnostics};
use crate::ids::{LabelId, OpCallId, ProcessId};
use crate::time::Ns;
use rustc_hash::FxHashMap;

/// Text that PyTorch puts around a backward node.
const WRAPPER: &str = "autograd::engine::evaluate_function: ";

/// Whether a range is the wrapper of a backward node.
pub(super) fn is_wrapper(text: &str) -> bool {
    text.starts_with(WRAPPER)
}

/// The name inside a wrapper's text.
pub(super) fn unwrapped(text: &str) -> &str {
    text.strip_prefix(WRAPPER).unwrap_or(text)
}

/// Whether a text names a backward node: `AddmmBackward0`, `MyFunctionBackward`, `my_backward`.
pub(super) fn is_node(text: &str) -> bool {
    let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
    !name.starts_with("aten::")
        && name != "RegisterPostBackwardFunction"
        && (name.ends_with("Backward") || name.ends_with("_backward"))
}

/// Sequence numbers seen inside forward calls, and backward calls that wait for them.
#[derive(Default)]
pub(super) struct Sequences {
    /// (process, number, start of the range, op call around it).
    forward: Vec<(ProcessId, i64, Ns, OpCallId)>,
    /// (process, number, op call of the node).
    backward: Vec<(ProcessId, i64, OpCallId)>,
}

impl Sequences {
    pub(super) fn forward(&mut self, process: ProcessId, number: i64, start: Ns, call: OpCallId) {
        self.forward.push((process, number, start, call));
    }

    pub(super) fn backward(&mut self, process: ProcessId, number: i64, call: OpCallId) {
        self.backward.push((process, number, call));
    }

    /// Gives every backward call its forward call, and the forward op's label in the other direction.
    pub(super) fn link(
        mut self,
        calls: &mut OpCalls,
        labels: &mut Vec<Label>,
        diagnostics: &mut Diagnostics,
    ) {
        self.forward.sort();
        let mut mirrored: FxHashMap<LabelId, LabelId> = FxHashMap::default();
        let mut behind = 0;
        for (process, number, call) in self.backward {
            let start = calls.span[call.index()].start;
            behind = partition_point_near(&self.forward, behind, |&(p, n, s, _)| {
                (p, n, s) < (process, number, start)
            });
            let candidate = behind.checked_sub(1).map(|at| self.forward[at]);
            match candidate.filter(|&(p, n, _, _)| (p, n) == (process, number)) {
                Some((_, _, _, forward)) => {
                    let label = calls.label[forward.index()];
                    calls.forward[call.index()] = forward;
                    calls.label[call.index()] = *mirrored.entry(label).or_insert_with(|| {
                        let mut backward = labels[label.index()].clone();
                        backward.direction = Direction::Backward;
                        backward.identity = Identity::NameAndOrdinal;
                        labels.push(backward);
                        LabelId::new(labels.len() - 1)
                    });
                }
                None => {
                    diagnostics.count(Code::BackwardWithoutForward, || format!("sequence number {number}"))
                }
            }
        }
    }
}

/// `partition_point`, searched from a position near by outwards: numbers of the backward pass run backwards.
fn partition_point_near<T>(list: &[T], near: usize, is_before: impl Fn(&T) -> bool) -> usize {
    let mut step = 1;
    if near < list.len() && is_before(&list[near]) {
        let mut low = near;
        while low + step < list.len() && is_before(&list[low + step]) {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(list.len());
        return low + list[low..high].partition_point(is_before);
    }
    let mut high = near.min(list.len());
    while high >= step && !is_before(&list[high - step]) {
        high -= step;
        step *= 2;
    }
    let low = high.saturating_sub(step);
    low + list[low..high].partition_point(is_before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searching_near_finds_what_searching_all_finds() {
        let list: Vec<u32> = (0..40).map(|number| number / 3 * 5).collect();
        for wanted in 0..80 {
            let is_before = |number: &u32| *number < wanted;
            for near in 0..=list.len() {
                assert_eq!(partition_point_near(&list, near, is_before), list.partition_point(is_before));
            }
        }
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
