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

use super::gaps::{Gap, GapFinder};
use super::gpu_time::GpuTime;
use super::host_spans::HostSpans;
use super::idle::IdleAttribution;
use super::long_gaps::{Edges, LongGap, LongGaps};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use crate::columns::Column;
use std::ops::Range;

/// What all GPUs did in all windows, or in some that follow each other.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuTimes {
    /// By GPU with items, then by window; behind these once for all GPUs without items, which are alike. Of all windows.
    rows: Column<(), GpuTime>,
    /// By GPU: whose rows are its own.
    places: Vec<usize>,
    /// Number of all windows.
    all: usize,
    /// The windows that this is about.
    windows: Range<usize>,
    /// By GPU: whether it has an item anywhere in the capture.
    used: Vec<bool>,
}

impl GpuTimes {
    /// The times of known rows; `None` if there are not as many as the GPUs need.
    pub(crate) fn from_rows(rows: Column<(), GpuTime>, windows: usize, used: Vec<bool>) -> Option<Self> {
        let (places, count) = places_of(&used);
        let fits = rows.len() == count * windows;
        fits.then_some(Self { rows, places, all: windows, windows: 0..windows, used })
    }

    /// The rows of all windows.
    pub(crate) fn rows(&self) -> &Column<(), GpuTime> {
        &self.rows
    }

    /// The same of some of all windows.
    #[must_use]
    pub fn of_windows(&self, windows: Range<usize>) -> Self {
        Self { windows, ..self.clone() }
    }

    /// What a GPU did in each window.
    ///
    /// # Panics
    /// If there is no such GPU.
    #[must_use]
    pub fn of_device(&self, device: usize) -> &[GpuTime] {
        let place = self.places[device];
        &self.rows[..][place * self.all..(place + 1) * self.all][self.windows.clone()]
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
        self.windows.len()
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

/// By GPU: its place among those that have rows, where all without items share the last one. And how many places there are.
fn places_of(used: &[bool]) -> (Vec<usize>, usize) {
    let shared = used.iter().filter(|&&used| used).count();
    let mut own = 0..shared;
    let place = |&used: &bool| if used { own.next().unwrap_or(shared) } else { shared };
    (used.iter().map(place).collect(), shared + usize::from(shared < used.len()))
}

/// What each GPU did in each window. Windows are in order of time and do not overlap.
#[must_use]
pub fn gpu_times(classified: &Classified<'_>, windows: &[Span]) -> GpuTimes {
    gpu_times_and_gaps(classified, windows).0
}

/// The same, and the long gaps that lie in windows, with their causes.
#[must_use]
pub fn gpu_times_and_gaps(classified: &Classified<'_>, windows: &[Span]) -> (GpuTimes, LongGaps) {
    let activity = &classified.activity;
    let (devices, host) = (activity.devices, HostSpans::new(classified));
    let row = |window: &Span| GpuTime { length_ns: window.length(), ..GpuTime::default() };
    let mut used = vec![false; devices];
    classified.items_in_order().for_each(|item| used[activity.items.device[item].index()] = true);
    let (places, count) = places_of(&used);
    let mut rows = activity.memory.collect((0..count).flat_map(|_| windows.iter().map(row)));
    let of_device = |device: usize| places[device] * windows.len()..(places[device] + 1) * windows.len();
    let mut unions = vec![Unions::default(); devices];
    let mut gaps = GapFinder::new(classified);
    let mut idle = IdleAttribution::new(&host, windows);
    let (edges, mut long_gaps) = (Edges::new(windows), Vec::new());
    let mut add_gap = |gap: &Gap, rows: &mut [GpuTime]| {
        if !edges.keep(gap) {
            return idle.add(gap, rows);
        }
        long_gaps.extend(LongGap::of(gap, idle.add_long(gap, rows)));
    };
    for item in classified.items_in_order() {
        let device = activity.items.device[item].index();
        unions[device].add(classified, item, windows, &mut rows[of_device(device)]);
        if let Some(gap) = gaps.add(item) {
            add_gap(&gap, &mut rows[of_device(gap.device)]);
        }
    }
    for gap in gaps.rest() {
        add_gap(&gap, &mut rows[of_device(gap.device)]);
    }
    // Of the GPUs that share rows one is enough.
    let shared = used.iter().position(|used| !used);
    for (device, busy) in gaps.busy().enumerate().filter(|&(at, _)| used[at] || Some(at) == shared) {
        for (row, window) in rows[of_device(device)].iter_mut().zip(windows) {
            row.exposed_communication_ns -= row.compute_ns;
            row.exposed_copy_ns = row.busy_ns - row.compute_ns - row.exposed_communication_ns;
            row.idle.add_outside(*window, busy, used[device]);
        }
    }
    (
        GpuTimes { rows: rows.into_column(), places, all: windows.len(), windows: 0..windows.len(), used },
        LongGaps::new(long_gaps),
    )
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
