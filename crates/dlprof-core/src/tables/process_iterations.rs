//! Table `process_iterations`: iterations as each process sees them, where several run the key node.

use super::layout::Layout;
use super::shared;
use super::table::{Column, RowTable, Unit};
use crate::figures::profile::Profile;
use crate::steps::index::ProcessIterationStats;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Columns of table `process_iterations`.
pub static COLUMNS: LazyLock<Vec<Column<ProcessIterationStats>>> = LazyLock::new(|| {
    let mut columns = vec![
        Column::int(
            "process_id",
            "Process ID",
            Unit::None,
            "The process.",
            |p, row: &ProcessIterationStats| p.capture.processes[row.process.index()].pid().into(),
        ),
        Column::int(
            "iteration",
            "Iteration",
            Unit::None,
            "Number of the iteration in the process.",
            |_, row| row.iteration.into(),
        ),
    ];
    columns.push(Column::flag(
        "outside",
        "Outside",
        "Whether it is no iteration but lies between runs of them, or behind the last one.",
        |_, row| row.is_outside.into(),
    ));
    columns.extend(shared::span());
    columns.extend(shared::kernel_sums());
    columns
});

/// How people see table `process_iterations`.
pub const LAYOUT: Layout = Layout {
    first: &["process_id", "iteration", "duration_ns"],
    second: &["kernel_calls", "kernel_gpu_time_ns", "start_ns", "outside"],
    order: &["process_id", "iteration"],
    starts: &["start_ns"],
    ..Layout::PLAIN
};

/// Table `process_iterations`.
#[must_use]
pub fn build<'a>(profile: &'a Profile) -> RowTable<'a, ProcessIterationStats> {
    let rows = Cow::Borrowed(profile.process_iterations());
    RowTable { key: "process_iterations", title: "Iterations by Process", columns: &COLUMNS, profile, rows }
}
