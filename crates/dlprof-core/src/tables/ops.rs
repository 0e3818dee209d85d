//! Table `ops`: one row per op of the aggregated iterations.

use super::table::{Column, RowTable, Unit};
use crate::aggregate::OpStats;
use crate::aggregate::Profile;
use std::borrow::Cow;

/// Columns of table `ops`.
pub static COLUMNS: &[Column<OpStats>] = &[
    Column::text(
        "op_id",
        "Op ID",
        "Op type in upper case and a number; `…_BPROP` for the backward pass of an op.",
        |p, row| p.op_id(row.op).into(),
    ),
    Column::text("op_name", "Op Name", "Path of the op; its prefixes are the groups.", |p, row| {
        p.op_name(row.op).into()
    }),
    Column::text("direction", "Direction", "`fprop` or `bprop`; empty where unknown.", |p, row| {
        p.label(row.op).direction.as_str().into()
    }),
    Column::text("op_type", "Op Type", "What the op computes.", |p, row| {
        p.label(row.op).op_type.as_str().into()
    }),
    Column::int("calls", "Calls", Unit::None, "Executions of the op.", |_, row| row.times.cpu.count.into()),
    Column::flag("tc_eligible", "TC Eligible", "Whether the op could use Tensor Cores.", |_, row| {
        row.tc_eligible.into()
    }),
    Column::flag("using_tc", "Using TC", "Whether any of its kernels uses Tensor Cores.", |_, row| {
        row.uses_tc.into()
    }),
    Column::int("cpu_time_ns", "CPU Time", Unit::Nanoseconds, "CPU time; sum over calls.", |_, row| {
        row.times.cpu.sum.into()
    }),
    Column::float("avg_cpu_time_ns", "Avg. CPU Time", Unit::Nanoseconds, "Average per call.", |_, row| {
        row.times.cpu.average().into()
    }),
    Column::int("min_cpu_time_ns", "Min CPU Time", Unit::Nanoseconds, "Smallest of a call.", |_, row| {
        row.times.cpu.min.into()
    }),
    Column::int("max_cpu_time_ns", "Max CPU Time", Unit::Nanoseconds, "Largest of a call.", |_, row| {
        row.times.cpu.max.into()
    }),
    Column::int(
        "gpu_time_ns",
        "GPU Time",
        Unit::Nanoseconds,
        "GPU time: per call, time covered by its kernels, copies and memsets; sum over calls.",
        |_, row| row.times.gpu.sum.into(),
    ),
    Column::float("avg_gpu_time_ns", "Avg. GPU Time", Unit::Nanoseconds, "Average per call.", |_, row| {
        row.times.gpu.average().into()
    }),
    Column::int("min_gpu_time_ns", "Min GPU Time", Unit::Nanoseconds, "Smallest of a call.", |_, row| {
        row.times.gpu.min.into()
    }),
    Column::int("max_gpu_time_ns", "Max GPU Time", Unit::Nanoseconds, "Largest of a call.", |_, row| {
        row.times.gpu.max.into()
    }),
    Column::int(
        "cpu_overhead_ns",
        "CPU Overhead",
        Unit::Nanoseconds,
        "CPU overhead: CPU time outside CUDA API calls; sum over calls.",
        |_, row| row.times.cpu_overhead.sum.into(),
    ),
    Column::float(
        "avg_cpu_overhead_ns",
        "Avg. CPU Overhead",
        Unit::Nanoseconds,
        "Average per call.",
        |_, row| row.times.cpu_overhead.average().into(),
    ),
    Column::int(
        "min_cpu_overhead_ns",
        "Min CPU Overhead",
        Unit::Nanoseconds,
        "Smallest of a call.",
        |_, row| row.times.cpu_overhead.min.into(),
    ),
    Column::int(
        "max_cpu_overhead_ns",
        "Max CPU Overhead",
        Unit::Nanoseconds,
        "Largest of a call.",
        |_, row| row.times.cpu_overhead.max.into(),
    ),
    Column::int(
        "gpu_idle_ns",
        "GPU Idle",
        Unit::Nanoseconds,
        "GPU idle: time between the first and the last GPU work of a call without any; sum over calls.",
        |_, row| row.times.gpu_idle.sum.into(),
    ),
    Column::float("avg_gpu_idle_ns", "Avg. GPU Idle", Unit::Nanoseconds, "Average per call.", |_, row| {
        row.times.gpu_idle.average().into()
    }),
    Column::int("min_gpu_idle_ns", "Min GPU Idle", Unit::Nanoseconds, "Smallest of a call.", |_, row| {
        row.times.gpu_idle.min.into()
    }),
    Column::int("max_gpu_idle_ns", "Max GPU Idle", Unit::Nanoseconds, "Largest of a call.", |_, row| {
        row.times.gpu_idle.max.into()
    }),
    Column::int("kernel_calls", "Kernel Calls", Unit::None, "Kernel launches.", |_, row| {
        row.kernels.launches.into()
    }),
    Column::int(
        "kernel_gpu_time_ns",
        "Kernel GPU Time",
        Unit::Nanoseconds,
        "Plain sum of kernel durations.",
        |_, row| row.kernels.gpu_ns.into(),
    ),
    Column::int(
        "tc_kernel_calls",
        "TC Kernel Calls",
        Unit::None,
        "Launches of kernels that use Tensor Cores.",
        |_, row| row.kernels.tc_launches.into(),
    ),
    Column::int(
        "tc_kernel_gpu_time_ns",
        "TC Kernel GPU Time",
        Unit::Nanoseconds,
        "Plain sum of durations of kernels that use Tensor Cores.",
        |_, row| row.kernels.tc_gpu_ns.into(),
    ),
    Column::int(
        "tc_unknown_gpu_time_ns",
        "TC Unknown GPU Time",
        Unit::Nanoseconds,
        "Plain sum of durations of kernels whose name does not tell whether they use Tensor Cores.",
        |_, row| row.kernels.tc_unknown_gpu_ns.into(),
    ),
    Column::text(
        "data_type",
        "Data Type",
        "Data type of the first tensor argument; empty if unknown.",
        |p, row| p.label(row.op).data_type.as_str().into(),
    ),
    Column::text(
        "input_shapes",
        "Input Shapes",
        "Shapes of the input tensors of the first call.",
        |p, row| p.label(row.op).shapes.inputs.as_str().into(),
    ),
    Column::text("stack_trace", "Stack Trace", "Source lines, outermost first.", |p, row| {
        p.label(row.op).stack_trace.as_str().into()
    }),
];

/// Table `ops`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, OpStats> {
    let rows = Cow::Borrowed(profile.op_stats.as_slice());
    RowTable { key: "ops", title: "Ops", columns: COLUMNS, profile, rows }
}
