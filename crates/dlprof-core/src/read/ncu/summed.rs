//! Launches beyond the most that are kept one by one: those of one name and size are added up, and become their mean.

use super::launch::{NcuLaunch, NcuRange};
use super::metric::{MetricId, Parts, Value};
use super::numbers::Mark;
use crate::base::ratios::count_to_f64;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

/// What launches have in common that are added up.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Alike {
    block_number: u32,
    kernel_name: Arc<str>,
    sizes: [Option<[u64; 3]>; 2],
    totals: [Option<u64>; 2],
    device: Option<i64>,
    compute_capability: Option<Arc<str>>,
    /// Of rows about ranges; single launches have other ranges each time.
    ranges: Arc<[NcuRange]>,
}

impl Alike {
    pub(super) fn of(launch: &NcuLaunch) -> Self {
        Self {
            block_number: launch.block_number,
            kernel_name: Arc::clone(&launch.kernel_name),
            sizes: [launch.block, launch.grid],
            totals: [launch.threads, launch.blocks],
            device: launch.device,
            compute_capability: launch.compute_capability.clone(),
            ranges: if launch.is_summary { Arc::clone(&launch.ranges) } else { Arc::new([]) },
        }
    }
}

/// The sum of a metric.
#[derive(Debug)]
struct Sum {
    unit: u16,
    sum: f64,
    /// Launches that have a value.
    launches: f64,
    first: f64,
    is_same: bool,
}

/// Launches that were added up. Only the whole file tells some groups of digits from decimals, so values with such a mark have
/// sums of their own.
#[derive(Debug, Default)]
pub(super) struct Sums {
    launches: u64,
    values: IndexMap<(MetricId, Option<Mark>), Sum, FxBuildHasher>,
    parts: IndexMap<(MetricId, Arc<str>, Option<Mark>), f64, FxBuildHasher>,
    /// Launches that have parts of a metric.
    with_parts: FxHashMap<MetricId, f64>,
}

impl Sums {
    /// Number of launches that were added up.
    pub(super) fn launches(&self) -> u64 {
        self.launches
    }

    /// Adds the values of a launch, which counts so many times.
    pub(super) fn take(
        &mut self,
        invocations: u64,
        values: impl Iterator<Item = Value>,
        parts: impl Iterator<Item = Parts>,
    ) {
        self.launches = self.launches.saturating_add(invocations);
        let launches = count_to_f64(invocations);
        for Value { metric, unit, mark, value } in values {
            if value.is_nan() {
                continue;
            }
            let nothing = || Sum { unit, sum: 0.0, launches: 0.0, first: value, is_same: true };
            let sum = self.values.entry((metric, mark)).or_insert_with(nothing);
            sum.sum = value.mul_add(launches, sum.sum);
            sum.launches += launches;
            sum.is_same &= value.to_bits() == sum.first.to_bits();
        }
        for Parts { metric, parts } in parts {
            *self.with_parts.entry(metric).or_default() += launches;
            for (key, value, mark) in parts {
                *self.parts.entry((metric, key, mark)).or_default() += value * launches;
            }
        }
    }

    /// The means of all launches.
    pub(super) fn means(
        self,
        names: &IndexSet<Arc<str>, FxBuildHasher>,
        settled: impl Fn(f64, Option<Mark>) -> f64,
    ) -> (Vec<Value>, Vec<Parts>) {
        let mut means: IndexMap<MetricId, Sum, FxBuildHasher> = IndexMap::default();
        for ((metric, mark), sum) in self.values {
            let sum = Sum { sum: settled(sum.sum, mark), first: settled(sum.first, mark), ..sum };
            match means.entry(metric) {
                indexmap::map::Entry::Vacant(entry) => drop(entry.insert(sum)),
                indexmap::map::Entry::Occupied(mut entry) => {
                    let known = entry.get_mut();
                    known.sum += sum.sum;
                    known.launches += sum.launches;
                    known.is_same &= sum.is_same && sum.first.to_bits() == known.first.to_bits();
                }
            }
        }
        // The mean of sizes is no size.
        let is_size = |metric: MetricId| {
            let name = names.get_index(metric as usize).map_or("", |name| name);
            name.starts_with("launch__block") || name.starts_with("launch__grid")
        };
        let is_known = |(metric, sum): &(MetricId, Sum)| sum.is_same || !is_size(*metric);
        let values = means
            .into_iter()
            .filter(is_known)
            .map(|(metric, sum)| {
                let value = if sum.is_same { sum.first } else { sum.sum / sum.launches };
                Value { metric, unit: sum.unit, mark: None, value }
            })
            .collect();
        let mut parts: IndexMap<MetricId, Vec<_>, FxBuildHasher> = IndexMap::default();
        for ((metric, key, mark), sum) in self.parts {
            let launches = self.with_parts.get(&metric).copied().unwrap_or(1.0);
            parts.entry(metric).or_default().push((key, settled(sum, mark) / launches, None));
        }
        (values, parts.into_iter().map(|(metric, parts)| Parts { metric, parts }).collect())
    }
}
