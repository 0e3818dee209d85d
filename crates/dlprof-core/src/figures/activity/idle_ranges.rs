//! In which ranges of the host GPUs idled: the time of the cause `host_range` by the innermost range.
//!
//! ```text
//! ranges of the thread    ├─ step ───────────────────────┤
//!                           ├─ compile ──┤   ├─ log ──┤
//! idle, cause host_range    ├────────────────────┤
//! of it                     compile      step  log
//! ```

use super::gaps::{Gap, each_gap, is_small_part};
use super::gpu_in_window::GpuTime;
use super::host_spans::HostSpans;
use super::idle_attribution::{IdleAttribution, WindowRows};
use super::range_times::RangeTimes;
use super::windows::whole_range;
use crate::base::ids::{DeviceId, StrId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use crate::columns::{Memory, Texts, table};
use std::ops::Range;

table! {
    /// A row per window, GPU and range of the host in which the GPU idled, in order of window and GPU, those with most time first.
    "idle_ranges" IdleRanges built by IdleRangesBuilder, by () {
        /// The window.
        window: u32, "";
        /// The GPU.
        device: DeviceId, "";
        /// Text of the innermost range that was open on the thread that launched next; on another thread of the process where that
        /// one had none.
        text: StrId, "";
        /// The time; above 0.
        time: Ns, "ns";
    }
}

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

impl IdleRanges {
    /// The columns of some rows in any order.
    pub(super) fn new(memory: &Memory, strings: &Texts, mut rows: Vec<IdleRange>) -> Self {
        rows.sort_unstable_by(|a, b| {
            (a.window, a.device, -a.time_ns)
                .cmp(&(b.window, b.device, -b.time_ns))
                .then_with(|| strings.get(a.text).cmp(strings.get(b.text)))
        });
        let mut columns = IdleRangesBuilder::new(memory, rows.len());
        for row in rows {
            columns.window.push(u32::try_from(row.window).unwrap_or(u32::MAX));
            columns.device.push(row.device);
            columns.text.push(row.text);
            columns.time.push(row.time_ns);
        }
        columns.finish()
    }

    /// The rows of some windows that follow each other, of which the first one counts as window 0.
    #[must_use]
    pub fn of_windows(&self, windows: Range<usize>) -> Vec<IdleRange> {
        let first = |window: usize| self.window.partition_point(|&of| (of as usize) < window);
        let row = |row: usize| IdleRange {
            window: self.window[..][row] as usize - windows.start,
            device: self.device[..][row],
            text: self.text[..][row],
            time_ns: self.time[..][row],
        };
        (first(windows.start)..first(windows.end)).map(row).collect()
    }

    /// Whether the columns fit each other, and so many windows, GPUs and texts.
    pub(crate) fn fits(&self, windows: usize, devices: usize, texts: usize) -> bool {
        [self.device.len(), self.text.len(), self.time.len()]
            .iter()
            .all(|&length| length == self.window.len())
            && self.window.is_sorted()
            && self.window.last().is_none_or(|&last| (last as usize) < windows)
            && self.device.iter().all(|device| device.index() < devices)
            && self.text.iter().all(|text| text.position().is_none_or(|at| at < texts))
    }
}

/// The idle time of the cause `host_range` inside ranges whose texts say something, by the innermost of these, whatever ranges lie
/// inside it. Windows are in order of time and do not overlap.
#[must_use]
pub(crate) fn idle_inside_ranges(
    classified: &Classified<'_>,
    windows: &[Span],
    says: fn(&str) -> bool,
) -> Vec<IdleRange> {
    let ranges = RangeTimes::of_ranges_where(classified, says);
    let mut rows = idle_by_range(classified, windows, ranges, |_| true);
    rows.retain(|row| !row.text.is_none());
    rows
}

/// The rows of gaps of 1 ms and more alone: in which ranges GPUs idle long. Windows are in order of time and do not overlap.
#[must_use]
pub(crate) fn ranges_in_long_gaps(classified: &Classified<'_>, windows: &[Span]) -> Vec<IdleRange> {
    let least_ns = classified.settings.thresholds.long_gap_ns;
    idle_by_range(classified, windows, RangeTimes::of_ops(classified), |gap| gap.span.length() >= least_ns)
}

/// The rows of some gaps, in order of window, GPU and text.
fn idle_by_range(
    classified: &Classified<'_>,
    windows: &[Span],
    ranges: RangeTimes<'_>,
    is_wanted: impl Fn(&Gap) -> bool,
) -> Vec<IdleRange> {
    let host = HostSpans::new(classified);
    let mut rows = vec![GpuTime::default(); windows.len()];
    let mut idle = IdleAttribution::new(&host, windows);
    idle.ranges = Some(ranges);
    let whole = whole_range(windows);
    each_gap(classified, whole, is_small_part(classified, whole), |gap| {
        if is_wanted(gap) {
            idle.add(gap, WindowRows { first: 0, rows: &mut rows });
        }
    });
    let sums = idle.ranges.take().map(|ranges| ranges.sums).unwrap_or_default();
    let mut sums: Vec<IdleRange> = sums
        .into_iter()
        .map(|((window, device, text), time_ns)| IdleRange { window, device, text, time_ns })
        .collect();
    let strings = classified.activity.strings;
    sums.sort_unstable_by_key(|row| (row.window, row.device, strings.get(row.text)));
    sums
}
