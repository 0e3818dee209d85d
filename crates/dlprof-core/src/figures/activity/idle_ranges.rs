//! In which ranges of the host GPUs idled: the time of the cause `host_range` by the innermost range.
//!
//! ```text
//! ranges of the thread    ├─ step ───────────────────────┤
//!                           ├─ compile ──┤   ├─ log ──┤
//! idle, cause host_range    ├────────────────────┤
//! of it                     compile      step  log
//! ```

use super::gaps::{each_gap, is_small_part};
use super::host_spans::HostSpans;
use super::idle_attribution::IdleAttribution;
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
        /// The time.
        time: Ns, "ns";
        /// The time in gaps of 1 ms and more; of a trace of torch.profiler by the outermost operator.
        long_time: Ns, "ns";
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
    /// The columns of the sums over all gaps, and of those over long ones.
    pub(super) fn new(memory: &Memory, strings: &Texts, sums: Option<RangeTimes<'_>>) -> Self {
        let mut rows: Vec<_> = sums.into_iter().flat_map(|ranges| ranges.sums).collect();
        rows.sort_unstable_by(|&((window, device, text), [ns, _]), &((of, on, other), [other_ns, _])| {
            let order = (window, device, -ns).cmp(&(of, on, -other_ns));
            order.then_with(|| strings.get(text).cmp(strings.get(other)))
        });
        let mut columns = IdleRangesBuilder::new(memory, rows.len());
        for ((window, device, text), [time_ns, long_ns]) in rows {
            columns.window.push(u32::try_from(window).unwrap_or(u32::MAX));
            columns.device.push(device);
            columns.text.push(text);
            columns.time.push(time_ns);
            columns.long_time.push(long_ns);
        }
        columns.finish()
    }

    /// The rows of some windows that follow each other, of which the first one counts as window 0.
    #[must_use]
    pub fn of_windows(&self, windows: Range<usize>) -> Vec<IdleRange> {
        self.rows_with(&self.time, windows)
    }

    /// The same of gaps of 1 ms and more alone, of a trace of torch.profiler by the outermost operator.
    pub(crate) fn in_long_gaps(&self, windows: Range<usize>) -> Vec<IdleRange> {
        self.rows_with(&self.long_time, windows)
    }

    /// The rows of some windows that have a time.
    fn rows_with(&self, times: &[Ns], windows: Range<usize>) -> Vec<IdleRange> {
        let first = |window: usize| self.window.partition_point(|&of| (of as usize) < window);
        let row = |row: usize| IdleRange {
            window: self.window[..][row] as usize - windows.start,
            device: self.device[..][row],
            text: self.text[..][row],
            time_ns: times[row],
        };
        (first(windows.start)..first(windows.end)).map(row).filter(|row| row.time_ns > 0).collect()
    }

    /// Whether the columns fit each other, and so many windows, GPUs and texts.
    pub(crate) fn fits(&self, windows: usize, devices: usize, texts: usize) -> bool {
        [self.device.len(), self.text.len(), self.time.len(), self.long_time.len()]
            .iter()
            .all(|&length| length == self.window.len())
            && self.window.is_sorted()
            && self.window.last().is_none_or(|&last| (last as usize) < windows)
            && self.device.iter().all(|device| device.index() < devices)
            && self.text.iter().all(|text| text.position().is_none_or(|at| at < texts))
    }
}

/// The idle time of the cause `host_range` inside ranges whose texts say something, by the innermost of these, whatever ranges lie
/// inside it, in order of window, GPU and text. Windows are in order of time and do not overlap.
#[must_use]
pub(crate) fn idle_inside_ranges(
    classified: &Classified<'_>,
    windows: &[Span],
    says: fn(&str) -> bool,
) -> Vec<IdleRange> {
    let strings = classified.activity.strings;
    if !classified.activity.ranges.texts.iter().any(|range| says(strings.get(range.text))) {
        return Vec::new();
    }
    let host = HostSpans::new(classified);
    let mut idle = IdleAttribution::new(&host, windows);
    idle.ranges = Some(RangeTimes::of_ranges_where(classified, says));
    let whole = whole_range(windows);
    each_gap(classified, whole, is_small_part(classified, whole), |gap| idle.note(gap));
    let sums = idle.ranges.into_iter().flat_map(|ranges| ranges.sums);
    let of_range = sums.filter(|((_, _, text), _)| !text.is_none());
    let row =
        |((window, device, text), [time_ns, _]): (_, [Ns; 2])| IdleRange { window, device, text, time_ns };
    let mut sums: Vec<IdleRange> = of_range.map(row).collect();
    sums.sort_unstable_by_key(|row| (row.window, row.device, strings.get(row.text)));
    sums
}
