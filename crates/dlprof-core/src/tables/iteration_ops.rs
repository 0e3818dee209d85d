//! Table `iteration_ops`: one row per aggregated iteration and op.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::shared;
use super::table::{Column, Unit};
use crate::figures::profile::{IterationOpStats, Profile};
use std::sync::LazyLock;

/// Columns of table `iteration_ops`.
static COLUMNS: LazyLock<Vec<Column<IterationOpStats>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<IterationOpStats>> = vec![
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
        Column::int(
            "gpu_time_ns",
            "GPU Time",
            Unit::Nanoseconds,
            "GPU time; sum over calls.",
            |_, row: &IterationOpStats| row.times.gpu_ns.into(),
        )
        .of_gpu(),
        Column::int(
            "cpu_overhead_ns",
            "CPU Overhead",
            Unit::Nanoseconds,
            "CPU overhead; sum over calls.",
            |_, row| row.times.cpu_overhead_ns.into(),
        ),
        Column::int(
            "gpu_idle_ns",
            "GPU Idle",
            Unit::Nanoseconds,
            "GPU idle; sum over calls.",
            |_, row: &IterationOpStats| row.times.gpu_idle_ns.into(),
        )
        .of_gpu(),
    ];
    columns.extend(shared::kernel_sums());
    columns.extend(shared::origin());
    columns
});

/// Table `iteration_ops`.
pub(crate) static TABLE: Declaration<IterationOpStats> = Declaration {
    key: "iteration_ops",
    title: "Ops by Iteration",
    doc: "A row per aggregated iteration and op.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["op_name", "gpu_time_ns", "iteration"],
        second: &["op_id", "calls", "op_type", "kernel_calls", "cpu_time_ns", "direction"],
        order: &["iteration", "-gpu_time_ns", "-cpu_time_ns", "op_id"],
        views: &[(
            "iteration_ops",
            &[
                "op_name",
                "gpu_time_ns",
                "cpu_time_ns",
                "op_id",
                "direction",
                "op_type",
                "kernel_calls",
                "tc_kernel_calls",
                "kernel_gpu_time_ns",
                "tc_kernel_gpu_time_ns",
                "data_type",
                "stack_trace",
            ],
        )],
        ..Layout::PLAIN
    },
};

/// Table `iteration_ops` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<IterationOpStats> {
    TABLE
        .with(profile, profile.iteration_ops())
        .where_gpu_is_known(|p, row| p.knows_gpu_work_in(row.iteration))
}
