//! Table `idle_ranges`: in which ranges of the host the used GPUs idled, summed over the aggregated iterations.

use super::declaration::{Declaration, RowTable};
use super::idle_totals::{PartOfIdle, share, share_of_idle};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::base::time::Ns;
use crate::capture::correlate::Mode;
use crate::figures::profile::{IdleRangeRow, Profile};
use std::sync::LazyLock;

/// Columns of table `idle_ranges`.
static COLUMNS: LazyLock<Vec<Column<IdleRangeRow>>> = LazyLock::new(|| {
    vec![
        Column::text(
            "range",
            "Range",
            "Text of the innermost range that was open on the thread that launched next. Ranges whose texts differ in numbers \
             alone are one row, with `#` for each number; so are three or more that differ in the last letter of a short word, \
             with `*` for it.",
            |_, row: &IdleRangeRow| row.family.name.as_str().into(),
        ),
        Column::int(
            "texts",
            "Texts",
            Unit::None,
            "Number of different texts that are put together.",
            |_, row| row.family.texts.into(),
        ),
        Column::int(
            "time_ns",
            "Time",
            Unit::Nanoseconds,
            "Idle time of the cause `host_range` that is owed to it, summed over the aggregated iterations and the used GPUs.",
            |_, row| row.family.time_ns.into(),
        ),
        share_of_idle(),
        share(),
        Column::flag(
            "marker",
            "Around Ranges",
            "Whether these are markers of DLProf that hold other ranges: the wrapper around the function, not the program, works in \
             this time. What runs inside them has rows of its own. Empty for captures without such markers.",
            |p, row| (p.capture.description.mode == Mode::PytorchMarkers).then_some(row.is_marker).into(),
        ),
    ]
});

impl PartOfIdle for IdleRangeRow {
    fn idle_ns(&self) -> Ns {
        self.family.time_ns
    }
}

/// Table `idle_ranges`.
pub(crate) static TABLE: Declaration<IdleRangeRow> = Declaration {
    key: "idle_ranges",
    title: "Idle Time by Range of the Host",
    doc: "A row per range of the host in which the used GPUs idled, summed over the aggregated iterations.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["range", "time_ns", "idle_percent"],
        second: &["texts", "percent", "marker"],
        order: &["-time_ns", "range"],
        sums: &["time_ns"],
        over_gpus: true,
        ..Layout::PLAIN
    },
};

/// Table `idle_ranges` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<IdleRangeRow> {
    TABLE.with(profile, profile.idle_range_rows())
}
