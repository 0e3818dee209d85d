//! Table `records`: what was launched against what is recorded of it.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::capture::ledger::{LaunchRecords, Place};
use crate::capture::names::without_version;
use crate::figures::profile::Profile;

/// Columns of table `records`.
static COLUMNS: &[Column<LaunchRecords>] = &[
    Column::int(
        "process_id",
        "Process ID",
        Unit::None,
        "The process; empty if the capture does not say.",
        |p, row| row.process.some().map(|process| p.capture.processes[process.index()].pid()).into(),
    ),
    Column::int(
        "thread_id",
        "Thread ID",
        Unit::None,
        "The thread; empty if the capture does not say.",
        |p, row| row.thread.some().map(|thread| p.capture.threads[thread.index()].tid()).into(),
    ),
    Column::text("api_function", "API Function", "The function that launches.", |p, row| {
        row.function.some().map(|name| without_version(p.capture.strings.get(name))).into()
    }),
    Column::int(
        "launches",
        "Launches",
        Unit::None,
        "Calls of it in the whole capture: those that are recorded, captured or missing.",
        |_, row| row.launches.into(),
    ),
    Column::int("recorded", "Recorded", Unit::None, "Those whose GPU work is recorded.", |_, row| {
        row.recorded.into()
    }),
    Column::int(
        "captured",
        "Captured",
        Unit::None,
        "Those that were recorded into a graph, between the begin and the end of a stream capture, and did not run here.",
        |_, row| row.captured.into(),
    ),
    Column::int("missing", "Missing", Unit::None, "Those without a record of GPU work.", |_, row| {
        row.missing.into()
    }),
    Column::int(
        "lost",
        "Lost",
        Unit::None,
        "Those of the missing ones that ran; the others may not have run before the recording ended.",
        |_, row| row.lost.into(),
    ),
    Column::text(
        "place",
        "Place",
        "Where they are missing among those that are recorded: `start`, `middle`, `end`, `all`, or `throughout`; empty where none is.",
        |_, row| row.place.map(Place::as_str).into(),
    ),
    Column::text(
        "remedy",
        "Remedy",
        "What would record them: `trace graphs` (`--cuda-graph-trace`), `end well` (processes that end by themselves, or a capture that \
         ends before they are stopped), `shorter capture`, or `launch the graphs` (a capture of the part that does); empty where nothing \
         is lost.",
        |p, row| row.remedy(p.ledger().only_captures()).into(),
    ),
];

/// Table `records`.
pub(crate) static TABLE: Declaration<LaunchRecords> = Declaration {
    key: "records",
    title: "Launches and Records",
    doc: "A row per thread and function that launches, over the whole capture: what is recorded of it, and what is missing.",
    columns: || COLUMNS,
    layout: Layout {
        first: &["api_function", "launches", "missing"],
        second: &["thread_id", "process_id", "recorded", "captured", "lost", "place", "remedy"],
        order: &["-lost", "-missing", "process_id", "thread_id", "api_function"],
        ..Layout::PLAIN
    },
};

/// Table `records` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<LaunchRecords> {
    TABLE.of(profile, |p| &p.ledger().launches)
}
