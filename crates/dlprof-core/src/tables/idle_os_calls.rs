//! Table `idle_os_calls`: calls of the operating system in which threads were while GPUs waited for them.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::base::ratios::percent;
use crate::figures::activity::IdleOsCall;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `idle_os_calls`.
static COLUMNS: LazyLock<Vec<Column<IdleOsCall>>> = LazyLock::new(|| {
    vec![
        Column::text("os_call", "OS Call", "Name of the function.", |p, row: &IdleOsCall| {
            p.capture.strings.get(row.function).into()
        }),
        Column::int(
            "calls",
            "Calls",
            Unit::None,
            "Calls that lie in the waiting time of their thread, at least in part.",
            |_, row| row.calls.into(),
        ),
        Column::int(
            "time_ns",
            "Time",
            Unit::Nanoseconds,
            "Their time inside it, summed over threads.",
            |_, row| row.time_ns.into(),
        ),
        Column::float(
            "percent",
            "Share",
            Unit::Percent,
            "Share of the waiting time of all threads, in percent.",
            |p, row| percent(row.time_ns, p.idle_host().waiting_ns).into(),
        ),
    ]
});

/// Table `idle_os_calls`.
pub(crate) static TABLE: Declaration<IdleOsCall> = Declaration {
    key: "idle_os_calls",
    title: "OS Calls While GPUs Idle",
    doc: "A row per call of the operating system in which threads were while GPUs waited for them.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["os_call", "time_ns", "percent"],
        second: &["calls"],
        order: &["-time_ns", "os_call"],
        sums: &["time_ns", "calls"],
        ..Layout::PLAIN
    },
};

/// Table `idle_os_calls` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<IdleOsCall> {
    TABLE.of(profile, |p| &p.idle_host().os_calls)
}
