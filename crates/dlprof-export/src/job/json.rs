//! A job as one JSON object: verdict, and tables with their columns as they are declared.

use super::blocks::Times;
use super::text::verdict;
use crate::display::TimeUnit;
use crate::formats::json::{Tables, write_rows};
use dlprof_core::{FileStatus, JOB_TABLES, Job, Ns, Table};
use serde::Serialize;
use std::io::{self, Write};
use std::sync::Arc;

/// Tables with a row per collective or iteration, which would be most of the object; `show` and `export` have them.
const LEFT_OUT: [&str; 2] = ["collectives", "rank_iterations"];

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    source: JobSource,
    verdict: String,
    step_ns: Ns,
    steady_iterations: &'a [i64],
    missing_ranks: &'a [i64],
    tables: Tables<'a>,
}

/// What files of a job were made from.
#[derive(Serialize)]
pub(super) struct JobSource {
    tool: &'static str,
    tool_version: &'static str,
    captures: Vec<SourceCapture>,
}

/// A capture of a job.
#[derive(Serialize)]
struct SourceCapture {
    path: String,
    status: String,
    ranks: usize,
}

impl JobSource {
    pub(super) fn of(job: &Job) -> Self {
        let capture = |file: &dlprof_core::JobFile| {
            let path = std::path::absolute(&file.file).unwrap_or_else(|_| file.file.clone());
            SourceCapture {
                path: path.to_string_lossy().into_owned(),
                status: FileStatus::in_words(&file.status),
                ranks: file.ranks,
            }
        };
        Self {
            tool: "dlprof-agg",
            tool_version: env!("CARGO_PKG_VERSION"),
            captures: job.files.iter().map(capture).collect(),
        }
    }
}

/// Writes a job as one JSON object with some tables.
pub(super) fn write(job: &Job, tables: &[Box<dyn Table + '_>], out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        source: JobSource::of(job),
        verdict: verdict(job, Times::of(job, TimeUnit::Auto)),
        step_ns: job.step_ns,
        steady_iterations: &job.steady,
        missing_ranks: job.known_missing(),
        tables: Tables { tables },
    };
    write_rows(&document, out)
}

/// A job as one JSON object, with a line end after it.
#[must_use]
pub fn job_json(job: &Arc<Job>) -> String {
    let wanted = JOB_TABLES.iter().filter(|table| !LEFT_OUT.contains(&table.key));
    let tables: Vec<Box<dyn Table>> = wanted.map(|table| (table.build)(job)).collect();
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = write(job, &tables, &mut text);
    String::from_utf8(text).unwrap_or_default()
}
