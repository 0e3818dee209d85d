//! Kernels by op and demangled name.

use super::ProfileContents;
use crate::base::ids::{OpId, StrId};
use crate::base::time::Ns;
use rustc_hash::FxHashMap;

/// The launches of a kernel by an op. Other than in [`KernelSummary`](super::KernelSummary), a kernel is known by its demangled
/// name, as in [`ProfileContents::kernel_names`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelOfOp {
    /// The op.
    pub op: OpId,
    /// Demangled name of the kernel.
    pub name: StrId,
    /// How many.
    pub launches: u64,
    /// Plain sum of their durations.
    pub gpu_ns: Ns,
}

impl ProfileContents {
    /// The kernels of the op calls of the aggregated iterations, in order of op and name. With
    /// [`ProfileContents::memory_by_op`] they are all GPU work of these calls.
    #[must_use]
    pub fn kernels_by_op(&self) -> Vec<KernelOfOp> {
        let capture = &self.capture;
        let mut sums: FxHashMap<(OpId, StrId), KernelOfOp> = FxHashMap::default();
        for group in self.launch_groups() {
            let (op, name) = (group.key.op, group.key.long_name);
            let sum = sums.entry((op, name)).or_insert(KernelOfOp { op, name, launches: 0, gpu_ns: 0 });
            sum.launches += group.gpu.count;
            sum.gpu_ns = sum.gpu_ns.saturating_add(group.gpu.sum);
        }
        let mut kernels: Vec<KernelOfOp> = sums.into_values().collect();
        kernels.sort_unstable_by_key(|kernel| (kernel.op, capture.strings.get(kernel.name)));
        kernels
    }
}
