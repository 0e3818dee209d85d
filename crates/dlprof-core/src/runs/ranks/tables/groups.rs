//! Table `rank_groups`: ranks that do the same work.

use super::super::arithmetic::{cut_ns, median};
use super::super::groups::group_name;
use super::super::job::{Job, JobRank};
use super::super::steps::RankClass;
use super::communicators::listed;
use super::declaration::{JobColumn, JobDeclaration};
use super::shared::waiting;
use crate::tables::{Layout, Unit};
use std::sync::LazyLock;

/// A group, by its number.
type Row = usize;

/// Table `rank_groups`.
pub(super) static TABLE: JobDeclaration<Row> = JobDeclaration {
    key: "rank_groups",
    title: "Groups of Ranks",
    doc: "A row per group of ranks that do the same work; only these are compared.",
    columns: || &COLUMNS,
    layout: Layout::PLAIN,
};

/// Its rows.
pub(super) fn rows(job: &Job) -> Vec<Row> {
    (0..job.groups).collect()
}

fn members(job: &Job, row: Row) -> impl Iterator<Item = &JobRank> {
    job.ranks.iter().filter(move |rank| rank.group == row)
}

static COLUMNS: LazyLock<Vec<JobColumn<Row>>> = LazyLock::new(|| {
    const NS: Unit = Unit::Nanoseconds;
    vec![
        JobColumn::text("group", "Group", "Its letter.", |_, &row| group_name(row).into()),
        JobColumn::int("ranks", "Ranks", Unit::None, "How many ranks it has.", |job, &row| {
            (members(job, row).count() as u64).into()
        }),
        JobColumn::int("own_ns", "Own", NS, "Median of the own times of its ranks.", |job, &row| {
            median(members(job, row).map(|rank| rank.steps.own_ns)).into()
        }),
        JobColumn::int("compute_ns", "Compute", NS, "Median of the compute of its ranks.", |job, &row| {
            median(members(job, row).map(|rank| cut_ns(rank.steps.mean.of(RankClass::Compute)))).into()
        }),
        JobColumn::int("wait_ns", "Waiting", NS, "Mean of the waiting of its ranks.", |job, &row| {
            waiting(job, job.mean_wait_ns(row))
        }),
        JobColumn::text("members", "Members", "Its ranks.", |job, &row| {
            listed(members(job, row).map(|rank| rank.rank)).into()
        }),
    ]
});
