//! Facts about the memory and the counters of GPUs.

use crate::base::ids::{DeviceId, Maybe};
use crate::base::time::Ns;
use crate::columns::table;

table! {
    /// Allocations and frees of memory (`CUDA_GPU_MEMORY_USAGE_EVENTS`), in file order.
    "memory_events" MemoryEventFacts built by MemoryEventFactsBuilder, by () {
        /// When.
        time: Ns, "ns";
        /// The GPU.
        device: DeviceId, "";
        /// CUPTI's kind of memory.
        kind: u8, "";
        /// 0 an allocation, 1 a free.
        operation: u8, "";
        /// Number of bytes.
        bytes: u64, "bytes";
    }
}

table! {
    /// Samples of the counters of GPUs (`GPU_METRICS`), in file order.
    "metric_samples" MetricSampleFacts built by MetricSampleFactsBuilder, by () {
        /// When the sample was taken.
        time: Ns, "ns";
        /// The GPU; none if the export does not say.
        device: Maybe<DeviceId>, "";
        /// Number of the metric.
        metric: i64, "";
        /// The value: percent unless the metric's name has a unit.
        value: i64, "";
    }
}
