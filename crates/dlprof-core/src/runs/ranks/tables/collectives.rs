//! Table `collectives`: every collective of a steady iteration, with all its members.

use super::super::clocks::CommonEnd;
use super::super::instances::Instance;
use super::super::job::Job;
use super::declaration::{JobColumn, JobDeclaration};
use crate::tables::{Layout, Unit};
use std::sync::LazyLock;

/// A collective, by its place.
type Row = usize;

/// Table `collectives`.
pub(super) static TABLE: JobDeclaration<Row> = JobDeclaration {
    key: "collectives",
    title: "Collectives",
    doc: "A row per collective of a steady iteration, over all ranks that take part.",
    columns: || &COLUMNS,
    layout: Layout {
        first: &["iteration", "kind", "bytes", "transfer_ns", "arrival_skew_ns", "last_rank"],
        second: &["gap_ns", "wait_sum_ns", "bus_gb_per_s", "ranks", "communicator"],
        ..Layout::PLAIN
    },
};

/// Its rows.
pub(super) fn rows(job: &Job) -> Vec<Row> {
    (0..job.instances.len()).collect()
}

fn of(job: &Job, row: Row) -> &Instance {
    &job.instances[row].0
}

fn end(job: &Job, row: Row) -> &CommonEnd {
    &job.instances[row].1
}

static COLUMNS: LazyLock<Vec<JobColumn<Row>>> = LazyLock::new(|| {
    const NS: Unit = Unit::Nanoseconds;
    vec![
        JobColumn::int(
            "iteration",
            "Iteration",
            Unit::None,
            "Common number of the iteration in which it is called.",
            |job, &row| of(job, row).iteration.into(),
        ),
        JobColumn::text("communicator", "Communicator", "Its communicator.", |job, &row| {
            job.communicators[of(job, row).communicator].name.as_str().into()
        }),
        JobColumn::int(
            "order",
            "Order",
            Unit::None,
            "Its place among those of the communicator in the iteration, from 0.",
            |job, &row| (of(job, row).order as u64).into(),
        ),
        JobColumn::text("kind", "Kind", "What it does.", |job, &row| of(job, row).kind.as_str().into()),
        JobColumn::int(
            "bytes",
            "Bytes",
            Unit::Bytes,
            "Bytes of the message, of one member; empty if the export does not say.",
            |job, &row| of(job, row).bytes.into(),
        ),
        JobColumn::int(
            "ranks",
            "Ranks",
            Unit::None,
            "Members with a capture that take part.",
            |job, &row| (of(job, row).ranks() as u64).into(),
        ),
        JobColumn::int(
            "missing",
            "Missing",
            Unit::None,
            "Other members of the communicator.",
            |job, &row| (of(job, row).missing as u64).into(),
        ),
        JobColumn::int(
            "first_rank",
            "First Rank",
            Unit::None,
            "The rank that waits longest.",
            |job, &row| job.ranks[of(job, row).first].rank.into(),
        ),
        JobColumn::int(
            "last_rank",
            "Last Rank",
            Unit::None,
            "The rank that arrives last. Empty where several arrive together.",
            |job, &row| of(job, row).only_last().map(|last| job.ranks[last].rank).into(),
        ),
        JobColumn::int(
            "arrival_skew_ns",
            "Skew",
            NS,
            "From the first arrival to the last: the longest duration less the shortest.",
            |job, &row| of(job, row).arrival_skew_ns.into(),
        ),
        JobColumn::int(
            "gap_ns",
            "Gap",
            NS,
            "The second shortest duration less the shortest: what the last one alone costs.",
            |job, &row| of(job, row).gap_ns.into(),
        ),
        JobColumn::int("transfer_ns", "Transfer", NS, "The shortest duration.", |job, &row| {
            of(job, row).transfer_ns.into()
        }),
        JobColumn::int("wait_sum_ns", "Waiting", NS, "The waiting of all members.", |job, &row| {
            of(job, row).wait_sum_ns.into()
        }),
        JobColumn::int(
            "end_skew_ns",
            "End Skew",
            NS,
            "How far its members are from ending together, on the common clock.",
            |job, &row| end(job, row).skew_ns.into(),
        ),
        JobColumn::float(
            "algorithm_gb_per_s",
            "Algorithm",
            Unit::GigabytesPerSecond,
            "Bytes over the transfer.",
            |job, &row| of(job, row).algorithm_gb_per_s().into(),
        ),
        JobColumn::float(
            "bus_gb_per_s",
            "Bus",
            Unit::GigabytesPerSecond,
            "The same as it loads the link of a member, as nccl-tests count it.",
            |job, &row| of(job, row).bus_gb_per_s().into(),
        ),
    ]
});
