//! Table `top_ops`: the ten ops with most GPU time; without kernel records those with most CPU time.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::shared;
use super::table::Column;
use crate::figures::profile::{OpStats, Profile};
use std::sync::LazyLock;

/// Columns of table `top_ops`.
static COLUMNS: LazyLock<Vec<Column<OpStats>>> = LazyLock::new(|| {
    let time = |key| shared::times().find(|column| column.header.key == key);
    let mut columns: Vec<Column<OpStats>> = time("gpu_time_ns").into_iter().collect();
    columns.extend([shared::op_name(), shared::direction(), shared::op_type()]);
    columns.extend(shared::use_of_op());
    columns.push(shared::op_id());
    columns.extend(time("cpu_time_ns"));
    columns
});

/// Table `top_ops`.
pub(crate) static TABLE: Declaration<OpStats> = Declaration {
    key: "top_ops",
    title: "Top 10 GPU Ops",
    doc: "The ten ops with most GPU time; without kernel records those with most CPU time.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["op_name", "gpu_time_ns", "calls"],
        second: &["op_type", "direction", "op_id", "cpu_time_ns", "tc_eligible", "using_tc"],
        sums: &["calls", "cpu_time_ns", "gpu_time_ns"],
        over_gpus: true,
        ..Layout::PLAIN
    },
};

/// Table `top_ops` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<OpStats> {
    let rows = profile.top_ops().into_iter().cloned().collect();
    let table = TABLE.with(profile, rows);
    match profile.has_kernel_records() {
        true => table,
        false => table.titled("Top 10 Ops by CPU Time (the capture has no kernel records)"),
    }
}
