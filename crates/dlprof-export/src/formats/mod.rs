//! Writes tables in formats for people and programs. All formats use the declarations of [`TABLES`](dlprof_core::TABLES).

mod bars;
mod columnar;
mod delimited;
pub(crate) mod dldb;
pub(crate) mod events;
pub(crate) mod firefox;
pub(crate) mod folded;
pub(crate) mod json;
pub(crate) mod list;
mod markdown;
mod packing;
pub(crate) mod pdf;
pub(crate) mod prometheus;
pub(crate) mod report;
mod safe_texts;
mod scale;
mod short_names;
mod source;
pub(crate) mod speedscope;
mod stacks;
pub(crate) mod step_summary;
pub(crate) mod trace;
pub(crate) mod xlsx;

pub use list::{FORMATS, FileFormat, Format, FormatError, Together};
pub(crate) use packing::write_packed;
pub use safe_texts::safe_texts;
pub use source::ExportSource;

use crate::error::Error;
use dlprof_core::Table;
use std::io::{self, Write};
use std::path::Path;

/// Writes one table.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_table(table: &dyn Table, format: Format, out: &mut (dyn Write + Send)) -> io::Result<()> {
    write_table_of(table, format, None, out)
}

/// Writes one table. Parquet and Arrow files name the source in their metadata (`source`); the other formats have no place
/// for it.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_table_of(
    table: &dyn Table,
    format: Format,
    source: Option<&ExportSource>,
    out: &mut (dyn Write + Send),
) -> io::Result<()> {
    match format {
        Format::Csv => delimited::write(table, b',', out),
        Format::Tsv => delimited::write(table, b'\t', out),
        Format::Json => json::write_array(table, out),
        Format::Ndjson => json::write_lines(table, out),
        Format::Markdown => markdown::write(table, out),
        Format::Parquet => columnar::write_parquet(table, source, out),
        Format::Arrow => columnar::write_arrow(table, source, out),
    }
}

/// As [`write_table_of`], to a new file.
///
/// # Errors
/// If the file exists, or the system refuses to write.
pub fn write_table_file(
    table: &dyn Table,
    format: Format,
    source: Option<&ExportSource>,
    path: &Path,
) -> Result<(), Error> {
    crate::target::create_with(path, |out| write_table_of(table, format, source, out))
}
