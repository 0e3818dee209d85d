//! Table `dimensions`: how the work of the job is divided, and the exchange that each way exposes.

use super::super::arithmetic::{of_count, whole_ns};
use super::super::dimensions::DimensionOfJob;
use super::super::job::Job;
use super::declaration::{JobColumn, JobDeclaration};
use crate::tables::{Layout, Unit};
use std::sync::LazyLock;

/// A dimension, by its place, and a rank by its place; none for the mean of all.
type Row = (usize, Option<usize>);

/// Table `dimensions`.
pub(super) static TABLE: JobDeclaration<Row> = JobDeclaration {
    key: "dimensions",
    title: "Dimensions of Parallelism",
    doc: "A row per dimension of parallelism for the job, and one per dimension and rank.",
    columns: || &COLUMNS,
    layout: Layout::PLAIN,
};

/// Its rows: those of the job first.
pub(super) fn rows(job: &Job) -> Vec<Row> {
    let all = 0..job.dimensions.len();
    let of_ranks = all.clone().flat_map(|at| (0..job.ranks.len()).map(move |rank| (at, Some(rank))));
    all.map(|at| (at, None)).chain(of_ranks).collect()
}

fn of(job: &Job, row: Row) -> &DimensionOfJob {
    &job.dimensions[row.0]
}

fn exposed_ns(job: &Job, row: Row) -> f64 {
    let exposed = &of(job, row).exposed_ns;
    let mean = || exposed.iter().sum::<f64>() / of_count(exposed.len().max(1));
    row.1.map_or_else(mean, |rank| exposed[rank])
}

static COLUMNS: LazyLock<Vec<JobColumn<Row>>> = LazyLock::new(|| {
    vec![
        JobColumn::text(
            "dimension",
            "Dimension",
            "`data`, `tensor`, `pipeline` or `expert` parallelism, or `unknown`.",
            |job, &row| of(job, row).dimension.as_str().into(),
        ),
        JobColumn::int(
            "rank",
            "Rank",
            Unit::None,
            "The rank; empty for the mean of all ranks.",
            |job, &row| row.1.map(|rank| job.ranks[rank].rank).into(),
        ),
        JobColumn::int(
            "size",
            "Size",
            Unit::None,
            "How many members its communicators have.",
            |job, &row| (of(job, row).size as u64).into(),
        ),
        JobColumn::int(
            "communicators",
            "Communicators",
            Unit::None,
            "How many communicators it has.",
            |job, &row| (of(job, row).communicators as u64).into(),
        ),
        JobColumn::text("kinds", "Kinds", "What it carries, the most frequent first.", |job, &row| {
            let kinds: Vec<&str> = of(job, row).kinds.iter().map(|kind| kind.as_str()).collect();
            kinds.join(" ").into()
        }),
        JobColumn::float(
            "per_step",
            "Per Step",
            Unit::None,
            "Collectives of a communicator in a step.",
            |job, &row| of(job, row).per_step.into(),
        ),
        JobColumn::int(
            "exposed_ns",
            "Exposed",
            Unit::Nanoseconds,
            "Its exchange per step that no compute hides, waiting for others included.",
            |job, &row| whole_ns(exposed_ns(job, row)).into(),
        ),
        JobColumn::float(
            "exposed_percent",
            "Exposed Share",
            Unit::Percent,
            "The same in percent of a step.",
            |job, &row| job.percent_of_step(exposed_ns(job, row)).into(),
        ),
    ]
});
