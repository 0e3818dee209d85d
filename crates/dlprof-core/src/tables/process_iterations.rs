//! Table `process_iterations`: iterations as each process sees them, where several run the key node.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::shared;
use super::table::{Column, Unit};
use crate::figures::profile::Profile;
use crate::steps::index::ProcessIterationStats;
use std::sync::LazyLock;

/// Columns of table `process_iterations`.
static COLUMNS: LazyLock<Vec<Column<ProcessIterationStats>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<ProcessIterationStats>> = vec![
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
        "True for time between runs of iterations, or after the last one.",
        |_, row| row.is_outside.into(),
    ));
    columns.extend(shared::span());
    columns.extend(shared::launched_kernel_sums());
    columns
});

/// Table `process_iterations`.
pub(crate) static TABLE: Declaration<ProcessIterationStats> = Declaration {
    key: "process_iterations",
    title: "Iterations by Process",
    doc: "A row per process and iteration, where several processes run the key node.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["process_id", "iteration", "duration_ns"],
        second: &["kernel_calls", "kernel_gpu_time_ns", "start_ns", "outside"],
        order: &["process_id", "iteration"],
        starts: &["start_ns"],
        ..Layout::PLAIN
    },
};

/// Table `process_iterations` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<ProcessIterationStats> {
    TABLE
        .of(profile, |p| p.process_iterations())
        .where_gpu_is_known(|p, row| p.knows_gpu_work_in(row.iteration) && p.has_records_of(row.process))
}
