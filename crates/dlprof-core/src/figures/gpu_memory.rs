//! How much GPU memory was in use, from the allocations that a capture recorded.
//!
//! ```text
//! bytes in use      ┌────┐ peak of iteration 1
//!              ┌────┘    └──┐
//!        ┌─────┘            └───── end of iteration 1
//!  ──────┘ 0 at the first event; what was allocated before the capture is unknown
//!          ├── it. 0 ──┼── it. 1 ──┤
//! ```
//!
//! A running sum per GPU: an allocation adds its bytes, a free subtracts them. If memory is freed that was allocated before
//! the capture, the sum falls below 0, and says so. Events of the same time count together, so their order does not show.

mod allocator;

pub(crate) use allocator::{has_gpu_events, knows_totals, memory_of_allocator};

use crate::base::ids::DeviceId;
use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::{Ns, Span};
use std::collections::BTreeMap;

/// Allocations and frees in columns of equal length, in any order.
#[derive(Debug, Clone, Copy)]
pub struct MemoryEvents<'a> {
    /// When it happened.
    pub time: &'a [Ns],
    /// The GPU.
    pub device: &'a [DeviceId],
    /// CUPTI's kind of memory.
    pub kind: &'a [u8],
    /// What happened: 0 an allocation, 1 a free; other numbers are ignored.
    pub operation: &'a [u8],
    /// Number of bytes.
    pub bytes: &'a [u64],
}

/// Where memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemorySide {
    /// On the GPU: device, array, managed and static memory.
    Device,
    /// On the host: pageable and pinned memory.
    Host,
}

impl MemorySide {
    /// Where memory of a kind is; `None` of a kind that is not known.
    #[must_use]
    pub fn of_kind(kind: u8) -> Option<Self> {
        match kind {
            0 | 1 => Some(Self::Host),
            2..=5 => Some(Self::Device),
            _ => None,
        }
    }
}

/// The word for a kind of memory.
#[must_use]
pub fn memory_kind_name(kind: u8) -> &'static str {
    match kind {
        0 => "pageable",
        1 => "pinned",
        2 => "device",
        3 => "array",
        4 => "managed",
        5 => "device_static",
        6 => "managed_static",
        _ => "unknown",
    }
}

/// Memory in use during a window: a row of table `gpu_memory`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuMemory {
    /// Position of the window.
    pub window: usize,
    /// The GPU.
    pub device: DeviceId,
    /// Most bytes in use at a time.
    pub peak_bytes: i64,
    /// Bytes in use, averaged over the time of the window; `None` of an empty window.
    pub mean_bytes: Option<f64>,
    /// Bytes in use at the end.
    pub end_bytes: i64,
    /// Number of allocations.
    pub allocations: u64,
    /// Number of frees.
    pub frees: u64,
    /// Bytes of the allocations.
    pub allocated_bytes: u64,
}

/// Memory in use by window and GPU, for GPUs with at least one event. `windows` are disjoint and in order. Rows are in the order
/// of windows, then of GPUs.
#[must_use]
pub fn gpu_memory(events: &MemoryEvents<'_>, side: MemorySide, windows: &[Span]) -> Vec<GpuMemory> {
    in_windows(changes_by_device(events, side), windows)
}

fn in_windows(changes: BTreeMap<DeviceId, Vec<Change>>, windows: &[Span]) -> Vec<GpuMemory> {
    let mut rows: Vec<GpuMemory> = Vec::new();
    for (device, changes) in changes {
        let mut changes = changes.iter().copied().peekable();
        let mut in_use: i64 = 0;
        for (window, &span) in windows.iter().enumerate() {
            while let Some(change) = changes.next_if(|change| change.time < span.start) {
                in_use = in_use.saturating_add(change.net_bytes);
            }
            let mut row = Running::new(in_use, span.start);
            while let Some(change) = changes.next_if(|change| change.time < span.end) {
                row.apply(&change);
            }
            in_use = row.in_use;
            rows.push(row.finish(window, device, span));
        }
    }
    rows.sort_by_key(|row| (row.window, row.device));
    rows
}

/// What happened at a time.
#[derive(Debug, Clone, Copy, Default)]
struct Change {
    time: Ns,
    net_bytes: i64,
    allocations: u64,
    frees: u64,
    allocated_bytes: u64,
}

