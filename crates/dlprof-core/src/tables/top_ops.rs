//! Table `top_ops`: the ten ops with most GPU time.

use super::shared;
use super::table::{Column, RowTable};
use crate::aggregate::OpStats;
use crate::aggregate::Profile;
use std::sync::LazyLock;

/// Columns of table `top_ops`.
pub static COLUMNS: LazyLock<Vec<Column<OpStats>>> = LazyLock::new(|| {
    let gpu_time = shared::times().find(|column| column.header.key == "gpu_time_ns");
    let mut columns: Vec<Column<OpStats>> = gpu_time.into_iter().collect();
    columns.extend([shared::op_name(), shared::direction(), shared::op_type()]);
    columns.extend(shared::use_of_op());
    columns.push(shared::op_id());
    columns
});

/// Table `top_ops`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, OpStats> {
    let rows = profile.top_ops().into_iter().cloned().collect();
    RowTable { key: "top_ops", title: "Top 10 GPU Ops", columns: &COLUMNS, profile, rows }
}
