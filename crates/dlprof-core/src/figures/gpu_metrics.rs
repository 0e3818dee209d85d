//! Means of sampled GPU counters (`nsys --gpu-metrics-devices`): over iterations, and over kernels that ran alone.
//!
//! ```text
//! samples  ·  ·  ·  ·  ·  ·  ·  ·
//! kernel a    ├────────┤
//! kernel b          ├────────┤
//!             └alone┘   └alone┘      the samples in between belong to neither
//! ```

use crate::base::ids::{DeviceId, Maybe, StrId};
use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::{Ns, Span};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Number of a metric, as the export gives it.
pub(crate) type MetricId = i64;

/// Samples of counters in columns of equal length, in any order.
#[derive(Debug, Clone, Copy)]
pub struct MetricSamples<'a> {
    /// When the sample was taken.
    pub time: &'a [Ns],
    /// The GPU.
    pub device: &'a [Maybe<DeviceId>],
    /// The metric.
    pub metric: &'a [MetricId],
    /// The value: percent unless the metric's name has a unit.
    pub value: &'a [i64],
}

/// The mean of some samples. Means merge by their counts and sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SampleMean {
    /// Number of samples.
    pub samples: u64,
    sum: i128,
}

impl SampleMean {
    fn push(&mut self, value: i64) {
        self.samples += 1;
        self.sum += i128::from(value);
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.samples += other.samples;
        self.sum += other.sum;
    }

    /// The mean; 0 of no samples, which no row has.
    #[must_use]
    pub fn mean(self) -> f64 {
        let count = i128::from(self.samples.max(1));
        let part = |number: i128| to_f64(i64::try_from(number).unwrap_or(i64::MAX));
        part(self.sum / count) + part(self.sum % count) / count_to_f64(self.samples.max(1))
    }
}

/// Mean of a metric during a window: a row of table `gpu_metrics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowMetric {
    /// Position of the window.
    pub window: usize,
    /// The GPU; none if the export does not say.
    pub device: Maybe<DeviceId>,
    /// The metric.
    pub metric: MetricId,
    /// Mean over the samples taken in the window.
    pub mean: SampleMean,
}

/// Means by window, GPU and metric, in this order; windows without a sample have no row. `windows` are disjoint and in order.
#[must_use]
pub fn metrics_of_windows(samples: &MetricSamples<'_>, windows: &[Span]) -> Vec<WindowMetric> {
    let mut means: BTreeMap<(usize, Maybe<DeviceId>, MetricId), SampleMean> = BTreeMap::new();
    for at in 0..samples.time.len() {
        let time = samples.time[at];
        let window = windows.partition_point(|window| window.end <= time);
        if windows.get(window).is_some_and(|window| window.start <= time) {
            let key = (window, samples.device[at], samples.metric[at]);
            means.entry(key).or_default().push(samples.value[at]);
        }
    }
    let row = |((window, device, metric), mean)| WindowMetric { window, device, metric, mean };
    means.into_iter().map(row).collect()
}

/// A kernel that ran.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelRun {
    /// The GPU.
    pub device: DeviceId,
    /// When.
    pub span: Span,
    /// Demangled name.
    pub name: StrId,
}

/// Mean of a metric while a kernel ran alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KernelMetric {
    /// Demangled name of the kernel.
    pub name: StrId,
    /// The metric.
    pub metric: MetricId,
    /// Mean over the samples taken while it was the only kernel of its GPU, on any GPU.
    pub mean: SampleMean,
}

/// Means by kernel name and metric, ordered by text, then metric. `kernels` are in the order of their starts.
#[must_use]
pub(crate) fn metrics_of_kernels<'a>(
    samples: &MetricSamples<'_>,
    kernels: impl Iterator<Item = KernelRun>,
    text_of: impl Fn(StrId) -> &'a str,
) -> Vec<KernelMetric> {
    let by_device = samples_by_device(samples);
    let mut means: FxHashMap<(StrId, MetricId), SampleMean> = FxHashMap::default();
    let mut take = |device: DeviceId, name: StrId, alone: Span| {
        for &at in within(samples, by_device.get(&device), alone) {
            means.entry((name, samples.metric[at])).or_default().push(samples.value[at]);
        }
    };
    let mut running: BTreeMap<DeviceId, Running> = BTreeMap::new();
    for kernel in kernels {
        let device = running.entry(kernel.device).or_default();
        device.advance(kernel.span.start, |name, alone| take(kernel.device, name, alone));
        device.kernels.push(Reverse((kernel.span.end, kernel.name)));
    }
    for (&device, running) in &mut running {
        running.advance(Ns::MAX, |name, alone| take(device, name, alone));
    }
    let row = |((name, metric), mean)| KernelMetric { name, metric, mean };
    let mut rows: Vec<KernelMetric> = means.into_iter().map(row).collect();
    rows.sort_by(|a, b| text_of(a.name).cmp(text_of(b.name)).then(a.metric.cmp(&b.metric)));
    rows
}

