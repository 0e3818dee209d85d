//! Writes one or many files from one profile. What each file holds is checked before the long work.

use crate::counted::RowCounter;
use crate::error::Error;
use crate::formats::{
    ExportSource, Format, Together, dldb, events, firefox, folded, json, pdf, prometheus, report, safe_texts,
    speedscope, step_summary, trace, write_packed, write_table_file, xlsx,
};
use crate::inputs::Inputs;
use crate::outputs::{Content, DATABASE, Output, PDF, Written};
use crate::overview::overview;
use crate::page;
use crate::places::{MANIFEST, Places, file_name};
use crate::staging::Staging;
use crate::target::{Overwrite, create_with};
use dlprof_core::{Definition, Judged, MeansNamedIn, PerIteration, Table, View, name_means};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) use crate::counted::OnRows;

/// What to export.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// The tables.
    pub tables: &'a [&'static Definition],
    /// The files and folders.
    pub outputs: &'a [Output],
    /// Options of reports for people.
    pub report: report::Options<'a>,
    /// Shown in headers.
    pub profile_name: &'a str,
    /// Whether texts of CSV and TSV files that spreadsheets would take for formulas begin with `'`.
    pub csv_safe: bool,
    /// Whether sums over the aggregated iterations are divided by how often the step runs in them. Only files of which
    /// [`Output::has_plain_tables`] is true can do that.
    pub per_iteration: bool,
    /// What to do about files that exist.
    pub overwrite: Overwrite,
    /// What must not be written over.
    pub inputs: &'a Inputs,
    /// The profile and its name for DLProf databases: by DLProf's rules. If it is not given, they hold the profile of the other
    /// files.
    pub database: Option<(&'a Judged, Option<&'a str>)>,
    /// Called now and then while rows are written.
    pub on_rows: Option<OnRows<'a>>,
}

