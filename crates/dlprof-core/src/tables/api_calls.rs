//! Table `api_calls`: API calls of the whole capture by function and by what their thread does.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::capture::names::ApiClass;
use crate::figures::by_name::ApiFunctionSums;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `api_calls`.
static COLUMNS: LazyLock<Vec<Column<ApiFunctionSums>>> = LazyLock::new(|| {
    let mut columns: Vec<Column<ApiFunctionSums>> = vec![
        Column::text(
            "api_function",
            "API Function",
            "Name, with its version suffix.",
            |p, row: &ApiFunctionSums| p.capture.strings.get(row.function).into(),
        ),
        Column::text(
            "call_class",
            "Class",
            "What the function is for: `launch`, `sync`, `copy`, `allocation`, `setup` or `api`.",
            |p, row| ApiClass::of(p.capture.strings.get(row.function)).as_str().into(),
        ),
        Column::text(
            "thread_class",
            "Thread Class",
            "`main` for the thread that launches most of its process, `launching` for others that launch, else `other`.",
            |_, row| row.thread.as_str().into(),
        ),
    ];
    columns.extend(sums());
    columns
});

fn sums() -> [Column<ApiFunctionSums>; 4] {
    [
        Column::int("calls", "Calls", Unit::None, "Calls in the whole capture.", |_, row| row.calls.into()),
        Column::int("time_ns", "Time", Unit::Nanoseconds, "Plain sum of their durations.", |_, row| {
            row.time_ns.into()
        }),
        Column::int(
            "calls_in_iterations",
            "Calls in Iterations",
            Unit::None,
            "Calls that start in an aggregated iteration.",
            |_, row| row.calls_in_iterations.into(),
        ),
        Column::int(
            "time_in_iterations_ns",
            "Time in Iterations",
            Unit::Nanoseconds,
            "Plain sum of their durations inside the aggregated iterations.",
            |_, row| row.time_in_iterations_ns.into(),
        ),
    ]
}

/// Table `api_calls`.
pub(crate) static TABLE: Declaration<ApiFunctionSums> = Declaration {
    key: "api_calls",
    title: "API Calls",
    doc: "A row per API function and class of thread, over the whole capture.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["api_function", "time_ns", "calls"],
        second: &["call_class", "thread_class", "time_in_iterations_ns", "calls_in_iterations"],
        order: &["-time_ns", "api_function"],
        ..Layout::PLAIN
    },
};

/// Table `api_calls` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<ApiFunctionSums> {
    TABLE.with(profile, profile.api_functions())
}
