//! Table `threads`: launch calls of the whole capture by thread.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::place::{self, OnThread};
use super::table::{Column, Unit};
use crate::base::ids::ThreadId;
use crate::figures::activity::ThreadLaunches;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// A thread and its launch calls.
pub(crate) type ThreadRow = (ThreadId, ThreadLaunches);

/// Columns of table `threads`.
static COLUMNS: LazyLock<Vec<Column<ThreadRow>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<ThreadRow>> = place::thread().into();
    columns.extend([
        Column::int(
            "launch_calls",
            "Launch Calls",
            Unit::None,
            "API calls of class `launch` of the thread.",
            |_, (_, launches): &ThreadRow| launches.sum.calls.into(),
        ),
        Column::int(
            "first_launch_ns",
            "First Launch",
            Unit::Nanoseconds,
            "Start of the first of them.",
            |_, (_, launches)| launches.first_launch_ns.into(),
        ),
        Column::int(
            "last_launch_ns",
            "Last Launch",
            Unit::Nanoseconds,
            "Start of the last of them.",
            |_, (_, launches)| launches.last_launch_ns.into(),
        ),
        Column::int(
            "launch_call_ns",
            "Launch Call Time",
            Unit::Nanoseconds,
            "Plain sum of their durations.",
            |_, (_, launches)| launches.sum.time_ns.into(),
        ),
        Column::float(
            "launches_per_s",
            "Launches per Second",
            Unit::PerSecond,
            "Launches from the first to the last; empty if both start at the same time.",
            |_, (_, launches)| launches.per_second().into(),
        ),
    ]);
    columns
});

/// Table `threads`.
pub(crate) static TABLE: Declaration<ThreadRow> = Declaration {
    key: "threads",
    title: "Launching Threads",
    doc: "A row per thread that launches, over the whole capture.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["name", "launch_calls", "launch_call_ns"],
        second: &["thread_id", "process_id", "launches_per_s", "first_launch_ns", "last_launch_ns"],
        order: &["-launch_calls", "process_id", "thread_id"],
        starts: &["first_launch_ns", "last_launch_ns"],
        ..Layout::PLAIN
    },
};

/// Table `threads` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<ThreadRow> {
    TABLE.with(profile, profile.thread_launches())
}

impl OnThread for ThreadRow {
    fn thread(&self) -> ThreadId {
        self.0
    }
}
