//! A metric: count, sum, smallest and largest sample. Metrics can be merged.

use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::Ns;
use crate::capture::correlate::CallTimes;
use crate::columns::cells_of_numbers;
use bytemuck::{Pod, Zeroable};

/// Statistics of a sample of times, in nanoseconds. An empty sample is all zeros, as DLProf has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Metric {
    /// Number of samples.
    pub count: u64,
    /// Sum of the samples.
    pub sum: Ns,
    /// Smallest sample.
    pub min: Ns,
    /// Largest sample.
    pub max: Ns,
}

impl Metric {
    /// Adds a sample.
    pub fn push(&mut self, sample: Ns) {
        self.merge(Self { count: 1, sum: sample, min: sample, max: sample });
    }

    /// Adds the samples of another metric.
    pub fn merge(&mut self, other: Self) {
        // Of work that a call of an earlier iteration launched, the sum is known without a sample.
        self.sum += other.sum;
        if other.count == 0 {
            return;
        }
        let is_first = self.count == 0;
        self.count += other.count;
        self.min = if is_first { other.min } else { self.min.min(other.min) };
        self.max = if is_first { other.max } else { self.max.max(other.max) };
    }

    /// Sum over count; 0 for an empty sample.
    #[must_use]
    pub fn average(&self) -> f64 {
        if self.count == 0 { 0.0 } else { to_f64(self.sum) / count_to_f64(self.count) }
    }
}

/// The times of ops, op types and groups. DLProf reports all but the API time, which stands only in its database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct OpTimes {
    /// CPU time.
    pub cpu: Metric,
    /// GPU time.
    pub gpu: Metric,
    /// API time.
    pub api: Metric,
    /// CPU overhead.
    pub cpu_overhead: Metric,
    /// GPU idle.
    pub gpu_idle: Metric,
}

cells_of_numbers! {
    Metric: "count" "sum" "min" "max";
    OpTimes:
        "cpu_count" "cpu_sum" "cpu_min" "cpu_max"
        "gpu_count" "gpu_sum" "gpu_min" "gpu_max"
        "api_count" "api_sum" "api_min" "api_max"
        "cpu_overhead_count" "cpu_overhead_sum" "cpu_overhead_min" "cpu_overhead_max"
        "gpu_idle_count" "gpu_idle_sum" "gpu_idle_min" "gpu_idle_max";
}

impl OpTimes {
    /// Adds one sample of each: a call, or a sum over calls.
    pub fn push(&mut self, times: &CallTimes) {
        self.cpu.push(times.cpu_ns);
        self.gpu.push(times.gpu_ns);
        self.api.push(times.api_ns);
        self.cpu_overhead.push(times.cpu_overhead_ns);
        self.gpu_idle.push(times.gpu_idle_ns);
    }

    /// Adds the samples of others.
    pub fn merge(&mut self, other: &Self) {
        self.cpu.merge(other.cpu);
        self.gpu.merge(other.gpu);
        self.api.merge(other.api);
        self.cpu_overhead.merge(other.cpu_overhead);
        self.gpu_idle.merge(other.gpu_idle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merging_parts_equals_the_whole(
            a in prop::collection::vec(-5i64..90, 0..9),
            b in prop::collection::vec(-5i64..90, 0..9),
        ) {
            let of = |samples: &[Ns]| {
                let mut metric = Metric::default();
                samples.iter().for_each(|&sample| metric.push(sample));
                metric
            };
            let mut merged = of(&a);
            merged.merge(of(&b));
            let whole: Vec<Ns> = a.into_iter().chain(b).collect();
            prop_assert_eq!(merged, of(&whole));
            prop_assert_eq!(merged.min, whole.iter().copied().min().unwrap_or(0));
            prop_assert_eq!(merged.max, whole.iter().copied().max().unwrap_or(0));
        }
    }
}
