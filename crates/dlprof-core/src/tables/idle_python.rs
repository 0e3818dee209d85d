//! Table `idle_python`: Python functions in which threads were while GPUs waited for them.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::figures::activity::IdleFrame;
use crate::figures::profile::Profile;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Columns of table `idle_python`.
static COLUMNS: LazyLock<Vec<Column<IdleFrame>>> = LazyLock::new(|| {
    vec![
        Column::text(
            "function",
            "Function",
            "Innermost Python function: file, line and name; `[no function]` outside of all functions.",
            |p, row: &IdleFrame| {
                row.function(&p.capture.strings).map_or("[no function]".to_owned(), Cow::into_owned).into()
            },
        ),
        Column::int(
            "waiting_ns",
            "GPUs Waited",
            Unit::Nanoseconds,
            "How long GPUs waited for the thread while it was in the function.",
            |_, row| row.waiting_ns.into(),
        ),
    ]
});

/// Table `idle_python`.
pub(crate) static TABLE: Declaration<IdleFrame> = Declaration {
    key: "idle_python",
    title: "Python Functions While GPUs Idle",
    doc: "A row per Python function that a thread was in while GPUs waited for it, where torch.profiler recorded stacks. Samples \
          of the CPU are in `idle_functions`.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["function", "waiting_ns"],
        order: &["-waiting_ns", "function"],
        sums: &["waiting_ns"],
        ..Layout::PLAIN
    },
};

/// Table `idle_python` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<IdleFrame> {
    TABLE.with(profile, profile.idle_python())
}
