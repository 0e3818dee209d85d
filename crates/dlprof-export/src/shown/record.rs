//! A table with one row: a line per column.

use super::{Choice, Look, Width};
use crate::display::{ColumnText, TimeUnit, UNKNOWN_CELL};
use crate::text::{pad, shorten_name, width};
use dlprof_core::{Table, Value, columns_for_people};
use std::io::{self, Write};

/// Writes the title and the cell of each column.
pub(super) fn write(table: &dyn Table, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    let columns: Vec<usize> = match look.choice {
        Choice::Important | Choice::All => columns_for_people(table),
        Choice::Given => (0..table.columns()).collect(),
    };
    let titles = columns.iter().map(|&column| width(table.header(column).title)).max().unwrap_or(0);
    // On a narrow terminal, values have a third of the room at least.
    let titles = match look.width {
        Width::Whole => titles,
        Width::Columns(columns) => titles.min(columns * 2 / 3),
    };
    for column in columns {
        let title = pad(&shorten_name(table.header(column).title, titles), titles);
        let cell = cell(table, column, look.time_unit);
        let cell = match look.width {
            Width::Whole => cell,
            Width::Columns(columns) => shorten_name(&cell, columns.saturating_sub(titles + 2)),
        };
        writeln!(out, "{title}  {cell}")?;
    }
    Ok(())
}

/// A cell with its unit.
fn cell(table: &dyn Table, column: usize, time_unit: TimeUnit) -> String {
    let text = ColumnText::new(table, column, time_unit);
    match table.value(0, column) {
        Value::Null => UNKNOWN_CELL.to_owned(),
        value => {
            let cell = text.cell(&value);
            match text.symbol() {
                "" => cell,
                symbol => format!("{cell} {symbol}"),
            }
        }
    }
}
