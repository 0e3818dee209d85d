//! Writes one or many files from one profile. What each file holds is checked before the long work.

use crate::counted::RowCounter;
use crate::error::Error;
use crate::formats::{
    ExportSource, FileFormat, Format, FormatError, Together, dldb, events, firefox, folded, json, pdf,
    prometheus, report, speedscope, step_summary, trace, write_packed, write_table_file, xlsx,
};
use crate::inputs::Inputs;
use crate::overview::overview;
use crate::page;
use crate::staging::Staging;
use crate::target::{Overwrite, Target, check_folder, create_with, is_stream, place_of};
use dlprof_core::{Definition, Judged, Table, View};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub(crate) use crate::counted::OnRows;

/// What is written to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// One table.
    Table(Format),
    /// All tables, a file each, in a folder.
    Folder(Format),
    /// All tables in one file, or a file for another tool.
    Together(Together),
    /// An event file in a folder, which TensorBoard shows as a run.
    Run,
}

/// A file or folder to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its path.
    pub path: PathBuf,
    /// What is written to it.
    pub content: Content,
}

const PDF: Content = Content::Together(Together::Pdf);

/// A DLProf database has tables of its own.
const DATABASE: Content = Content::Together(Together::Dlprof);

impl Output {
    /// Decides what is written to a path if `tables` tables are exported: in the format given, or in the format of
    /// its ending. A path that exists as a folder, or has a slash at its end, is a folder, whose files are CSV if no format is
    /// given. So is a path without an ending for several tables in a format that holds one of them.
    ///
    /// # Errors
    /// If there is no ending or it names no format, or the format cannot be used for a folder or for so many tables.
    pub fn new(path: &Path, format: Option<&'static FileFormat>, tables: usize) -> Result<Self, FormatError> {
        let ends_in_slash = path.as_os_str().as_encoded_bytes().last().is_some_and(|&end| end == b'/');
        let is_folder = ends_in_slash || path.is_dir();
        let path = path.to_owned();
        let one = match format {
            None if is_folder => Format::Csv,
            None if path.extension().is_none() => return Err(FormatError::NoEnding { path }),
            _ => {
                let format = format.map_or_else(|| FileFormat::of_path(&path), Ok)?;
                match (format.together, format.table) {
                    (Some(Together::Events), _) => return Self::of_events(path, is_folder),
                    (Some(_), _) if is_folder => return Err(FormatError::Folder { path }),
                    (Some(together), _) => return Ok(Self { path, content: Content::Together(together) }),
                    (None, Some(one)) => one,
                    (None, None) => return Err(FormatError::Unknown { path }),
                }
            }
        };
        let is_folder = is_folder || (tables > 1 && path.extension().is_none() && !is_stream(&path));
        match tables {
            _ if is_folder => Ok(Self { path, content: Content::Folder(one) }),
            1 => Ok(Self { path, content: Content::Table(one) }),
            tables => Err(FormatError::ManyTables { path, tables, ending: one.extension() }),
        }
    }
}

impl Output {
    /// Whether tables are written.
    #[must_use]
    pub fn has_tables(&self) -> bool {
        match self.content {
            Content::Table(_) | Content::Folder(_) => true,
            Content::Together(together) => together.has_tables(),
            Content::Run => false,
        }
    }

    /// Whether a DLProf database is written.
    #[must_use]
    pub fn is_database(&self) -> bool {
        self.content == DATABASE
    }

    /// The same content in a place where it is not visible yet.
    fn staged(&self, plan: &Plan<'_>, staging: &mut Staging) -> Result<Self, Error> {
        let path = match self.content {
            Content::Folder(_) | Content::Run => staging.place_folder(&self.path),
            Content::Together(Together::StepSummary) => staging.place_addition(&self.target(plan)?),
            _ => staging.place(&self.target(plan)?),
        };
        Ok(Self { path: path?, content: self.content })
    }

