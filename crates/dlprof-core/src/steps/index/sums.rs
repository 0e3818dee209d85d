//! Sums over the op calls of some iterations. Those of a range are the sums of its parts, in any order.
//!
//! ```text
//! iterations   0   1   2   3   4   5   6   7   8   9
//! sums         ├── a ──┤├── b ──┤├── c ──┤├── d ──┤          one of each part
//! range 1–8        ├ e ┤├── b ──┤├── c ──┤├ f ┤              e + b + c + f
//! ```

use super::kernel_sums::{KernelSums, KernelTotal, KernelTotals};
use super::launch_groups::LaunchGroup;
use super::metric::OpTimes;
use crate::base::ids::{GroupId, OpId, StrId};
use crate::capture::correlate::TensorCores;
use crate::columns::Texts;

/// What adds up over iterations. Lists hold what has calls, in order of their keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RangeSums {
    /// By op.
    pub(crate) ops: Vec<OpSums>,
    /// By group.
    pub(crate) groups: Vec<GroupSums>,
    /// Launches that are alike.
    pub(crate) kernels: Vec<LaunchGroup>,
    /// By class; names are not counted yet.
    pub(crate) totals: KernelTotals,
    /// API functions that copied and filled.
    pub(crate) memory_apis: Vec<StrId>,
    /// Kinds of copies without an API call: a bit each, by CUPTI's number; bit 0 for memsets and unknown kinds.
    pub(crate) unnamed_memory: u32,
}

/// The calls of an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpSums {
    pub(crate) op: OpId,
    /// One sample per call.
    pub(crate) times: OpTimes,
    pub(crate) kernels: KernelSums,
}

/// The calls of the ops of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupSums {
    pub(crate) group: GroupId,
    /// One sample per iteration in which it ran.
    pub(crate) times: OpTimes,
}

/// Classes of kernels.
pub(crate) const TC: u8 = 1;
pub(crate) const NON_TC: u8 = 2;
/// Also [`NON_TC`].
pub(crate) const TC_UNKNOWN: u8 = 4;

/// Whether launches of some classes use Tensor Cores: if any does; unknown if none does and some name does not tell.
pub(crate) fn tensor_cores_of(classes: u8) -> TensorCores {
    match classes {
        classes if classes & TC != 0 => TensorCores::Used,
        classes if classes & TC_UNKNOWN != 0 => TensorCores::Unknown,
        _ => TensorCores::NotUsed,
    }
}

impl RangeSums {
    /// These sums and those of other iterations.
    pub(super) fn with(mut self, other: Self, texts: &Texts) -> Self {
        // Lists are long where ops hardly repeat.
        if self.ops.is_empty() {
            return other;
        }
        self.merge(&other, texts);
        self
    }

    /// Adds the sums of other iterations. `texts` are those of the kernels' names.
    pub(crate) fn merge(&mut self, other: &Self, texts: &Texts) {
        merge_by_key(
            &mut self.ops,
            &other.ops,
            |sums| sums.op,
            |mine, other| {
                mine.times.merge(&other.times);
                mine.kernels.add(&other.kernels);
            },
        );
        merge_by_key(
            &mut self.groups,
            &other.groups,
            |sums| sums.group,
            |mine, other| {
                mine.times.merge(&other.times);
            },
        );
        merge_by_key(
            &mut self.kernels,
            &other.kernels,
            |group| group.key,
            |mine, other| mine.merge(other, texts),
        );
        merge_by_key(&mut self.memory_apis, &other.memory_apis, |name| *name, |_, _| {});
        self.totals = self.totals.plus(&other.totals);
        self.unnamed_memory |= other.unnamed_memory;
    }

    /// The totals, with names counted.
    pub(crate) fn totals(&self) -> KernelTotals {
        let mut names: Vec<(StrId, u8)> =
            self.kernels.iter().map(|group| (group.key.name, group.classes)).collect();
        names.sort_unstable();
        names.dedup_by(|next, last| {
            let is_same = next.0 == last.0;
            if is_same {
                last.1 |= next.1;
            }
            is_same
        });
        let count = |class: u8| names.iter().filter(|(_, classes)| classes & class != 0).count() as u64;
        let with_names = |total: KernelTotal, names| KernelTotal { names, ..total };
        let memory = self.memory_apis.len() as u64 + u64::from(self.unnamed_memory.count_ones());
        KernelTotals {
            tc: with_names(self.totals.tc, count(TC)),
            non_tc: with_names(self.totals.non_tc, count(NON_TC)),
            memory: with_names(self.totals.memory, memory),
            tc_unknown: with_names(self.totals.tc_unknown, count(TC_UNKNOWN)),
        }
    }
}

/// Merges lists that are sorted by their keys.
fn merge_by_key<T: Copy, K: Ord>(
    mine: &mut Vec<T>,
    other: &[T],
    key: impl Fn(&T) -> K,
    add: impl Fn(&mut T, &T),
) {
    let known = mine.len();
    let mut at = 0;
    for item in other {
        while at < known && key(&mine[at]) < key(item) {
            at += 1;
        }
        if at < known && key(&mine[at]) == key(item) {
            add(&mut mine[at], item);
        } else {
            mine.push(*item);
        }
    }
    if mine.len() > known {
        // Stable, because it merges two sorted runs.
        mine.sort_by_key(key);
    }
}

#[cfg(test)]
mod tests;
