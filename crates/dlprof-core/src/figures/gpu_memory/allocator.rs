//! GPU memory that PyTorch's allocator handed out, from the events of torch.profiler.
//!
//! Each event says how much was allocated afterwards, so that what was allocated before the trace is known too. Where events do
//! not say it, as before PyTorch 1.12, it is the running sum from 0.

use super::{Change, GpuMemory, in_windows};
use crate::base::ids::DeviceId;
use crate::base::time::{Ns, Span};
use crate::read::facts::{AllocatorFacts, UNKNOWN_BYTES};
use std::collections::BTreeMap;

/// Whether the allocator of any GPU was recorded.
pub(crate) fn has_gpu_events(events: &AllocatorFacts) -> bool {
    events.device.iter().any(|device| !device.is_none())
}

/// Whether every event of a GPU says how much was allocated afterwards: else what was allocated before the trace is unknown.
pub(crate) fn knows_totals(events: &AllocatorFacts) -> bool {
    events
        .device
        .iter()
        .zip(&events.allocated)
        .all(|(device, &allocated)| device.is_none() || allocated != UNKNOWN_BYTES)
}

/// Memory in use by window and GPU, for GPUs with at least one event. Events are in order of time.
pub(crate) fn memory_of_allocator(events: &AllocatorFacts, windows: &[Span]) -> Vec<GpuMemory> {
    let mut by_device: BTreeMap<DeviceId, (i64, Vec<Change>)> = BTreeMap::new();
    for at in 0..events.time.len() {
        let (time, device, bytes) = (events.time[..][at], events.device[..][at], events.bytes[..][at]);
        let Some(device) = device.some() else { continue };
        let allocated = match events.allocated[..][at] {
            UNKNOWN_BYTES => None,
            allocated => i64::try_from(allocated).ok(),
        };
        let (level, changes) = by_device.entry(device).or_insert_with(|| {
            let before = allocated.map_or(0, |allocated| allocated.saturating_sub(bytes));
            (before, vec![Change { time: Ns::MIN, net_bytes: before, ..Change::default() }])
        });
        let after = allocated.unwrap_or_else(|| level.saturating_add(bytes));
        changes.push(Change {
            time,
            net_bytes: after.saturating_sub(*level),
            allocations: u64::from(bytes > 0),
            frees: u64::from(bytes < 0),
            allocated_bytes: u64::try_from(bytes).unwrap_or(0),
        });
        *level = after;
    }
    let changes = by_device.into_iter().map(|(device, (_, changes))| (device, changes));
    in_windows(changes.collect(), windows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::Maybe;

    fn events(rows: &[(Ns, Maybe<DeviceId>, i64, u64)]) -> AllocatorFacts {
        AllocatorFacts {
            time: rows.iter().map(|row| row.0).collect(),
            device: rows.iter().map(|row| row.1).collect(),
            bytes: rows.iter().map(|row| row.2).collect(),
            allocated: rows.iter().map(|row| row.3).collect(),
            reserved: rows.iter().map(|_| UNKNOWN_BYTES).collect(),
        }
    }

    #[test]
    fn the_peak_is_the_most_that_was_allocated_at_a_time() {
        let gpu = Maybe::from(DeviceId::new(0));
        let rows = [
            (10, gpu, 100, 1100),
            (20, gpu, 400, 1500),
            (25, Maybe::NONE, 7000, 9000),
            (30, gpu, -500, 1000),
            (120, gpu, 50, 1050),
        ];
        let rows = memory_of_allocator(&events(&rows), &[Span::new(0, 100), Span::new(100, 200)]);
        let first = rows[0];
        assert_eq!((first.peak_bytes, first.end_bytes), (1500, 1000));
        assert_eq!((first.allocations, first.frees, first.allocated_bytes), (2, 1, 500));
        assert_eq!((rows[1].peak_bytes, rows[1].end_bytes, rows.len()), (1050, 1050, 2));
        // 1000 bytes were in use before the first event.
        assert_eq!(
            first.mean_bytes,
            Some((10.0 * 1000.0 + 10.0 * 1100.0 + 10.0 * 1500.0 + 70.0 * 1000.0) / 100.0)
        );
    }

    #[test]
    fn old_events_are_summed_from_nothing() {
        let gpu = Maybe::from(DeviceId::new(0));
        let rows = [(10, gpu, 100, UNKNOWN_BYTES), (20, gpu, -40, UNKNOWN_BYTES)];
        let rows = memory_of_allocator(&events(&rows), &[Span::new(0, 100)]);
        assert_eq!((rows[0].peak_bytes, rows[0].end_bytes), (100, 60));
        assert!(!has_gpu_events(&events(&[(10, Maybe::NONE, 1, 1)])));
    }

    #[test]
    fn totals_are_known_only_if_all_events_say_them() {
        let gpu = Maybe::from(DeviceId::new(0));
        assert!(knows_totals(&events(&[(1, gpu, 5, 9), (2, Maybe::NONE, 5, UNKNOWN_BYTES)])));
        assert!(!knows_totals(&events(&[(1, gpu, 5, 9), (2, gpu, 5, UNKNOWN_BYTES)])));
    }
}
