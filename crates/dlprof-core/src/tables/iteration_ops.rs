//! Table `iteration_ops`: one row per aggregated iteration and op.

use super::layout::Layout;
use super::shared;
use super::table::{Column, RowTable, Unit};
use crate::figures::profile::{IterationOpStats, Profile};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Columns of table `iteration_ops`.
pub static COLUMNS: LazyLock<Vec<Column<IterationOpStats>>> = LazyLock::new(|| {
    let mut columns = vec![
        Column::int(
            "iteration",
            "Iteration",
            Unit::None,
            "Number of the iteration.",
            |_, row: &IterationOpStats| row.iteration.into(),
        ),
        shared::op_id(),
        shared::op_name(),
        shared::direction(),
        shared::op_type(),
        Column::int("calls", "Calls", Unit::None, "Calls that start in the iteration.", |_, row| {
            row.calls.into()
        }),
        Column::int("cpu_time_ns", "CPU Time", Unit::Nanoseconds, "CPU time; sum over calls.", |_, row| {
            row.times.cpu_ns.into()
        }),
        Column::int("gpu_time_ns", "GPU Time", Unit::Nanoseconds, "GPU time; sum over calls.", |_, row| {
            row.times.gpu_ns.into()
        }),
        Column::int(
            "cpu_overhead_ns",
            "CPU Overhead",
            Unit::Nanoseconds,
            "CPU overhead; sum over calls.",
            |_, row| row.times.cpu_overhead_ns.into(),
        ),
        Column::int("gpu_idle_ns", "GPU Idle", Unit::Nanoseconds, "GPU idle; sum over calls.", |_, row| {
            row.times.gpu_idle_ns.into()
        }),
    ];
    columns.extend(shared::kernel_sums());
    columns.extend(shared::origin());
    columns
});

/// How people see table `iteration_ops`.
pub const LAYOUT: Layout = Layout {
    first: &["op_name", "gpu_time_ns", "iteration"],
    second: &["op_id", "calls", "op_type", "kernel_calls", "cpu_time_ns", "direction"],
    order: &["iteration", "-gpu_time_ns", "-cpu_time_ns", "op_id"],
    ..Layout::PLAIN
};

/// Table `iteration_ops`.
#[must_use]
pub fn build<'a>(profile: &'a Profile) -> RowTable<'a, IterationOpStats> {
    let rows = Cow::Owned(profile.iteration_ops());
    RowTable { key: "iteration_ops", title: "Ops by Iteration", columns: &COLUMNS, profile, rows }
}
