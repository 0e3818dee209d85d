//! Table `attribution`: how the GPU work of the whole capture finds its range.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit, Value};
use crate::capture::classified::AttributionTotal;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `attribution`.
static COLUMNS: LazyLock<Vec<Column<AttributionTotal>>> = LazyLock::new(|| {
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

/// Table `attribution`.
pub(crate) static TABLE: Declaration<AttributionTotal> = Declaration {
    key: "attribution",
    title: "Attribution",
    doc: "A row per way in which GPU work of the whole capture finds its range.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["attribution", "gpu_time_ns", "items"],
        second: &["range"],
        order: &["-gpu_time_ns"],
        ..Layout::PLAIN
    },
};

/// Table `attribution` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<AttributionTotal> {
    TABLE.with(profile, profile.attribution_totals())
}
