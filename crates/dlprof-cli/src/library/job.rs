//! Many ranks of one job.

use super::asked::Asked;
use super::refusal::Refusal;
use super::report::{ReportFile, inputs, output};
use super::rows::RowsAsked;
use crate::commands::ranks::{JobOfCaptures, list_of, rank_pattern};
use crate::exit::Failure;
use dlprof_core::{DefaultRange, JOB_TABLES, Job, JobTableDefinition, View, job_table};
use dlprof_export::{JobPlan, Overwrite, TimeUnit};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

/// A job whose captures are read.
#[derive(Clone)]
pub struct OpenedJob {
    /// The job.
    pub job: Arc<Job>,
    /// What it is called.
    pub name: String,
    /// What it was read from.
    files: Vec<PathBuf>,
}

/// Reads the captures of a job: files, folders, patterns and lists. `on_captures` is told again and again how many are read, of
/// how many; a break ends it.
///
/// # Errors
/// If there are fewer than two captures that can be read, if they are not of one job, or if the work was ended.
pub fn open_job(
    paths: &[PathBuf],
    asked: &Asked,
    rank_from: Option<&str>,
    on_captures: &(dyn Fn(u64, u64) -> ControlFlow<()> + Sync),
) -> Result<OpenedJob, Refusal> {
    let paths: Vec<&PathBuf> = paths.iter().collect();
    let mut captures = JobOfCaptures::of_paths(&paths, asked.settings(DefaultRange::Auto)?)?;
    captures.request.rank_from = rank_from.map(rank_pattern).transpose()?;
    let (job, name) = (captures.open_watched(on_captures)?, captures.name());
    let lists = paths.iter().filter_map(|path| list_of(path)).map(PathBuf::from);
    let files = captures.files.into_iter().chain(lists).chain(asked.files()).collect();
    Ok(OpenedJob { job, name, files })
}

impl OpenedJob {
    /// Columns and rows of a table.
    ///
    /// # Errors
    /// If there is no such table, or what is asked for does not fit it.
    pub fn table(&self, name: &str, rows: RowsAsked) -> Result<View<'static>, Refusal> {
        let table = (Self::definition(name)?.build)(&self.job);
        if rows.per_iteration {
            return Err(Refusal::usage(
                format!("`per_iteration` does not fit table `{name}` of a job"),
                None,
            ));
        }
        rows.of(table.into())
    }

    fn definition(name: &str) -> Result<&'static JobTableDefinition, Refusal> {
        job_table(name).ok_or_else(|| {
            let keys: Vec<&str> = JOB_TABLES.iter().map(|table| table.key).collect();
            let hint = format!("tables of a job are {}", keys.join(", "));
            Refusal::usage(format!("there is no table `{name}` of a job"), hint)
        })
    }

    /// Writes a file of the job. Returns the files.
    ///
    /// # Errors
    /// If there is no such table or format, or the file exists or cannot be written.
    pub fn write(&self, file: &ReportFile) -> Result<Vec<PathBuf>, Refusal> {
        let tables: Vec<&JobTableDefinition> = match file.tables.is_empty() {
            true => JOB_TABLES.iter().collect(),
            false => file.tables.iter().map(|name| Self::definition(name)).collect::<Result<_, _>>()?,
        };
        let outputs = [output(&file.path, file.format()?, tables.len())?];
        let inputs = inputs(&self.files);
        let plan = JobPlan {
            tables: &tables,
            outputs: &outputs,
            name: &self.name,
            most_rows: None,
            time_unit: TimeUnit::Auto,
            font: None,
            csv_safe: false,
            overwrite: if file.replaces { Overwrite::Replace } else { Overwrite::Refuse },
            inputs: &inputs,
        };
        plan.check().map_err(Failure::from)?;
        let written = plan.write(&self.job).map_err(Failure::from)?;
        Ok(written.into_iter().map(|file| file.path).collect())
    }
}
