//! Table `idle_ranges`: in which ranges of the host the used GPUs idled, summed over the aggregated iterations.

use super::declaration::{Declaration, RowTable};
use super::idle_causes::range_text;
use super::idle_totals::{PartOfIdle, share, share_of_idle};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::base::time::Ns;
use crate::figures::profile::{Profile, RangeTime};
use std::sync::LazyLock;

/// Columns of table `idle_ranges`.
static COLUMNS: LazyLock<Vec<Column<RangeTime>>> = LazyLock::new(|| {
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
        share_of_idle(),
        share(),
    ]
});

impl PartOfIdle for RangeTime {
    fn idle_ns(&self) -> Ns {
        self.time_ns
    }
}

/// Table `idle_ranges`.
pub static TABLE: Declaration<RangeTime> = Declaration {
    key: "idle_ranges",
    title: "Idle Time by Range of the Host",
    doc: "A row per range of the host in which the used GPUs idled, summed over the aggregated iterations.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["range", "time_ns", "idle_percent"],
        second: &["percent"],
        order: &["-time_ns", "range"],
        sums: &["time_ns"],
        ..Layout::PLAIN
    },
};

/// Table `idle_ranges` of a profile.
#[must_use]
pub fn build(profile: &Profile) -> RowTable<RangeTime> {
    TABLE.with(profile, profile.idle_range_totals())
}
