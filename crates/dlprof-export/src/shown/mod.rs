//! A table as text for people: as wide as a terminal, or whole.
//!
//! On a terminal, columns are chosen by importance, long names lose their middle, and a last line names the columns
//! that have no room. Whole tables have all columns and no text is cut: so `grep` finds every name, and `less -S` shows
//! every line.

mod cells;
mod columns;
mod lines;
mod record;
#[cfg(test)]
mod tests;

use crate::display::TimeUnit;
use crate::text::wrap;
use cells::Cells;
use columns::Shown;
use dlprof_core::{Form, Table, columns_for_people};
use std::io::{self, Write};

/// How wide a text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// At most this many columns of a terminal.
    Columns(usize),
    /// As wide as it needs.
    Whole,
}

/// Which columns are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// By importance: those that there is room for.
    Important,
    /// All, by importance. They may be wider than the terminal.
    All,
    /// All, in the order of the table: the user chose them. They may be wider than the terminal.
    Given,
}

/// How a table is shown.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// How wide it may be.
    pub width: Width,
    /// Which columns are shown.
    pub choice: Choice,
    /// Unit of times.
    pub time_unit: TimeUnit,
}

/// Writes a table for people.
///
/// # Errors
/// Only if `out` cannot be written to.
pub fn write_shown_table(table: &dyn Table, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    table.prepare();
    if table.layout().form == Form::Record && table.rows() == 1 {
        return record::write(table, look, out);
    }
    let positions = match look.choice {
        Choice::Important | Choice::All => columns_for_people(table),
        Choice::Given => (0..table.columns()).collect(),
    };
    let mut cells = Cells::new(table, positions, look.time_unit);
    if look.choice == Choice::Important && look.width != Width::Whole && table.rows() > 0 {
        cells.empty_last();
    }
    let shown = match look.width {
        Width::Whole => Shown::whole(&cells),
        Width::Columns(width) => Shown::fitting(&cells, width, look.choice),
    };
    lines::write(&cells, &shown, out)?;
    let notes = notes(&cells, &shown);
    match (look.width, notes.is_empty()) {
        (Width::Columns(width), false) => {
            writeln!(out)?;
            let lines = notes.iter().flat_map(|note| wrap(note, width));
            lines.into_iter().try_for_each(|line| writeln!(out, "{line}"))
        }
        _ => Ok(()),
    }
}

/// What is said below a table on a terminal.
fn notes(cells: &Cells<'_>, shown: &Shown) -> Vec<String> {
    /// More columns are not named.
    const MOST_NAMES: usize = 8;
    let mut notes = Vec::new();
    let hidden: Vec<&str> = shown.hidden.iter().map(|&column| cells.header(column).key).collect();
    if !hidden.is_empty() {
        let columns = if hidden.len() == 1 { "column" } else { "columns" };
        let more = if hidden.len() > MOST_NAMES { ", …" } else { "" };
        let names = hidden[..hidden.len().min(MOST_NAMES)].join(", ");
        notes.push(format!("{} more {columns}: --columns all ({names}{more})", hidden.len()));
    }
    if shown.columns.iter().any(|column| cells.is_relative(column.column)) {
        let seconds = dlprof_core::to_f64(cells.table.origin_ns()) / 1e9;
        let titles: Vec<&str> = shown
            .columns
            .iter()
            .map(|column| column.column)
            .filter(|&column| cells.is_relative(column))
            .map(|column| cells.header(column).title)
            .collect();
        notes.push(format!(
            "{}: from the start of the aggregated iterations, {seconds:.3} s into the capture",
            titles.join(", ")
        ));
    }
    notes
}
