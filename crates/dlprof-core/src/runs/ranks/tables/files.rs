//! Table `rank_files`: what became of each capture that was named.

use super::super::job::{FileStatus, Job, JobFile};
use super::declaration::{JobColumn, JobDeclaration};
use crate::tables::{Layout, Unit};
use std::sync::LazyLock;

/// A capture, by its place.
type Row = usize;

/// Table `rank_files`.
pub(super) static TABLE: JobDeclaration<Row> = JobDeclaration {
    key: "rank_files",
    title: "Captures of the Job",
    doc: "A row per capture that was named, also those that cannot be read.",
    columns: || &COLUMNS,
    layout: Layout { sentences: &["status"], ..Layout::PLAIN },
};

/// Its rows.
pub(super) fn rows(job: &Job) -> Vec<Row> {
    (0..job.files.len()).collect()
}

fn of(job: &Job, row: Row) -> &JobFile {
    &job.files[row]
}

impl FileStatus {
    /// The words for people and tables.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Read => "read".into(),
            Self::Unreadable(reason) => format!("unreadable: {reason}"),
            Self::SameAs(file) => {
                format!("the same capture as {}", file.file_name().unwrap_or_default().to_string_lossy())
            }
            Self::OtherRun => "of another run".into(),
            Self::OtherSession { number } => format!("of another session: `--session {number}` takes it"),
            Self::NoWork => "has no GPU work".into(),
        }
    }
}

static COLUMNS: LazyLock<Vec<JobColumn<Row>>> = LazyLock::new(|| {
    vec![
        JobColumn::text("file", "File", "The capture as it was named.", |job, &row| {
            of(job, row).file.to_string_lossy().into_owned().into()
        }),
        JobColumn::text("status", "Status", "`read`, or why it does not count.", |job, &row| {
            of(job, row).status.in_words().into()
        }),
        JobColumn::int("ranks", "Ranks", Unit::None, "How many ranks are from it.", |job, &row| {
            (of(job, row).ranks as u64).into()
        }),
    ]
});
