//! Table `ops`: one row per op of the aggregated iterations.

use super::shared;
use super::table::{Column, RowTable};
use crate::aggregate::OpStats;
use crate::aggregate::Profile;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Columns of table `ops`.
pub static COLUMNS: LazyLock<Vec<Column<OpStats>>> = LazyLock::new(|| {
    let mut columns = vec![shared::op_id(), shared::op_name(), shared::direction(), shared::op_type()];
    columns.extend(shared::use_of_op());
    columns.extend(shared::times());
    columns.extend(shared::kernel_sums());
    columns.extend([
        Column::text(
            "data_type",
            "Data Type",
            "Data type of the first tensor argument; empty if unknown.",
            |p, row: &OpStats| p.label(row.op).data_type.as_str().into(),
        ),
        Column::text(
            "input_shapes",
            "Input Shapes",
            "Shapes of the input tensors of the first call.",
            |p, row: &OpStats| p.label(row.op).shapes.inputs.as_str().into(),
        ),
        Column::text("stack_trace", "Stack Trace", "Source lines, outermost first.", |p, row: &OpStats| {
            p.label(row.op).stack_trace.as_str().into()
        }),
    ]);
    columns
});

/// Table `ops`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, OpStats> {
    let rows = Cow::Borrowed(profile.op_stats.as_slice());
    RowTable { key: "ops", title: "Ops", columns: &COLUMNS, profile, rows }
}
