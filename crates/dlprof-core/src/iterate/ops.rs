//! Op calls to ops: names, ordinals and op IDs.
//!
//! Calls with the same name, direction and **ordinal inside the iteration** are one op: a network that calls the
//! same line of code for ten layers has ten ops, each with one call per iteration. Ordinals count per thread and
//! iteration; the same name and ordinal on another thread or in another process is the same op with more calls.
//! Ops of plain ranges, and loose work outside DLProf's markers, are told apart by name alone.

use crate::correlate::{Correlation, Identity};
use crate::ids::{LabelId, OpCallId, OpId, ThreadId};
use crate::time::Ns;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

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

/// All ops of a capture, in byte order of their IDs, and the op of every call.
#[derive(Debug, Clone, Default)]
pub struct Ops {
    /// The ops.
    pub ops: Vec<Op>,
    /// By op call: its op; empty where only sums are at hand.
    pub of_call: Vec<OpId>,
}

/// Finds the ops, given the iteration of each call.
pub(super) fn identify(correlation: &Correlation, iteration_of: &[u32]) -> Ops {
    let calls = &correlation.calls;
    let ordinals = ordinals(correlation, iteration_of);
    // By name and direction: the ops of each ordinal.
    let mut positions: Vec<Vec<OpId>> = vec![Vec::new(); 3 * correlation.names.len()];
    let mut ops: Vec<Candidate> = Vec::new();
    let mut of_call = Vec::with_capacity(calls.len());
    for call in calls.ids() {
        let ordinal = ordinals[call.index()];
        let label = &correlation.labels[calls.label[call.index()].index()];
        let by_ordinal = &mut positions[3 * label.name.index() + label.direction as usize];
        let at = ordinal as usize - 1;
        if by_ordinal.len() <= at {
            by_ordinal.resize(at + 1, OpId::NONE);
        }
        if by_ordinal[at].is_none() {
            by_ordinal[at] = OpId::new(ops.len());
            ops.push(Candidate { first: call, ordinal, forward: OpCallId::NONE });
        }
        let op = by_ordinal[at];
        let candidate = &mut ops[op.index()];
        if order(correlation, call) < order(correlation, candidate.first) {
            candidate.first = call;
        }
        if candidate.forward.is_none() {
            candidate.forward = calls.forward[call.index()];
        }
        of_call.push(op);
    }
    number(correlation, &ops, of_call)
}

/// An op without its ID.
struct Candidate {
    first: OpCallId,
    ordinal: u32,
    /// A call of the forward op, for the backward pass.
    forward: OpCallId,
}

/// The order of calls in time, with ties broken by content.
fn order(correlation: &Correlation, call: OpCallId) -> (Ns, Reverse<Ns>, ThreadId) {
    let span = correlation.calls.span[call.index()];
    (span.start, Reverse(span.end), correlation.calls.thread[call.index()])
}

/// By call: its ordinal; that of its forward call for the backward pass; 1 where the name alone counts.
fn ordinals(correlation: &Correlation, iteration_of: &[u32]) -> Vec<u32> {
    let calls = &correlation.calls;
    let label = |call: OpCallId| &correlation.labels[calls.label[call.index()].index()];
    let mut ordinals = vec![1; calls.len()];
    let mut counted: Vec<OpCallId> = calls
        .ids()
        .filter(|call| {
            calls.forward[call.index()].is_none() && label(*call).identity == Identity::NameAndOrdinal
        })
        .collect();
    // Stable, because it merges the sorted runs in which calls stand.
    counted.sort_by_key(|&call| (calls.thread[call.index()], calls.nesting_order(call)));
    // By name and direction: the place where it was counted last, and the count.
    let mut counts: Vec<(u32, u32)> = vec![(0, 0); 3 * correlation.names.len()];
    let mut current = None;
    let mut places = 0;
    for call in counted {
        let place = (calls.thread[call.index()], iteration_of[call.index()]);
        if current != Some(place) {
            places += 1;
            current = Some(place);
        }
        let count = &mut counts[3 * label(call).name.index() + label(call).direction as usize];
        *count = if count.0 == places { (places, count.1 + 1) } else { (places, 1) };
        ordinals[call.index()] = count.1;
    }
    for call in calls.ids() {
        if let Some(forward) = calls.forward[call.index()].some() {
            ordinals[call.index()] = ordinals[forward.index()];
        }
    }
    ordinals
}

/// Gives ops their IDs, in order of first start, and sorts them by ID.
fn number(correlation: &Correlation, candidates: &[Candidate], of_call: Vec<OpId>) -> Ops {
    let calls = &correlation.calls;
    let mut by_start: Vec<usize> = (0..candidates.len()).collect();
    by_start.sort_unstable_by_key(|&at| {
        let label = &correlation.labels[calls.label[candidates[at].first.index()].index()];
        let start = calls.span[candidates[at].first.index()].start;
        (start, correlation.names.get(label.name), label.direction, candidates[at].ordinal)
    });
    let mut counts: FxHashMap<String, u32> = FxHashMap::default();
    let mut ids = vec![String::new(); candidates.len()];
    for &at in by_start.iter().filter(|&&at| candidates[at].forward.is_none()) {
        let label = &correlation.labels[calls.label[candidates[at].first.index()].index()];
        let op_type = label.op_type.to_uppercase().replace(char::is_whitespace, "_");
        let count = counts.entry(op_type.clone()).or_default();
        *count += 1;
        ids[at] = format!("{op_type}_{count}");
    }
    for (at, candidate) in candidates.iter().enumerate() {
        if let Some(forward) = candidate.forward.some() {
            ids[at] = format!("{}_BPROP", ids[of_call[forward.index()].index()]);
        }
    }
    let ops = candidates.iter().zip(ids).map(|(candidate, id)| Op {
        id,
        label: calls.label[candidate.first.index()],
        ordinal: candidate.ordinal,
        first_start: calls.span[candidate.first.index()].start,
    });
    sorted_by_id(ops.collect(), of_call)
}

fn sorted_by_id(ops: Vec<Op>, of_call: Vec<OpId>) -> Ops {
    let mut order: Vec<usize> = (0..ops.len()).collect();
    order.sort_unstable_by(|&a, &b| ops[a].id.cmp(&ops[b].id));
    let mut moved = vec![OpId::NONE; ops.len()];
    for (to, &from) in order.iter().enumerate() {
        moved[from] = OpId::new(to);
    }
    let of_call = of_call.into_iter().map(|op| moved[op.index()]).collect();
    let mut ops: Vec<Option<Op>> = ops.into_iter().map(Some).collect();
    Ops { ops: order.into_iter().filter_map(|from| ops[from].take()).collect(), of_call }
}
