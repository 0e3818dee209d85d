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
    columns.extend(shared::origin());
    columns
});

/// Table `ops`.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, OpStats> {
    let rows = Cow::Borrowed(profile.op_stats.as_slice());
    RowTable { key: "ops", title: "Ops", columns: &COLUMNS, profile, rows }
}
