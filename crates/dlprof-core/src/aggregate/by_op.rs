//! Ops, op types, groups and iteration × op: from the op calls of the aggregated iterations.

use super::Input;
use super::metric::OpTimes;
use crate::correlate::{CallTimes, Eligibility, TensorCores, is_16_bit};
use crate::groups::Grouped;
use crate::ids::{OpCallId, OpId, WorkId};
use crate::time::Ns;
use crate::trace::WorkKind;
use rustc_hash::FxHashMap;
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
    fn push(&mut self, duration: Ns, tensor_cores: TensorCores) {
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

/// Ops that share a prefix of their names.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupStats {
    /// The prefix, with its final `/`.
    pub name: String,
    /// Depth: the number of `/` in the name.
    pub level: u64,
    /// Calls of its ops.
    pub calls: u64,
    /// Its ops that could use Tensor Cores.
    pub tc_eligible_ops: u64,
    /// Its ops that use Tensor Cores.
    pub tc_ops: u64,
    /// One sample per iteration in which it ran: the sum over its calls.
    pub times: OpTimes,
}

/// Hands out the sums per op of each iteration, aggregated or not; ops are in no particular order.
fn for_each_iteration(input: &Input<'_>, mut visit: impl FnMut(&[IterationOpStats])) {
    let total = input.iterations.total() as usize;
    let by_iteration = Grouped::new(total, input.correlation.calls.ids(), |call| {
        Some(input.iterations.of_call[call.index()] as usize)
    });
    // By op: its row, if that is one of the iteration at hand.
    let mut row_of_op = vec![0; input.ops.ops.len()];
    let mut rows: Vec<IterationOpStats> = Vec::new();
    for iteration in 0..input.iterations.total() {
        rows.clear();
        for call in by_iteration.get(iteration as usize) {
            let op = input.ops.of_call[call.index()];
            let at = &mut row_of_op[op.index()];
            if rows.get(*at).is_none_or(|row| row.op != op) {
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
            push_kernels(input, *call, &mut row.kernels);
        }
        visit(&rows);
    }
}

/// Sums per aggregated iteration and op, in order of both.
pub(super) fn iteration_ops(input: &Input<'_>) -> Vec<IterationOpStats> {
    let mut rows: Vec<IterationOpStats> = Vec::new();
    for_each_iteration(input, |of_iteration| {
        rows.extend(of_iteration.iter().filter(|row| input.iterations.is_aggregated(row.iteration)));
    });
    rows.sort_unstable_by_key(|row| (row.iteration, row.op));
    rows
}

/// What is summed up iteration by iteration.
pub(super) struct IterationSums {
    /// By iteration, aggregated or not.
    pub(super) kernels: Vec<KernelSums>,
    /// By op, over the aggregated iterations.
    op_kernels: Vec<KernelSums>,
    /// By group, one sample per aggregated iteration in which it ran.
    groups: Vec<OpTimes>,
}

pub(super) fn sum_iterations(input: &Input<'_>, names: &GroupNames<'_>) -> IterationSums {
    let mut sums = IterationSums {
        kernels: vec![KernelSums::default(); input.iterations.total() as usize],
        op_kernels: vec![KernelSums::default(); input.ops.ops.len()],
        groups: vec![OpTimes::default(); names.names.len()],
    };
    let mut group_sums = vec![None; names.names.len()];
    for_each_iteration(input, |rows| {
        for row in rows {
            sums.kernels[row.iteration as usize].add(&row.kernels);
        }
        if !rows.first().is_some_and(|row| input.iterations.is_aggregated(row.iteration)) {
            return;
        }
        for row in rows {
            sums.op_kernels[row.op.index()].add(&row.kernels);
            for &group in &names.of_op[row.op.index()] {
                add_times(group_sums[group].get_or_insert_default(), &row.times);
            }
        }
        for &group in rows.iter().flat_map(|row| &names.of_op[row.op.index()]) {
            if let Some(sum) = group_sums[group].take() {
                sums.groups[group].push(&sum);
            }
        }
    });
    sums
}

fn add_times(sum: &mut CallTimes, times: &CallTimes) {
    sum.cpu_ns += times.cpu_ns;
    sum.gpu_ns += times.gpu_ns;
    sum.api_ns += times.api_ns;
    sum.cpu_overhead_ns += times.cpu_overhead_ns;
    sum.gpu_idle_ns += times.gpu_idle_ns;
}

/// Adds the kernels of a call.
pub(super) fn push_kernels(input: &Input<'_>, call: OpCallId, sums: &mut KernelSums) {
    let work = &input.trace.gpu_work;
    let is_kernel = |id: &&WorkId| work.kind(**id) == WorkKind::Kernel;
    for kernel in input.correlation.work_by_call.get(call.index()).iter().filter(is_kernel) {
        let tensor_cores = input.correlation.kernel_tensor_cores[kernel.index()];
        sums.push(work.span[kernel.index()].length(), tensor_cores);
    }
}

/// Ops with a call in the aggregated iterations, in order of op ID.
pub(super) fn ops(input: &Input<'_>, sums: &IterationSums) -> Vec<OpStats> {
    let mut times = vec![OpTimes::default(); input.ops.ops.len()];
    for call in input.aggregated_calls() {
        times[input.ops.of_call[call.index()].index()].push(&input.correlation.times[call.index()]);
    }
    let rows = times.into_iter().zip(sums.op_kernels.iter().copied()).enumerate();
    rows.filter(|(_, (times, _))| times.cpu.count > 0)
        .map(|(at, (times, kernels))| op(input, OpId::new(at), times, kernels))
        .collect()
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
        stats.times.cpu.merge(op.times.cpu);
        stats.times.gpu.merge(op.times.gpu);
        stats.times.cpu_overhead.merge(op.times.cpu_overhead);
        stats.times.gpu_idle.merge(op.times.gpu_idle);
    }
    types.into_values().collect()
}

