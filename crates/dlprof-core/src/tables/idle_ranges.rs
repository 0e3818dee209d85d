//! Table `idle_ranges`: in which ranges of the host the used GPUs idled, summed over the aggregated iterations.

use super::idle_causes::range_text;
use super::layout::Layout;
use super::table::{Column, RowTable, Unit};
use crate::profile::{Profile, RangeTime};
use crate::ratios::percent;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Columns of table `idle_ranges`.
pub static COLUMNS: LazyLock<Vec<Column<RangeTime>>> = LazyLock::new(|| {
    vec![
        Column::text(
            "range",
            "Range",
            "Text of the innermost range that was open on the thread that launched next.",
            |p, row: &RangeTime| range_text(p, row.text),
        ),
        Column::int(
            "time_ns",
            "Time",
            Unit::Nanoseconds,
            "Idle time of the cause `host_range` that is owed to it, summed over the aggregated iterations and the used GPUs.",
            |_, row| row.time_ns.into(),
        ),
        Column::float("idle_percent", "Share of Idle", Unit::Percent, "Share of the idle time.", |p, row| {
            percent(row.time_ns, p.used_gpu_time().idle_ns()).into()
        }),
        Column::float(
            "percent",
            "Share",
            Unit::Percent,
            "Share of the length of the aggregated iterations, averaged over the used GPUs.",
            |p, row| percent(row.time_ns, p.used_gpu_time().length_ns).into(),
        ),
    ]
});

/// How people see table `idle_ranges`.
pub const LAYOUT: Layout = Layout {
    first: &["range", "time_ns", "idle_percent"],
    second: &["percent"],
    order: &["-time_ns", "range"],
    ..Layout::PLAIN
};

/// Table `idle_ranges`.
#[must_use]
pub fn build<'a>(profile: &'a Profile) -> RowTable<'a, RangeTime> {
    let rows = Cow::Owned(profile.idle_range_totals());
    RowTable { key: "idle_ranges", title: "Idle Time by Range of the Host", columns: &COLUMNS, profile, rows }
}
