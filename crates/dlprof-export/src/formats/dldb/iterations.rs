//! Iterations, and the kernels of those that are aggregated.

use super::insert::{Insert, NumberInsert};
use super::ops::OpRows;
use super::{AGGREGATION, DOMAIN, six_decimals};
use dlprof_core::{IterationStats, KernelSums, Profile, percent};
use rusqlite::{Connection, params};
use std::collections::HashMap;

/// Writes all iterations, and the time of the aggregated ones by class.
pub(super) fn write_lists(connection: &Connection, profile: &Profile) -> rusqlite::Result<()> {
    let columns = ["aggr_id", "iter_value", "start_time", "stop_time"];
    let mut insert = Insert::into(connection, "iteration_list", &columns)?;
    for row in &profile.iteration_stats {
        insert.add(params![AGGREGATION, row.iteration, row.span.start, row.span.end])?;
    }
    let columns = [
        "aggr_id",
        "iter_value",
        "gpu_utilization",
        "tc_duration",
        "non_tc_duration",
        "memory_duration",
        "dataloader_duration",
        "io_duration",
        "cpu_duration",
        "other_duration",
    ];
    let mut insert = Insert::into(connection, "iteration_aggregation_list", &columns)?;
    for row in aggregated(profile) {
        let all = &row.resources;
        let one = all.average(profile.summary.gpus);
        insert.add(params![
            AGGREGATION,
            row.iteration,
            six_decimals(percent(all.gpu_ns(), all.total())),
            one.tc_kernel_ns,
            one.non_tc_kernel_ns,
            one.memory_ns,
            one.dataloader_ns,
            one.io_ns,
            one.cpu_ns,
            one.other_ns
        ])?;
    }
    Ok(())
}

fn aggregated(profile: &Profile) -> impl Iterator<Item = &IterationStats> {
    profile.iteration_stats.iter().filter(|row| row.is_aggregated)
}

/// Writes sums over the kernels of each aggregated iteration, and for each kernel those of its op and iteration.
pub(super) fn write_kernels(
    connection: &Connection,
    profile: &Profile,
    rows: &OpRows,
) -> rusqlite::Result<()> {
    const SUMS: [&str; 4] = ["total_count", "uses_tc_count", "total_gpu_time", "tc_gpu_time"];
    let columns = [&["aggr_id", "domain_id", "iter_value"][..], &SUMS].concat();
    let mut insert = Insert::into(connection, "kernel_iteration_stats", &columns)?;
    for row in aggregated(profile) {
        let KernelSums { launches, tc_launches, gpu_ns, tc_gpu_ns, .. } = row.kernels;
        insert.add(params![
            AGGREGATION,
            DOMAIN,
            row.iteration,
            count(launches),
            count(tc_launches),
            gpu_ns,
            tc_gpu_ns
        ])?;
    }
    let of_op: HashMap<(u32, usize), KernelSums> =
        profile.iteration_ops().iter().map(|row| ((row.iteration, row.op.index()), row.kernels)).collect();
    let keys = ["aggr_id", "domain_id", "read_only_ops_id", "read_only_kernel_id", "iter_value"];
    let mut insert = NumberInsert::into(connection, "kernel_iteration_node", &[&keys[..], &SUMS].concat())?;
    for (kernel, &call) in (1_i64..).zip(&rows.kernels) {
        let (iteration, op) = (profile.index.calls.iteration[call], profile.index.calls.op[call]);
        let Some(sums) = of_op.get(&(iteration, op.index())) else { continue };
        insert.add([
            AGGREGATION,
            DOMAIN,
            rows.of_op[op.index()],
            kernel,
            i64::from(iteration),
            count(sums.launches),
            count(sums.tc_launches),
            sums.gpu_ns,
            sums.tc_gpu_ns,
        ])?;
    }
    insert.finish()
}

fn count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
