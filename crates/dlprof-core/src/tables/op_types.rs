//! Table `op_types`: one row per op type.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::shared;
use super::table::{Column, Unit};
use crate::figures::profile::{OpTypeStats, Profile};
use std::sync::LazyLock;

/// Columns of table `op_types`.
static COLUMNS: LazyLock<Vec<Column<OpTypeStats>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<OpTypeStats>> = vec![
        Column::text("op_type", "Op Type", "What the ops compute.", |_, row: &OpTypeStats| {
            row.op_type.as_str().into()
        }),
        Column::int("ops", "No. Ops", Unit::None, "Ops of the type.", |_, row| row.ops.into()),
        Column::int("calls", "No. Calls", Unit::None, "Calls of these ops.", |_, row| {
            row.times.cpu.count.into()
        }),
    ];
    columns.extend(shared::times());
    columns
});

/// Table `op_types`.
pub(crate) static TABLE: Declaration<OpTypeStats> = Declaration {
    key: "op_types",
    title: "Op Type Summary",
    doc: "A row per op type.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["op_type", "gpu_time_ns", "calls"],
        second: &[
            "ops",
            "avg_gpu_time_ns",
            "cpu_time_ns",
            "max_gpu_time_ns",
            "gpu_idle_ns",
            "cpu_overhead_ns",
        ],
        order: &["-gpu_time_ns", "-cpu_time_ns", "op_type"],
        sums: &["calls", "cpu_time_ns", "gpu_time_ns", "cpu_overhead_ns", "gpu_idle_ns"],
        over_gpus: true,
        views: &[(
            "op_types",
            &[
                "op_type",
                "gpu_time_ns",
                "ops",
                "calls",
                "cpu_time_ns",
                "cpu_overhead_ns",
                "gpu_idle_ns",
                "avg_gpu_time_ns",
                "min_gpu_time_ns",
                "max_gpu_time_ns",
                "avg_cpu_time_ns",
                "min_cpu_time_ns",
                "max_cpu_time_ns",
                "avg_cpu_overhead_ns",
                "min_cpu_overhead_ns",
                "max_cpu_overhead_ns",
                "avg_gpu_idle_ns",
                "min_gpu_idle_ns",
                "max_gpu_idle_ns",
            ],
        )],
        ..Layout::PLAIN
    },
};

/// Table `op_types` of a profile.
#[must_use]
pub fn build(profile: &Profile) -> RowTable<OpTypeStats> {
    TABLE.of(profile, |p| &p.op_types)
}
