//! What each GPU did in each window: time covered by its items, what is exposed of it, and why it idled.
//!
//! ```text
//! compute        ├──────┤          ├───┤
//! communication       ├─────┤                exposed: what no kernel hides
//! copies                  ├───┤              exposed: what nothing hides
//! busy           ├────────────┤    ├───┤
//! ```
//!
//! Exposed communication is what it adds to the union of kernels, exposed copies are what they add to the union of all.

use super::classified::Classified;
use super::gaps::GapFinder;
use super::gpu_time::GpuTime;
use super::host_spans::HostSpans;
use super::idle::IdleAttribution;
use crate::time::{Ns, Span};

/// What all GPUs did in all windows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuTimes {
    /// By GPU, then by window.
    rows: Vec<GpuTime>,
    windows: usize,
    /// By GPU: whether it has an item anywhere in the capture.
    used: Vec<bool>,
}

impl GpuTimes {
    /// What a GPU did in each window.
    ///
    /// # Panics
    /// If there is no such GPU.
    #[must_use]
    pub fn of_device(&self, device: usize) -> &[GpuTime] {
        &self.rows[device * self.windows..(device + 1) * self.windows]
    }

    /// What each GPU did in a window.
    ///
    /// # Panics
    /// If there is no such window.
    pub fn of_window(&self, window: usize) -> impl Iterator<Item = &GpuTime> + Clone {
        (0..self.used.len()).map(move |device| &self.of_device(device)[window])
    }

    /// What the used GPUs did in a window.
    ///
    /// # Panics
    /// If there is no such window.
    pub fn of_used(&self, window: usize) -> impl Iterator<Item = &GpuTime> + Clone {
        self.of_window(window).zip(&self.used).filter(|(_, used)| **used).map(|(row, _)| row)
    }

    /// By GPU: whether it has an item anywhere in the capture.
    #[must_use]
    pub fn used(&self) -> &[bool] {
        &self.used
    }

    /// Number of windows.
    #[must_use]
    pub fn windows(&self) -> usize {
        self.windows
    }

    /// What a GPU did in all windows together.
    ///
    /// # Panics
    /// If there is no such GPU.
    #[must_use]
    pub fn total(&self, device: usize) -> GpuTime {
        let mut sum = GpuTime::default();
        self.of_device(device).iter().for_each(|row| sum.merge(row));
        sum
    }
}

/// What each GPU did in each window. Windows are in order of time and do not overlap.
#[must_use]
pub fn gpu_times(classified: &Classified<'_>, windows: &[Span]) -> GpuTimes {
    let activity = &classified.activity;
    let (devices, host) = (activity.devices, HostSpans::new(classified));
    let row = |window: &Span| GpuTime { length_ns: window.length(), ..GpuTime::default() };
    let mut rows: Vec<GpuTime> = (0..devices).flat_map(|_| windows.iter().map(row)).collect();
    let of_device = |device: usize| device * windows.len()..(device + 1) * windows.len();
    let mut used = vec![false; devices];
    let mut unions = vec![Unions::default(); devices];
    let mut gaps = GapFinder::new(classified);
    let mut idle = IdleAttribution::new(&host, windows);
    for item in classified.items_in_order() {
        let device = activity.items.device[item].index();
        used[device] = true;
        unions[device].add(classified, item, windows, &mut rows[of_device(device)]);
        if let Some(gap) = gaps.add(item) {
            idle.add(&gap, &mut rows[of_device(gap.device)]);
        }
    }
    for gap in gaps.rest() {
        idle.add(&gap, &mut rows[of_device(gap.device)]);
    }
    for (device, busy) in gaps.busy().enumerate() {
        for (row, window) in rows[of_device(device)].iter_mut().zip(windows) {
            row.exposed_communication_ns -= row.compute_ns;
            row.exposed_copy_ns = row.busy_ns - row.compute_ns - row.exposed_communication_ns;
            row.idle.add_outside(*window, busy, used[device]);
        }
    }
    GpuTimes { rows, windows: windows.len(), used }
}

/// Unions of the items of a GPU that came by so far.
#[derive(Debug, Clone, Default)]
struct Unions {
    compute: Union,
    communication: Union,
    copy: Union,
    kernels: Union,
    all: Union,
}

impl Unions {
    /// Takes the next item. Until all came by, `exposed_communication_ns` is the union of all kernels.
    #[inline]
    fn add(&mut self, classified: &Classified<'_>, item: usize, windows: &[Span], rows: &mut [GpuTime]) {
        let items = &classified.activity.items;
        let span = items.span[item];
        self.all.add(span, windows, |window, ns| rows[window].busy_ns += ns);
        if !items.is_kernel(item) {
            self.copy.add(span, windows, |window, ns| rows[window].copy_ns += ns);
            return;
        }
        self.kernels.add(span, windows, |window, ns| rows[window].exposed_communication_ns += ns);
        if classified.is_communication(item) {
            self.communication.add(span, windows, |window, ns| rows[window].communication_ns += ns);
        } else {
            self.compute.add(span, windows, |window, ns| rows[window].compute_ns += ns);
        }
    }
}

/// The union of spans that come in order of start.
#[derive(Debug, Clone)]
pub(super) struct Union {
    covered_to: Ns,
    /// The first window that ends behind what is covered.
    window: usize,
}

impl Default for Union {
    fn default() -> Self {
        Self { covered_to: Ns::MIN, window: 0 }
    }
}

impl Union {
    /// Takes the next span; calls `put` with each window that it newly covers and the nanoseconds.
    #[inline]
    pub(super) fn add(&mut self, span: Span, windows: &[Span], mut put: impl FnMut(usize, Ns)) {
        let start = span.start.max(self.covered_to);
        if span.end <= start {
            return;
        }
        self.covered_to = span.end;
        while let Some(window) = windows.get(self.window) {
            let inside = window.end.min(span.end) - window.start.max(start);
            if inside > 0 {
                put(self.window, inside);
            }
            if window.end > span.end {
                return;
            }
            self.window += 1;
        }
    }
}
