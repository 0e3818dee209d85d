//! Table `diagnostics`: what was odd about the input.

use super::layout::Layout;
use super::table::{Column, RowTable, Unit};
use crate::base::diagnostics::Diagnostic;
use crate::figures::profile::Profile;
use std::borrow::Cow;

/// Columns of table `diagnostics`.
pub static COLUMNS: &[Column<Diagnostic>] = &[
    Column::text("code", "Code", "Stable name.", |_, row| row.code.key().into()),
    Column::text("severity", "Severity", "`note`, or `warning` where figures are affected.", |_, row| {
        row.code.severity().as_str().into()
    }),
    Column::int("count", "Count", Unit::None, "How often it was met.", |_, row| row.count.into()),
    Column::text("meaning", "Meaning", "What was counted.", |_, row| row.code.meaning().into()),
    Column::text("examples", "Examples", "The first few cases.", |_, row| row.examples.join("; ").into()),
    Column::text("hint", "Hint", "What to do about it.", |_, row| row.code.hint().into()),
];

/// How people see table `diagnostics`.
pub const LAYOUT: Layout = Layout {
    first: &["code", "count", "severity"],
    second: &["meaning", "hint"],
    sentences: &["meaning", "examples", "hint"],
    ..Layout::PLAIN
};

/// Table `diagnostics`.
#[must_use]
pub fn build<'a>(profile: &'a Profile) -> RowTable<'a, Diagnostic> {
    let rows = Cow::Borrowed(profile.diagnostics.as_slice());
    RowTable { key: "diagnostics", title: "Diagnostics", columns: COLUMNS, profile, rows }
}
