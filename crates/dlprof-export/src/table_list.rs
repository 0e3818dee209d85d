//! The tables and their columns in words.

use crate::text::{COLUMNS, pad, wrap};
use dlprof_core::{Definition, TABLES};
use std::io::{self, Write};

/// Writes the name and meaning of each table, or of one table, and of its columns.
///
/// # Errors
/// Only if `out` cannot be written to.
pub fn write_table_list(only: Option<&Definition>, out: &mut dyn Write) -> io::Result<()> {
    for definition in TABLES.iter().filter(|one| only.is_none_or(|only| only.key == one.key)) {
        writeln!(out, "{}: {}", definition.key, definition.doc)?;
        for header in definition.headers() {
            let start = format!("  {}{}", pad(header.key, 32), pad(header.unit.symbol(), 10));
            let indent = " ".repeat(start.len());
            for (at, line) in wrap(header.doc, COLUMNS - start.len()).iter().enumerate() {
                writeln!(out, "{}{line}", if at == 0 { &start } else { &indent })?;
            }
        }
    }
    Ok(())
}
