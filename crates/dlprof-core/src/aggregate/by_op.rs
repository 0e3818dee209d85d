//! Ops, op types and iteration × op: from the op calls of the aggregated iterations.

use super::Input;
use super::metric::OpTimes;
use super::sums::OpSums;
use crate::correlate::{CallTimes, Eligibility, TensorCores, is_16_bit};
use crate::groups::Grouped;
use crate::ids::OpId;
use crate::time::Ns;
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

/// Kernel launches and the plain sum of their durations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KernelSums {
    /// Launches.
    pub launches: u64,
    /// Sum of durations.
    pub gpu_ns: Ns,
    /// Launches of kernels that use Tensor Cores.
    pub tc_launches: u64,
    /// Sum of their durations.
    pub tc_gpu_ns: Ns,
    /// Sum of durations of kernels whose name does not tell.
    pub tc_unknown_gpu_ns: Ns,
}

impl KernelSums {
    pub(super) fn push(&mut self, duration: Ns, tensor_cores: TensorCores) {
        self.launches += 1;
        self.gpu_ns += duration;
        match tensor_cores {
            TensorCores::Used => {
                self.tc_launches += 1;
                self.tc_gpu_ns += duration;
            }
            TensorCores::Unknown => self.tc_unknown_gpu_ns += duration,
            TensorCores::NotUsed => {}
        }
    }

    /// Adds other launches.
    pub fn add(&mut self, other: &Self) {
        self.launches += other.launches;
        self.gpu_ns += other.gpu_ns;
        self.tc_launches += other.tc_launches;
        self.tc_gpu_ns += other.tc_gpu_ns;
        self.tc_unknown_gpu_ns += other.tc_unknown_gpu_ns;
    }
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
pub(super) fn iteration_ops(input: &Input<'_>) -> Vec<IterationOpStats> {
    let (first, end) = (input.iterations.start, input.iterations.stop + 1);
    let by_iteration = Grouped::new((end - first) as usize, input.aggregated_calls(), |call| {
        Some((input.iterations.of_call[call.index()] - first) as usize)
    });
    // By op: its row, if that is one of the iteration at hand.
    let mut row_of_op = vec![0; input.ops.ops.len()];
    let mut rows: Vec<IterationOpStats> = Vec::new();
    for iteration in first..end {
        let of_iteration = rows.len();
        for &call in by_iteration.get((iteration - first) as usize) {
            let op = input.ops.of_call[call.index()];
            let at = &mut row_of_op[op.index()];
            if *at < of_iteration || rows.get(*at).is_none_or(|row| row.op != op) {
                *at = rows.len();
                rows.push(IterationOpStats {
                    iteration,
                    op,
                    calls: 0,
                    times: CallTimes::default(),
                    kernels: KernelSums::default(),
                });
            }
            let row = &mut rows[*at];
            row.calls += 1;
            add_times(&mut row.times, &input.correlation.times[call.index()]);
            row.kernels.add(&input.rows().kernels_of(call));
        }
        rows[of_iteration..].sort_unstable_by_key(|row| row.op);
    }
    rows
}

pub(super) fn add_times(sum: &mut CallTimes, times: &CallTimes) {
    sum.cpu_ns += times.cpu_ns;
    sum.gpu_ns += times.gpu_ns;
    sum.api_ns += times.api_ns;
    sum.cpu_overhead_ns += times.cpu_overhead_ns;
    sum.gpu_idle_ns += times.gpu_idle_ns;
}

/// Ops with a call in the aggregated iterations, in order of op ID.
pub(super) fn ops(input: &Input<'_>, sums: &[OpSums]) -> Vec<OpStats> {
    sums.iter().map(|sums| op(input, sums.op, sums.times, sums.kernels)).collect()
}

fn op(input: &Input<'_>, op: OpId, times: OpTimes, kernels: KernelSums) -> OpStats {
    let label = input.label(op);
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
pub(super) fn op_types(input: &Input<'_>, ops: &[OpStats]) -> Vec<OpTypeStats> {
    let mut types: BTreeMap<&str, OpTypeStats> = BTreeMap::new();
    for op in ops {
        let op_type = input.label(op.op).op_type.as_str();
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
