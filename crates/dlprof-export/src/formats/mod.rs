//! Tables in the formats that people and programs read. All of them walk the declarations of [`dlprof_core::tables`].

mod columnar;
mod delimited;
mod figures;
pub mod html;
pub mod json;
mod markdown;
pub mod pdf;
pub mod report;
pub mod xlsx;

use crate::error::Error;
use dlprof_core::tables::Table;
use std::io::{self, Write};
use std::path::Path;

/// A format of one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Comma-separated values (RFC 4180) with keys as header.
    Csv,
    /// Tab-separated values with keys as header: pastes into a spreadsheet.
    Tsv,
    /// An array of objects.
    Json,
    /// An object per line.
    Ndjson,
    /// A table in Markdown, with titles.
    Markdown,
    /// Apache Parquet; no text.
    Parquet,
    /// Apache Arrow IPC file; no text.
    Arrow,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 7] =
        [Self::Csv, Self::Tsv, Self::Json, Self::Ndjson, Self::Markdown, Self::Parquet, Self::Arrow];

    /// The ending of its files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Markdown => "md",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
        }
    }
}

/// Writes one table.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_table(table: &dyn Table, format: Format, out: &mut (dyn Write + Send)) -> io::Result<()> {
    match format {
        Format::Csv => delimited::write(table, b',', out),
        Format::Tsv => delimited::write(table, b'\t', out),
        Format::Json => json::write_array(table, out),
        Format::Ndjson => json::write_lines(table, out),
        Format::Markdown => markdown::write(table, out),
        Format::Parquet => columnar::write_parquet(table, out),
        Format::Arrow => columnar::write_arrow(table, out),
    }
}

/// Writes one table to a file, which appears only when it is whole.
///
/// # Errors
/// If the system refuses.
pub fn write_table_file(table: &dyn Table, format: Format, path: &Path) -> Result<(), Error> {
    crate::target::write_with(path, |out| write_table(table, format, out))
}
