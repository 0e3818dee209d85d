//! Table `key_nodes`: what may delimit iterations, best first; the one in force is the first one if it was found.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::figures::profile::Profile;
use crate::steps::iterate::{DelimiterKind, IterationCandidate};

/// Columns of table `key_nodes`.
static COLUMNS: &[Column<IterationCandidate>] = &[
    Column::text(
        "key_node",
        "Key Node",
        "What `--key-node` takes: a range by its name or path; `range:` and its name where ops of that name run more or less \
         often; `kernels:`, a number of kernels and the first of them for a sequence.",
        |_, row| row.key_node.as_str().into(),
    ),
    Column::text("name", "Name", "Range, or kernel that begins a period.", |_, row| row.name.as_str().into()),
    Column::text(
        "section",
        "Section",
        "Names of the ranges around it; empty where these differ.",
        |_, row| row.section.as_str().into(),
    ),
    Column::text(
        "source",
        "Source",
        "`range`, or `kernel sequence` for a period of the kernels of a stream.",
        |_, row| row.kind.as_str().into(),
    ),
    Column::int(
        "period_kernels",
        "Kernels per Period",
        Unit::None,
        "Kernels and whole graph launches of a period; empty for ranges.",
        |_, row| {
            let kernels = match row.kind {
                DelimiterKind::Range => None,
                DelimiterKind::Period { kernels } => Some(kernels),
            };
            kernels.into()
        },
    ),
    Column::text(
        "hint",
        "Hint",
        "What the name says: `step`, `part` of a step, `layer`, `other` loop, or `neutral`.",
        |_, row| row.hint.as_str().into(),
    ),
    Column::int(
        "executions",
        "Executions",
        Unit::None,
        "Executions or periods on the thread that counts.",
        |_, row| (row.executions as u64).into(),
    ),
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
        "Share of the GPU time in its iterations.",
        |_, row| (row.coverage * 100.0).into(),
    ),
    Column::float(
        "regularity_percent",
        "Regularity",
        Unit::Percent,
        "Share of intervals with about the same number of kernels; for kernel sequences, with the same kernels.",
        |_, row| (row.regularity * 100.0).into(),
    ),
    Column::float(
        "score",
        "Score",
        Unit::None,
        "How likely it delimits iterations, from 0 to 1; 0.6 is needed to be chosen.",
        |_, row| row.score.into(),
    ),
    Column::text("confidence", "Confidence", "`low` (never chosen), `medium` or `high`.", |_, row| {
        row.confidence.as_str().into()
    }),
];

/// Table `key_nodes`.
pub(crate) static TABLE: Declaration<IterationCandidate> = Declaration {
    key: "key_nodes",
    title: "Key Nodes",
    doc: "What may delimit iterations, best first.",
    columns: || COLUMNS,
    layout: Layout {
        first: &["key_node", "executions", "score", "confidence"],
        second: &[
            "section",
            "interval_ns",
            "steadiness_percent",
            "coverage_percent",
            "regularity_percent",
            "hint",
        ],
        ..Layout::PLAIN
    },
};

/// Table `key_nodes` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<IterationCandidate> {
    TABLE.of(profile, |p| p.key_node_candidates())
}
