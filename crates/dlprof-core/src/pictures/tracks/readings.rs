//! Readings of counters: GPU memory in use, how busy GPUs are, and what nsys sampled of them.

use super::Tracks;
use crate::base::ids::{DeviceId, WorkId};
use crate::base::ratios::{percent, to_f64};
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::columns::Buffer;
use crate::figures::gpu_memory::MemorySide;

/// The value of a counter from a time on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackReading<'a> {
    /// The GPU.
    pub device: DeviceId,
    /// The counter.
    pub counter: &'a str,
    /// The unit of the value, such as `bytes`.
    pub unit: &'static str,
    /// From when it has this value, in nanoseconds from the start of the capture.
    pub time: Ns,
    /// The value.
    pub value: f64,
}

/// How much of the time of each GPU kernels cover, by a thousandth of the range.
#[derive(Debug)]
pub struct GpuUse {
    window: Span,
    bin_ns: Ns,
    by_device: Vec<DeviceUse>,
}

/// How much of the time of a GPU kernels cover.
#[derive(Debug, Clone)]
struct DeviceUse {
    /// To when its kernels so far cover the time; the smallest time if it has none.
    covered_to: Ns,
    /// The bins in which kernels run, in order, and the nanoseconds that they cover of each.
    bins: Vec<(Ns, Ns)>,
}

/// How many bins the range has at most.
const BINS: Ns = 1000;

impl GpuUse {
    /// Nothing runs yet.
    #[must_use]
    pub fn new(tracks: &Tracks<'_>) -> Self {
        let window = tracks.profile.iterations.aggregated_span();
        let bin_ns = (window.length() / BINS).max(1);
        let unused = DeviceUse { covered_to: Ns::MIN, bins: Vec::new() };
        Self { window, bin_ns, by_device: vec![unused; tracks.profile.capture.devices.len()] }
    }

    /// Adds a kernel of a GPU; its kernels come in order of start.
    pub fn add(&mut self, device: DeviceId, span: Span) {
        let DeviceUse { covered_to, bins } = &mut self.by_device[device.index()];
        let rest = Span::new(span.start.max(*covered_to), span.end).clip(self.window);
        *covered_to = span.end.max(*covered_to);
        let mut start = rest.start;
        while start < rest.end {
            let bin = (start - self.window.start) / self.bin_ns;
            let end = rest.end.min(self.window.start + (bin + 1) * self.bin_ns);
            match bins.last_mut() {
                Some((last, covered)) if *last == bin => *covered += end - start,
                _ => bins.push((bin, end - start)),
            }
            start = end;
        }
    }

    /// Passes on the share of each bin, GPU by GPU. Of several bins without kernels only the first is passed on, because the
    /// value stays the same.
    ///
    /// # Errors
    /// The first one that the receiver returns.
    pub fn readings<E>(&self, mut each: impl FnMut(TrackReading<'_>) -> Result<(), E>) -> Result<(), E> {
        for (at, device) in
            self.by_device.iter().enumerate().filter(|(_, device)| device.covered_to > Ns::MIN)
        {
            let mut reading = |time: Ns, value| {
                each(TrackReading {
                    device: DeviceId::new(at),
                    counter: "GPU utilization",
                    unit: "percent",
                    time,
                    value,
                })
            };
            let start_of = |bin: Ns| self.window.start + bin * self.bin_ns;
            let mut next = 0;
            for &(bin, covered) in &device.bins {
                if bin > next {
                    reading(start_of(next), 0.0)?;
                }
                let length = self.bin_ns.min(self.window.end - start_of(bin));
                reading(start_of(bin), percent(covered, length))?;
                next = bin + 1;
            }
            if start_of(next) < self.window.end {
                reading(start_of(next), 0.0)?;
            }
            reading(self.window.end, 0.0)?;
        }
        Ok(())
    }
}

impl Tracks<'_> {
    /// Whether a piece of work is a kernel, and its GPU.
    #[must_use]
    pub fn kernel_device(&self, work: WorkId) -> Option<DeviceId> {
        let capture = &self.profile.capture;
        let is_kernel = work.index() < capture.kernels.short_name.len();
        is_kernel.then(|| capture.work.device[work])
    }

