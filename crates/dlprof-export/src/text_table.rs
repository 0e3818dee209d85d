//! A table as lines of text, in columns.

use crate::display::{TimeUnit, gigabytes, percentage, time, without_unit};
use crate::text::{COLUMNS, pad, shorten, width, wrap};
use comfy_table::{CellAlignment, ContentArrangement, Table as TextTable};
use dlprof_core::ratios::to_f64;
use dlprof_core::tables::{CellKind, Definition, TABLES, Table, Unit, Value};
use std::io::{self, Write};

/// Writes a table with all its columns, one line per row. It may be wider than a terminal.
///
/// # Errors
/// Only if `out` cannot be written to.
pub fn write_text_table(table: &dyn Table, unit: TimeUnit, out: &mut dyn Write) -> io::Result<()> {
    table_lines(table, Fit::Whole, unit).iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Which columns are shown, and how wide.
#[derive(Clone, Copy)]
pub(crate) enum Fit<'a> {
    /// All columns, as wide as they need.
    Whole,
    /// The columns with these keys. The widest one is made narrower so that they fit the dashboard.
    Columns(&'a [&'a str]),
}

/// A table as lines, the header first.
pub(crate) fn table_lines(table: &dyn Table, fit: Fit<'_>, unit: TimeUnit) -> Vec<String> {
    let is_wanted = |key: &str| match fit {
        Fit::Whole => true,
        Fit::Columns(keys) => keys.contains(&key),
    };
    let columns: Vec<usize> = (0..table.columns()).filter(|&at| is_wanted(table.header(at).key)).collect();
    let mut shown = TextTable::new();
    shown.load_style(comfy_table::presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let headers: Vec<&str> = columns.iter().map(|&column| table.header(column).title).collect();
    let mut cells: Vec<Vec<String>> = (0..table.rows())
        .map(|row| {
            let cell = |&column: &usize| cell(&table.value(row, column), table.header(column).unit, unit);
            columns.iter().map(cell).collect()
        })
        .collect();
    if let Fit::Columns(_) = fit {
        shorten_widest(&headers, &mut cells);
    }
    shown.set_header(headers);
    for row in cells {
        shown.add_row(row);
    }
    for (at, column) in shown.column_iter_mut().enumerate() {
        let is_number = matches!(table.header(columns[at]).kind, CellKind::Int | CellKind::Float);
        column.set_padding((u16::from(at == 0) * 2, 1));
        column.set_cell_alignment(if is_number { CellAlignment::Right } else { CellAlignment::Left });
    }
    shown.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Maximum width of a text column that is not the widest one.
const NARROW: usize = 22;

/// Shortens the texts of the widest column, and other texts to [`NARROW`], so that the table fits.
fn shorten_widest(headers: &[&str], cells: &mut [Vec<String>]) {
    let widths: Vec<usize> = headers
        .iter()
        .enumerate()
        .map(|(at, header)| cells.iter().map(|row| width(&row[at])).max().unwrap_or(0).max(width(header)))
        .collect();
    let Some(widest) = (0..widths.len()).max_by_key(|&at| widths[at]) else { return };
    let others =
        widths.iter().enumerate().filter(|(at, _)| *at != widest).map(|(_, &width)| width.min(NARROW));
    // There are two spaces before the first column and one space after each column.
    let taken: usize = others.sum::<usize>() + 2 + widths.len();
    let room = COLUMNS.saturating_sub(taken).max(12);
    for row in cells {
        for (at, cell) in row.iter_mut().enumerate() {
            *cell = shorten(cell, if at == widest { room } else { NARROW });
        }
    }
}

/// Longer texts are shortened. Otherwise one text of a megabyte would make every row that wide.
const LONGEST_CELL: usize = 300;

/// A cell with its unit.
pub(crate) fn cell(value: &Value<'_>, unit: Unit, time_unit: TimeUnit) -> String {
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
