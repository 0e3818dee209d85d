//! Table `collective_kinds`: collectives by kind, bytes and size of the communicator.

use super::super::job::Job;
use super::declaration::{JobColumn, JobDeclaration};
use crate::runs::ranks::kinds_of_collectives::CollectivesOfKind;
use crate::tables::{Layout, Unit};
use std::sync::LazyLock;

/// Table `collective_kinds`.
pub(super) static TABLE: JobDeclaration<CollectivesOfKind> = JobDeclaration {
    key: "collective_kinds",
    title: "Kinds of Collectives",
    doc: "A row per kind, bytes and size of the communicator, over all steady iterations.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["kind", "bytes", "transfer_ns", "wait_mean_ns", "bus_gb_per_s"],
        second: &["ranks", "per_iteration", "arrival_skew_median_ns", "last_rank", "last_percent"],
        ..Layout::PLAIN
    },
};

/// Its rows.
pub(super) fn rows(job: &Job) -> Vec<CollectivesOfKind> {
    job.collective_kinds()
}

static COLUMNS: LazyLock<Vec<JobColumn<CollectivesOfKind>>> = LazyLock::new(|| {
    const NS: Unit = Unit::Nanoseconds;
    vec![
        JobColumn::text("kind", "Kind", "What they do.", |_, row: &CollectivesOfKind| {
            row.kind.as_str().into()
        }),
        JobColumn::int(
            "bytes",
            "Bytes",
            Unit::Bytes,
            "Bytes of the message, of one member; empty if the export does not say.",
            |_, row| row.bytes.into(),
        ),
        JobColumn::int("ranks", "Ranks", Unit::None, "Members of a communicator.", |_, row| {
            (row.size as u64).into()
        }),
        JobColumn::int("communicators", "Communicators", Unit::None, "Number of communicators.", |_, row| {
            (row.communicators as u64).into()
        }),
        JobColumn::float(
            "per_iteration",
            "Per Iteration",
            Unit::None,
            "Collectives of one communicator in an iteration.",
            |_, row| row.per_iteration.into(),
        ),
        JobColumn::int("transfer_ns", "Transfer", NS, "Median of the shortest durations.", |_, row| {
            row.transfer_ns.into()
        }),
        JobColumn::int("wait_mean_ns", "Waiting", NS, "Mean waiting of a member.", |_, row| {
            row.wait_mean_ns.into()
        }),
        JobColumn::int(
            "arrival_skew_median_ns",
            "Median Skew",
            NS,
            "Median of the times from the first arrival to the last.",
            |_, row| row.skew_median_ns.into(),
        ),
        JobColumn::int("arrival_skew_p90_ns", "P90 Skew", NS, "90 % quantile of these times.", |_, row| {
            row.skew_p90_ns.into()
        }),
        JobColumn::float(
            "bus_gb_per_s",
            "Bus",
            Unit::GigabytesPerSecond,
            "Median speed as it loads the link of a member.",
            |_, row| row.bus_gb_per_s.into(),
        ),
        JobColumn::int(
            "last_rank",
            "Last Rank",
            Unit::None,
            "The rank that arrives last most often. Empty where none ever does alone.",
            |_, row| row.last.map(|(rank, _)| rank).into(),
        ),
        JobColumn::float(
            "last_percent",
            "Last",
            Unit::Percent,
            "Share of the collectives in which it does.",
            |_, row| row.last.map(|(_, percent)| percent).into(),
        ),
    ]
});
