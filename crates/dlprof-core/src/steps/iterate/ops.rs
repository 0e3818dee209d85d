//! Op calls to ops: names, ordinals and op IDs.
//!
//! Calls with the same name, direction and **ordinal inside the iteration** are one op: a network that calls the
//! same line of code for ten layers has ten ops, each with one call per iteration. Ordinals count per thread and
//! iteration; the same name and ordinal on another thread or in another process is the same op with more calls.
//! Ops of plain ranges, and loose work outside DLProf's markers, are told apart by name alone.

use crate::base::ids::{LabelId, Maybe, OpCallId, OpId, StrId, ThreadId};
use crate::base::limits;
use crate::base::time::Ns;
use crate::capture::Capture;
use crate::capture::correlate::{Direction, OpIdentity};
use crate::columns::{Buffer, PerText};
use crate::read::facts::DlprofNotes;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// What follows the ID of an op in the ID of its backward pass.
pub(super) const BACKWARD: &str = "_BPROP";

/// An op.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Op {
    /// Op ID: the type in upper case and a number; `…_BPROP` for the backward pass of another op.
    pub id: String,
    /// The label of its first call, which gives name, type, direction, data type and shapes.
    pub label: LabelId,
    /// Which of the ops of its name it is, from 1.
    pub ordinal: u32,
    /// Start of its first call.
    pub first_start: Ns,
}

/// Most ops that are told apart by their ordinals.
const MOST_OPS: usize = limits::OPS.most;

/// Finds the ops, given the iteration of each call: all ops in byte order of their IDs, the op of every call, and how many calls
/// belong to the last op of their name because there are too many.
pub(super) fn identify(capture: &Capture, iteration_of: &[u32]) -> (Vec<Op>, Buffer<OpId>, u64) {
    if let Some(notes) = &capture.description.dlprof {
        let (ops, of_call) = given(capture, notes);
        return (ops, of_call, 0);
    }
    let calls = &capture.op_calls;
    let mut ordinals = ordinals(capture, iteration_of);
    let joined_calls = join_last(capture, &mut ordinals, MOST_OPS);
    // By name and direction: the ops of each ordinal.
    let mut positions: PerText<[Vec<Maybe<OpId>>; 3]> = PerText::new(capture.names.len(), Default::default());
    let mut ops: Vec<Candidate> = Vec::new();
    let mut of_call = capture.memory.buffer(calls.len());
    for call in calls.ids() {
        let ordinal = ordinals[call.index()];
        let label = &capture.description.labels[calls.label[call].index()];
        let by_ordinal = &mut positions[label.name][label.direction as usize];
        let at = ordinal as usize - 1;
        if by_ordinal.len() <= at {
            by_ordinal.resize(at + 1, Maybe::NONE);
        }
        let op = by_ordinal[at].some().unwrap_or_else(|| {
            ops.push(Candidate { first: call, ordinal, forward: Maybe::NONE });
            OpId::new(ops.len() - 1)
        });
        by_ordinal[at] = op.into();
        let candidate = &mut ops[op.index()];
        if order(capture, call) < order(capture, candidate.first) {
            candidate.first = call;
        }
        if candidate.forward.is_none() {
            candidate.forward = calls.forward[call];
        }
        of_call.push(op);
    }
    let (ops, of_call) = number(capture, &ops, of_call);
    (ops, of_call, joined_calls)
}

/// Lowers the ordinals beyond the largest number with which there are at most so many ops, and returns how many these are.
fn join_last(capture: &Capture, ordinals: &mut [u32], most: usize) -> u64 {
    // By name and direction: the largest ordinal.
    let mut largest = PerText::new(capture.names.len(), [0; 3]);
    for (call, &ordinal) in capture.op_calls.ids().zip(ordinals.iter()) {
        let label = &capture.description.labels[capture.op_calls.label[call].index()];
        let largest: &mut u32 = &mut largest[label.name][label.direction as usize];
        *largest = ordinal.max(*largest);
    }
    let largest: Vec<u32> = largest.into_values().flatten().collect();
    let ops_of = |last: u32| largest.iter().map(|&largest| largest.min(last) as usize).sum::<usize>();
    if ops_of(u32::MAX) <= most {
        return 0;
    }
    let (mut last, mut too_many) = (1, u32::MAX);
    while too_many - last > 1 {
        let middle = last + (too_many - last) / 2;
        *(if ops_of(middle) <= most { &mut last } else { &mut too_many }) = middle;
    }
    let beyond = ordinals.iter_mut().filter(|ordinal| **ordinal > last);
    beyond.map(|ordinal| *ordinal = last).count() as u64
}

