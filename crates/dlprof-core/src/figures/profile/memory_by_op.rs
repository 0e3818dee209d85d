//! Copies and memsets by op.

use super::{ProfileContents, WorkName};
use crate::base::ids::OpId;
use crate::base::time::Ns;
use crate::read::facts::WorkKind;
use std::collections::BTreeMap;

/// The copies of a direction, or the memsets, of an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryOfOp {
    /// The op.
    pub op: OpId,
    /// The direction, or that it is memsets.
    pub name: WorkName,
    /// How many.
    pub launches: u64,
    /// Plain sum of their durations.
    pub gpu_ns: Ns,
}

impl ProfileContents {
    /// The copies and memsets of the op calls of the aggregated iterations, in order of op and name. With the kernels of
    /// [`ProfileContents::kernel_summaries`] they are all GPU work of these calls.
    #[must_use]
    pub fn memory_by_op(&self) -> Vec<MemoryOfOp> {
        let capture = &self.capture;
        let mut sums: BTreeMap<(OpId, WorkName), MemoryOfOp> = BTreeMap::new();
        for (op, of_call) in self.work_of_range() {
            for &work in of_call.iter() {
                let name = match capture.work_kind(work) {
                    WorkKind::Kernel => continue,
                    WorkKind::Copy => WorkName::Copy(capture.copy_kind_name(work)),
                    WorkKind::Memset => WorkName::Memset,
                };
                let sum = sums.entry((op, name)).or_insert(MemoryOfOp { op, name, launches: 0, gpu_ns: 0 });
                sum.launches += 1;
                sum.gpu_ns += capture.work.span[work].length();
            }
        }
        sums.into_values().collect()
    }
}
