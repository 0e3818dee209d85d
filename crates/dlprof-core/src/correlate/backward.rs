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
use crate::groups::Grouped;
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
    pub(super) fn link(self, calls: &mut OpCalls, labels: &mut Vec<Label>, diagnostics: &mut Diagnostics) {
        if self.backward.is_empty() {
            return;
        }
        let keys = Keys::new(&self.forward);
        let rows = 0..u32::try_from(self.forward.len()).unwrap_or(u32::MAX);
        let mut by_number = Grouped::new(keys.count, rows, |row| {
            let (process, number, ..) = self.forward[row as usize];
            keys.find(process, number)
        });
        let start_and_call = |row: u32| (self.forward[row as usize].2, self.forward[row as usize].3);
        by_number.sort_groups_by_key(|&row| start_and_call(row));
        let mut mirrored: FxHashMap<LabelId, LabelId> = FxHashMap::default();
        for &(process, number, call) in &self.backward {
            let start = calls.span[call.index()].start;
            let ranges = keys.find(process, number).map_or(&[][..], |key| by_number.get(key));
            let before = ranges.partition_point(|&row| start_and_call(row).0 < start);
            match before.checked_sub(1).map(|last| start_and_call(ranges[last])) {
                Some((_, forward)) => {
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

/// Dense keys of (process, sequence number).
struct Keys {
    count: usize,
    /// By process: its smallest number, how many follow, and the key of the first; where numbers are dense.
    dense: Vec<(i64, i64, usize)>,
    sparse: FxHashMap<(ProcessId, i64), usize>,
}

impl Keys {
    fn new(forward: &[(ProcessId, i64, Ns, OpCallId)]) -> Self {
        let mut bounds: Vec<Option<(i64, i64)>> = Vec::new();
        for &(process, number, ..) in forward {
            if bounds.len() <= process.index() {
                bounds.resize(process.index() + 1, None);
            }
            let (first, last) = bounds[process.index()].unwrap_or((number, number));
            bounds[process.index()] = Some((first.min(number), last.max(number)));
        }
        let mut keys = Self { count: 0, dense: Vec::new(), sparse: FxHashMap::default() };
        let width = |(first, last): (i64, i64)| last.saturating_sub(first).saturating_add(1);
        let total = bounds.iter().flatten().fold(0_i64, |sum, &bounds| sum.saturating_add(width(bounds)));
        if usize::try_from(total).is_ok_and(|total| total <= 8 * forward.len() + 1024) {
            for bounds in bounds {
                let (first, width) = bounds.map_or((0, 0), |bounds| (bounds.0, width(bounds)));
                keys.dense.push((first, width, keys.count));
                keys.count += usize::try_from(width).unwrap_or(0);
            }
        } else {
            for &(process, number, ..) in forward {
                let next = keys.sparse.len();
                keys.sparse.entry((process, number)).or_insert(next);
            }
            keys.count = keys.sparse.len();
        }
        keys
    }

    fn find(&self, process: ProcessId, number: i64) -> Option<usize> {
        if !self.sparse.is_empty() {
            return self.sparse.get(&(process, number)).copied();
        }
        let &(first, width, key) = self.dense.get(process.index())?;
        let offset = number.checked_sub(first).filter(|offset| (0..width).contains(offset))?;
        Some(key + usize::try_from(offset).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_find_their_key_whether_dense_or_not() {
        let process = ProcessId::new;
        let forward: Vec<_> = [(0, 5), (2, 9), (0, 7), (2, 8)]
            .map(|(id, number)| (process(id), number, 0, OpCallId::new(0)))
            .to_vec();
        let dense = Keys::new(&forward);
        assert_eq!((dense.find(process(0), 7), dense.find(process(2), 8)), (Some(2), Some(3)));
        for (id, number) in [(0, 4), (0, 8), (1, 5), (3, 9), (2, i64::MIN)] {
            assert_eq!(dense.find(process(id), number), None);
        }
        let far = [(process(0), i64::MIN, 0, OpCallId::new(0)), (process(1), i64::MAX, 0, OpCallId::new(0))];
        let sparse = Keys::new(&far);
        assert_eq!(
            (sparse.find(process(0), i64::MIN), sparse.find(process(1), i64::MAX)),
            (Some(0), Some(1))
        );
        assert_eq!(sparse.find(process(0), i64::MAX), None);
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
