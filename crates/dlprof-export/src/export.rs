//! One or many files from one profile: what each is to hold, checked before the long work.

use crate::error::Error;
use crate::formats::{Format, html, json, pdf, report, write_table_file, xlsx};
use crate::target::{Overwrite, check_is_file, check_target, write_with};
use dlprof_core::Rows;
use dlprof_core::aggregate::Profile;
use dlprof_core::tables::{Definition, Table};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is written to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// One table.
    Table(Format),
    /// All tables, a file each, in a folder.
    Folder(Format),
    /// All tables as one JSON document.
    Document,
    /// All tables as a workbook, with a dashboard.
    Workbook,
    /// A report to print and to hand over.
    Pdf,
    /// A page with all tables, to sort and filter.
    Html,
}

/// A file or folder to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Where.
    pub path: PathBuf,
    /// What.
    pub content: Content,
}

/// What to export.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// The tables.
    pub tables: &'a [&'static Definition],
    /// The files and folders.
    pub outputs: &'a [Output],
    /// How reports for people are made.
    pub report: report::Options<'a>,
    /// Shown in headers.
    pub profile_name: &'a str,
    /// What to do about files that are there.
    pub overwrite: Overwrite,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Where it is.
    pub path: PathBuf,
    /// Characters, in order, that no font of a PDF has: they are shown as `U+FFFD`.
    pub missing_characters: Vec<char>,
}

impl Plan<'_> {
    /// Checks that everything can be written.
    ///
    /// # Errors
    /// If a file exists and must not be replaced, or its folder cannot be written to.
    pub fn check(&self) -> Result<(), Error> {
        let mut paths = BTreeSet::new();
        for output in self.outputs {
            check_is_file(&output.path)?;
            for path in self.paths(output) {
                check_target(&path, self.overwrite)?;
                if !paths.insert(std::path::absolute(&path).unwrap_or_else(|_| path.clone())) {
                    return Err(Error::Twice { path });
                }
            }
        }
        Ok(())
    }

    /// What the profile must hold.
    #[must_use]
    pub fn rows(&self) -> Rows {
        let all = self.tables.iter().copied().filter(|_| self.needs_all());
        all.chain(report::usual_definitions()).map(|table| table.rows).max().unwrap_or(Rows::NotNeeded)
    }

    /// Whether all tables are built, and not only the usual ones of a report.
    fn needs_all(&self) -> bool {
        self.report.tables != report::Tables::Usual
            || self.outputs.iter().any(|output| output.content != Content::Pdf)
    }

    /// The files of an output.
    fn paths(&self, output: &Output) -> Vec<PathBuf> {
        match output.content {
            Content::Folder(format) => {
                self.tables.iter().map(|table| file_in(&output.path, table.key, format)).collect()
            }
            _ => vec![output.path.clone()],
        }
    }

    /// Writes everything; each table is built once. Returns the files.
    ///
    /// # Errors
    /// If the system refuses. Files written before stay, each of them whole.
    pub fn write(&self, profile: &Profile<'_>) -> Result<Vec<Written>, Error> {
        let is_pdf = |output: &Output| output.content == Content::Pdf;
        let is_usual = self.report.tables == report::Tables::Usual;
        let tables: Vec<Box<dyn Table + '_>> =
            self.tables.iter().filter(|_| self.needs_all()).map(|table| (table.build)(profile)).collect();
        let usual = if is_usual && self.outputs.iter().any(is_pdf) {
            report::usual_tables(profile)
        } else {
            Vec::new()
        };
        let of_pdf = if is_usual { &usual } else { &tables };
        let mut written = Vec::new();
        for output in self.outputs {
            let mut missing_characters = Vec::new();
            match output.content {
                Content::Table(format) => {
                    for table in &tables {
                        write_table_file(table.as_ref(), format, &output.path)?;
                    }
                }
                Content::Folder(format) => {
                    for table in &tables {
                        let path = file_in(&output.path, table.key(), format);
                        write_table_file(table.as_ref(), format, &path)?;
                    }
                }
                Content::Document => write_with(&output.path, |out| {
                    json::write_document(profile, self.profile_name, &tables, out)
                })?,
                Content::Workbook => xlsx::write(profile, self.profile_name, &tables, &output.path)?,
                Content::Html => {
                    html::write(profile, self.profile_name, &tables, &self.report, &output.path)?;
                }
                Content::Pdf => {
                    missing_characters =
                        pdf::write(profile, self.profile_name, of_pdf, &self.report, &output.path)?;
                }
            }
            let files = self.paths(output).into_iter();
            written
                .extend(files.map(|path| Written { path, missing_characters: missing_characters.clone() }));
        }
        Ok(written)
    }
}

fn file_in(folder: &Path, table: &str, format: Format) -> PathBuf {
    folder.join(format!("{table}.{}", format.extension()))
}
