//! Comma- and tab-separated values.

use csv::{QuoteStyle, Terminator, WriterBuilder};
use dlprof_core::{Table, Value};
use std::io::{self, Write};

/// Writes a header of keys, then the rows. Undefined values are empty cells; times are whole nanoseconds.
pub(super) fn write(table: &dyn Table, delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = WriterBuilder::new()
        .delimiter(delimiter)
        .terminator(Terminator::Any(b'\n'))
        .quote_style(QuoteStyle::Necessary)
        .from_writer(out);
    writer.write_record((0..table.columns()).map(|column| table.header(column).key)).map_err(cause)?;
    let mut cells: Vec<String> = vec![String::new(); table.columns()];
    for row in 0..table.rows() {
        for (column, cell) in cells.iter_mut().enumerate() {
            cell.clear();
            push(cell, &table.value(row, column));
        }
        writer.write_record(&cells).map_err(cause)?;
    }
    writer.flush()
}

/// The error of the system, by whose kind a closed pipe and a full disk are known.
fn cause(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

fn push(cell: &mut String, value: &Value<'_>) {
    use std::fmt::Write;
    // Writing to a string cannot fail.
    let _ = match value {
        Value::Int(number) => write!(cell, "{number}"),
        Value::Float(number) if number.is_finite() => write!(cell, "{number}"),
        Value::Null | Value::Float(_) => Ok(()),
        Value::Flag(flag) => write!(cell, "{flag}"),
        Value::Text(text) => cell.write_str(text),
    };
}
