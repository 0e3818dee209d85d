//! Totals of the model, of GPUs, and of kernels and memory operations.

use super::insert::Insert;
use super::{AGGREGATION, DOMAIN, six_decimals};
use dlprof_core::{CategoryTotal, KernelTotal, Profile, percent};
use rusqlite::{Connection, params};

/// Writes totals.
pub(super) struct Totals<'c> {
    connection: &'c Connection,
    categories: Insert<'c>,
}

impl<'c> Totals<'c> {
    pub(super) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        let columns = ["cpu_time", "gpu_time", "cpu_overhead", "gpu_idle", "count"];
        Ok(Self { connection, categories: Insert::into(connection, "category_summary", &columns)? })
    }

    /// Writes tables `category_summary`, as far as ops go, and `model_summary`.
    pub(super) fn write_model(&mut self, profile: &Profile, key_node: i64) -> rusqlite::Result<()> {
        let columns = [
            "aggr_id",
            "domain_id",
            "is_custom_domain",
            "wall_time",
            "nodes_total_id",
            "nodes_tc_eligible_id",
            "nodes_using_tc_id",
            "nodes_other_id",
            "gpu_utilization",
            "tc_utilization",
            "tc_duration_pct",
            "non_tc_duration_pct",
            "memory_duration_pct",
            "dataloader_duration_pct",
            "io_duration_pct",
            "cpu_duration_pct",
            "other_duration_pct",
            "avg_iteration_time",
            "iteration_time_std_dev",
            "iter_total",
            "iter_aggregated",
            "iter_start",
            "iter_stop",
            "key_node_id",
        ];
        let categories = &profile.categories;
        let [total, eligible, using_tc, other] =
            [&categories.all, &categories.eligible, &categories.using_tc, &categories.other];
        let [total, eligible, using_tc, other] = [
            self.category(total)?,
            self.category(eligible)?,
            self.category(using_tc)?,
            self.category(other)?,
        ];
        let (summary, iterations) = (&profile.summary, &profile.iterations);
        let all = &summary.resources_all_gpus;
        let share = |ns| six_decimals(percent(ns, all.total()));
        Insert::into(self.connection, "model_summary", &columns)?.add(params![
            AGGREGATION,
            DOMAIN,
            true,
            summary.wall_clock_ns,
            total,
            eligible,
            using_tc,
            other,
            six_decimals(summary.gpu_utilization_percent.unwrap_or_default()),
            six_decimals(summary.tc_utilization_percent.unwrap_or_default()),
            share(all.tc_kernel_ns),
            share(all.non_tc_kernel_ns),
            share(all.memory_ns),
            share(all.dataloader_ns),
            share(all.io_ns),
            share(all.cpu_ns),
            share(all.other_ns),
            six_decimals(summary.average_iteration_ns),
            six_decimals(summary.iteration_deviation_ns.unwrap_or(0.0)),
            iterations.total(),
            iterations.aggregated(),
            iterations.start,
            iterations.stop,
            key_node
        ])?;
        Ok(())
    }

    /// Writes table `device_gpu_utilizations`.
    pub(super) fn write_devices(&self, profile: &Profile) -> rusqlite::Result<()> {
        let columns = ["aggr_id", "domain_id", "gpu_info_id", "gpu_utilization"];
        let mut insert = Insert::into(self.connection, "device_gpu_utilizations", &columns)?;
        for device in &profile.devices {
            // GPUs are rows in order of their ids.
            let row = i64::try_from(device.device.index() + 1).unwrap_or(i64::MAX);
            let utilization = six_decimals(device.utilization_percent);
            insert.add(params![AGGREGATION, DOMAIN, row, utilization])?;
        }
        Ok(())
    }

    /// Writes tables `category_summary`, as far as kernels and memory go, `kernel_summary_metrics` and `memory_summary_metrics`.
    pub(super) fn write_kernels(&mut self, profile: &Profile) -> rusqlite::Result<()> {
        let totals = &profile.kernel_totals;
        let all = KernelTotal {
            gpu_ns: totals.tc.gpu_ns + totals.non_tc.gpu_ns,
            api_ns: totals.tc.api_ns + totals.non_tc.api_ns,
            names: totals.tc.names + totals.non_tc.names,
            launches: totals.tc.launches + totals.non_tc.launches,
        };
        let [all, tc, non_tc, memory] = [
            self.kernels(&all)?,
            self.kernels(&totals.tc)?,
            self.kernels(&totals.non_tc)?,
            self.kernels(&totals.memory)?,
        ];
        let columns =
            ["aggr_id", "domain_id", "kernels_total_id", "kernels_using_tc_id", "kernels_non_tc_id"];
        Insert::into(self.connection, "kernel_summary_metrics", &columns)?.add([
            AGGREGATION,
            DOMAIN,
            all,
            tc,
            non_tc,
        ])?;
        Insert::into(self.connection, "memory_summary_metrics", &["aggr_id", "domain_id", "memory_time_id"])?
            .add([AGGREGATION, DOMAIN, memory])?;
        Ok(())
    }

    fn category(&mut self, total: &CategoryTotal) -> rusqlite::Result<i64> {
        let CategoryTotal { cpu_ns, gpu_ns, cpu_overhead_ns, gpu_idle_ns, ops } = *total;
        let ops = i64::try_from(ops).unwrap_or(i64::MAX);
        self.categories.add([cpu_ns, gpu_ns, cpu_overhead_ns, gpu_idle_ns, ops])
    }

    fn kernels(&mut self, total: &KernelTotal) -> rusqlite::Result<i64> {
        let names = i64::try_from(total.names).unwrap_or(i64::MAX);
        self.categories.add([total.api_ns, total.gpu_ns, 0, 0, names])
    }
}
