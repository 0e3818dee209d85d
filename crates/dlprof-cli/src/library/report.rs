//! Files of a capture: tables, reports, documents, pages.

use super::opened::Opened;
use super::refusal::Refusal;
use crate::commands::export::check_choice;
use crate::commands::show::find;
use crate::exit::Failure;
use crate::settings;
use dlprof_core::{Definition, TABLES};
use dlprof_export::{
    ExportOutput, ExportPlan, FORMATS, FileFormat, FormatError, Inputs, Overwrite, ReportOptions,
    ReportTables, TimeUnit,
};
use std::path::{Path, PathBuf};

/// A file, or a folder of files, to write.
#[derive(Debug, Clone, Default)]
pub struct ReportFile {
    /// Its path.
    pub path: PathBuf,
    /// The tables; the usual ones if there are none.
    pub tables: Vec<String>,
    /// The format; that of the ending if there is none.
    pub format: Option<String>,
    /// Whether a file that exists is replaced.
    pub replaces: bool,
}

impl ReportFile {
    /// Writes it. Returns the files.
    ///
    /// # Errors
    /// If there is no such table or format, or the file exists or cannot be written.
    pub fn write(&self, opened: &Opened) -> Result<Vec<PathBuf>, Refusal> {
        let is_choice = !self.tables.is_empty();
        let tables = self.tables(opened)?;
        let output = ExportOutput::new(&self.path, self.format()?, tables.len()).map_err(Failure::from)?;
        let outputs = [output];
        check_choice(is_choice, &outputs)?;
        let inputs = inputs(std::iter::once(&opened.path).chain(&opened.files()));
        let name = opened.name();
        let database = match outputs[0].is_database() {
            true => Some(opened.by_rules_of_dlprof()?),
            false => None,
        };
        let plan = ExportPlan {
            tables: &tables,
            outputs: &outputs,
            report: ReportOptions {
                tables: if is_choice { ReportTables::Chosen } else { ReportTables::Usual },
                most_rows: None,
                time_unit: TimeUnit::Auto,
                font: None,
            },
            profile_name: &name,
            csv_safe: false,
            per_iteration: false,
            overwrite: if self.replaces { Overwrite::Replace } else { Overwrite::Refuse },
            inputs: &inputs,
            database: database.as_ref().map(|judged| (judged, None)),
            on_rows: None,
        };
        plan.check().map_err(Failure::from)?;
        let written = plan.write(&opened.judged).map_err(Failure::from)?;
        Ok(written.into_iter().map(|file| file.path).collect())
    }

    fn tables(&self, opened: &Opened) -> Result<Vec<&'static Definition>, Refusal> {
        if self.tables.is_empty() {
            return Ok(TABLES.iter().filter(|table| table.is_of(&opened.judged)).collect());
        }
        Ok(self.tables.iter().map(|name| find(name)).collect::<Result<_, _>>()?)
    }

    /// The format that was named.
    pub(super) fn format(&self) -> Result<Option<&'static FileFormat>, Refusal> {
        self.format.as_deref().map(format_named).transpose()
    }
}

fn format_named(name: &str) -> Result<&'static FileFormat, Refusal> {
    let is_it = |own: &str| own.eq_ignore_ascii_case(name);
    let has_name =
        |format: &&FileFormat| is_it(format.ending) || format.other_names.iter().any(|own| is_it(own));
    FORMATS.iter().find(has_name).ok_or_else(|| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.ending).collect();
        Refusal::usage(format!("there is no format `{name}`"), format!("formats are {}", names.join(", ")))
    })
}

/// What must not be written over: captures, their logs, and all that is kept of earlier runs.
pub(super) fn inputs<'a>(files: impl IntoIterator<Item = &'a PathBuf>) -> Inputs {
    let mut inputs = Inputs::default();
    files.into_iter().for_each(|file| inputs.add(file));
    if let Some(cache) = settings::cache() {
        inputs.add_folder(cache.folder());
    }
    inputs
}

/// The output of tables of a job.
pub(super) fn output(
    path: &Path,
    format: Option<&'static FileFormat>,
    tables: usize,
) -> Result<ExportOutput, Refusal> {
    ExportOutput::new(path, format, tables).map_err(|error: FormatError| Failure::from(error).into())
}
