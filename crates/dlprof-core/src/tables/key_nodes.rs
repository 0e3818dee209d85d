//! Table `key_nodes`: what may delimit iterations, best first.

use super::table::{Column, RowTable, Unit};
use crate::aggregate::Profile;
use crate::iterate::Candidate;
use std::borrow::Cow;

/// Columns of table `key_nodes`.
pub static COLUMNS: &[Column<Candidate>] = &[
    Column::text("name", "Name", "Op, range, or kernel that begins a repeated sequence.", |_, row| {
        row.name.as_str().into()
    }),
    Column::text("source", "Source", "`op`, `operator`, `range` or `kernel sequence`.", |_, row| {
        row.kind.as_str().into()
    }),
    Column::int("executions", "Executions", Unit::None, "Executions on the thread that counts.", |_, row| {
        (row.executions as u64).into()
    }),
    Column::int("interval_ns", "Interval", Unit::Nanoseconds, "Median time between executions.", |_, row| {
        row.interval_ns.into()
    }),
    Column::float(
        "steadiness_percent",
        "Steadiness",
        Unit::Percent,
        "Share of intervals within 35 % of the median.",
        |_, row| (row.steadiness * 100.0).into(),
    ),
    Column::float(
        "coverage_percent",
        "Coverage",
        Unit::Percent,
        "Share of the GPU time in the intervals; for kernel sequences, in equal ones.",
        |_, row| (row.coverage * 100.0).into(),
    ),
    Column::float(
        "regularity_percent",
        "Regularity",
        Unit::Percent,
        "Share of intervals with about the same number of kernels; for kernel sequences, with the same kernels.",
        |_, row| (row.regularity * 100.0).into(),
    ),
    Column::float("score", "Score", Unit::None, "From 0 to 1; 0.6 is needed to be chosen.", |_, row| {
        row.score.into()
    }),
    Column::text("confidence", "Confidence", "`low` (never chosen), `medium` or `high`.", |_, row| {
        row.confidence().as_str().into()
    }),
];

/// Table `key_nodes`. Empty where the key node was named and nothing was searched.
#[must_use]
pub fn build<'a>(profile: &'a Profile<'a>) -> RowTable<'a, Candidate> {
    let rows = Cow::Borrowed(profile.iterations.candidates.as_slice());
    RowTable { key: "key_nodes", title: "Key Nodes", columns: COLUMNS, profile, rows }
}
