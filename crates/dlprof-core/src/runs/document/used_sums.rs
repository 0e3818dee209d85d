//! Sums over the used iterations of a run, and the part of each sample.

use super::kept_names::{self, OTHER_NAMES};
use super::used::{Columns, SAMPLED_SHARE};
use super::{BaselineGpuTime, BaselineOp, BaselineScope};
use crate::base::ratios::{count_to_f64, percent, to_f64};
use crate::base::time::Ns;
use crate::runs::metrics;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A sum over all used iterations, and the part of each sample.
#[derive(Default)]
pub(super) struct Sum {
    pub(super) total_ns: Ns,
    /// The samples that have a part, in order: thousands of items in hundreds of samples each have few.
    samples: Vec<(usize, f64)>,
}

impl Sum {
    pub(super) fn add(&mut self, columns: &Columns, iteration: u32, ns: Ns) {
        self.total_ns += ns;
        if let Some(column) = columns.column[iteration as usize] {
            match self.samples.last_mut().filter(|(last, _)| *last == column) {
                Some((_, sum)) => *sum += to_f64(ns),
                None => self.samples.push((column, to_f64(ns))),
            }
        }
    }

    /// Adds another sum.
    fn join(&mut self, other: Self) {
        self.total_ns += other.total_ns;
        self.samples.extend(other.samples);
    }

    /// Samples are kept only for items with enough of the GPU time.
    pub(super) fn finish(self, columns: &Columns, all_ns: Ns) -> BaselineGpuTime {
        let is_small = to_f64(self.total_ns) < SAMPLED_SHARE * to_f64(all_ns);
        let mut samples_ns = Vec::new();
        if !is_small && columns.scope == BaselineScope::Iterations {
            samples_ns.resize(columns.samples, 0.0);
            for (column, ns) in self.samples {
                samples_ns[column] += ns;
            }
        }
        BaselineGpuTime { mean_ns: mean(self.total_ns, columns), samples_ns }
    }
}

/// A value rounded to the digits that a baseline needs, so that the file is small.
fn mean(total: Ns, columns: &Columns) -> f64 {
    rounded(to_f64(total) / f64::from(columns.used))
}

/// A value with three decimals.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// What GPU time is summed by.
#[derive(Clone, Copy)]
pub(super) enum Grouping {
    OpTypes,
    Groups,
    Kernels,
}

/// Sums by name.
#[derive(Default)]
pub(super) struct Sums<'a> {
    by_name: [BTreeMap<&'a str, Sum>; 3],
    pub(super) all_ns: Ns,
}

impl<'a> Sums<'a> {
    pub(super) fn of(&mut self, grouping: Grouping, name: &'a str) -> &mut Sum {
        self.by_name[grouping as usize].entry(name).or_default()
    }

    /// The times by name; of more than `most` names those with least time are together.
    pub(super) fn finish(
        &mut self,
        grouping: Grouping,
        columns: &Columns,
        most: usize,
    ) -> BTreeMap<String, BaselineGpuTime> {
        // There are few op types, so all of them are sampled.
        let all_ns = if matches!(grouping, Grouping::OpTypes) { 0 } else { self.all_ns };
        let mut sums: Vec<(&str, Sum)> =
            std::mem::take(&mut self.by_name[grouping as usize]).into_iter().collect();
        if sums.len() > most {
            sums.sort_by_key(|(_, sum)| Reverse(sum.total_ns));
            let mut others = Sum::default();
            sums.drain(most..).for_each(|(_, sum)| others.join(sum));
            match sums.iter_mut().find(|(name, _)| *name == OTHER_NAMES) {
                Some((_, sum)) => sum.join(others),
                None => sums.push((OTHER_NAMES, others)),
            }
        }
        sums.into_iter()
            .map(|(name, sum)| (kept_names::name(name).into_owned(), sum.finish(columns, all_ns)))
            .collect()
    }
}

/// An op while its samples are taken.
pub(super) struct OpSums<'a> {
    pub(super) op: BaselineOp,
    pub(super) time: Sum,
    pub(super) launches: BTreeMap<&'a str, u64>,
}

impl OpSums<'_> {
    pub(super) fn is_used(&self) -> bool {
        self.time.total_ns > 0 || !self.launches.is_empty()
    }

    pub(super) fn finish(self, columns: &Columns, all_ns: Ns) -> (String, BaselineOp) {
        let per_iteration = |launches: u64| rounded(count_to_f64(launches) / f64::from(columns.used));
        let kernels = self
            .launches
            .into_iter()
            .map(|(name, count)| (kept_names::name(name).into_owned(), per_iteration(count)));
        let op =
            BaselineOp { kernels: kernels.collect(), time: self.time.finish(columns, all_ns), ..self.op };
        (BaselineOp::key(&op.name, &op.direction, op.ordinal), op)
    }
}

/// Samples of the metrics.
pub(super) struct Metrics {
    values: BTreeMap<&'static str, Vec<f64>>,
    tensor_cores: Vec<(Ns, Ns)>,
}

impl Metrics {
    /// Every time is 0 until something is added.
    pub(super) fn new(samples: usize) -> Self {
        let keys = metrics::METRICS.iter().map(|metric| metric.key);
        let times = keys.filter(|key| *key != metrics::TC_UTILIZATION && metrics::can_have(false, key));
        Self {
            values: times.map(|key| (key, vec![0.0; samples])).collect(),
            tensor_cores: vec![(0, 0); samples],
        }
    }

    pub(super) fn add(&mut self, key: &'static str, columns: &Columns, iteration: u32, value: f64) {
        if let Some(column) = columns.column[iteration as usize]
            && let Some(values) = self.values.get_mut(key)
        {
            values[column] += value;
        }
    }

    pub(super) fn add_tensor_cores(&mut self, columns: &Columns, iteration: u32, tc_ns: Ns, all_ns: Ns) {
        if let Some(column) = columns.column[iteration as usize] {
            self.tensor_cores[column].0 += tc_ns;
            self.tensor_cores[column].1 += all_ns;
        }
    }

    pub(super) fn finish(self) -> BTreeMap<String, Vec<f64>> {
        let mut values: BTreeMap<String, Vec<f64>> = self
            .values
            .into_iter()
            .map(|(key, values)| (key.to_owned(), values.into_iter().map(rounded).collect()))
            .collect();
        // Undefined without a batch size.
        values.retain(|key, rates| key != metrics::ITEMS_PER_SECOND || rates.iter().any(|&rate| rate > 0.0));
        // Undefined without a kernel of an op that could use them.
        if self.tensor_cores.iter().all(|&(_, all)| all > 0) {
            let percents = self.tensor_cores.iter().map(|&(tc, all)| rounded(percent(tc, all)));
            values.insert(metrics::TC_UTILIZATION.to_owned(), percents.collect());
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::Metrics;
    use crate::runs::metrics;

    #[test]
    fn a_capture_has_no_figures_of_jobs() {
        let values = Metrics::new(2).finish();
        assert!(values.contains_key(metrics::ITERATION_TIME));
        assert!(metrics::OF_JOBS.iter().all(|key| !values.contains_key(*key)), "{values:?}");
    }
}
