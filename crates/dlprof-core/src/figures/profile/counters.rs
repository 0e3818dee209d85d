//! GPU memory in use, and sampled counters of GPUs, over the aggregated iterations.

use super::ProfileContents;
use crate::base::ids::{self, DeviceId, Maybe, StrId, WorkId};
use crate::figures::gpu_memory::{
    GpuMemory, KindTotal, MemoryEvents, MemorySide, allocations_by_kind, gpu_memory, has_gpu_events,
    memory_of_allocator, peak_percent,
};
use crate::figures::gpu_metrics::{
    KernelRun, MetricId, MetricSamples, SampleMean, metrics_of_kernels, metrics_of_windows,
};
use crate::read::facts::UNKNOWN_BYTES;

/// Mean of a counter: a row of table `gpu_metrics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricMean {
    /// What the samples are of.
    pub of: Sampled,
    /// The counter.
    pub metric: MetricId,
    /// The mean.
    pub mean: SampleMean,
}

/// What samples are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampled {
    /// A GPU in an aggregated iteration.
    Window {
        /// The place of the iteration among the aggregated ones.
        window: usize,
        /// The GPU; none if the export does not say.
        device: Maybe<DeviceId>,
    },
    /// The times of the capture in which kernels of a demangled name ran alone on their GPU.
    Kernel(StrId),
}

/// Allocations and frees of a kind of memory: a row of table `gpu_allocations`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindAllocations {
    /// The GPU.
    pub device: DeviceId,
    /// CUPTI's kind of memory.
    pub kind: u8,
    /// The sums.
    pub total: KindTotal,
}

impl ProfileContents {
    fn memory_events(&self) -> MemoryEvents<'_> {
        let events = &self.capture.memory_events;
        MemoryEvents {
            time: &events.time,
            device: &events.device,
            kind: &events.kind,
            operation: &events.operation,
            bytes: &events.bytes,
        }
    }

    fn metric_samples(&self) -> MetricSamples<'_> {
        let samples = &self.capture.metric_samples;
        MetricSamples {
            time: &samples.time,
            device: &samples.device,
            metric: &samples.metric,
            value: &samples.value,
        }
    }

    /// The name of a counter; empty if the capture does not have it.
    #[must_use]
    pub(crate) fn metric_name(&self, metric: MetricId) -> &str {
        let names = &self.capture.notes.metric_names;
        names.iter().find(|known| known.metric == metric).map_or("", |known| &known.name)
    }

    /// The counter of Tensor Cores in use: its name, and its mean over all samples of the aggregated iterations and all
    /// GPUs, in percent; `None` where the capture does not have it.
    #[must_use]
    pub fn sampled_tensor_cores(&self) -> Option<(&str, f64)> {
        let names = &self.capture.notes.metric_names;
        let counter = names.iter().find(|known| known.name.starts_with("Tensor Active"))?;
        let mut mean = SampleMean::default();
        for row in metrics_of_windows(&self.metric_samples(), &self.windows()) {
            if row.metric == counter.metric {
                mean.merge(row.mean);
            }
        }
        (mean.samples > 0).then(|| (counter.name.as_str(), mean.mean()))
    }

    /// Memory in use by aggregated iteration and GPU.
    #[must_use]
    pub fn gpu_memory(&self) -> Vec<GpuMemory> {
        if has_gpu_events(&self.capture.allocator) {
            return memory_of_allocator(&self.capture.allocator, &self.windows());
        }
        gpu_memory(&self.memory_events(), MemorySide::Device, &self.windows())
    }

    /// The peak of a GPU in percent of its memory; `None` if its memory is unknown.
    #[must_use]
    pub(crate) fn memory_peak_percent(&self, row: &GpuMemory) -> Option<f64> {
        peak_percent(row.peak_bytes, self.capture.devices[row.device.index()].memory_bytes)
    }

    /// The largest share in percent of the memory of a GPU that PyTorch's allocator held, in use or not; none where nothing says it.
    #[must_use]
    pub(crate) fn reserved_percent(&self) -> Option<f64> {
        let events = &self.capture.allocator;
        let held = events.device.iter().zip(&events.reserved).filter(|(_, held)| **held != UNKNOWN_BYTES);
        let shares = held.filter_map(|(device, &held)| {
            let bytes = self.capture.devices[device.some()?.index()].memory_bytes;
            peak_percent(i64::try_from(held).ok()?, bytes)
        });
        shares.max_by(f64::total_cmp)
    }

    /// Allocations and frees of the whole capture by GPU and kind of memory.
    #[must_use]
    pub fn allocations(&self) -> Vec<KindAllocations> {
        let totals = allocations_by_kind(&self.memory_events()).into_iter();
        totals.map(|((device, kind), total)| KindAllocations { device, kind, total }).collect()
    }

    /// Means of counters: by aggregated iteration, GPU and counter, then by kernel name and counter.
    #[must_use]
    pub fn gpu_metrics(&self) -> Vec<MetricMean> {
        let samples = self.metric_samples();
        if samples.time.is_empty() {
            return Vec::new();
        }
        let windows = metrics_of_windows(&samples, &self.windows()).into_iter().map(|row| MetricMean {
            of: Sampled::Window { window: row.window, device: row.device },
            metric: row.metric,
            mean: row.mean,
        });
        let capture = &self.capture;
        let mut kernels: Vec<WorkId> = ids::all(capture.kernels.short_name.len()).collect();
        kernels.sort_by_key(|&kernel| capture.work.span[kernel].start);
        let runs = kernels.into_iter().map(|kernel| KernelRun {
            device: capture.work.device[kernel],
            span: capture.work.span[kernel],
            name: capture.kernels.long_name[kernel],
        });
        let of_kernels = metrics_of_kernels(&samples, runs, |name| capture.strings.get(name));
        let of_kernels = of_kernels.into_iter().map(|row| MetricMean {
            of: Sampled::Kernel(row.name),
            metric: row.metric,
            mean: row.mean,
        });
        windows.chain(of_kernels).collect()
    }
}
