//! GPU time by stack, for flame graphs: the path of an op as the pages' flame graph divides it, and the kernel at its end.
//!
//! ```text
//! op  /net/block/conv2d    kernel  void gemm<float>(…)    →    net ; block ; conv2d ; void gemm<float>(…)    1,250 ns
//! ```

use dlprof_core::{Ns, Profile, WorkName, op_path_parts};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Frames, outermost first. The last one is the demangled name of a kernel, `[copy …]` or `[memset]`.
pub(super) type Frames<'a> = Vec<Cow<'a, str>>;

/// The time of the GPU work of the aggregated iterations by stack, in order of the frames. A time is a plain sum of durations:
/// times of kernels with one name add up to that of the name in table `kernel_names`.
pub(super) fn stacks(profile: &Profile) -> BTreeMap<Frames<'_>, Ns> {
    let text = |name| profile.capture.strings.get(name);
    let kernels =
        profile.kernels_by_op().into_iter().map(|row| (row.op, Cow::from(text(row.name)), row.gpu_ns));
    let memory = profile.memory_by_op().into_iter().map(|row| {
        let name = match row.name {
            WorkName::Kernel(name) => Cow::from(text(name)),
            WorkName::Copy(direction) => Cow::from(format!("[copy {direction}]")),
            WorkName::Memset => Cow::from("[memset]"),
        };
        (row.op, name, row.gpu_ns)
    });
    let mut stacks: BTreeMap<Frames<'_>, Ns> = BTreeMap::new();
    for (op, name, gpu_ns) in kernels.chain(memory) {
        let path = op_path_parts(profile.op_name(op));
        let frames: Frames<'_> = path.map(Cow::from).chain([name]).collect();
        let sum = stacks.entry(frames).or_default();
        *sum = sum.saturating_add(gpu_ns);
    }
    stacks
}
