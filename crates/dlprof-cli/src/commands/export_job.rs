//! `export` of a job of many ranks: its tables to files.

use super::ranks::JobOfCaptures;
use crate::console::{self, Verbosity};
use crate::exit::Failure;
use dlprof_core::JobTableDefinition;
use dlprof_export::{ExportOutput, Inputs, JobPlan, Overwrite, PdfFont};

/// What of a job to export, and where.
pub(crate) struct ExportOfJob {
    pub(crate) job: JobOfCaptures,
    pub(crate) tables: Vec<&'static JobTableDefinition>,
    pub(crate) outputs: Vec<ExportOutput>,
    /// Most rows of a table in reports for people; 0 for all, `None` for what is usual.
    pub(crate) most_rows: Option<usize>,
    /// For characters that PDF lacks.
    pub(crate) font: Option<PdfFont>,
    /// Whether texts of CSV files that spreadsheets would take for formulas begin with `'`.
    pub(crate) csv_safe: bool,
    pub(crate) overwrite: Overwrite,
    /// What must not be written over.
    pub(crate) inputs: Inputs,
}

pub(crate) fn run(asked: &ExportOfJob) -> Result<(), Failure> {
    if let Some(output) = asked.outputs.iter().find(|output| !output.is_of_jobs()) {
        return Err(Failure::Usage {
            message: format!("`{}` is a file for one capture, not for a job of many ranks", output.path.display()),
            hint: Some(
                "formats of jobs are csv, tsv, json, ndjson, md, parquet, arrow, xlsx, pdf, html and step-summary; `--rank N` exports the \
                 capture of one rank"
                    .into(),
            ),
        });
    }
    let settings = &asked.job.settings;
    let plan = JobPlan {
        tables: &asked.tables,
        outputs: &asked.outputs,
        name: &asked.job.name(),
        most_rows: asked.most_rows,
        time_unit: settings.time_unit,
        font: asked.font.as_ref(),
        csv_safe: asked.csv_safe,
        overwrite: asked.overwrite,
        inputs: &asked.inputs,
    };
    plan.check()?;
    let written = plan.write(&asked.job.open()?)?;
    // Standard output may be one of the files, and then has nothing else.
    let files = written.iter().filter(|file| !file.is_stream);
    console::print(&files.map(|file| format!("{}\n", file.path.display())).collect::<String>())?;
    if settings.verbosity != Verbosity::Quiet {
        written.iter().for_each(console::print_missing_characters);
    }
    Ok(())
}