/// The ops that have calls in a DLProf database, with its IDs.
fn given(capture: &Capture, notes: &DlprofNotes) -> (Vec<Op>, Buffer<OpId>) {
    let calls = &capture.op_calls;
    let number = |call: OpCallId| match capture.description.labels[calls.label[call].index()].identity {
        OpIdentity::Given(op) => op as usize,
        OpIdentity::Name | OpIdentity::NameAndOrdinal => 0,
    };
    let mut first: Vec<Option<OpCallId>> = vec![None; notes.ops.len()];
    for call in calls.ids() {
        let first = &mut first[number(call)];
        if first.is_none_or(|first| order(capture, call) < order(capture, first)) {
            *first = Some(call);
        }
    }
    let mut places = vec![OpId::new(0); notes.ops.len()];
    let mut ops = Vec::new();
    for (place, (stored, first)) in places.iter_mut().zip(notes.ops.iter().zip(&first)) {
        let Some(first) = *first else { continue };
        *place = OpId::new(ops.len());
        let (label, first_start) = (calls.label[first], calls.span[first].start);
        ops.push(Op { id: stored.id.clone(), label, ordinal: 1, first_start });
    }
    set_ordinals(capture, &mut ops);
    let of_call = capture.memory.collect(calls.ids().map(|call| places[number(call)]));
    sorted_by_id(ops, of_call)
}

/// Ordinals of ops that have their IDs already: among the ops of a name and direction in order of first start. The backward
/// pass, which runs from the last op to the first, has the ordinal of its forward op.
fn set_ordinals(capture: &Capture, ops: &mut [Op]) {
    let mut by_start: Vec<usize> = (0..ops.len()).collect();
    by_start.sort_by_key(|&at| ops[at].first_start);
    let mut counts: FxHashMap<(StrId, Direction), u32> = FxHashMap::default();
    let mut by_id: FxHashMap<String, u32> = FxHashMap::default();
    for &at in &by_start {
        let label = &capture.description.labels[ops[at].label.index()];
        let count = counts.entry((label.name, label.direction)).or_default();
        *count += 1;
        ops[at].ordinal = *count;
        by_id.insert(ops[at].id.clone(), *count);
    }
    for op in ops {
        if let Some(&ordinal) = op.id.strip_suffix(BACKWARD).and_then(|forward| by_id.get(forward)) {
            op.ordinal = ordinal;
        }
    }
}

/// An op without its ID.
struct Candidate {
    first: OpCallId,
    ordinal: u32,
    /// A call of the forward op, for the backward pass.
    forward: Maybe<OpCallId>,
}

/// The order of calls in time, with ties broken by content.
fn order(capture: &Capture, call: OpCallId) -> (Ns, Reverse<Ns>, Maybe<ThreadId>) {
    let span = capture.op_calls.span[call];
    (span.start, Reverse(span.end), capture.op_calls.thread[call])
}

/// By call: its ordinal; that of its forward call for the backward pass; 1 where the name alone counts.
fn ordinals(capture: &Capture, iteration_of: &[u32]) -> Buffer<u32> {
    let calls = &capture.op_calls;
    let label = |call: OpCallId| &capture.description.labels[calls.label[call].index()];
    let mut ordinals = capture.memory.filled(calls.len(), 1);
    let is_counted = |call: &OpCallId| {
        calls.forward[call].is_none() && label(*call).identity == OpIdentity::NameAndOrdinal
    };
    let mut counted = capture.memory.collect(calls.ids().filter(is_counted));
    // Stable, because it merges the sorted runs in which calls stand.
    counted.sort_by_key(|&call| (calls.thread[call], calls.nesting_order(call)));
    // By name and direction: the place where it was counted last, and the count.
    let mut counts: PerText<[(u32, u32); 3]> = PerText::new(capture.names.len(), [(0, 0); 3]);
    let mut current = None;
    let mut places = 0;
    for &call in &counted {
        let place = (calls.thread[call], iteration_of[call.index()]);
        if current != Some(place) {
            places += 1;
            current = Some(place);
        }
        let count = &mut counts[label(call).name][label(call).direction as usize];
        *count = if count.0 == places { (places, count.1 + 1) } else { (places, 1) };
        ordinals[call.index()] = count.1;
    }
    for call in calls.ids() {
        if let Some(forward) = calls.forward[call].some() {
            ordinals[call.index()] = ordinals[forward.index()];
        }
    }
    ordinals
}

