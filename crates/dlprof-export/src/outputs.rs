//! What is written to a path, and what was.

use crate::formats::{FileFormat, Format, FormatError, Together};
use crate::target::is_stream;
use std::path::{Path, PathBuf};

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

pub(crate) const PDF: Content = Content::Together(Together::Pdf);

/// A DLProf database has tables of its own.
pub(crate) const DATABASE: Content = Content::Together(Together::Dlprof);

impl Output {
    /// Whether it has tables with the columns and cells of `show`, and nothing beside them that says what is summed.
    #[must_use]
    pub fn has_plain_tables(&self) -> bool {
        matches!(self.content, Content::Table(_) | Content::Folder(_))
    }

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

    /// Whether a job of many ranks can be written so.
    #[must_use]
    pub fn is_of_jobs(&self) -> bool {
        use Together::{Document, Html, Pdf, StepSummary, Workbook};
        match self.content {
            Content::Table(_) | Content::Folder(_) => true,
            Content::Together(together) => matches!(together, Document | Html | Pdf | StepSummary | Workbook),
            Content::Run => false,
        }
    }
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
