//! Writes the tables of a job to files: each to a file of its own in a folder, one to a file, or all to one.

use super::blocks::Times;
use super::json::{self, JobSource};
use super::markdown::job_markdown;
use super::text::{about_savings, problems, rests_on, saving, title, verdict};
use crate::display::TimeUnit;
use crate::error::Error;
use crate::export::{all_safe, write_folder};
use crate::formats::pdf::job::JobOptions;
use crate::formats::pdf::{self, Font as PdfFont};
use crate::formats::xlsx::{self, SavingFinding, Sentences};
use crate::formats::{Together, write_table_file};
use crate::inputs::Inputs;
use crate::outputs::{Content, Output, Written};
use crate::page::{JobBlocks, write_job};
use crate::places::Places;
use crate::staging::Staging;
use crate::target::{Overwrite, create_with};
use dlprof_core::{Job, JobFinding, JobTableDefinition, Severity, Table};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

/// What of a job to export. All outputs are [of jobs](Output::is_of_jobs).
#[derive(Clone, Copy)]
pub struct JobPlan<'a> {
    /// The tables.
    pub tables: &'a [&'static JobTableDefinition],
    /// The files and folders.
    pub outputs: &'a [Output],
    /// Shown in headers.
    pub name: &'a str,
    /// Most rows of a table in reports for people; 0 for all, `None` for what is usual.
    pub most_rows: Option<usize>,
    /// Unit of times in files for people.
    pub time_unit: TimeUnit,
    /// A font for characters that the built-in font of PDF lacks.
    pub font: Option<&'a PdfFont>,
    /// Whether texts of CSV and TSV files that spreadsheets would take for formulas begin with `'`.
    pub csv_safe: bool,
    /// What to do about files that exist.
    pub overwrite: Overwrite,
    /// What must not be written over.
    pub inputs: &'a Inputs,
}

impl JobPlan<'_> {
    /// Checks that everything can be written.
    ///
    /// # Errors
    /// If a file is an input, or exists and must not be replaced, or its folder cannot be written to.
    pub fn check(&self) -> Result<(), Error> {
        self.places().check()
    }

    /// Writes everything; each table is built once. Returns the files.
    ///
    /// # Errors
    /// If the system refuses to write. Then no file is written.
    pub fn write(&self, job: &Arc<Job>) -> Result<Vec<Written>, Error> {
        let places = self.places();
        let mut staging = Staging::new(self.inputs);
        let staged = places.staged(&mut staging)?;
        let tables: Vec<Box<dyn Table>> = self.tables.iter().map(|table| (table.build)(job)).collect();
        let write = |output: &Output| self.write_one(job, &tables, output);
        let missing: Result<Vec<Vec<char>>, Error> = staged.iter().map(write).collect();
        let missing = missing.map_err(|error| staging.explain(error))?;
        staging.commit()?;
        Ok(places.written(missing))
    }

    fn places(&self) -> Places<'_> {
        Places {
            outputs: self.outputs,
            tables: self.tables.iter().map(|table| table.key).collect(),
            overwrite: self.overwrite,
            inputs: self.inputs,
        }
    }

    /// Returns the characters that no font has.
    fn write_one(
        &self,
        job: &Arc<Job>,
        tables: &[Box<dyn Table>],
        output: &Output,
    ) -> Result<Vec<char>, Error> {
        let path = &output.path;
        let written = match output.content {
            Content::Together(Together::Pdf) => {
                let options =
                    JobOptions { most_rows: self.most_rows, time_unit: self.time_unit, font: self.font };
                return pdf::job::write(job, self.name, options, path);
            }
            Content::Table(format) => {
                let mut tables = all_safe(tables, format, self.csv_safe).into_iter();
                tables.try_for_each(|table| write_table_file(table.as_ref(), format, None, path))
            }
            Content::Folder(format) => {
                let tables = all_safe(tables, format, self.csv_safe);
                write_folder(path, format, &tables, None, (&JobSource::of(job), &BTreeMap::new()))
            }
            Content::Together(Together::Document) => create_with(path, |out| json::write(job, tables, out)),
            Content::Together(Together::Workbook) => {
                xlsx::write_with_sentences(&self.sentences(job), tables, self.time_unit, path)
            }
            Content::Together(Together::Html) => {
                let blocks = JobBlocks::new(job, self.name, self.most_rows);
                create_with(path, |out| write_job(&blocks, out))
            }
            Content::Together(Together::StepSummary) => {
                create_with(path, |out| out.write_all(job_markdown(job).as_bytes()))
            }
            Content::Together(_) | Content::Run => Ok(()),
        };
        written.map(|()| Vec::new())
    }

    fn sentences(&self, job: &Job) -> Sentences {
        let times = Times::of(job, self.time_unit);
        let finding = |finding: &JobFinding| SavingFinding {
            problem: format!(
                "{} {}",
                if finding.severity == Severity::Note { '○' } else { '▲' },
                title(finding, times)
            ),
            saving: saving(finding, times),
            advice: finding.advice.clone(),
        };
        Sentences {
            title: self.name.to_owned(),
            verdict: verdict(job, times),
            lines: std::iter::once(rests_on(job)).chain(problems(job)).collect(),
            about_savings: about_savings(job),
            findings: job.findings.iter().map(finding).collect(),
            findings_table: "job_findings",
        }
    }
}
