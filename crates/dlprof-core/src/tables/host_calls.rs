//! Table `host_calls`: API calls that a step should rarely make.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::figures::activity::FunctionCalls;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `host_calls`.
static COLUMNS: LazyLock<Vec<Column<FunctionCalls>>> = LazyLock::new(|| {
    vec![
        Column::text("call_class", "Class", "`sync`, `allocation` or `setup`.", |_, row: &FunctionCalls| {
            row.class.as_str().into()
        }),
        Column::text("api_function", "API Function", "Name, with its version suffix.", |p, row| {
            p.capture.strings.get(row.function).into()
        }),
        Column::int(
            "calls",
            "Calls",
            Unit::None,
            "Calls that start in the aggregated iterations.",
            |_, row| row.sum.calls.into(),
        ),
        Column::int("time_ns", "Time", Unit::Nanoseconds, "Plain sum of their durations.", |_, row| {
            row.sum.time_ns.into()
        }),
    ]
});

/// Table `host_calls`.
pub(crate) static TABLE: Declaration<FunctionCalls> = Declaration {
    key: "host_calls",
    title: "Host Calls",
    doc: "A row per API function that waits, allocates or sets up in the aggregated iterations.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["api_function", "time_ns", "calls"],
        second: &["call_class"],
        order: &["-time_ns", "api_function"],
        sums: &["time_ns", "calls"],
        ..Layout::PLAIN
    },
};

/// Table `host_calls` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<FunctionCalls> {
    TABLE.with(profile, profile.host_calls())
}
