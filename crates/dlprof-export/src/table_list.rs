//! The tables and their columns in words.

use crate::text::{COLUMNS, pad, wrap};
use dlprof_core::{Definition, Header, JobTableDefinition, Layout, TABLES};
use std::io::{self, Write};

/// Writes the name and meaning of each table of a capture, a line each; of one table with its columns.
///
/// # Errors
/// Only if `out` cannot be written to.
pub fn write_table_list(only: Option<&Definition>, out: &mut dyn Write) -> io::Result<()> {
    match only {
        Some(table) => write_columns(table.key, table.doc, (&table.headers(), table.layout), out),
        None => TABLES.iter().try_for_each(|table| writeln!(out, "{}: {}", table.key, table.doc)),
    }
}

/// The same of a table of a job.
///
/// # Errors
/// Only if `out` cannot be written to.
pub fn write_job_table(table: &JobTableDefinition, out: &mut dyn Write) -> io::Result<()> {
    write_columns(table.key, table.doc, (&table.headers(), table.layout), out)
}

fn write_columns(
    key: &str,
    doc: &str,
    (headers, layout): (&[&Header<'_>], &Layout),
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{key}: {doc}")?;
    if !layout.sums.is_empty() {
        writeln!(
            out,
            "  Sums over the aggregated iterations, which --per-iteration divides: {}.",
            layout.sums.join(", ")
        )?;
    }
    for header in headers {
        let start = format!("  {}{}", pad(header.key, 32), pad(header.unit.symbol(), 10));
        let indent = " ".repeat(start.len());
        for (at, line) in wrap(header.doc, COLUMNS - start.len()).iter().enumerate() {
            writeln!(out, "{}{line}", if at == 0 { &start } else { &indent })?;
        }
    }
    Ok(())
}
