//! Table `idle_causes`: why each GPU idled in each aggregated iteration.

use super::layout::Layout;
use super::place::{self, InWindow, OnDevice};
use super::table::{Column, RowTable, Unit};
use crate::ids::DeviceId;
use crate::profile::{IdleCause, Profile};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Columns of table `idle_causes`.
pub static COLUMNS: LazyLock<Vec<Column<IdleCause>>> = LazyLock::new(|| {
    vec![
        place::window_iteration(),
        place::device_id(),
        Column::text(
            "cause",
            "Cause",
            "Why the GPU idled; `dlprof-agg explain` says what each cause means.",
            |_, row: &IdleCause| row.cause.as_str().into(),
        ),
        Column::int(
            "time_ns",
            "Time",
            Unit::Nanoseconds,
            "Idle time of this cause; all causes together are the idle time of the GPU.",
            |_, row| row.time_ns.into(),
        ),
    ]
});

/// How people see table `idle_causes`.
pub const LAYOUT: Layout = Layout {
    first: &["cause", "time_ns", "iteration"],
    second: &["device_id"],
    order: &["iteration", "device_id", "-time_ns", "cause"],
    ..Layout::PLAIN
};

/// Table `idle_causes`.
#[must_use]
pub fn build<'a>(profile: &'a Profile) -> RowTable<'a, IdleCause> {
    let rows = Cow::Owned(profile.idle_causes());
    RowTable { key: "idle_causes", title: "Causes of Idle Time", columns: &COLUMNS, profile, rows }
}

impl InWindow for IdleCause {
    fn window(&self) -> usize {
        self.place.window
    }
}

impl OnDevice for IdleCause {
    fn device(&self) -> DeviceId {
        self.place.device
    }
}
