//! Table `attribution`: how the GPU work of the whole capture finds its range.

use super::layout::Layout;
use super::table::{Column, RowTable, Unit, Value};
use crate::capture::classified::AttributionTotal;
use crate::figures::profile::Profile;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Columns of table `attribution`.
pub static COLUMNS: LazyLock<Vec<Column<AttributionTotal>>> = LazyLock::new(|| {
    vec![
        Column::text(
            "attribution",
            "Attribution",
            "How the work finds its range: `own`, `by_time`, `none` or `no_call`.",
            |_, row: &AttributionTotal| row.attribution.as_str().into(),
        ),
        Column::text(
            "range",
            "Range",
            "Text of the innermost range; empty but for work that finds it by time.",
            |p, row| match row.text.some() {
                Some(text) => p.capture.strings.get(text).into(),
                None => Value::Null,
            },
        ),
        Column::int("items", "Items", Unit::None, "Kernels, copies and memsets.", |_, row| row.items.into()),
        Column::int(
            "gpu_time_ns",
            "GPU Time",
            Unit::Nanoseconds,
            "Plain sum of their durations.",
            |_, row| row.gpu_time_ns.into(),
        ),
    ]
});

/// How people see table `attribution`.
pub const LAYOUT: Layout = Layout {
    first: &["attribution", "gpu_time_ns", "items"],
    second: &["range"],
    order: &["-gpu_time_ns"],
    ..Layout::PLAIN
};

/// Table `attribution`.
#[must_use]
pub fn build<'a>(profile: &'a Profile) -> RowTable<'a, AttributionTotal> {
    let rows = Cow::Owned(profile.attribution_totals());
    RowTable { key: "attribution", title: "Attribution", columns: &COLUMNS, profile, rows }
}