/// By GPU: its changes in the order of time, those of the same time as one.
fn changes_by_device(events: &MemoryEvents<'_>, side: MemorySide) -> BTreeMap<DeviceId, Vec<Change>> {
    let mut by_device: BTreeMap<DeviceId, Vec<Change>> = BTreeMap::new();
    for at in 0..events.time.len() {
        if MemorySide::of_kind(events.kind[at]) != Some(side) {
            continue;
        }
        let bytes = i64::try_from(events.bytes[at]).unwrap_or(i64::MAX);
        let time = events.time[at];
        let change = match events.operation[at] {
            0 => Change {
                time,
                net_bytes: bytes,
                allocations: 1,
                allocated_bytes: events.bytes[at],
                ..Change::default()
            },
            1 => Change { time, net_bytes: -bytes, frees: 1, ..Change::default() },
            _ => continue,
        };
        by_device.entry(events.device[at]).or_default().push(change);
    }
    for changes in by_device.values_mut() {
        changes.sort_by_key(|change| change.time);
        changes.dedup_by(|later, first| {
            let is_same = later.time == first.time;
            if is_same {
                first.net_bytes = first.net_bytes.saturating_add(later.net_bytes);
                first.allocations += later.allocations;
                first.frees += later.frees;
                first.allocated_bytes = first.allocated_bytes.saturating_add(later.allocated_bytes);
            }
            is_same
        });
    }
    by_device
}

/// Memory in use while a window is walked.
struct Running {
    in_use: i64,
    since: Ns,
    peak: i64,
    /// Bytes × nanoseconds.
    area: i128,
    sums: Change,
}

impl Running {
    fn new(in_use: i64, start: Ns) -> Self {
        Self { in_use, since: start, peak: in_use, area: 0, sums: Change::default() }
    }

    fn advance(&mut self, time: Ns) {
        self.area += i128::from(self.in_use) * i128::from(time.saturating_sub(self.since));
        self.since = time;
    }

    fn apply(&mut self, change: &Change) {
        self.advance(change.time);
        self.in_use = self.in_use.saturating_add(change.net_bytes);
        self.peak = self.peak.max(self.in_use);
        self.sums.allocations += change.allocations;
        self.sums.frees += change.frees;
        self.sums.allocated_bytes = self.sums.allocated_bytes.saturating_add(change.allocated_bytes);
    }

    fn finish(mut self, window: usize, device: DeviceId, span: Span) -> GpuMemory {
        self.advance(span.end);
        let length = span.length();
        let mean = (length > 0).then(|| {
            let whole = i64::try_from(self.area / i128::from(length)).unwrap_or(i64::MAX);
            let rest = i64::try_from(self.area % i128::from(length)).unwrap_or(0);
            to_f64(whole) + to_f64(rest) / to_f64(length)
        });
        GpuMemory {
            window,
            device,
            peak_bytes: self.peak,
            mean_bytes: mean,
            end_bytes: self.in_use,
            allocations: self.sums.allocations,
            frees: self.sums.frees,
            allocated_bytes: self.sums.allocated_bytes,
        }
    }
}

/// Allocations and frees of a kind of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KindTotal {
    /// Number of allocations.
    pub allocations: u64,
    /// Bytes of the allocations.
    pub allocated_bytes: u64,
    /// Number of frees.
    pub frees: u64,
    /// Bytes of the frees.
    pub freed_bytes: u64,
}

/// Allocations and frees of the whole capture by GPU and kind of memory, kinds that are not known included.
#[must_use]
pub(crate) fn allocations_by_kind(events: &MemoryEvents<'_>) -> BTreeMap<(DeviceId, u8), KindTotal> {
    let mut totals: BTreeMap<(DeviceId, u8), KindTotal> = BTreeMap::new();
    for at in 0..events.time.len() {
        let total = totals.entry((events.device[at], events.kind[at])).or_default();
        let (count, bytes) = match events.operation[at] {
            0 => (&mut total.allocations, &mut total.allocated_bytes),
            1 => (&mut total.frees, &mut total.freed_bytes),
            _ => continue,
        };
        *count += 1;
        *bytes = bytes.saturating_add(events.bytes[at]);
    }
    totals
}

