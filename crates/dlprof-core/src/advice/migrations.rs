//! Kernels that run while unified memory migrates on their GPU: they may wait for it, how long is not recorded.

use crate::base::ids::{self, DeviceId, WorkId};
use crate::base::intervals::{covered_ns, union, union_length};
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::figures::activity::CopyKind;
use crate::figures::profile::ProfileContents;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::Range;

/// When unified memory migrates and which kernels run meanwhile, summed over GPUs.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Migrations {
    /// Time covered by kernels during which memory migrates on their GPU.
    pub(super) kernels_ns: Ns,
    /// Time covered by migrations and by these kernels, by each up to the end of the last migration while it runs: after that it
    /// waits for no memory.
    pub(super) all_ns: Ns,
}

/// Migrations inside a span, and the kernels that some iterations launch, given as places.
pub(super) fn migrations(profile: &ProfileContents, places: Range<usize>, inside: Span) -> Migrations {
    let by_gpu = when_memory_migrates(&profile.capture);
    let mut kernels: Vec<Vec<Span>> = vec![Vec::new(); by_gpu.len()];
    let mut may_wait: Vec<Vec<Span>> =
        by_gpu.iter().map(|spans| spans.iter().map(|span| span.clip(inside)).collect()).collect();
    each_kernel_with(profile, places, &by_gpu, |device, kernel, _| {
        let span = profile.capture.work.span[kernel];
        kernels[device.index()].push(span.clip(inside));
        let migrations = &by_gpu[device.index()];
        let last = migrations.partition_point(|migration| migration.start < span.end).checked_sub(1);
        let end = last.map_or(span.end, |last| migrations[last].end.min(span.end));
        may_wait[device.index()].push(Span::new(span.start, end).clip(inside));
    });
    let mut sum = Migrations::default();
    for (kernels, may_wait) in kernels.into_iter().zip(may_wait) {
        sum.kernels_ns += union_length(union(kernels));
        sum.all_ns += union_length(union(may_wait));
    }
    sum
}

/// How long unified memory migrates on the GPU while the kernels run that some iterations launch, by a key of each kernel.
pub(super) fn migrating<K: Hash + Eq>(
    profile: &ProfileContents,
    places: Range<usize>,
    key_of: impl Fn(WorkId) -> K,
) -> FxHashMap<K, Ns> {
    let mut sums: FxHashMap<K, Ns> = FxHashMap::default();
    let by_gpu = when_memory_migrates(&profile.capture);
    each_kernel_with(profile, places, &by_gpu, |_, kernel, ns| {
        *sums.entry(key_of(kernel)).or_default() += ns
    });
    sums
}

/// By GPU: when unified memory migrates, in order and apart.
fn when_memory_migrates(capture: &CaptureContents) -> Vec<Vec<Span>> {
    let mut by_gpu: Vec<Vec<Span>> = vec![Vec::new(); capture.devices.len()];
    for copy in ids::all::<WorkId>(capture.work.span.len()).skip(capture.counts().kernels) {
        if capture.known_copy_kind(copy).is_some_and(|kind| CopyKind::of(kind).is_migration()) {
            by_gpu[capture.work.device[copy].index()].push(capture.work.span[copy]);
        }
    }
    by_gpu.into_iter().map(union).collect()
}

/// Shows every kernel of some iterations during which memory migrates on its GPU, and how long it does.
fn each_kernel_with(
    profile: &ProfileContents,
    places: Range<usize>,
    by_gpu: &[Vec<Span>],
    mut show: impl FnMut(DeviceId, WorkId, Ns),
) {
    if by_gpu.iter().all(Vec::is_empty) {
        return;
    }
    let work = &profile.capture.work;
    profile.for_each_kernel(places, |_, kernel| {
        let device = work.device[kernel];
        let ns = covered_ns(&by_gpu[device.index()], work.span[kernel]);
        if ns > 0 {
            show(device, kernel, ns);
        }
    });
}
