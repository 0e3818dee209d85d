//! Doors for the fuzz targets in `fuzz/` to what reads foreign texts. Not part of the interface.

/// Reads a text as every mode would.
pub fn read_range_text(text: &str) {
    crate::ingest::split_range_text(text);
    crate::correlate::read_range_text(text);
}

/// The tables that both readers can read, with their columns as the tool asks for them.
pub use crate::ingest::LARGE_TABLE_COLUMNS;

/// A number for the cells of all rows of a table, and how many there are; equal rows give equal numbers.
///
/// # Errors
/// If the file cannot be opened, or this reader cannot read the table.
pub fn fingerprint(
    path: &std::path::Path,
    table: &str,
    columns: &[&str],
    reader: crate::ingest::Reader,
) -> Result<(u64, u64), crate::Error> {
    crate::ingest::fingerprint(path, table, columns, reader)
}
