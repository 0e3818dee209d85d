//! Table `job`: the whole job in one row.

use super::super::arithmetic::whole_ns;
use super::super::job::{FileStatus, Job};
use super::super::steps::RankClass;
use super::declaration::{JobColumn, JobDeclaration};
use super::shared::{classes, mean_of, waiting};
use crate::tables::{Layout, Unit};
use std::sync::LazyLock;

/// Table `job`.
pub(super) static TABLE: JobDeclaration<()> = JobDeclaration {
    key: "job",
    title: "Job",
    doc: "One row: the whole job. Times are means over its ranks and steady iterations.",
    columns: || &COLUMNS,
    layout: Layout::RECORD,
};

/// Its rows.
pub(super) fn rows(_: &Job) -> Vec<()> {
    vec![()]
}

static COLUMNS: LazyLock<Vec<JobColumn<()>>> = LazyLock::new(|| {
    const NS: Unit = Unit::Nanoseconds;
    let mut columns: Vec<JobColumn<()>> = vec![
        JobColumn::int("ranks", "Ranks", Unit::None, "Number of ranks with a capture.", |job, ()| {
            (job.ranks.len() as u64).into()
        }),
        JobColumn::int(
            "world",
            "World",
            Unit::None,
            "Number of ranks of the job, also those without a capture.",
            |job, ()| job.world.into(),
        ),
        JobColumn::int(
            "captures",
            "Captures",
            Unit::None,
            "Number of captures that were read.",
            |job, ()| {
                let read = job.files.iter().filter(|file| file.status == FileStatus::Read).count();
                (read as u64).into()
            },
        ),
        JobColumn::int("iterations", "Iterations", Unit::None, "Number of steady iterations.", |job, ()| {
            (job.steady.len() as u64).into()
        }),
        JobColumn::int("length_ns", "Step", NS, "Mean length of a step.", |job, ()| {
            whole_ns(job.means.mean.length_ns).into()
        }),
        JobColumn::int(
            "own_max_ns",
            "Largest Own",
            NS,
            "The largest own time of a rank: its step without waiting for others.",
            |job, ()| job.own_ns().0.into(),
        ),
        JobColumn::int(
            "own_median_ns",
            "Median Own",
            NS,
            "The median of the own times of the ranks.",
            |job, ()| job.own_ns().1.into(),
        ),
        JobColumn::int("wait_ns", "Waiting", NS, "Waiting for other ranks.", |job, ()| {
            waiting(job, job.means.mean.wait_ns)
        }),
        JobColumn::int(
            "imbalance_ns",
            "Imbalance",
            NS,
            "Of the waiting, what the persistently slowest rank causes.",
            |job, ()| waiting(job, job.means.imbalance_ns),
        ),
        JobColumn::int(
            "other_wait_ns",
            "Other Waiting",
            NS,
            "The rest of the waiting: jitter and bubbles of the pipeline.",
            |job, ()| waiting(job, job.means.other_wait_ns),
        ),
        JobColumn::int(
            "wait_p2p_ns",
            "Waiting for One",
            NS,
            "Of the waiting, what is for one other rank: another stage of the pipeline.",
            |job, ()| waiting(job, job.means.mean.wait_p2p_ns),
        ),
        JobColumn::int(
            "communication_ns",
            "Communication",
            NS,
            "All communication, hidden or not.",
            |job, ()| whole_ns(job.means.mean.communication_ns).into(),
        ),
    ];
    columns.extend(classes([
        |job, ()| mean_of(job, &job.means.mean, RankClass::Compute),
        |job, ()| mean_of(job, &job.means.mean, RankClass::Transfer),
        |job, ()| mean_of(job, &job.means.mean, RankClass::Copy),
        |job, ()| mean_of(job, &job.means.mean, RankClass::Input),
        |job, ()| mean_of(job, &job.means.mean, RankClass::Cpu),
        |job, ()| mean_of(job, &job.means.mean, RankClass::Sync),
        |job, ()| mean_of(job, &job.means.mean, RankClass::Other),
    ]));
    columns.extend([
        JobColumn::int(
            "replay_ns",
            "Replayed Step",
            NS,
            "Mean length of a step, replayed as it was; empty where no collective closes steps.",
            |job, ()| job.replay_ns.map(whole_ns).into(),
        ),
        JobColumn::int(
            "saving_ns",
            "Saving",
            NS,
            "What a step would be shorter if nobody waited for the ranks that lag, by replay.",
            |job, ()| job.saving_ns.map(whole_ns).into(),
        ),
        JobColumn::text("identity", "Ranks By", "Where the numbers of the ranks are from.", |job, ()| {
            job.rank_source.as_str().into()
        }),
        JobColumn::text(
            "iterations_by",
            "Iterations By",
            "Where the common numbers of the iterations are from.",
            |job, ()| job.iteration_source.as_str().into(),
        ),
        JobColumn::int(
            "clock_error_ns",
            "Clock Error",
            NS,
            "How far the clock of any rank may be off.",
            |job, ()| job.clock_error().0.into(),
        ),
        JobColumn::float(
            "items_per_s",
            "Items",
            Unit::PerSecond,
            "Items of the whole job per second; empty if the number of items of a step was not given.",
            |job, ()| job.items_per_s.into(),
        ),
    ]);
    columns
});
