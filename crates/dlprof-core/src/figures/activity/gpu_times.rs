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
use super::gpu_in_window::GpuTime;
use super::host_spans::HostSpans;
use super::idle_attribution::{IdleAttribution, WindowRows};
use super::idle_ranges::IdleRanges;
use super::long_gaps::{Edges, LongGap, LongGaps};
use super::range_times::RangeTimes;
use super::steps::StepClasses;
use crate::base::groups::Grouped;
use crate::base::reach::{Reach, Reaches};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use crate::capture::classified::order::{Row, row};
use crate::columns::{FactColumn, Memory};
use std::ops::Range;
use std::sync::Arc;

/// What all GPUs did in all windows, or in some that follow each other. In windows that a GPU's work does not reach nothing is
/// kept of it.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuTimes {
    /// By GPU, then by window that its work reaches.
    rows: FactColumn<(), GpuTime>,
    /// By window: its length.
    lengths: FactColumn<(), Ns>,
    gpus: Arc<Gpus>,
    /// The windows that this is about.
    windows: Range<usize>,
}

/// Where the rows of GPUs are.
#[derive(Debug, PartialEq)]
struct Gpus {
    reaches: Reaches,
    /// By window: which rows are of it.
    of_window: Grouped<Row>,
}

impl Gpus {
    fn new(memory: &Memory, windows: usize, reaches: Reaches) -> Self {
        let window_of = reaches.window_of_rows();
        let rows = 0..row(window_of.len());
        let of_window = Grouped::new(memory, windows, rows, |at| Some(window_of[at as usize]));
        Self { reaches, of_window }
    }
}

impl GpuTimes {
    /// The times of known rows; `None` if there are not as many as the GPUs need.
    pub(crate) fn from_rows(
        memory: &Memory,
        rows: FactColumn<(), GpuTime>,
        lengths: FactColumn<(), Ns>,
        reaches: Vec<Reach>,
    ) -> Option<Self> {
        let (reaches, windows) = (Reaches::from(reaches), lengths.len());
        reaches.fits(rows.len(), windows).then(|| {
            let gpus = Arc::new(Gpus::new(memory, windows, reaches));
            Self { rows, lengths, gpus, windows: 0..windows }
        })
    }

    /// All rows, the lengths of all windows, and of which windows GPUs have rows.
    pub(crate) fn parts(&self) -> (&FactColumn<(), GpuTime>, &FactColumn<(), Ns>, &[Reach]) {
        (&self.rows, &self.lengths, self.gpus.reaches.of())
    }

    /// The same of some of all windows.
    #[must_use]
    pub(crate) fn of_windows(&self, windows: Range<usize>) -> Self {
        Self { windows, ..self.clone() }
    }

    /// What a GPU did in a window.
    ///
    /// # Panics
    /// If there is no such GPU or window.
    #[must_use]
    pub fn at(&self, device: usize, window: usize) -> GpuTime {
        assert!(window < self.windows.len(), "a window of these times");
        let window = self.windows.start + window;
        match self.gpus.reaches.row(device, window) {
            Some(row) => self.rows[..][row],
            None => GpuTime::without_work(self.lengths[..][window], self.is_used(device)),
        }
    }

    /// What a GPU did in each window.
    ///
    /// # Panics
    /// If there is no such GPU.
    pub fn of_device(&self, device: usize) -> impl Iterator<Item = GpuTime> + '_ {
        (0..self.windows()).map(move |window| self.at(device, window))
    }

    /// GPUs and windows in which a GPU has a row of its own, in order of GPU and window.
    pub(crate) fn with_work(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let all = self.windows.clone();
        let of_device = move |device: usize| {
            let (windows, first) = (self.gpus.reaches.windows(device), all.start);
            let inside = windows.start.max(first)..windows.end.min(all.end);
            inside.map(move |window| (device, window - first))
        };
        (0..self.gpus.reaches.of().len()).flat_map(of_device)
    }

    /// What the used GPUs did in a window, summed up.
    ///
    /// # Panics
    /// If there is no such window.
    #[must_use]
    pub fn of_used(&self, window: usize) -> GpuTime {
        assert!(window < self.windows.len(), "a window of these times");
        let window = self.windows.start + window;
        let rows = self.gpus.of_window.get(window);
        let mut sum = GpuTime::default();
        rows.iter().for_each(|&row| sum.merge(&self.rows[..][row as usize]));
        let others = Ns::try_from(self.used_gpus() - rows.len()).unwrap_or(Ns::MAX);
        sum.merge(&GpuTime::without_work(others * self.lengths[..][window], true));
        sum
    }

    /// How the time of a window divides into classes, averaged over the used GPUs; `None` without a used GPU.
    ///
    /// # Panics
    /// If there is no such window.
    #[must_use]
    pub fn classes(&self, window: usize) -> Option<StepClasses> {
        StepClasses::of(&self.of_used(window), self.used_gpus())
    }

    /// Whether a GPU has an item anywhere in the capture.
    #[must_use]
    pub fn is_used(&self, device: usize) -> bool {
        self.gpus.reaches.of().get(device).is_some_and(|reach| reach.is_used)
    }

    /// By GPU: whether it has an item anywhere in the capture.
    #[must_use]
    pub fn used(&self) -> Vec<bool> {
        self.gpus.reaches.of().iter().map(|reach| reach.is_used).collect()
    }

    /// Number of GPUs with an item anywhere in the capture.
    #[must_use]
    pub fn used_gpus(&self) -> usize {
        self.gpus.reaches.used()
    }

    /// Number of windows.
    #[must_use]
    pub fn windows(&self) -> usize {
        self.windows.len()
    }

    /// What each GPU did in some windows together.
    ///
    /// # Panics
    /// If there is no such window.
    #[must_use]
    pub fn totals(&self, windows: impl IntoIterator<Item = usize>) -> Vec<GpuTime> {
        let mut wanted = vec![false; self.lengths.len()];
        windows.into_iter().for_each(|window| wanted[self.windows.clone()][window] = true);
        let wanted_lengths = self.lengths.iter().zip(&wanted).filter(|(_, is_wanted)| **is_wanted);
        let length: Ns = wanted_lengths.map(|(length, _)| length).sum();
        let reaches = &self.gpus.reaches;
        let of_device = |device: usize| {
            let mut sum = GpuTime::default();
            let rows = self.rows[..][reaches.rows(device)].iter().zip(reaches.windows(device));
            rows.filter(|&(_, window)| wanted[window]).for_each(|(row, _)| sum.merge(row));
            sum.merge(&GpuTime::without_work(length - sum.length_ns, self.is_used(device)));
            sum
        };
        (0..reaches.of().len()).map(of_device).collect()
    }

    /// What a GPU did in all windows together.
    ///
    /// # Panics
    /// If there is no such GPU.
    #[must_use]
    pub fn total(&self, device: usize) -> GpuTime {
        let mut sum = GpuTime::default();
        self.of_device(device).for_each(|row| sum.merge(&row));
        sum
    }
}

