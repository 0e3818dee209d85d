//! Table `idle_functions`: functions that CPU samples found while GPUs waited.

use super::layout::Layout;
use super::table::{Column, RowTable, Unit};
use crate::base::ratios::count_to_f64;
use crate::figures::activity::IdleFunction;
use crate::figures::profile::Profile;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Columns of table `idle_functions`.
pub static COLUMNS: LazyLock<Vec<Column<IdleFunction>>> = LazyLock::new(|| {
    vec![
        Column::text(
            "role",
            "Role",
            "Whose samples: `issuing` for the thread waited for, `same_process` or `other_process` for other threads.",
            |_, row: &IdleFunction| row.role.as_str().into(),
        ),
        Column::text(
            "function",
            "Function",
            "Innermost function with a name; else the binary in brackets, or `[no stack]`.",
            |_, row| row.function.as_str().into(),
        ),
        Column::text("module", "Module", "The binary, without its folder.", |_, row| {
            row.module.as_str().into()
        }),
        Column::int("samples", "Samples", Unit::None, "CPU samples.", |_, row| row.samples.into()),
        Column::float(
            "percent",
            "Share",
            Unit::Percent,
            "Share of the samples of the role, in percent.",
            |p, row| {
                let all = p.idle_host().samples[row.role as usize].max(1);
                (count_to_f64(row.samples) / count_to_f64(all) * 100.0).into()
            },
        ),
    ]
});

/// How people see table `idle_functions`.
pub const LAYOUT: Layout = Layout {
    first: &["function", "percent", "samples"],
    second: &["role", "module"],
    order: &["-samples", "function"],
    ..Layout::PLAIN
};

/// Table `idle_functions`.
#[must_use]
pub fn build<'a>(profile: &'a Profile) -> RowTable<'a, IdleFunction> {
    let rows = Cow::Borrowed(profile.idle_host().functions.as_slice());
    RowTable { key: "idle_functions", title: "Functions While GPUs Idle", columns: &COLUMNS, profile, rows }
}
