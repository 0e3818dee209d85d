//! Groups of ops over the aggregated iterations.

use super::OpStats;
use crate::base::ids::{Maybe, OpId};
use crate::steps::index::{COMPLETE_MODEL, GroupSums, IndexContents, OpTimes};

/// Ops that share a prefix of their names.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupStats {
    /// One of its ops; none for the group of all ops.
    op: Maybe<OpId>,
    /// Of that op's name: how long the beginning is that names the group.
    name_bytes: usize,
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

impl GroupStats {
    /// The beginning of the names of its ops, with its final `/`; [`COMPLETE_MODEL`] for the group of all ops.
    #[must_use]
    pub fn name<'a>(&self, index: &'a IndexContents) -> &'a str {
        self.op.some().map_or(COMPLETE_MODEL, |op| &index.op_name(op)[..self.name_bytes])
    }
}

/// Groups with calls in byte order, [`COMPLETE_MODEL`] among them.
pub(super) fn groups(index: &IndexContents, sums: &[GroupSums], ops: &[OpStats]) -> Vec<GroupStats> {
    let groups = index.groups();
    let group = |name: &&str| GroupStats {
        op: Maybe::NONE,
        name_bytes: name.len(),
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
            at = groups.parent(group);
            if at.is_some() {
                stats.op = op.op.into();
            }
            stats.calls += op.times.cpu.count;
            stats.tc_eligible_ops += u64::from(op.tc_eligible);
            stats.tc_ops += u64::from(op.uses_tc);
            stats.tc_compatible_ops += u64::from(op.tc_eligible || op.uses_tc);
        }
    }
    stats.retain(|group| group.calls > 0);
    stats.sort_unstable_by_key(|group| group.name(index));
    stats
}
