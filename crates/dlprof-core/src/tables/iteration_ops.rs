//! Table `iteration_ops`: one row per aggregated iteration and op.

use super::table::{Column, RowTable, Unit};
use crate::aggregate::IterationOpStats;
use crate::aggregate::Profile;
use std::borrow::Cow;

/// Columns of table `iteration_ops`.
pub static COLUMNS: &[Column<IterationOpStats>] = &[
    Column::int("iteration", "Iteration", Unit::None, "Number of the iteration.", |_, row| {
        row.iteration.into()
    }),
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
    Column::int("calls", "Calls", Unit::None, "Calls that start in the iteration.", |_, row| {
        row.calls.into()
    }),
    Column::int("cpu_time_ns", "CPU Time", Unit::Nanoseconds, "CPU time; sum over calls.", |_, row| {
        row.times.cpu_ns.into()
    }),
    Column::int(
        "gpu_time_ns",
        "GPU Time",
        Unit::Nanoseconds,
        "GPU time: per call, time covered by its GPU work; sum over calls.",
        |_, row| row.times.gpu_ns.into(),
    ),
    Column::int(
        "cpu_overhead_ns",
        "CPU Overhead",
        Unit::Nanoseconds,
        "CPU time outside CUDA API calls; sum over calls.",
        |_, row| row.times.cpu_overhead_ns.into(),
    ),
    Column::int(
        "gpu_idle_ns",
        "GPU Idle",
        Unit::Nanoseconds,
        "Time between the first and the last GPU work of a call without any; sum over calls.",
        |_, row| row.times.gpu_idle_ns.into(),
    ),
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
];

/// Table `iteration_ops`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, IterationOpStats> {
    let rows = Cow::Borrowed(profile.iteration_ops.as_slice());
    RowTable { key: "iteration_ops", title: "Ops by Iteration", columns: COLUMNS, profile, rows }
}
