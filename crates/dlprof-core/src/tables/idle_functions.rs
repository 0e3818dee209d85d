//! Table `idle_functions`: functions that CPU samples found while GPUs waited.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::base::ratios::count_to_f64;
use crate::figures::activity::IdleFunction;
use crate::figures::profile::Profile;
use std::sync::LazyLock;

/// Columns of table `idle_functions`.
static COLUMNS: LazyLock<Vec<Column<IdleFunction>>> = LazyLock::new(|| {
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

/// Table `idle_functions`.
pub(crate) static TABLE: Declaration<IdleFunction> = Declaration {
    key: "idle_functions",
    title: "Functions While GPUs Idle",
    doc: "A row per function that CPU samples found while GPUs waited.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["function", "percent", "samples"],
        second: &["role", "module"],
        order: &["-samples", "function"],
        ..Layout::PLAIN
    },
};

/// Table `idle_functions` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<IdleFunction> {
    TABLE.of(profile, |p| &p.idle_host().functions)
}
