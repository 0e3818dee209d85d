//! Long gaps one by one, and idle time and copies in parts of windows.

use super::cause::Cause;
use super::classified::Classified;
use super::copies::{CopyKind, HostMemory};
use super::gaps::{Gap, GapFinder};
use super::gpu_time::GpuTime;
use super::host_spans::HostSpans;
use super::idle::IdleAttribution;
use super::windows::whole_range;
use crate::time::{Ns, Span};

/// A gap of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongGap {
    /// The GPU.
    pub device: usize,
    /// From the end of an item to the start of the next.
    pub span: Span,
    /// The cause of the greatest part of it; of equal ones the first.
    pub cause: Cause,
    /// The row of the item that ended it.
    pub ended_by: usize,
}

/// The gaps of at least a length that lie in a span, in order of time.
#[must_use]
pub fn long_gaps(classified: &Classified<'_>, span: Span, least_ns: Ns) -> Vec<LongGap> {
    let host = HostSpans::new(classified);
    let windows = [span];
    let mut idle = IdleAttribution::new(&host, &windows);
    let mut gaps = GapFinder::new(classified);
    let mut found: Vec<LongGap> = Vec::new();
    let is_inside = |gap: &Gap| gap.span.start >= span.start && gap.span.end <= span.end;
    let is_long = |gap: &Gap| gap.span.length() >= least_ns && is_inside(gap);
    let mut push = |gap: Gap| {
        let mut rows = [GpuTime::default()];
        idle.add(&gap, &mut rows);
        let causes = Cause::ALL.into_iter().rev();
        let cause = causes.max_by_key(|&cause| rows[0].idle.of(cause)).unwrap_or(Cause::Unknown);
        found.push(LongGap { device: gap.device, span: gap.span, cause, ended_by: gap.ended_by });
    };
    for item in classified.items_in_order() {
        if let Some(gap) = gaps.add(item).filter(is_long) {
            push(gap);
        }
    }
    gaps.rest().into_iter().filter(is_long).for_each(&mut push);
    found.sort_by_key(|gap| (gap.span.start, gap.device));
    found
}

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
    let is_counted = |item: usize| {
        (span.start..span.end).contains(&items.span[item].start)
            && item.checked_sub(items.kernels).is_some_and(is_pageable)
    };
    // By GPU: what kernels cover, and what kernels and these copies cover together.
    let mut covered = vec![(Covered::default(), Covered::default()); classified.activity.devices];
    for item in classified.items_in_order() {
        let (kernels, both) = &mut covered[items.device[item].index()];
        if items.is_kernel(item) {
            kernels.add(items.span[item]);
            both.add(items.span[item]);
        } else if is_counted(item) {
            both.add(items.span[item]);
        }
    }
    covered.iter().map(|(kernels, both)| both.length - kernels.length).sum()
}

/// What spans in order of their start cover.
#[derive(Debug, Clone, Copy)]
struct Covered {
    end: Ns,
    length: Ns,
}

impl Default for Covered {
    fn default() -> Self {
        Self { end: Ns::MIN, length: 0 }
    }
}

impl Covered {
    #[inline]
    fn add(&mut self, span: Span) {
        let start = span.start.max(self.end);
        self.length = self.length.saturating_add(span.end.saturating_sub(start).max(0));
        self.end = self.end.max(span.end);
    }
}

/// Shorter gaps do not reach far beyond a boundary.
const LEAST_GAP_NS: Ns = 10_000;

/// The length of the gaps that reach into the first or last twentieth of a window, as far as they lie in the windows, summed over
/// GPUs. Windows are in order of time and follow each other.
#[must_use]
pub fn gaps_at_boundaries_ns(classified: &Classified<'_>, windows: &[Span]) -> Ns {
    let (edges, all) = (edges(windows), whole_range(windows));
    let reaches = |gap: &&LongGap| {
        let next = edges.partition_point(|edge| edge.end <= gap.span.start);
        edges.get(next).is_some_and(|edge| edge.start < gap.span.end)
    };
    let gaps = long_gaps(classified, Span::new(Ns::MIN / 4, Ns::MAX / 4), LEAST_GAP_NS);
    gaps.iter().filter(reaches).map(|gap| gap.span.clip(all).length()).sum()
}

/// The first and last twentieth of each window.
fn edges(windows: &[Span]) -> Vec<Span> {
    let of_window = |window: &Span| {
        let part = window.length() / 20;
        [Span::new(window.start, window.start + part), Span::new(window.end - part, window.end)]
    };
    windows.iter().flat_map(of_window).collect()
}

/// Idle time of the used GPUs in the first and last twentieth of each window, summed over GPUs. Windows are in order of
/// time and do not overlap.
#[must_use]
pub fn idle_around_boundaries_ns(classified: &Classified<'_>, windows: &[Span]) -> Ns {
    let edges = edges(windows);
    let activity = &classified.activity;
    // By GPU: up to where it is covered, whether it has work, and the covered time in the edges.
    let mut devices = vec![(Ns::MIN, false, 0); activity.devices];
    let mut first = 0;
    for item in classified.items_in_order() {
        let span = activity.items.span[item];
        if edges.last().is_none_or(|edge| edge.end <= span.start) {
            break;
        }
        let (covered, is_used, busy_ns) = &mut devices[activity.items.device[item].index()];
        *is_used = true;
        let new = Span::new(span.start.max(*covered), span.end.max(*covered));
        *covered = new.end;
        while edges.get(first).is_some_and(|edge| edge.end <= span.start) {
            first += 1;
        }
        let near = edges.iter().skip(first).take_while(|edge| edge.start < new.end);
        *busy_ns += near.map(|edge| new.clip(*edge).length()).sum::<Ns>();
    }
    let length: Ns = edges.iter().map(|edge| edge.length()).sum();
    devices.iter().filter(|(_, is_used, _)| *is_used).map(|(_, _, busy_ns)| length - busy_ns).sum()
}
