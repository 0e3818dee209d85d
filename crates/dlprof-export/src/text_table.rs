//! A table as lines of text, in columns.

use crate::display::{TimeUnit, gigabytes, percentage, time, without_unit};
use crate::text::{COLUMNS, pad, shorten, wrap};
use comfy_table::{CellAlignment, ContentArrangement, Table as TextTable};
use dlprof_core::ratios::to_f64;
use dlprof_core::tables::{CellKind, Definition, TABLES, Table, Unit, Value};
use std::io::{self, Write};

/// Writes a table with all its columns, one line per row. It may be wider than a terminal.
///
/// # Errors
/// Only if `out` cannot be written to.
pub fn write_text_table(table: &dyn Table, unit: TimeUnit, out: &mut dyn Write) -> io::Result<()> {
    table_lines(table, unit).iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// A table as lines, the header first.
fn table_lines(table: &dyn Table, unit: TimeUnit) -> Vec<String> {
    let mut shown = TextTable::new();
    shown.load_style(comfy_table::presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let columns = 0..table.columns();
    let headers: Vec<&str> = columns.clone().map(|column| table.header(column).title).collect();
    let cells: Vec<Vec<String>> = (0..table.rows())
        .map(|row| {
            let cell = |column: usize| cell(&table.value(row, column), table.header(column).unit, unit);
            columns.clone().map(cell).collect()
        })
        .collect();
    shown.set_header(headers);
    for row in cells {
        shown.add_row(row);
    }
    for (at, column) in shown.column_iter_mut().enumerate() {
        let is_number = matches!(table.header(at).kind, CellKind::Int | CellKind::Float);
        column.set_padding((u16::from(at == 0) * 2, 1));
        column.set_cell_alignment(if is_number { CellAlignment::Right } else { CellAlignment::Left });
    }
    shown.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Longer texts are shortened. Otherwise one text of a megabyte would make every row that wide.
const LONGEST_CELL: usize = 300;

/// A cell with its unit.
fn cell(value: &Value<'_>, unit: Unit, time_unit: TimeUnit) -> String {
    match (value, unit) {
        (Value::Int(ns), Unit::Nanoseconds) => time(to_f64(*ns), time_unit),
        (Value::Float(ns), Unit::Nanoseconds) => time(*ns, time_unit),
        (Value::Float(share), Unit::Percent) => percentage(*share),
        (Value::Int(bytes), Unit::Bytes) => format!("{} GB", gigabytes(*bytes)),
        (Value::Float(bytes), Unit::Bytes) => format!("{:.1} GB", bytes / 1e9),
        (Value::Float(number), Unit::None) => format!("{number:.1}"),
        (Value::Float(number), unit) => format!("{number:.1} {}", unit.symbol()),
        (Value::Int(number), unit) if unit != Unit::None => format!("{number} {}", unit.symbol()),
        (Value::Text(text), _) => shorten(text, LONGEST_CELL),
        (other, _) => without_unit(other),
    }
}

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
