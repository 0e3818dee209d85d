//! Tables `metric`, `node_time_metrics` and `kernel_time_metrics`. Equal metrics are one row.

use super::insert::Insert;
use super::six_decimals;
use dlprof_core::{Metric, OpTimes};
use rusqlite::{Connection, params};
use std::collections::HashMap;

/// Writes metrics, and the sets of them that other tables refer to.
pub(super) struct MetricWriter<'c> {
    metrics: Insert<'c>,
    nodes: Insert<'c>,
    kernels: Insert<'c>,
    ids: HashMap<[i64; 4], i64>,
}

impl<'c> MetricWriter<'c> {
    pub(super) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        let times = [
            "cpu_time_metric_id",
            "gpu_time_metric_id",
            "api_time_metric_id",
            "cpu_overhead_time_metric_id",
            "gpu_idle_time_metric_id",
        ];
        let kernel_times = ["api_time_metric_id", "gpu_time_metric_id"];
        Ok(Self {
            metrics: Insert::into(connection, "metric", &["count", "max", "min", "sum", "avg"])?,
            nodes: Insert::into(connection, "node_time_metrics", &times)?,
            kernels: Insert::into(connection, "kernel_time_metrics", &kernel_times)?,
            ids: HashMap::new(),
        })
    }

    /// The row of a metric, which is added if it is new.
    pub(super) fn id(&mut self, metric: &Metric) -> rusqlite::Result<i64> {
        let count = i64::try_from(metric.count).unwrap_or(i64::MAX);
        let key = [count, metric.max, metric.min, metric.sum];
        if let Some(&id) = self.ids.get(&key) {
            return Ok(id);
        }
        let id = self.metrics.add(params![
            count,
            metric.max,
            metric.min,
            metric.sum,
            six_decimals(metric.average())
        ])?;
        self.ids.insert(key, id);
        Ok(id)
    }

    /// The five times of an op, a group or an op type.
    pub(super) fn node(&mut self, times: &OpTimes) -> rusqlite::Result<i64> {
        let OpTimes { cpu, gpu, api, cpu_overhead, gpu_idle } = times;
        let mut ids = [0; 5];
        for (id, metric) in ids.iter_mut().zip([cpu, gpu, api, cpu_overhead, gpu_idle]) {
            *id = self.id(metric)?;
        }
        self.nodes.add(ids)
    }

    /// The times of the kernels of an op.
    pub(super) fn kernel(&mut self, api: &Metric, gpu: &Metric) -> rusqlite::Result<i64> {
        let ids = [self.id(api)?, self.id(gpu)?];
        self.kernels.add(ids)
    }
}