/// By GPU: positions of its samples in the order of time.
fn samples_by_device(samples: &MetricSamples<'_>) -> BTreeMap<DeviceId, Vec<usize>> {
    let mut by_device: BTreeMap<DeviceId, Vec<usize>> = BTreeMap::new();
    for (at, &device) in samples.device.iter().enumerate() {
        if let Some(device) = device.some() {
            by_device.entry(device).or_default().push(at);
        }
    }
    for positions in by_device.values_mut() {
        positions.sort_by_key(|&at| samples.time[at]);
    }
    by_device
}

/// Positions of the samples in a span.
fn within<'s>(samples: &MetricSamples<'_>, positions: Option<&'s Vec<usize>>, span: Span) -> &'s [usize] {
    let positions = positions.map_or(&[][..], Vec::as_slice);
    let first = positions.partition_point(|&at| samples.time[at] < span.start);
    let behind = positions.partition_point(|&at| samples.time[at] < span.end);
    &positions[first..behind.max(first)]
}

/// The kernels that run on a GPU while time passes.
#[derive(Default)]
struct Running {
    /// Ends and names, the earliest end first.
    kernels: BinaryHeap<Reverse<(Ns, StrId)>>,
    at: Ns,
}

impl Running {
    /// Lets time pass and tells when a kernel ran alone.
    fn advance(&mut self, time: Ns, mut alone: impl FnMut(StrId, Span)) {
        while let Some(&Reverse((end, name))) = self.kernels.peek() {
            let until = end.min(time);
            if self.kernels.len() == 1 && until > self.at {
                alone(name, Span::new(self.at, until));
            }
            self.at = self.at.max(until);
            if end > time {
                return;
            }
            self.kernels.pop();
        }
        self.at = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// GPUs, metrics and values.
    type Cells = (Vec<Maybe<DeviceId>>, Vec<MetricId>, Vec<i64>);

    fn samples<'a>(time: &'a [Ns], columns: &'a Cells) -> MetricSamples<'a> {
        MetricSamples { time, device: &columns.0, metric: &columns.1, value: &columns.2 }
    }

    /// Samples of GPU 0 and metric 1 whose values are their times.
    fn every_nanosecond(last: Ns) -> (Vec<Ns>, Cells) {
        let time: Vec<Ns> = (0..last).collect();
        let count = time.len();
        let columns = (vec![DeviceId::new(0).into(); count], vec![1; count], time.clone());
        (time, columns)
    }

    fn run(name: usize, start: Ns, end: Ns) -> KernelRun {
        KernelRun { device: DeviceId::new(0), span: Span::new(start, end), name: StrId::new(name) }
    }

    #[test]
    fn means_by_window() {
        let (time, columns) = every_nanosecond(10);
        let windows = [Span::new(2, 5), Span::new(8, 20), Span::new(30, 40)];
        let found = metrics_of_windows(&samples(&time, &columns), &windows);
        let figures: Vec<_> =
            found.iter().map(|row| (row.window, row.mean.samples, row.mean.mean())).collect();
        assert_eq!(figures, [(0, 3, 3.0), (1, 2, 8.5)]);
    }

    /// ```text
    ///      0         10        20
    /// a      ├─────────┤
    /// b          ├───────┤   ├─┤
    /// a                            on another GPU without samples
    /// ```
    #[test]
    fn samples_count_for_kernels_that_run_alone() {
        let (time, columns) = every_nanosecond(30);
        let elsewhere = KernelRun { device: DeviceId::new(1), ..run(0, 24, 30) };
        let kernels = [run(0, 2, 12), run(1, 6, 14), run(1, 18, 20), run(0, 21, 21), elsewhere];
        let text_of = |name: StrId| ["a", "b"][name.position().expect("a text")];
        let found = metrics_of_kernels(&samples(&time, &columns), kernels.into_iter(), text_of);
        let figures: Vec<_> = found
            .iter()
            .map(|row| (row.name.position().expect("a text"), row.mean.samples, row.mean.mean()))
            .collect();
        // a alone in 2..6; b alone in 12..14 and 18..20.
        assert_eq!(figures, [(0, 4, 3.5), (1, 4, 15.5)]);
    }

    #[test]
    fn three_kernels_at_a_time_are_never_alone() {
        let (time, columns) = every_nanosecond(30);
        let kernels = [run(0, 0, 30), run(1, 1, 20), run(1, 1, 29)];
        let found = metrics_of_kernels(&samples(&time, &columns), kernels.into_iter(), |_| "");
        assert_eq!(found.iter().map(|row| row.mean.samples).sum::<u64>(), 2);
    }
}
