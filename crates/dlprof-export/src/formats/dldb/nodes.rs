//! Ops, groups, kernels by op, and op types over the aggregated iterations.

use super::dictionary::Dictionary;
use super::insert::Insert;
use super::metrics::MetricWriter;
use super::ops::OpRows;
use super::{AGGREGATION, DOMAIN};
use dlprof_core::{COMPLETE_MODEL, Metric, OpStats, Profile, TensorCores};
use rusqlite::{Connection, params};

/// DLProf's numbers for groups and for ops in its table of both.
const GROUP: i64 = 1;
const OP: i64 = 2;

/// Writes table `op_nodes`, in order of op ID.
pub(super) fn write_ops(
    connection: &Connection,
    profile: &Profile,
    rows: &OpRows,
    metrics: &mut MetricWriter<'_>,
) -> rusqlite::Result<()> {
    let columns = [
        "aggr_id",
        "read_only_ops_id",
        "node_time_metrics_id",
        "kernel_time_metrics_id",
        "num_calls",
        "kernel_calls",
        "tc_eligible",
        "using_tc",
        "is_bad_data_type",
    ];
    let mut insert = Insert::into(connection, "op_nodes", &columns)?;
    // Kernels by op stand in order of op, as ops do.
    let mut kernels = profile.kernel_summaries.iter().peekable();
    for op in &profile.op_stats {
        let (mut api, mut gpu) = (Metric::default(), Metric::default());
        while let Some(row) = kernels.next_if(|row| row.op <= op.op) {
            api.merge(row.api);
            gpu.merge(row.gpu);
        }
        insert.add(params![
            AGGREGATION,
            rows.of_op[op.op.index()],
            metrics.node(&op.times)?,
            metrics.kernel(&api, &gpu)?,
            count(op.times.cpu.count),
            count(op.kernels.launches),
            op.tc_eligible,
            op.uses_tc,
            op.is_bad_data_type
        ])?;
    }
    Ok(())
}

/// Writes table `group_ops`: groups in byte order, then ops in order of their IDs.
pub(super) fn write_groups(
    connection: &Connection,
    profile: &Profile,
    metrics: &mut MetricWriter<'_>,
    dictionary: &mut Dictionary<'_>,
) -> rusqlite::Result<()> {
    let columns = [
        "aggr_id",
        "domain_id",
        "row_type",
        "group_op_full_id_id",
        "group_op_full_name_id",
        "level",
        "num_op_instances",
        "num_supported_leaf_ops",
        "num_tc_leaf_ops",
        "group_op_time_metrics_id",
    ];
    let mut insert = Insert::into(connection, "group_ops", &columns)?;
    for group in profile.groups.iter().filter(|group| group.name(&profile.index) != COMPLETE_MODEL) {
        let name = dictionary.id(group.name(&profile.index))?;
        insert.add(params![
            AGGREGATION,
            DOMAIN,
            GROUP,
            name,
            name,
            count(group.level),
            count(group.calls),
            count(group.tc_eligible_ops),
            count(group.tc_ops),
            metrics.node(&group.times)?
        ])?;
    }
    for OpStats { op, times, tc_eligible, uses_tc, .. } in &profile.op_stats {
        let name = profile.op_name(*op);
        insert.add(params![
            AGGREGATION,
            DOMAIN,
            OP,
            dictionary.id(profile.op_id(*op))?,
            dictionary.id(name)?,
            count(name.matches('/').count() as u64 + 1),
            count(times.cpu.count),
            tc_eligible,
            uses_tc,
            metrics.node(times)?
        ])?;
    }
    Ok(())
}

/// Writes table `kernel_summaries`, in order of op ID and kernel name.
pub(super) fn write_kernels(
    connection: &Connection,
    profile: &Profile,
    rows: &OpRows,
    metrics: &mut MetricWriter<'_>,
    dictionary: &mut Dictionary<'_>,
) -> rusqlite::Result<()> {
    let columns = [
        "aggr_id",
        "domain_id",
        "read_only_ops_id",
        "kernel_name_id",
        "api_time_metric_id",
        "gpu_time_metric_id",
        "uses_tc",
    ];
    let mut insert = Insert::into(connection, "kernel_summaries", &columns)?;
    for kernel in &profile.kernel_summaries {
        insert.add(params![
            AGGREGATION,
            DOMAIN,
            rows.of_op[kernel.op.index()],
            dictionary.id(profile.capture.strings.get(kernel.name))?,
            metrics.id(&kernel.api)?,
            metrics.id(&kernel.gpu)?,
            kernel.tensor_cores == TensorCores::Used
        ])?;
    }
    Ok(())
}

/// Writes table `op_type_metrics`, in byte order of the types.
pub(super) fn write_op_types(
    connection: &Connection,
    profile: &Profile,
    metrics: &mut MetricWriter<'_>,
    dictionary: &mut Dictionary<'_>,
) -> rusqlite::Result<()> {
    let columns = ["aggr_id", "domain_id", "op_node_type_id", "op_type_metrics_id", "num_nodes", "num_calls"];
    let mut insert = Insert::into(connection, "op_type_metrics", &columns)?;
    for op_type in &profile.op_types {
        insert.add(params![
            AGGREGATION,
            DOMAIN,
            dictionary.id(&op_type.op_type)?,
            metrics.node(&op_type.times)?,
            count(op_type.ops),
            count(op_type.times.cpu.count)
        ])?;
    }
    Ok(())
}

fn count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