    /// The file, checked.
    fn target(&self, plan: &Plan<'_>) -> Result<Target, Error> {
        let is_addition = self.content == Content::Together(Together::StepSummary);
        let overwrite = if is_addition { Overwrite::Replace } else { plan.overwrite };
        Target::new(&self.path, overwrite, plan.inputs)
    }
}

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

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its path.
    pub path: PathBuf,
    /// Whether it was passed on to a pipe or a file that is open, such as standard output.
    pub is_stream: bool,
    /// Characters, in order, that no font of a PDF has; the PDF shows `U+FFFD` for them.
    pub missing_characters: Vec<char>,
}

impl Plan<'_> {
    /// Checks that everything can be written.
    ///
    /// # Errors
    /// If a file is an input, or exists and must not be replaced, or its folder cannot be written to.
    pub fn check(&self) -> Result<(), Error> {
        let mut paths = BTreeSet::new();
        for output in self.outputs {
            let files = self.paths(output);
            match output.content {
                Content::Folder(_) | Content::Run => {
                    check_folder(&output.path, &files, self.overwrite, self.inputs)?;
                }
                _ => drop(output.target(self)?),
            }
            if let Some(path) = files.into_iter().find(|path| !paths.insert(place_of(path))) {
                return Err(Error::Twice { path });
            }
        }
        Ok(())
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

    /// The files of an output.
    fn paths(&self, output: &Output) -> Vec<PathBuf> {
        match output.content {
            Content::Folder(format) => {
                let tables = self.tables.iter().map(|table| file_in(&output.path, table.key, format));
                tables.chain([output.path.join(MANIFEST)]).collect()
            }
            Content::Run => vec![output.path.join(events::FILE_NAME)],
            _ => vec![output.path.clone()],
        }
    }

    /// Writes everything; each table is built once. Returns the files.
    ///
    /// # Errors
    /// If the system refuses to write. Then no file is written.
    pub fn write(&self, judged: &Judged) -> Result<Vec<Written>, Error> {
        self.outputs.iter().try_for_each(|output| output.check_data(judged))?;
        let mut staging = Staging::new(self.inputs);
        let staged: Vec<Output> =
            self.outputs.iter().map(|output| output.staged(self, &mut staging)).collect::<Result<_, _>>()?;
        let missing = self.write_to(judged, &staged).map_err(|error| staging.explain(error))?;
        staging.commit()?;
        let mut written = Vec::new();
        for (output, missing_characters) in self.outputs.iter().zip(missing) {
            let files = self.paths(output).into_iter();
            written.extend(files.map(|path| Written {
                is_stream: is_stream(&path),
                path,
                missing_characters: missing_characters.clone(),
            }));
        }
        Ok(written)
    }

    /// Writes everything to other paths; returns for each the characters that no font has.
    fn write_to(&self, judged: &Judged, outputs: &[Output]) -> Result<Vec<Vec<char>>, Error> {
        let is_pdf = |output: &Output| output.content == PDF;
        let is_usual = self.report.tables == report::Tables::Usual;
        let built: Vec<Box<dyn Table>> =
            self.tables.iter().filter(|_| self.needs_all()).map(|table| (table.build)(judged)).collect();
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
                        write_table_file(table.as_ref(), format, Some(&source), &output.path)?;
                    }
                }
                Content::Folder(format) => {
                    write_folder(&output.path, format, &tables, &source)?;
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

/// The file of a folder that says which capture its tables were made from: CSV and other texts have no place for it.
const MANIFEST: &str = "export.json";

fn write_folder(
    folder: &Path,
    format: Format,
    tables: &[Box<dyn Table + '_>],
    source: &ExportSource,
) -> Result<(), Error> {
    let name = |table: &dyn Table| format!("{}.{}", table.key(), format.extension());
    for table in tables {
        write_table_file(table.as_ref(), format, Some(source), &folder.join(name(table.as_ref())))?;
    }
    let files: Vec<(&dyn Table, String)> =
        tables.iter().map(|table| (table.as_ref(), name(table.as_ref()))).collect();
    create_with(&folder.join(MANIFEST), |out| json::write_manifest(source, &files, out))
}

fn file_in(folder: &Path, table: &str, format: Format) -> PathBuf {
    folder.join(format!("{table}.{}", format.extension()))
}