    /// Passes on the GPU memory in use whenever it changes, GPU by GPU in order of time. What was allocated before the capture is
    /// unknown, so the value may be below 0.
    ///
    /// # Errors
    /// The first one that the receiver returns.
    pub fn memory_readings<E>(
        &self,
        mut each: impl FnMut(TrackReading<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let capture = &self.profile.capture;
        let window = self.window();
        let changes = memory_changes(capture);
        for of_device in changes.chunk_by(|a, b| a.0 == b.0) {
            let mut in_use = 0_i64;
            let reading = |time: Ns, in_use: i64| TrackReading {
                device: of_device[0].0,
                counter: MEMORY_IN_USE,
                unit: "bytes",
                time: time.max(window.start),
                value: to_f64(in_use),
            };
            let before = of_device.partition_point(|change| change.1 < window.start);
            let (before, inside) = of_device.split_at(before);
            before.iter().for_each(|change| in_use = in_use.saturating_add(change.2));
            each(reading(window.start, in_use))?;
            let inside = inside.iter().take_while(|change| change.1 < window.end).copied();
            let mut inside = inside.peekable();
            while let Some((device, time, net)) = inside.next() {
                in_use = in_use.saturating_add(net);
                if inside.peek().is_none_or(|next| (next.0, next.1) != (device, time)) {
                    each(reading(time, in_use))?;
                }
            }
        }
        Ok(())
    }

    /// Passes on the samples of the counters of GPUs, counter by counter in order of time. Samples without a GPU are left out.
    ///
    /// # Errors
    /// The first one that the receiver returns.
    pub fn metric_readings<E>(
        &self,
        mut each: impl FnMut(TrackReading<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let capture = &self.profile.capture;
        let (samples, window) = (&capture.metric_samples, self.window());
        let sample = |at: usize| {
            let (time, device) = (samples.time[..][at], samples.device[..][at].some()?);
            let is_inside = (window.start..window.end).contains(&time);
            is_inside.then(|| (device, samples.metric[..][at], time, samples.value[..][at]))
        };
        let mut inside = capture.memory.collect((0..samples.time.len()).filter_map(sample));
        inside.sort_unstable();
        for of_metric in inside.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (device, metric, ..) = of_metric[0];
            let counter = metric_name(capture, metric);
            for &(_, _, time, value) in of_metric {
                each(TrackReading { device, counter: &counter, unit: "value", time, value: to_f64(value) })?;
            }
        }
        Ok(())
    }
}

/// The name of the counter of memory in use.
pub(in crate::pictures) const MEMORY_IN_USE: &str = "GPU memory in use";

/// How much memory of a GPU was allocated, or freed if negative, at what time; in order of GPU and time.
pub(in crate::pictures) fn memory_changes(capture: &CaptureContents) -> Buffer<(DeviceId, Ns, i64)> {
    let events = &capture.memory_events;
    let change = |at: usize| {
        let bytes = i64::try_from(events.bytes[..][at]).unwrap_or(i64::MAX);
        let net = match events.operation[..][at] {
            0 => bytes,
            1 => -bytes,
            _ => return None,
        };
        let is_on_gpu = MemorySide::of_kind(events.kind[..][at]) == Some(MemorySide::Device);
        is_on_gpu.then(|| (events.device[..][at], events.time[..][at], net))
    };
    let mut changes = capture.memory.collect((0..events.time.len()).filter_map(change));
    changes.sort_unstable();
    changes
}

/// The name of a metric of nsys.
pub(in crate::pictures) fn metric_name(capture: &CaptureContents, metric: i64) -> String {
    let names = &capture.notes.metric_names;
    let name = names.iter().find(|known| known.metric == metric).map(|known| known.name.clone());
    name.unwrap_or_else(|| format!("metric {metric}"))
}
