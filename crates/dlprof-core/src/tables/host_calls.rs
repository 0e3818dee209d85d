//! Table `host_calls`: API calls that a step should rarely make.

use super::layout::Layout;
use super::table::{Column, RowTable, Unit};
use crate::figures::activity::FunctionCalls;
use crate::figures::profile::Profile;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Columns of table `host_calls`.
pub static COLUMNS: LazyLock<Vec<Column<FunctionCalls>>> = LazyLock::new(|| {
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

/// How people see table `host_calls`.
pub const LAYOUT: Layout = Layout {
    first: &["api_function", "time_ns", "calls"],
    second: &["call_class"],
    order: &["-time_ns", "api_function"],
    ..Layout::PLAIN
};

/// Table `host_calls`.
#[must_use]
pub fn build<'a>(profile: &'a Profile) -> RowTable<'a, FunctionCalls> {
    let rows = Cow::Owned(profile.host_calls());
    RowTable { key: "host_calls", title: "Host Calls", columns: &COLUMNS, profile, rows }
}
