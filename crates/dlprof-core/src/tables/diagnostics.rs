//! Table `diagnostics`: what was odd about the input.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::base::diagnostics::Diagnostic;
use crate::capture::hint_in;
use crate::figures::profile::Profile;

/// Columns of table `diagnostics`.
static COLUMNS: &[Column<Diagnostic>] = &[
    Column::text("code", "Code", "Stable name.", |_, row| row.code.key().into()),
    Column::text("severity", "Severity", "`note`, or `warning` where figures are affected.", |_, row| {
        row.code.severity().as_str().into()
    }),
    Column::int("count", "Count", Unit::None, "How often it was met.", |_, row| row.count.into()),
    Column::text("meaning", "Meaning", "What was counted.", |_, row| row.code.meaning().into()),
    Column::text("examples", "Examples", "The first few cases.", |_, row| row.examples.join("; ").into()),
    Column::text("hint", "Hint", "What to do about it.", |p, row| hint_in(row.code, Some(&p.capture)).into()),
];

/// Table `diagnostics`.
pub(crate) static TABLE: Declaration<Diagnostic> = Declaration {
    key: "diagnostics",
    title: "Diagnostics",
    doc: "What was odd about the capture, counted.",
    columns: || COLUMNS,
    layout: Layout {
        first: &["code", "count", "severity"],
        second: &["meaning", "hint"],
        sentences: &["meaning", "examples", "hint"],
        ..Layout::PLAIN
    },
};

/// Table `diagnostics` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<Diagnostic> {
    TABLE.of(profile, |p| &p.diagnostics)
}
