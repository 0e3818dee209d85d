//! Table `op_types`: one row per op type.

use super::table::{Column, RowTable, Unit};
use crate::aggregate::OpTypeStats;
use crate::aggregate::Profile;
use std::borrow::Cow;

/// Columns of table `op_types`.
pub static COLUMNS: &[Column<OpTypeStats>] = &[
    Column::text("op_type", "Op Type", "What the ops compute.", |_, row| row.op_type.as_str().into()),
    Column::int("ops", "No. Ops", Unit::None, "Ops of the type.", |_, row| row.ops.into()),
    Column::int("calls", "No. Calls", Unit::None, "Calls of these ops.", |_, row| row.times.cpu.count.into()),
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
];

/// Table `op_types`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, OpTypeStats> {
    let rows = Cow::Borrowed(profile.op_types.as_slice());
    RowTable { key: "op_types", title: "Op Type Summary", columns: COLUMNS, profile, rows }
}
