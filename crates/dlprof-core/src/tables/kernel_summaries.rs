//! Table `kernel_summaries`: one row per op and kernel name.

use super::table::{Column, RowTable, Unit};
use crate::aggregate::KernelSummary;
use crate::aggregate::Profile;
use std::borrow::Cow;

/// Columns of table `kernel_summaries`.
pub static COLUMNS: &[Column<KernelSummary>] = &[
    Column::text(
        "kernel_name",
        "Kernel Name",
        "Name without template arguments and parameters.",
        |p, row| p.trace.strings.get(row.name).into(),
    ),
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
    Column::text(
        "tensor_cores",
        "Tensor Cores",
        "`yes`, `no`, or `unknown` where the name does not tell.",
        |_, row| super::tensor_cores_word(row.tensor_cores).into(),
    ),
    Column::int("kernel_calls", "Calls", Unit::None, "Launches.", |_, row| row.gpu.count.into()),
    Column::int(
        "gpu_time_ns",
        "GPU Time",
        Unit::Nanoseconds,
        "Sum of durations of the launches on the GPU.",
        |_, row| row.gpu.sum.into(),
    ),
    Column::float("avg_gpu_time_ns", "Avg. GPU Time", Unit::Nanoseconds, "Average per launch.", |_, row| {
        row.gpu.average().into()
    }),
    Column::int("min_gpu_time_ns", "Min GPU Time", Unit::Nanoseconds, "Shortest launch.", |_, row| {
        row.gpu.min.into()
    }),
    Column::int("max_gpu_time_ns", "Max GPU Time", Unit::Nanoseconds, "Longest launch.", |_, row| {
        row.gpu.max.into()
    }),
    Column::int(
        "api_time_ns",
        "API Time",
        Unit::Nanoseconds,
        "Sum of durations of the launches on the CPU; a call that launches several kernels counts once.",
        |_, row| row.api.sum.into(),
    ),
    Column::float("avg_api_time_ns", "Avg. API Time", Unit::Nanoseconds, "Average per launch.", |_, row| {
        row.api.average().into()
    }),
    Column::int("min_api_time_ns", "Min API Time", Unit::Nanoseconds, "Shortest launch.", |_, row| {
        row.api.min.into()
    }),
    Column::int("max_api_time_ns", "Max API Time", Unit::Nanoseconds, "Longest launch.", |_, row| {
        row.api.max.into()
    }),
    Column::text(
        "long_kernel_name",
        "Long Kernel Name",
        "Demangled name of the kernel launched last.",
        |p, row| p.trace.strings.get(row.long_name).into(),
    ),
];

/// Table `kernel_summaries`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, KernelSummary> {
    let rows = Cow::Borrowed(profile.kernel_summaries.as_slice());
    RowTable { key: "kernel_summaries", title: "Kernel Summaries", columns: COLUMNS, profile, rows }
}
