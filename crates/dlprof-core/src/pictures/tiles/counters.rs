//! Counters of GPUs over the whole capture: what nsys sampled, and memory in use.

use super::row::numbers;
use crate::base::ids::DeviceId;
use crate::base::ratios::to_f64;
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::columns::Buffer;
use crate::pictures::timeline::LaneOwner;
use crate::pictures::tracks::{MEMORY_IN_USE, memory_changes, metric_name};
use serde::Serialize;

/// Readings of a counter of a GPU, in order of time.
#[derive(Debug)]
pub(super) struct Counter {
    owner: LaneOwner,
    name: String,
    unit: &'static str,
    readings: Readings,
    /// The smallest and the largest value, and 0 between them.
    range: (f64, f64),
}

/// Where the values are.
#[derive(Debug)]
enum Readings {
    /// Rows of the samples of counters.
    Samples(Buffer<u32>),
    /// Times and values that follow from other things.
    Made(Buffer<(Ns, f64)>),
}

/// What a counter is, and between which values it lies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CounterHead {
    /// The GPU.
    pub owner: LaneOwner,
    /// Its name; names of nsys's metrics say their units.
    pub name: String,
    /// The unit of the values, where the name does not say it.
    pub unit: &'static str,
    /// Number of readings.
    pub readings: usize,
    /// The smallest value, or 0 if none is below.
    pub low: f64,
    /// The largest value, or 0 if none is above.
    pub high: f64,
}

/// What a counter shows of a part of the time: the values of each bin that has readings, in order of time.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TileCounter {
    /// The lane.
    pub lane: usize,
    /// The first reading of the bin, in nanoseconds from the start of the tile; of the first entry negative where it says the
    /// value that the counter had before.
    pub start_ns: Vec<Ns>,
    /// The smallest value of the bin.
    pub low: Vec<f64>,
    /// The largest.
    pub high: Vec<f64>,
    /// The last, which stays until the next entry.
    pub last: Vec<f64>,
}

impl Counter {
    fn new(
        capture: &CaptureContents,
        device: DeviceId,
        name: String,
        unit: &'static str,
        readings: Readings,
    ) -> Option<Self> {
        let owner = LaneOwner::Gpu { device_id: capture.devices.get(device.index())?.device_id };
        let mut counter = Self { owner, name, unit, readings, range: (0.0, 0.0) };
        for at in 0..counter.len() {
            let value = counter.reading(capture, at).1;
            counter.range = (counter.range.0.min(value), counter.range.1.max(value));
        }
        (counter.len() > 0).then_some(counter)
    }

    pub(super) fn head(&self) -> CounterHead {
        let (low, high) = self.range;
        CounterHead {
            owner: self.owner.clone(),
            name: self.name.clone(),
            unit: self.unit,
            readings: self.len(),
            low,
            high,
        }
    }

    fn len(&self) -> usize {
        match &self.readings {
            Readings::Samples(rows) => rows.len(),
            Readings::Made(readings) => readings.len(),
        }
    }

    /// A time and the value from then on.
    fn reading(&self, capture: &CaptureContents, at: usize) -> (Ns, f64) {
        match &self.readings {
            Readings::Samples(rows) => {
                let (samples, row) = (&capture.metric_samples, rows[at] as usize);
                (samples.time[..][row], to_f64(samples.value[..][row]))
            }
            Readings::Made(readings) => readings[at],
        }
    }

    /// From the first reading to the last.
    pub(super) fn reach(&self, capture: &CaptureContents) -> Option<Span> {
        let last = self.len().checked_sub(1)?;
        Some(Span::new(self.reading(capture, 0).0, self.reading(capture, last).0))
    }

    /// The first reading at a time or later.
    fn first_from(&self, capture: &CaptureContents, time: Ns) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.reading(capture, middle).0 < time {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// What it shows of a window that begins at the edge of a bin.
    pub(super) fn tile(
        &self,
        capture: &CaptureContents,
        lane: usize,
        window: Span,
        bin_ns: Ns,
    ) -> TileCounter {
        let mut shown = TileCounter { lane, ..TileCounter::default() };
        let first = self.first_from(capture, window.start);
        let mut bin = Ns::MIN;
        for at in first.saturating_sub(1)..self.len() {
            let (time, value) = self.reading(capture, at);
            if time >= window.end {
                break;
            }
            let of = (time - window.start).div_euclid(bin_ns);
            match (shown.low.last_mut(), shown.high.last_mut(), shown.last.last_mut()) {
                (Some(low), Some(high), Some(last)) if of == bin => {
                    (*low, *high, *last) = (low.min(value), high.max(value), value);
                }
                _ => {
                    shown.start_ns.push(time - window.start);
                    shown.low.push(value);
                    shown.high.push(value);
                    shown.last.push(value);
                    bin = of;
                }
            }
        }
        shown
    }
}

/// All counters: memory in use, then what nsys sampled, GPU by GPU.
pub(super) fn counters(capture: &CaptureContents) -> Vec<Counter> {
    let mut counters = memory_in_use(capture);
    let samples = &capture.metric_samples;
    let key = |row: u32| (samples.device[..][row as usize], samples.metric[..][row as usize]);
    let mut rows = capture.memory.collect(numbers(samples.time.len()));
    rows.sort_by_key(|&row| (key(row), samples.time[..][row as usize]));
    for of_counter in rows.chunk_by(|&a, &b| key(a) == key(b)) {
        let (device, metric) = key(of_counter[0]);
        let Some(device) = device.some() else { continue };
        let readings = Readings::Samples(capture.memory.collect(of_counter.iter().copied()));
        counters.extend(Counter::new(capture, device, metric_name(capture, metric), "", readings));
    }
    counters
}

fn memory_in_use(capture: &CaptureContents) -> Vec<Counter> {
    let of_device = |changes: &[(DeviceId, Ns, i64)]| {
        let (mut in_use, mut readings) = (0_i64, capture.memory.buffer(0));
        for of_time in changes.chunk_by(|a, b| a.1 == b.1) {
            in_use = of_time.iter().fold(in_use, |sum, change| sum.saturating_add(change.2));
            readings.push((of_time[0].1, to_f64(in_use)));
        }
        Counter::new(capture, changes[0].0, MEMORY_IN_USE.to_owned(), "bytes", Readings::Made(readings))
    };
    memory_changes(capture).chunk_by(|a, b| a.0 == b.0).filter_map(of_device).collect()
}
