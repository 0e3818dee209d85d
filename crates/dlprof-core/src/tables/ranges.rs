//! Table `ranges`: ranges of the program by text, from start to end.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::figures::by_name::RangeSums;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `ranges`.
static COLUMNS: LazyLock<Vec<Column<RangeSums>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<RangeSums>> = vec![
        Column::text(
            "range",
            "Range",
            "What the range says; of PyTorch's operators without their numbers.",
            |p, row: &RangeSums| p.capture.strings.get(row.text).into(),
        ),
        Column::text("domain", "Domain", "The NVTX domain; empty for the default domain.", |p, row| {
            row.domain.some().map(|domain| p.capture.strings.get(domain)).into()
        }),
        Column::int("runs", "Runs", Unit::None, "How many start in the aggregated iterations.", |_, row| {
            row.runs.into()
        }),
    ];
    columns.extend(lengths());
    columns
});

fn lengths() -> [Column<RangeSums>; 4] {
    [
        Column::int(
            "time_ns",
            "Time",
            Unit::Nanoseconds,
            "Sum of their lengths from start to end on the CPU: ranges inside them are not taken out.",
            |_, row| row.time_ns.into(),
        ),
        Column::float(
            "median_ns",
            "Median",
            Unit::Nanoseconds,
            "The length in the middle; of an even number the mean of the two in the middle.",
            |_, row| row.median_ns.into(),
        ),
        Column::int("min_ns", "Shortest", Unit::Nanoseconds, "The shortest.", |_, row| row.min_ns.into()),
        Column::int("max_ns", "Longest", Unit::Nanoseconds, "The longest.", |_, row| row.max_ns.into()),
    ]
}

/// Table `ranges`.
pub(crate) static TABLE: Declaration<RangeSums> = Declaration {
    key: "ranges",
    title: "Ranges",
    doc: "A row per text of ranges that start in the aggregated iterations (NVTX, `record_function`), by whole length.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["range", "runs", "time_ns", "median_ns"],
        second: &["max_ns", "min_ns", "domain"],
        order: &["-time_ns", "range", "domain"],
        sums: &["runs", "time_ns"],
        ..Layout::PLAIN
    },
};

/// Table `ranges` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<RangeSums> {
    TABLE.with(profile, profile.range_sums())
}
