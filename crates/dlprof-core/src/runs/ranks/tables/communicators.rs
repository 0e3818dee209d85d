//! Table `communicators`: who exchanges data with whom.

use super::super::communicator::Communicator;
use super::super::job::Job;
use super::declaration::{JobColumn, JobDeclaration};
use crate::tables::{Layout, Unit};
use std::sync::LazyLock;

/// A communicator, by its place.
type Row = usize;

/// Table `communicators`.
pub(super) static TABLE: JobDeclaration<Row> = JobDeclaration {
    key: "communicators",
    title: "Communicators",
    doc: "A row per communicator of which two ranks or more have captures.",
    columns: || &COLUMNS,
    layout: Layout::PLAIN,
};

/// Its rows.
pub(super) fn rows(job: &Job) -> Vec<Row> {
    (0..job.communicators.len()).collect()
}

fn of(job: &Job, row: Row) -> &Communicator {
    &job.communicators[row]
}

/// Numbers with spaces between them.
pub(super) fn listed(numbers: impl Iterator<Item = i64>) -> String {
    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
}

static COLUMNS: LazyLock<Vec<JobColumn<Row>>> = LazyLock::new(|| {
    vec![
        JobColumn::text(
            "communicator",
            "Communicator",
            "Its number, or a name made of what it does.",
            |job, &row| of(job, row).name.as_str().into(),
        ),
        JobColumn::int("size", "Size", Unit::None, "How many members it has.", |job, &row| {
            (of(job, row).size as u64).into()
        }),
        JobColumn::int("ranks", "Ranks", Unit::None, "How many of them have captures.", |job, &row| {
            (of(job, row).members.len() as u64).into()
        }),
        JobColumn::text(
            "matched_by",
            "Matched By",
            "How it was found: `payload` or `stream and time`.",
            |job, &row| of(job, row).matched_by.as_str().into(),
        ),
        JobColumn::text("members", "Members", "The ranks of these members.", |job, &row| {
            listed(of(job, row).members.iter().map(|(rank, _)| job.ranks[*rank].rank)).into()
        }),
    ]
});
