//! Ops by their use of Tensor Cores.

use super::by_op::OpStats;
use crate::base::time::Ns;

/// Sums over the ops of a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CategoryTotal {
    /// CPU time.
    pub cpu_ns: Ns,
    /// GPU time.
    pub gpu_ns: Ns,
    /// CPU overhead.
    pub cpu_overhead_ns: Ns,
    /// GPU idle.
    pub gpu_idle_ns: Ns,
    /// Ops.
    pub ops: u64,
}

/// Ops by their use of Tensor Cores; the last three add up to the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpCategories {
    /// All ops.
    pub all: CategoryTotal,
    /// Ops with a kernel that uses Tensor Cores.
    pub using_tc: CategoryTotal,
    /// Ops that could use them and do not.
    pub eligible: CategoryTotal,
    /// All other ops.
    pub other: CategoryTotal,
}

pub(super) fn categories(ops: &[OpStats]) -> OpCategories {
    let mut categories = OpCategories::default();
    for op in ops {
        let category = if op.uses_tc {
            &mut categories.using_tc
        } else if op.tc_eligible {
            &mut categories.eligible
        } else {
            &mut categories.other
        };
        category.add(op);
        categories.all.add(op);
    }
    categories
}

impl CategoryTotal {
    fn add(&mut self, op: &OpStats) {
        self.cpu_ns += op.times.cpu.sum;
        self.gpu_ns += op.times.gpu.sum;
        self.cpu_overhead_ns += op.times.cpu_overhead.sum;
        self.gpu_idle_ns += op.times.gpu_idle.sum;
        self.ops += 1;
    }
}
