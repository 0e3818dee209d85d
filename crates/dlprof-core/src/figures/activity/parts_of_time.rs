//! Idle time and copies in parts of windows.

use super::copies::{CopyKind, HostMemory};
use super::long_gaps::Edges;
use crate::base::intervals::union;
use crate::base::ordered::partition_near;
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;

/// Time in which a copy from or to pageable memory runs on a GPU and no kernel, summed over GPUs. Copies count by their start.
#[must_use]
pub fn exposed_pageable_ns(classified: &Classified<'_>, span: Span) -> Ns {
    let items = &classified.activity.items;
    let is_pageable = |copy: usize| {
        let side = match items.copy_kind.get(copy).map(|&kind| CopyKind::of(kind)) {
            Some(CopyKind::HtoD | CopyKind::HtoA) => items.source_memory.get(copy),
            Some(CopyKind::DtoH | CopyKind::AtoH) => items.target_memory.get(copy),
            _ => None,
        };
        side.is_some_and(|&memory| HostMemory::of(memory) == HostMemory::Pageable)
    };
    let transfers = items.starting_in(items.kernels..items.len(), span);
    let mut copies: Vec<Vec<Span>> = vec![Vec::new(); classified.activity.devices];
    for copy in transfers.filter(|item| is_pageable(item - items.kernels)) {
        copies[items.device[copy].index()].push(items.span[copy]);
    }
    let copies: Vec<Vec<Span>> = copies.into_iter().map(union).collect();
    let (firsts, lasts) =
        (copies.iter().filter_map(|of| of.first()), copies.iter().filter_map(|of| of.last()));
    let (Some(from), Some(to)) = (firsts.map(|copy| copy.start).min(), lasts.map(|copy| copy.end).max())
    else {
        return 0;
    };
    // By GPU: the parts of its copies that kernels hide.
    let mut hidden: Vec<Vec<Span>> = vec![Vec::new(); copies.len()];
    let mut hints = vec![0; copies.len()];
    for kernel in items.open_in(0..items.kernels, to, from) {
        let (device, own) = (items.device[kernel].index(), items.span[kernel]);
        hints[device] = partition_near(&copies[device], hints[device], |copy| copy.end <= own.start);
        let near = copies[device][hints[device]..].iter().take_while(|copy| copy.start < own.end);
        near.for_each(|copy| push_joined(&mut hidden[device], own.clip(*copy)));
    }
    let length = |spans: &[Span]| spans.iter().map(|span| span.length()).sum::<Ns>();
    copies.iter().zip(hidden).map(|(copies, hidden)| length(copies) - length(&union(hidden))).sum()
}

/// Adds a span to a list; mostly it touches the last one, so that the list stays short.
fn push_joined(list: &mut Vec<Span>, span: Span) {
    match list.last_mut() {
        Some(last) if last.start <= span.start && span.start <= last.end => last.end = last.end.max(span.end),
        _ => list.push(span),
    }
}

/// Idle time of the used GPUs in the first and last twentieth of each window, summed over GPUs. A GPU is used if it has an item
/// anywhere in the capture that starts before the last window ends. Windows are in order of time and do not overlap.
#[must_use]
pub fn idle_around_boundaries_ns(classified: &Classified<'_>, windows: &[Span], used: &[bool]) -> Ns {
    let edges = Edges::new(windows).spans;
    let (Some(from), Some(to)) = (edges.first().map(|edge| edge.start), edges.last().map(|edge| edge.end))
    else {
        return 0;
    };
    let items = &classified.activity.items;
    let mut devices: Vec<Vec<Span>> = vec![Vec::new(); used.len()];
    for item in items.open_in(0..items.len(), to, from) {
        devices[items.device[item].index()].push(items.span[item]);
    }
    let length: Ns = edges.iter().map(|edge| edge.length()).sum();
    let idle_ns = |(device, spans): (usize, Vec<Span>)| {
        let is_of_device = |item: usize| items.device[item].index() == device;
        let has_begun = || items.open_in(0..items.len(), to, Ns::MIN).any(is_of_device);
        if !used[device] || (spans.is_empty() && !has_begun()) {
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