/// Gives ops their IDs, in order of first start, and sorts them by ID.
fn number(capture: &Capture, candidates: &[Candidate], of_call: Buffer<OpId>) -> (Vec<Op>, Buffer<OpId>) {
    let calls = &capture.op_calls;
    let mut by_start: Vec<usize> = (0..candidates.len()).collect();
    by_start.sort_unstable_by_key(|&at| {
        let label = &capture.description.labels[calls.label[candidates[at].first].index()];
        let start = calls.span[candidates[at].first].start;
        (start, capture.names.get(label.name), label.direction, candidates[at].ordinal)
    });
    let mut counts: FxHashMap<String, u32> = FxHashMap::default();
    let mut ids = vec![String::new(); candidates.len()];
    for &at in by_start.iter().filter(|&&at| candidates[at].forward.is_none()) {
        let label = &capture.description.labels[calls.label[candidates[at].first].index()];
        let op_type = label.op_type.to_uppercase().replace(char::is_whitespace, "_");
        let count = counts.entry(op_type.clone()).or_default();
        *count += 1;
        ids[at] = format!("{op_type}_{count}");
    }
    for (at, candidate) in candidates.iter().enumerate() {
        if let Some(forward) = candidate.forward.some() {
            ids[at] = format!("{}{BACKWARD}", ids[of_call[forward.index()].index()]);
        }
    }
    let ops = candidates.iter().zip(ids).map(|(candidate, id)| Op {
        id,
        label: calls.label[candidate.first],
        ordinal: candidate.ordinal,
        first_start: calls.span[candidate.first].start,
    });
    sorted_by_id(ops.collect(), of_call)
}

fn sorted_by_id(ops: Vec<Op>, mut of_call: Buffer<OpId>) -> (Vec<Op>, Buffer<OpId>) {
    let mut order: Vec<usize> = (0..ops.len()).collect();
    order.sort_unstable_by(|&a, &b| ops[a].id.cmp(&ops[b].id));
    let mut moved = vec![OpId::new(0); ops.len()];
    for (to, &from) in order.iter().enumerate() {
        moved[from] = OpId::new(to);
    }
    of_call.iter_mut().for_each(|op| *op = moved[op.index()]);
    let mut ops: Vec<Option<Op>> = ops.into_iter().map(Some).collect();
    (order.into_iter().filter_map(|from| ops[from].take()).collect(), of_call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::drawn::Drawn;

    /// Ten calls of `a`, four of `b` and one of `c` in one iteration.
    #[test]
    fn the_last_ops_of_a_name_join_if_there_are_too_many() {
        let ordinals = || -> Vec<u32> { (1..=10).chain(1..=4).chain([1]).collect() };
        let mut drawn = Drawn::new();
        for (at, name) in "aaaaaaaaaabbbbc".chars().enumerate() {
            let start = 100 * Ns::try_from(at).expect("few");
            drawn.range(&name.to_string(), start..start + 50).launch(
                start + 5..start + 9,
                "k",
                start + 10..start + 20,
            );
        }
        let capture = drawn.capture();
        let calls: Vec<&str> = capture
            .op_calls
            .ids()
            .map(|call| {
                capture.names.get(capture.description.labels[capture.op_calls.label[call].index()].name)
            })
            .collect();
        assert_eq!(calls.len(), 15, "{calls:?}");
        let joined = |most: usize| {
            let mut lowered = ordinals();
            (join_last(&capture, &mut lowered, most), lowered)
        };
        assert_eq!(joined(15), (0, ordinals()));
        let (count, lowered) = joined(9);
        assert_eq!(
            (count, &lowered[..10], &lowered[10..]),
            (6, &[1, 2, 3, 4, 4, 4, 4, 4, 4, 4][..], &[1, 2, 3, 4, 1][..])
        );
        assert_eq!(joined(3).1, [1; 15]);
    }
}