/// What GPUs did in windows, and what is known of the time in which they idled.
#[derive(Debug)]
pub struct GpuFigures {
    /// What each GPU did in each window.
    pub times: GpuTimes,
    /// The long gaps that lie in windows, with their causes.
    pub gaps: LongGaps,
    /// In which ranges of the host GPUs idled.
    pub ranges: IdleRanges,
}

/// What each GPU did in each window. Windows are in order of time and do not overlap.
#[must_use]
pub fn gpu_times(classified: &Classified<'_>, windows: &[Span]) -> GpuTimes {
    gpu_figures(classified, windows).times
}

/// What each GPU did in each window, and what is known of the time in which it idled: one walk along the work of all GPUs.
#[must_use]
pub fn gpu_figures(classified: &Classified<'_>, windows: &[Span]) -> GpuFigures {
    let activity = &classified.activity;
    let (devices, host) = (activity.devices.len(), HostSpans::new(classified));
    let work = activity.work.device.iter().copied().zip(activity.work.span.iter().copied());
    let gpus = Gpus::new(activity.memory, windows.len(), Reaches::of_work(devices, windows, work));
    let empty = |window: &Span| GpuTime { length_ns: window.length(), ..GpuTime::default() };
    let windows_of = |device: usize| gpus.reaches.windows(device);
    let mut rows =
        activity.memory.collect((0..devices).flat_map(|at| windows[windows_of(at)].iter().map(empty)));
    let mut unions = vec![Unions::default(); devices];
    let mut gaps = GapFinder::new(classified);
    let mut idle = IdleAttribution::new(&host, windows);
    idle.ranges = Some(RangeTimes::new(classified));
    let (edges, mut long_gaps) = (Edges::new(windows), Vec::new());
    let mut add_gap = |gap: &Gap, rows: &mut [GpuTime]| {
        let rows = WindowRows { first: windows_of(gap.device).start, rows };
        if !edges.keep(gap) {
            return idle.add(gap, rows);
        }
        long_gaps.extend(LongGap::of(gap, idle.add_long(gap, rows)));
    };
    for item in classified.items_in_order() {
        let device = activity.work.device[item].index();
        unions[device].add(
            classified,
            item,
            &windows[windows_of(device)],
            &mut rows[gpus.reaches.rows(device)],
        );
        if let Some(gap) = gaps.add(item) {
            add_gap(&gap, &mut rows[gpus.reaches.rows(gap.device)]);
        }
    }
    for gap in gaps.rest() {
        add_gap(&gap, &mut rows[gpus.reaches.rows(gap.device)]);
    }
    for (device, busy) in gaps.busy().enumerate() {
        for (row, window) in rows[gpus.reaches.rows(device)].iter_mut().zip(&windows[windows_of(device)]) {
            row.exposed_communication_ns -= row.compute_ns;
            row.exposed_copy_ns = row.busy_ns - row.compute_ns - row.exposed_communication_ns;
            row.idle.add_outside(*window, busy);
        }
    }
    let ranges = IdleRanges::new(activity.memory, activity.strings, idle.ranges);
    let lengths = activity.memory.collect(windows.iter().map(|window| window.length())).into_column();
    let (rows, windows) = (rows.into_column(), 0..windows.len());
    let times = GpuTimes { rows, lengths, gpus: Arc::new(gpus), windows };
    GpuFigures { times, gaps: LongGaps::new(long_gaps), ranges }
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
        let activity = &classified.activity;
        let span = activity.work.span[item];
        self.all.add(span, windows, |window, ns| rows[window].busy_ns += ns);
        if !activity.is_kernel(item) {
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
    /// The first window that ends after what is covered.
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
