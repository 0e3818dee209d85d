//! Writes one or many files from one profile. What each file holds is checked before the long work.

use crate::error::Error;
use crate::formats::{FileFormat, Format, FormatError, Together, json, pdf, report, write_table_file, xlsx};
use crate::page;
use crate::target::{Overwrite, check_is_file, check_target, write_with};
use dlprof_core::profile::Profile;
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
    /// All tables in one file.
    Together(Together),
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

impl Output {
    /// Decides what is written to a path if `tables` tables are exported: in the format given, or in the format of
    /// its ending. A path without an ending, or with a slash at its end, is a folder, whose files are CSV if no format is given.
    ///
    /// # Errors
    /// If the ending names no format, or the format cannot be used for a folder or for so many tables.
    pub fn new(path: &Path, format: Option<&'static FileFormat>, tables: usize) -> Result<Self, FormatError> {
        let ends_in_slash = path.as_os_str().as_encoded_bytes().last().is_some_and(|&end| end == b'/');
        let is_folder = ends_in_slash || path.is_dir() || (path.extension().is_none() && !path.exists());
        let path = path.to_owned();
        let one = match format {
            None if is_folder => Format::Csv,
            _ => {
                let format = format.map_or_else(|| FileFormat::of_path(&path), Ok)?;
                match (format.together, format.table) {
                    (Some(_), _) if is_folder => return Err(FormatError::Folder { path }),
                    (Some(together), _) => return Ok(Self { path, content: Content::Together(together) }),
                    (None, Some(one)) => one,
                    (None, None) => return Err(FormatError::Unknown { path }),
                }
            }
        };
        match tables {
            _ if is_folder => Ok(Self { path, content: Content::Folder(one) }),
            1 => Ok(Self { path, content: Content::Table(one) }),
            tables => Err(FormatError::ManyTables { path, tables, ending: one.extension() }),
        }
    }
}

/// What to export.
#[derive(Debug, Clone, Copy)]
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
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its path.
    pub path: PathBuf,
    /// Characters, in order, that no font of a PDF has; the PDF shows `U+FFFD` for them.
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

    /// Whether all tables are exported, and not only the usual ones of a report.
    fn needs_all(&self) -> bool {
        self.report.tables != report::Tables::Usual || self.outputs.iter().any(|output| output.content != PDF)
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
    /// If the system refuses to write. Files that were written before remain, and each of them is complete.
    pub fn write(&self, profile: &Profile) -> Result<Vec<Written>, Error> {
        let is_pdf = |output: &Output| output.content == PDF;
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
                Content::Together(Together::Document) => write_with(&output.path, |out| {
                    json::write_document(profile, self.profile_name, &tables, out)
                })?,
                Content::Together(Together::Workbook) => {
                    xlsx::write(profile, self.profile_name, &tables, &output.path)?
                }
                Content::Together(Together::Html) => {
                    page::write(profile, self.profile_name, &tables, &self.report, &output.path)?;
                }
                PDF => {
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
