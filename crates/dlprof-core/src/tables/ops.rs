//! Table `ops`: one row per op of the aggregated iterations.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::shared;
use super::table::{Column, Unit};
use crate::figures::profile::{OpStats, Profile};
use std::sync::LazyLock;

/// Columns of table `ops`.
static COLUMNS: LazyLock<Vec<Column<OpStats>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<OpStats>> =
        vec![shared::op_id(), shared::op_name(), shared::direction(), shared::op_type()];
    columns.extend(shared::use_of_op());
    columns.extend(shared::times());
    columns.push(Column::int(
        "by_time_gpu_time_ns",
        "GPU Time by Time",
        Unit::Nanoseconds,
        "Of the GPU time, what came from threads without ranges while the op's thread waited.",
        |p, row: &OpStats| p.by_time_gpu_time_ns(row.op).into(),
    ));
    columns.extend(shared::kernel_sums());
    columns.extend(shared::origin());
    columns
});

/// Table `ops`.
pub(crate) static TABLE: Declaration<OpStats> = Declaration {
    key: "ops",
    title: "Ops",
    doc: "A row per op.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["op_name", "gpu_time_ns", "calls"],
        second: &[
            "op_id",
            "op_type",
            "avg_gpu_time_ns",
            "kernel_calls",
            "cpu_time_ns",
            "direction",
            "tc_eligible",
            "using_tc",
            "gpu_idle_ns",
            "input_shapes",
            "data_type",
        ],
        order: &["-gpu_time_ns", "-cpu_time_ns", "op_id"],
        sums: &[
            "by_time_gpu_time_ns",
            "calls",
            "cpu_overhead_ns",
            "cpu_time_ns",
            "gpu_idle_ns",
            "gpu_time_ns",
            "kernel_calls",
            "kernel_gpu_time_ns",
            "tc_kernel_calls",
            "tc_kernel_gpu_time_ns",
            "tc_unknown_gpu_time_ns",
        ],
        over_gpus: true,
        views: &[
            (
                "group_ops",
                &[
                    "op_name",
                    "gpu_time_ns",
                    "cpu_time_ns",
                    "calls",
                    "kernel_calls",
                    "op_type",
                    "tc_eligible",
                    "using_tc",
                    "op_id",
                ],
            ),
            (
                "ops",
                &[
                    "op_name",
                    "gpu_time_ns",
                    "cpu_time_ns",
                    "calls",
                    "kernel_calls",
                    "op_type",
                    "direction",
                    "tc_eligible",
                    "using_tc",
                    "op_id",
                    "data_type",
                    "input_shapes",
                    "stack_trace",
                    "gpu_idle_ns",
                ],
            ),
        ],
        ..Layout::PLAIN
    },
};

/// Table `ops` of a profile.
#[must_use]
pub fn build(profile: &Profile) -> RowTable<OpStats> {
    TABLE.of(profile, |p| &p.op_stats)
}
