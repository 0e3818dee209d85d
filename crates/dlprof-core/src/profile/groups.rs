//! Groups of ops over the aggregated iterations.

use super::OpStats;
use crate::index::{GroupSums, IndexContents, OpTimes};

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
    /// Its ops that could use Tensor Cores or use them.
    pub tc_compatible_ops: u64,
    /// One sample per iteration in which it ran: the sum over its calls.
    pub times: OpTimes,
}

/// Groups with calls in byte order, [`COMPLETE_MODEL`](crate::index::COMPLETE_MODEL) among them.
pub(super) fn groups(index: &IndexContents, sums: &[GroupSums], ops: &[OpStats]) -> Vec<GroupStats> {
    let groups = index.groups();
    let group = |name: &&str| GroupStats {
        name: (*name).to_owned(),
        level: name.matches('/').count() as u64,
        calls: 0,
        tc_eligible_ops: 0,
        tc_ops: 0,
        tc_compatible_ops: 0,
        times: OpTimes::default(),
    };
    let mut stats: Vec<GroupStats> = groups.names().iter().map(group).collect();
    for sums in sums {
        stats[sums.group.index()].times = sums.times;
    }
    for op in ops {
        let mut at = Some(groups.of_op(op.op));
        while let Some(group) = at {
            let stats = &mut stats[group.index()];
            stats.calls += op.times.cpu.count;
            stats.tc_eligible_ops += u64::from(op.tc_eligible);
            stats.tc_ops += u64::from(op.uses_tc);
            stats.tc_compatible_ops += u64::from(op.tc_eligible || op.uses_tc);
            at = groups.parent(group);
        }
    }
    stats.retain(|group| group.calls > 0);
    stats.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    stats
}
