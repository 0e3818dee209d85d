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
use crate::by_id::{ById, IdRange};
use crate::diagnostics::{Code, Diagnostics};
use crate::ids::{LabelId, OpCallId, ProcessId};
use crate::time::Ns;
use crate::trace::SequenceNumber;
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

/// Sequence numbers seen inside forward calls, and backward calls that wait for them; by process.
pub(super) struct Sequences {
    forward: Vec<Vec<Numbered>>,
    backward: Vec<Vec<Numbered>>,
}

/// A range with a sequence number: inside a forward call, or that of a backward call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Numbered {
    start: Ns,
    call: OpCallId,
    number: SequenceNumber,
}

impl Sequences {
    pub(super) fn new(processes: usize) -> Self {
        Self { forward: vec![Vec::new(); processes], backward: vec![Vec::new(); processes] }
    }

    /// Notes a range inside a forward call.
    pub(super) fn forward(&mut self, process: ProcessId, number: SequenceNumber, start: Ns, call: OpCallId) {
        self.forward[process.index()].push(Numbered { start, call, number });
    }

    /// Notes the number of a backward call that starts at `start`.
    pub(super) fn backward(&mut self, process: ProcessId, number: SequenceNumber, start: Ns, call: OpCallId) {
        self.backward[process.index()].push(Numbered { start, call, number });
    }

    /// Gives every backward call its forward call, and the forward op's label in the other direction.
    pub(super) fn link(self, calls: &mut OpCalls, labels: &mut Vec<Label>, diagnostics: &mut Diagnostics) {
        let mut mirrored: FxHashMap<LabelId, LabelId> = FxHashMap::default();
        let mut mirror = |label: LabelId| {
            *mirrored.entry(label).or_insert_with(|| {
                let mut backward = labels[label.index()].clone();
                backward.direction = Direction::Backward;
                backward.identity = Identity::NameAndOrdinal;
                labels.push(backward);
                LabelId::new(labels.len() - 1)
            })
        };
        for (mut forward, mut backward) in self.forward.into_iter().zip(self.backward) {
            if backward.is_empty() {
                continue;
            }
            // Stable, because it merges the sorted runs that threads leave.
            forward.sort();
            backward.sort();
            let mut numbers = IdRange::default();
            forward.iter().for_each(|range| numbers.add(range.number));
            // By number: the op call around the latest range so far.
            let mut latest = ById::new(&numbers, OpCallId::NONE);
            let mut upcoming = forward.iter().peekable();
            for Numbered { start, call, number } in backward {
                while let Some(range) = upcoming.next_if(|range| range.start < start) {
                    *latest.slot(range.number) = range.call;
                }
                match latest.find(number).some() {
                    Some(forward) => {
                        calls.forward[call.index()] = forward;
                        calls.label[call.index()] = mirror(calls.label[forward.index()]);
                    }
                    None => {
                        diagnostics
                            .count(Code::BackwardWithoutForward, || format!("sequence number {number}"));
                    }
                }
            }
        }
    }
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
