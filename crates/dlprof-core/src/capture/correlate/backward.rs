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

use super::labels::{Direction, Label, OpIdentity};
use crate::base::by_id::{ById, IdRange};
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::ids::{LabelId, Maybe, OpCallId, ProcessId};
use crate::base::time::Ns;
use crate::capture::OpCallsBuilder;
use crate::columns::{Buffer, Memory};
use crate::read::facts::SequenceNumber;
use rustc_hash::FxHashMap;

/// Sequence numbers seen inside forward calls, and backward calls that wait for them; by process.
pub(super) struct Sequences {
    memory: Memory,
    forward: Vec<Buffer<Numbered>>,
    backward: Vec<Buffer<Numbered>>,
}

/// A range with a sequence number: inside a forward call, or that of a backward call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Numbered {
    start: Ns,
    call: OpCallId,
    number: SequenceNumber,
}

impl Sequences {
    pub(super) fn new(memory: &Memory, processes: usize) -> Self {
        let empty = || std::iter::repeat_with(|| memory.buffer(0)).take(processes).collect();
        Self { memory: memory.clone(), forward: empty(), backward: empty() }
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
    pub(super) fn link(
        self,
        calls: &mut OpCallsBuilder,
        labels: &mut Vec<Label>,
        diagnostics: &mut Diagnostics,
    ) {
        let mut mirrored: FxHashMap<LabelId, LabelId> = FxHashMap::default();
        let mut mirror = |label: LabelId| {
            *mirrored.entry(label).or_insert_with(|| {
                let mut backward = labels[label.index()].clone();
                backward.direction = Direction::Backward;
                backward.identity = OpIdentity::NameAndOrdinal;
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
            let mut latest = ById::new(&self.memory, &numbers, Maybe::<OpCallId>::NONE);
            let mut upcoming = forward.iter().peekable();
            for &Numbered { start, call, number } in &backward {
                while let Some(range) = upcoming.next_if(|range| range.start < start) {
                    *latest.slot(range.number) = range.call.into();
                }
                match latest.find(number).some() {
                    Some(forward) => {
                        calls.forward[call.index()] = forward.into();
                        calls.label[call.index()] = mirror(calls.label[forward.index()]);
                    }
                    None => {
                        diagnostics.count(DiagnosticCode::BackwardWithoutForward, || {
                            format!("sequence number {number}")
                        });
                    }
                }
            }
        }
    }
}