impl Plan<'_> {
    /// Checks that everything can be written.
    ///
    /// # Errors
    /// If a file is an input, or exists and must not be replaced, or its folder cannot be written to.
    pub fn check(&self) -> Result<(), Error> {
        self.places().check()
    }

    fn places(&self) -> Places<'_> {
        Places {
            outputs: self.outputs,
            tables: self.tables.iter().map(|table| table.key).collect(),
            overwrite: self.overwrite,
            inputs: self.inputs,
        }
    }

    /// Whether all tables are exported, and not only the usual ones of a report.
    fn needs_all(&self) -> bool {
        let is_usual = self.report.tables == report::Tables::Usual;
        let mut outputs = self.outputs.iter().filter(|output| output.has_tables());
        outputs.any(|output| !is_usual || output.content != PDF)
    }

    /// The rows of all files together.
    fn rows(&self, tables: &[Box<dyn Table>]) -> u64 {
        let rows: usize = tables.iter().map(|table| table.rows()).sum();
        let files = self.outputs.iter().filter(|output| output.content != PDF && output.has_tables()).count();
        u64::try_from(rows.saturating_mul(files)).unwrap_or(u64::MAX)
    }

    /// Writes everything; each table is built once. Returns the files.
    ///
    /// # Errors
    /// If the system refuses to write. Then no file is written.
    pub fn write(&self, judged: &Judged) -> Result<Vec<Written>, Error> {
        self.outputs.iter().try_for_each(|output| output.check_data(judged))?;
        let places = self.places();
        let mut staging = Staging::new(self.inputs);
        let staged = places.staged(&mut staging)?;
        let missing = self.write_to(judged, &staged).map_err(|error| staging.explain(error))?;
        staging.commit()?;
        Ok(places.written(missing))
    }

    /// A table, with means per iteration in the place of sums where these are asked for.
    fn built(&self, table: &Definition, judged: &Judged) -> Box<dyn Table> {
        let sums = (table.build)(judged);
        if !self.per_iteration || table.layout.sums.is_empty() {
            return sums;
        }
        Box::new(name_means(PerIteration::of(sums.into(), judged.iterations.passes()), MeansNamedIn::Keys))
    }

    /// Writes everything to other paths; returns for each the characters that no font has.
    fn write_to(&self, judged: &Judged, outputs: &[Output]) -> Result<Vec<Vec<char>>, Error> {
        let is_pdf = |output: &Output| output.content == PDF;
        let is_usual = self.report.tables == report::Tables::Usual;
        let built: Vec<Box<dyn Table>> =
            self.tables.iter().filter(|_| self.needs_all()).map(|table| self.built(table, judged)).collect();
        let counter = self.on_rows.map(|on_rows| RowCounter::new(self.rows(&built), on_rows));
        let step = counter.as_ref().map(|counter| || counter.step());
        let on_row = step.as_ref().map(|step| step as &(dyn Fn() + Sync));
        let mut tables: Vec<Box<dyn Table + '_>> = Vec::new();
        for table in &built {
            tables.push(Box::new(View::of(table.as_ref()).on_row(on_row)));
        }
        let usual = if is_usual && self.outputs.iter().any(is_pdf) {
            report::usual_tables(judged)
        } else {
            Vec::new()
        };
        let of_pdf = if is_usual { &usual } else { &tables };
        let source = ExportSource::of(judged);
        let time_unit = self.report.time_unit;
        let mut missing = Vec::new();
        for (wanted, output) in self.outputs.iter().zip(outputs) {
            let mut missing_characters = Vec::new();
            match output.content {
                Content::Table(format) => {
                    for table in &tables {
                        let table = safe_texts(table.as_ref(), format, self.csv_safe);
                        write_table_file(table.as_ref(), format, Some(&source), &output.path)?;
                    }
                }
                Content::Folder(format) => {
                    let empty = json::reasons(judged, &tables);
                    let safe = all_safe(&tables, format, self.csv_safe);
                    write_folder(&output.path, format, &safe, Some(&source), (&source, &empty))?;
                }
                Content::Together(Together::Document) => create_with(&output.path, |out| {
                    json::write_document(judged, self.profile_name, &tables, &source, out)
                })?,
                Content::Together(Together::Workbook) => {
                    xlsx::write(judged, self.profile_name, &tables, self.report.time_unit, &output.path)?
                }
                Content::Together(Together::Html) => {
                    page::write(judged, self.profile_name, &tables, &self.report, &output.path)?;
                }
                Content::Together(Together::Trace) => create_with(&output.path, |out| {
                    write_packed(&wanted.path, out, |out| trace::write(judged, &source, out))
                })?,
                Content::Together(Together::Firefox) => create_with(&output.path, |out| {
                    let name = self.profile_name;
                    write_packed(&wanted.path, out, |out| firefox::write(judged, name, &source, out))
                })?,
                Content::Run => {
                    create_with(&output.path.join(events::FILE_NAME), |out| events::write(judged, out))?;
                }
                Content::Together(Together::Events) => {
                    create_with(&output.path, |out| events::write(judged, out))?;
                }
                Content::Together(Together::Folded) => {
                    create_with(&output.path, |out| folded::write(judged, out))?;
                }
                Content::Together(Together::Speedscope) => create_with(&output.path, |out| {
                    speedscope::write(judged, self.profile_name, &overview(judged, time_unit), out)
                })?,
                Content::Together(Together::Prometheus) => create_with(&output.path, |out| {
                    prometheus::write(&overview(judged, time_unit), self.profile_name, out)
                })?,
                Content::Together(Together::StepSummary) => create_with(&output.path, |out| {
                    step_summary::write(&overview(judged, time_unit), self.profile_name, time_unit, out)
                })?,
                DATABASE => {
                    let (judged, name) = self.database.unwrap_or((judged, None));
                    let failed = |source| Error::Write { path: output.path.clone(), source };
                    dldb::write(judged, name, &output.path).map_err(failed)?;
                }
                PDF => {
                    missing_characters =
                        pdf::write(judged, self.profile_name, of_pdf, &self.report, &output.path)?;
                }
            }
            missing.push(missing_characters);
        }
        Ok(missing)
    }
}

/// The same tables for files in a format.
pub(crate) fn all_safe<'a>(
    tables: &'a [Box<dyn Table + 'a>],
    format: Format,
    csv_safe: bool,
) -> Vec<Box<dyn Table + 'a>> {
    tables.iter().map(|table| safe_texts(table.as_ref(), format, csv_safe)).collect()
}

/// Writes a file per table, and what they were made from, with why tables without rows have none. `in_files` is what the files
/// themselves say about that.
pub(crate) fn write_folder(
    folder: &Path,
    format: Format,
    tables: &[Box<dyn Table + '_>],
    in_files: Option<&ExportSource>,
    (source, empty): (&impl Serialize, &BTreeMap<&str, String>),
) -> Result<(), Error> {
    let name = |table: &dyn Table| file_name(table.key(), format);
    for table in tables {
        write_table_file(table.as_ref(), format, in_files, &folder.join(name(table.as_ref())))?;
    }
    let files: Vec<(&dyn Table, String)> =
        tables.iter().map(|table| (table.as_ref(), name(table.as_ref()))).collect();
    create_with(&folder.join(MANIFEST), |out| json::write_manifest(source, empty, &files, out))
}