/// Peak in percent of the memory of a GPU, which tells whether larger batches fit; `None` if the memory is unknown.
#[must_use]
pub(crate) fn peak_percent(peak_bytes: i64, memory_bytes: Option<i64>) -> Option<f64> {
    let memory = memory_bytes.and_then(|bytes| u64::try_from(bytes).ok()).filter(|&bytes| bytes > 0)?;
    Some(to_f64(peak_bytes) / count_to_f64(memory) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Time, GPU, kind, operation, bytes.
    type Event = (Ns, usize, u8, u8, u64);

    fn rows(events: &[Event], side: MemorySide, windows: &[Span]) -> Vec<GpuMemory> {
        let time: Vec<Ns> = events.iter().map(|event| event.0).collect();
        let device: Vec<DeviceId> = events.iter().map(|event| DeviceId::new(event.1)).collect();
        let kind: Vec<u8> = events.iter().map(|event| event.2).collect();
        let operation: Vec<u8> = events.iter().map(|event| event.3).collect();
        let bytes: Vec<u64> = events.iter().map(|event| event.4).collect();
        let events =
            MemoryEvents { time: &time, device: &device, kind: &kind, operation: &operation, bytes: &bytes };
        gpu_memory(&events, side, windows)
    }

    /// ```text
    ///          0    10   20   30   40
    /// GPU 0    100       +50  -120
    /// window        ├─────────┤         100 for 10, then 150 for 10
    /// window                  ├────┤    30
    /// ```
    #[test]
    fn a_running_sum_by_window() {
        let events = [
            (0, 0, 2, 0, 100),
            (20, 0, 4, 0, 50),
            (30, 0, 2, 1, 120),
            // Pinned memory, an unknown operation, an unknown kind, another GPU.
            (5, 0, 1, 0, 7),
            (5, 0, 2, 9, 7),
            (5, 0, 7, 0, 7),
            (15, 1, 2, 1, 8),
        ];
        let windows = [Span::new(10, 30), Span::new(30, 40)];
        let found = rows(&events, MemorySide::Device, &windows);
        let figures: Vec<_> = found
            .iter()
            .map(|row| (row.window, row.device.index(), row.peak_bytes, row.end_bytes, row.allocated_bytes))
            .collect();
        assert_eq!(figures, [(0, 0, 150, 150, 50), (0, 1, 0, -8, 0), (1, 0, 150, 30, 0), (1, 1, -8, -8, 0)]);
        assert!(found[0].mean_bytes.is_some_and(|mean| (mean - 125.0).abs() < 1e-9));
        assert_eq!((found[0].allocations, found[0].frees, found[2].frees), (1, 0, 1));
        let host = rows(&events, MemorySide::Host, &windows);
        assert_eq!(host.len(), 2);
        assert_eq!((host[0].peak_bytes, host[0].allocations), (7, 0));
    }

    #[test]
    fn peaks_in_percent() {
        assert_eq!(peak_percent(25, Some(100)), Some(25.0));
        assert_eq!(peak_percent(25, Some(0)), None);
        assert_eq!(peak_percent(25, None), None);
    }

    proptest! {
        /// Against a slow, obvious version: the sum at every nanosecond of the window.
        #[test]
        fn equals_the_sum_at_every_nanosecond(
            events in prop::collection::vec((-5_i64..25, 0_usize..1, 2_u8..4, 0_u8..2, 0_u64..100), 1..20),
            start in 0_i64..10, length in 1_i64..10,
        ) {
            let window = Span::new(start, start + length);
            let sum_at = |time: Ns| -> i64 {
                let before = events.iter().filter(|event| event.0 <= time);
                before.map(|event| event.4.cast_signed() * if event.3 == 0 { 1 } else { -1 }).sum()
            };
            let sums: Vec<i64> = (window.start..window.end).map(sum_at).collect();
            let row = rows(&events, MemorySide::Device, &[window])[0];
            let peak = sums.iter().copied().chain([sum_at(window.start - 1)]).max();
            prop_assert_eq!(Some(row.peak_bytes), peak);
            prop_assert_eq!(Some(&row.end_bytes), sums.last());
            let mean = to_f64(sums.iter().sum()) / to_f64(length);
            prop_assert!(row.mean_bytes.is_some_and(|found| (found - mean).abs() < 1e-6));
            let mut reversed = events.clone();
            reversed.reverse();
            prop_assert_eq!(&rows(&reversed, MemorySide::Device, &[window])[0], &row);
        }
    }
}