/// Name of the group of all ops, loose ones included.
pub const COMPLETE_MODEL: &str = "_CompleteModel_";

/// Names of groups, and the groups of each op of the capture.
pub(super) struct GroupNames<'a> {
    names: Vec<&'a str>,
    of_op: Vec<Vec<usize>>,
}

impl<'a> GroupNames<'a> {
    pub(super) fn new(input: &Input<'a>) -> Self {
        let mut positions: FxHashMap<&str, usize> = FxHashMap::default();
        let mut names = Vec::new();
        let mut position = |name: &'a str| {
            *positions.entry(name).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            })
        };
        let ops = (0..input.ops.ops.len()).map(OpId::new);
        let of_op = ops.map(|op| groups_of(input.name(op)).map(&mut position).collect()).collect();
        Self { names, of_op }
    }
}

/// Groups with calls in byte order, [`COMPLETE_MODEL`] among them.
pub(super) fn groups(names: &GroupNames<'_>, sums: &IterationSums, ops: &[OpStats]) -> Vec<GroupStats> {
    let group = |(name, times): (&&str, &OpTimes)| GroupStats {
        name: (*name).to_owned(),
        level: name.matches('/').count() as u64,
        calls: 0,
        tc_eligible_ops: 0,
        tc_ops: 0,
        times: *times,
    };
    let mut groups: Vec<GroupStats> = names.names.iter().zip(&sums.groups).map(group).collect();
    for op in ops {
        for &at in &names.of_op[op.op.index()] {
            groups[at].calls += op.times.cpu.count;
            groups[at].tc_eligible_ops += u64::from(op.tc_eligible);
            groups[at].tc_ops += u64::from(op.uses_tc);
        }
    }
    groups.retain(|group| group.calls > 0);
    groups.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    groups
}

/// The groups of an op: the prefixes of its name that end in `/`, and the group of all ops.
pub fn groups_of(op_name: &str) -> impl Iterator<Item = &str> {
    let ends = op_name.match_indices('/').map(|(at, _)| at + 1);
    ends.map(|end| &op_name[..end]).chain([COMPLETE_MODEL])
}
