//! Ops, op types and iteration × op: from the op calls of the aggregated iterations.

use super::Profile;
use crate::base::ids::{OpCallId, OpId};
use crate::capture::correlate::{CallTimes, Eligibility, is_16_bit};
use crate::steps::index::{IndexContents, KernelSums, OpSums, OpTimes, add_times};
use std::collections::BTreeMap;

/// An op over the aggregated iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct OpStats {
    /// The op.
    pub op: OpId,
    /// One sample per call.
    pub times: OpTimes,
    /// Its kernels.
    pub kernels: KernelSums,
    /// Whether it could use Tensor Cores.
    pub tc_eligible: bool,
    /// Whether any of its kernels uses Tensor Cores.
    pub uses_tc: bool,
    /// Eligible, without Tensor Cores, and its data type is known and not a 16-bit one.
    pub is_bad_data_type: bool,
}

/// An op in one iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IterationOpStats {
    /// The iteration.
    pub iteration: u32,
    /// The op.
    pub op: OpId,
    /// Calls that start in the iteration.
    pub calls: u64,
    /// Sums over these calls.
    pub times: CallTimes,
    /// Their kernels.
    pub kernels: KernelSums,
}

/// All ops of a type.
#[derive(Debug, Clone, PartialEq)]
pub struct OpTypeStats {
    /// The op type.
    pub op_type: String,
    /// Ops of the type.
    pub ops: u64,
    /// One sample per call.
    pub times: OpTimes,
}

/// Sums per aggregated iteration and op, in order of both.
pub(super) fn iteration_ops(profile: &Profile) -> Vec<IterationOpStats> {
    let index = &profile.index;
    // By op: its row, if that is one of the iteration at hand.
    let mut row_of_op = vec![0; index.ops.len()];
    let mut rows: Vec<IterationOpStats> = Vec::new();
    for part in index.blocks.parts(profile.iterations.range()) {
        let calls = index.blocks.calls(part.clone(), &index.calls.iteration);
        for (at, iteration) in part.enumerate() {
            add_iteration(index, iteration, calls.get(at), &mut row_of_op, &mut rows);
        }
    }
    rows
}

/// Adds the rows of an iteration.
fn add_iteration(
    index: &IndexContents,
    iteration: u32,
    calls: &[OpCallId],
    row_of_op: &mut [usize],
    rows: &mut Vec<IterationOpStats>,
) {
    let of_iteration = rows.len();
    for &call in calls {
        let row = row_of(index, call, iteration, of_iteration, row_of_op, rows);
        row.calls += 1;
        add_times(&mut row.times, &index.launching().own_times(call));
        row.kernels.add(&index.capture.kernels_of(&index.launching().own(call)));
    }
    for (call, work) in index.launching().spilled(iteration) {
        let row = row_of(index, call, iteration, of_iteration, row_of_op, rows);
        row.kernels.add(&index.capture.kernels_of(work));
        row.times.gpu_ns += index.launching().gpu_ns(work);
    }
    rows[of_iteration..].sort_unstable_by_key(|row| row.op);
}

/// The row of the op of a call among those of an iteration, which begin at a place; a new one if it has none.
fn row_of<'a>(
    index: &IndexContents,
    call: OpCallId,
    iteration: u32,
    of_iteration: usize,
    row_of_op: &mut [usize],
    rows: &'a mut Vec<IterationOpStats>,
) -> &'a mut IterationOpStats {
    let op = index.calls.op[call];
    let at = &mut row_of_op[op.index()];
    if *at < of_iteration || rows.get(*at).is_none_or(|row| row.op != op) {
        *at = rows.len();
        let (times, kernels) = (CallTimes::default(), KernelSums::default());
        rows.push(IterationOpStats { iteration, op, calls: 0, times, kernels });
    }
    &mut rows[*at]
}

/// Ops with a call in the aggregated iterations, in order of op ID.
pub(super) fn ops(index: &IndexContents, sums: &[OpSums]) -> Vec<OpStats> {
    sums.iter().map(|sums| op(index, sums.op, sums.times, sums.kernels)).collect()
}

fn op(index: &IndexContents, op: OpId, times: OpTimes, kernels: KernelSums) -> OpStats {
    let label = index.label(op);
    let uses_tc = kernels.tc_launches > 0;
    let tc_eligible = match label.eligibility {
        Eligibility::Eligible => true,
        Eligibility::NotEligible => false,
        Eligibility::WhenUsed => uses_tc,
    };
    let has_other_type = !label.data_type.is_empty() && !is_16_bit(&label.data_type);
    let is_bad_data_type = tc_eligible && !uses_tc && has_other_type;
    OpStats { op, times, kernels, tc_eligible, uses_tc, is_bad_data_type }
}

/// Op types in byte order.
pub(super) fn op_types(index: &IndexContents, ops: &[OpStats]) -> Vec<OpTypeStats> {
    let mut types: BTreeMap<&str, OpTypeStats> = BTreeMap::new();
    for op in ops {
        let op_type = index.label(op.op).op_type.as_str();
        let stats = types.entry(op_type).or_insert_with(|| OpTypeStats {
            op_type: op_type.to_owned(),
            ops: 0,
            times: OpTimes::default(),
        });
        stats.ops += 1;
        stats.times.merge(&op.times);
    }
    types.into_values().collect()
}
