//! In which ranges of the host GPUs idled: the time of the cause `host_range` by the innermost range.
//!
//! ```text
//! ranges of the thread    ├─ step ───────────────────────┤
//!                           ├─ compile ──┤   ├─ log ──┤
//! idle, cause host_range    ├────────────────────┤
//! of it                     compile      step  log
//! ```

use super::gaps::{Gap, GapFinder};
use super::gpu_in_window::GpuTime;
use super::host_spans::HostSpans;
use super::idle_attribution::{IdleAttribution, WindowRows};
use super::range_times::RangeTimes;
use crate::base::ids::{DeviceId, StrId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;

/// Idle time of a GPU in a window that is owed to a range of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleRange {
    /// The window.
    pub window: usize,
    /// The GPU.
    pub device: DeviceId,
    /// Text of the innermost range that was open on the thread that launched next; on another thread of the process where that
    /// one had none.
    pub text: StrId,
    /// The time; above 0.
    pub time_ns: Ns,
}

/// Idle time of the cause `host_range` by range, in order of window and GPU, those with most time first. Windows are in order of
/// time and do not overlap.
#[must_use]
pub fn idle_ranges(classified: &Classified<'_>, windows: &[Span]) -> Vec<IdleRange> {
    let (activity, host) = (&classified.activity, HostSpans::new(classified));
    let mut rows = vec![GpuTime::default(); windows.len()];
    let mut idle = IdleAttribution::new(&host, windows);
    idle.ranges = Some(RangeTimes::new(classified));
    let mut gaps = GapFinder::new(classified);
    let mut add = |gap: &Gap| idle.add(gap, WindowRows { first: 0, rows: &mut rows });
    for item in classified.items_in_order() {
        gaps.add(item).iter().for_each(&mut add);
    }
    gaps.rest().iter().for_each(add);
    let sums = idle.ranges.take().map(|ranges| ranges.sums).unwrap_or_default();
    let row = |((window, device, text), time_ns)| IdleRange { window, device, text, time_ns };
    let mut rows: Vec<IdleRange> = sums.into_iter().map(row).collect();
    let text = |row: &IdleRange| activity.strings.get(row.text);
    rows.sort_by(|a, b| {
        (a.window, a.device, -a.time_ns)
            .cmp(&(b.window, b.device, -b.time_ns))
            .then_with(|| text(a).cmp(text(b)))
    });
    rows
}
