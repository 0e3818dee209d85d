//! Table `idle_threads`: threads that GPUs waited for, and whether they had a processor meanwhile.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::place::{self, OnThread};
use super::table::{Column, Unit};
use crate::base::ids::ThreadId;
use crate::figures::activity::IdleThread;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `idle_threads`.
static COLUMNS: LazyLock<Vec<Column<IdleThread>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<IdleThread>> = place::thread().into();
    columns.extend([
        Column::int(
            "waiting_ns",
            "Waiting",
            Unit::Nanoseconds,
            "Time in which a GPU was idle and the thread's call that ended this had not returned.",
            |_, row: &IdleThread| row.waiting_ns.into(),
        ),
        Column::int("on_cpu_ns", "On CPU", Unit::Nanoseconds, "Of it, with a processor.", |_, row| {
            row.on_cpu_ns.into()
        }),
        Column::int("off_cpu_ns", "Off CPU", Unit::Nanoseconds, "Of it, without one.", |_, row| {
            row.off_cpu_ns.into()
        }),
        Column::int(
            "unknown_ns",
            "Unknown",
            Unit::Nanoseconds,
            "Of it, outside the records of scheduling.",
            |_, row| row.unknown_ns.into(),
        ),
        Column::int("samples", "Samples", Unit::None, "CPU samples of the thread in this time.", |_, row| {
            row.samples.into()
        }),
    ]);
    columns
});

/// Table `idle_threads`.
pub(crate) static TABLE: Declaration<IdleThread> = Declaration {
    key: "idle_threads",
    title: "Threads While GPUs Idle",
    doc: "A row per thread that GPUs waited for.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["name", "waiting_ns", "thread_id"],
        second: &["on_cpu_ns", "off_cpu_ns", "unknown_ns", "samples", "process_id"],
        order: &["-waiting_ns", "process_id", "thread_id"],
        sums: &["waiting_ns", "on_cpu_ns", "off_cpu_ns", "unknown_ns"],
        ..Layout::PLAIN
    },
};

/// Table `idle_threads` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<IdleThread> {
    TABLE.of(profile, |p| &p.idle_host().threads)
}

impl OnThread for IdleThread {
    fn thread(&self) -> ThreadId {
        self.thread
    }
}
