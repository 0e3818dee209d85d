//! Idle time and copies in parts of windows.

use super::copies::{CopyKind, HostMemory};
use super::long_gaps::Edges;
use crate::base::intervals::{push_joined, union};
use crate::base::ordered::partition_near;
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;

/// Time in which a copy from or to pageable memory runs on a GPU and no kernel, summed over GPUs. Copies count by their start, if
/// they are meant.
#[must_use]
pub(crate) fn exposed_pageable_ns(
    classified: &Classified<'_>,
    span: Span,
    is_meant: impl Fn(usize) -> bool,
) -> Ns {
    let activity = &classified.activity;
    let copies = pageable_by_gpu(classified, span, |copy| is_meant(copy).then(|| activity.work.span[copy]));
    let length: Ns = copies.iter().flatten().map(|copy| copy.length()).sum();
    length - under_kernels_ns(classified, &copies)
}

/// Time in which the host is in a call of such a copy that has not begun, because kernels run on its GPU, summed over GPUs. Where it waits
/// for copies right after their calls, the time up to the start of a copy counts.
#[must_use]
pub(crate) fn pageable_waits_ns(
    classified: &Classified<'_>,
    span: Span,
    with_waits: bool,
    is_meant: impl Fn(usize) -> bool,
) -> Ns {
    let activity = &classified.activity;
    let before = |copy: usize| {
        if !is_meant(copy) {
            return None;
        }
        let call = classified.call_of(copy)?.span;
        let begun = activity.work.span[copy].start;
        let until = if with_waits { begun } else { call.end.min(begun) };
        (call.start < begun).then(|| Span::new(call.start, until))
    };
    under_kernels_ns(classified, &pageable_by_gpu(classified, span, before))
}

/// By GPU: spans of the copies from and to pageable memory that start in a span, joined.
fn pageable_by_gpu(
    classified: &Classified<'_>,
    span: Span,
    span_of: impl Fn(usize) -> Option<Span>,
) -> Vec<Vec<Span>> {
    let activity = &classified.activity;
    let is_pageable = |copy: usize| {
        let side = match activity.copies.kind.get(copy).map(|&kind| CopyKind::of(kind)) {
            Some(CopyKind::HtoD | CopyKind::HtoA) => activity.copies.source_memory.get(copy),
            Some(CopyKind::DtoH | CopyKind::AtoH) => activity.copies.target_memory.get(copy),
            _ => None,
        };
        side.is_some_and(|&memory| HostMemory::of(memory) == HostMemory::Pageable)
    };
    let transfers = activity.starting_in(activity.kernels.len()..activity.work.len(), span);
    let mut spans: Vec<Vec<Span>> = vec![Vec::new(); classified.activity.devices.len()];
    for copy in transfers.filter(|item| is_pageable(item - activity.kernels.len())) {
        spans[activity.work.device[copy].index()].extend(span_of(copy));
    }
    spans.into_iter().map(union).collect()
}

/// The parts of some spans by GPU, which are in order and apart, in which a kernel runs on this GPU.
fn under_kernels_ns(classified: &Classified<'_>, spans: &[Vec<Span>]) -> Ns {
    let activity = &classified.activity;
    let (firsts, lasts) = (spans.iter().filter_map(|of| of.first()), spans.iter().filter_map(|of| of.last()));
    let (Some(from), Some(to)) = (firsts.map(|span| span.start).min(), lasts.map(|span| span.end).max())
    else {
        return 0;
    };
    let mut covered: Vec<Vec<Span>> = vec![Vec::new(); spans.len()];
    let mut hints = vec![0; spans.len()];
    for kernel in activity.open_in(0..activity.kernels.len(), to, from) {
        let (device, own) = (activity.work.device[kernel].index(), activity.work.span[kernel]);
        hints[device] = partition_near(&spans[device], hints[device], |span| span.end <= own.start);
        let near = spans[device][hints[device]..].iter().take_while(|span| span.start < own.end);
        near.for_each(|span| push_joined(&mut covered[device], own.clip(*span)));
    }
    covered.into_iter().flat_map(union).map(|span| span.length()).sum()
}

/// Idle time of the used GPUs in the first and last twentieth of each window, summed over GPUs. A GPU is used if it has an item
/// anywhere in the capture that starts before the last window ends. Windows are in order of time and do not overlap.
#[must_use]
pub(crate) fn idle_around_boundaries_ns(classified: &Classified<'_>, windows: &[Span], used: &[bool]) -> Ns {
    let edges = Edges::new(windows).spans;
    let (Some(from), Some(to)) = (edges.first().map(|edge| edge.start), edges.last().map(|edge| edge.end))
    else {
        return 0;
    };
    let activity = &classified.activity;
    let mut devices: Vec<Vec<Span>> = vec![Vec::new(); used.len()];
    let mut has_begun = vec![false; used.len()];
    for item in activity.open_in(0..activity.work.len(), to, Ns::MIN) {
        has_begun[activity.work.device[item].index()] = true;
        if activity.work.span[item].end > from {
            devices[activity.work.device[item].index()].push(activity.work.span[item]);
        }
    }
    let length: Ns = edges.iter().map(|edge| edge.length()).sum();
    let idle_ns = |(device, spans): (usize, Vec<Span>)| {
        if !used[device] || !has_begun[device] {
            return 0;
        }
        let (mut first, mut busy_ns) = (0, 0);
        for span in union(spans) {
            first += edges[first..].partition_point(|edge| edge.end <= span.start);
            let near = edges[first..].iter().take_while(|edge| edge.start < span.end);
            busy_ns += near.map(|edge| span.clip(*edge).length()).sum::<Ns>();
        }
        length - busy_ns
    };
    devices.into_iter().enumerate().map(idle_ns).sum()
}
