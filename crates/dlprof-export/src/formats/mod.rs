//! Writes tables in formats for people and programs. All formats use the declarations of [`dlprof_core::tables`].

mod columnar;
mod delimited;
mod figures;
pub mod json;
pub mod list;
mod markdown;
pub mod pdf;
pub mod report;
pub mod xlsx;

pub use list::{FORMATS, FileFormat, Format, FormatError, Together};

use crate::error::Error;
use dlprof_core::tables::Table;
use std::io::{self, Write};
use std::path::Path;

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

/// Writes one table to a file, which appears only when it is complete.
///
/// # Errors
/// If the system refuses to write.
pub fn write_table_file(table: &dyn Table, format: Format, path: &Path) -> Result<(), Error> {
    crate::target::write_with(path, |out| write_table(table, format, out))
}
