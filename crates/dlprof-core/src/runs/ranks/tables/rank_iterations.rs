//! Table `rank_iterations`: what each rank did in each steady iteration.

use super::super::job::Job;
use super::super::steps::{RankClass, StepTimes};
use super::declaration::{JobColumn, JobDeclaration};
use super::shared::{classes, step_of};
use crate::base::time::Ns;
use crate::tables::{Layout, Unit};
use std::sync::LazyLock;

/// What a rank did in an iteration.
pub(super) struct Row {
    iteration: i64,
    rank: i64,
    lag_ns: Ns,
    step: StepTimes,
}

/// Table `rank_iterations`.
pub(super) static TABLE: JobDeclaration<Row> = JobDeclaration {
    key: "rank_iterations",
    title: "Iterations of Ranks",
    doc: "A row per steady iteration and rank.",
    columns: || &COLUMNS,
    layout: Layout { first: &["iteration", "rank", "own_ns", "lag_ns", "wait_ns"], ..Layout::PLAIN },
};

pub(super) fn rows(job: &Job) -> Vec<Row> {
    let row = |iteration: i64| {
        job.ranks.iter().filter_map(move |rank| {
            let step = *rank.steps.of.get(&iteration)?;
            let lag_ns = rank.lag.of.get(&iteration).copied().unwrap_or(0);
            Some(Row { iteration, rank: rank.rank, lag_ns, step })
        })
    };
    job.steady.iter().copied().flat_map(row).collect()
}

static COLUMNS: LazyLock<Vec<JobColumn<Row>>> = LazyLock::new(|| {
    const NS: Unit = Unit::Nanoseconds;
    let mut columns: Vec<JobColumn<Row>> = vec![
        JobColumn::int(
            "iteration",
            "Iteration",
            Unit::None,
            "Common number of the iteration.",
            |_, row: &Row| row.iteration.into(),
        ),
        JobColumn::int("rank", "Rank", Unit::None, "Number of the rank.", |_, row| row.rank.into()),
        JobColumn::int("length_ns", "Step", NS, "Length of the step on the clock of the rank.", |_, row| {
            row.step.length_ns.into()
        }),
        JobColumn::int("own_ns", "Own", NS, "The step without waiting for others.", |_, row| {
            row.step.own_ns().into()
        }),
        JobColumn::int(
            "lag_ns",
            "Lag",
            NS,
            "Its own time less the median of the other members of its group.",
            |_, row| row.lag_ns.into(),
        ),
        JobColumn::int("wait_ns", "Waiting", NS, "Waiting for other ranks.", |job, row| {
            job.has_waiting().then_some(row.step.wait_ns).into()
        }),
    ];
    columns.extend(classes([
        |job, row: &Row| step_of(job, &row.step, RankClass::Compute),
        |job, row: &Row| step_of(job, &row.step, RankClass::Transfer),
        |job, row: &Row| step_of(job, &row.step, RankClass::Copy),
        |job, row: &Row| step_of(job, &row.step, RankClass::Input),
        |job, row: &Row| step_of(job, &row.step, RankClass::Cpu),
        |job, row: &Row| step_of(job, &row.step, RankClass::Sync),
        |job, row: &Row| step_of(job, &row.step, RankClass::Other),
    ]));
    columns
});
