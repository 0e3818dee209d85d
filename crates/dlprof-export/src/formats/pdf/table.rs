//! A table on pages. Columns are as wide as they need. If a page is too narrow for all columns, they are divided
//! into blocks. Every page has the header.

use super::document::Size;
use super::drawing::{Drawing, Style};
use super::layout::{
    Flow, GREY, INK, LANDSCAPE, MARGIN, PALE, PORTRAIT, RULE, SMALL, bold, line_height, style, wrap,
};
use crate::display::{ColumnText, TimeUnit, time};
use dlprof_core::{CellKind, Table, to_f64};

const CELL: Style = style(7.5, INK);
const HEAD: Style = bold(7.0, INK);

/// Space between two columns.
const GAP: f32 = 9.0;

/// Space above and below the text of a row.
const PADDING: f32 = 2.2;

/// A text column is at most this wide, and is made narrower if necessary, down to [`NARROW`].
const WIDE: f32 = 210.0;
const NARROW: f32 = 84.0;

/// Maximum number of lines of a cell. Longer texts are shortened in the middle.
const MOST_LINES: u8 = 3;

/// A printed column.
struct Column<'a> {
    at: usize,
    text: ColumnText<'a>,
    title: String,
    /// The smallest width that is enough, and the width that shows everything.
    least: f32,
    best: f32,
    is_text: bool,
}

fn columns<'a>(drawing: &Drawing, table: &'a dyn Table, time_unit: TimeUnit) -> Vec<Column<'a>> {
    (0..table.columns()).map(|at| measure(drawing, table, at, time_unit)).collect()
}

/// Whether a table is in fewer pieces on pages that lie on their side.
pub(super) fn is_wide(drawing: &Drawing, table: &dyn Table, time_unit: TimeUnit) -> bool {
    let columns = columns(drawing, table, time_unit);
    blocks(&columns, inside(LANDSCAPE)).len() < blocks(&columns, inside(PORTRAIT)).len()
}

/// Width between the margins.
fn inside(size: Size) -> f32 {
    size.width - 2.0 * MARGIN
}

/// Adds a table under its title on pages of a size, with lines that say what it does not show.
pub(super) fn add(flow: &mut Flow, table: &dyn Table, time_unit: TimeUnit, notes: &[String], size: Size) {
    let columns = columns(&flow.drawing, table, time_unit);
    let blocks = blocks(&columns, inside(size));
    flow.turn(size);
    flow.heading(table.title(), together(table, blocks.len()));
    for note in notes.iter().chain(&starts(table, &columns)) {
        flow.paragraph(note, SMALL, 0.0);
    }
    let count = blocks.len();
    for (number, block) in (1..).zip(blocks) {
        let name = if count > 1 {
            format!("{}, columns {number} of {count}", table.title())
        } else {
            table.title().to_owned()
        };
        if count > 1 {
            flow.keep(60.0);
            flow.paragraph(&name, bold(7.5, GREY), 0.0);
        }
        flow.space(3.0);
        let block: Vec<&Column<'_>> = block.into_iter().map(|at| &columns[at]).collect();
        add_block(flow, table, &block, &name);
        flow.space(8.0);
    }
}

/// From when the points in time of a table count.
fn starts(table: &dyn Table, columns: &[Column<'_>]) -> Option<String> {
    let starts = columns.iter().filter(|column| column.text.is_relative());
    let titles: Vec<&str> = starts.map(|column| table.header(column.at).title).collect();
    let into = time(to_f64(table.origin_ns()), TimeUnit::S);
    let said = || {
        format!(
            "{}: from the start of the aggregated iterations, {into} into the capture.",
            titles.join(", ")
        )
    };
    (!titles.is_empty()).then(said)
}

/// What must be on the same page as the heading: all of a short table, else its beginning.
fn together(table: &dyn Table, blocks: usize) -> f32 {
    /// Number of rows; each is assumed to have two lines.
    const SHORT: usize = 12;
    let row = 2.0 * (line_height(CELL) + PADDING);
    if blocks == 1 && table.rows() <= SHORT { 60.0 + (table.rows() as f32) * row } else { 90.0 }
}

fn measure<'a>(drawing: &Drawing, table: &'a dyn Table, at: usize, time_unit: TimeUnit) -> Column<'a> {
    let text = ColumnText::new(table, at, time_unit);
    let title = text.title();
    let is_text = matches!(table.header(at).kind, CellKind::Text | CellKind::Json);
    let word = title.split(' ').map(|word| drawing.width(word, HEAD)).fold(0.0, f32::max);
    // A title may have two or three lines, so it does not make the column wider.
    let head = word.max(drawing.width(&title, HEAD) / 1.9);
    let mut best = head;
    for row in 0..table.rows() {
        if is_text && best >= WIDE {
            break;
        }
        best = best.max(drawing.width(&text.cell(&table.value(row, at)), CELL) + 0.5);
    }
    let best = if is_text { best.min(WIDE.max(head)) } else { best };
    let least = if is_text { best.min(NARROW.max(head)) } else { best };
    Column { at, text, title, least, best, is_text }
}

/// Positions of the columns of each block. Every block begins with the first columns, which identify the row.
fn blocks(columns: &[Column<'_>], room: f32) -> Vec<Vec<usize>> {
    let width = |block: &[usize]| block.iter().map(|&at| columns[at].least + GAP).sum::<f32>() - GAP;
    let names = columns.iter().position(|column| column.is_text).map_or(1, |at| at + 1);
    let mut fixed: Vec<usize> = (0..names.min(columns.len())).collect();
    if width(&fixed) > room / 2.0 {
        fixed.truncate(1);
    }
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut block: Vec<usize> = Vec::new();
    for at in 0..columns.len() {
        block.push(at);
        if width(&block) > room && block.len() > 1 {
            block.pop();
            blocks.push(std::mem::replace(&mut block, fixed.clone()));
            block.push(at);
        }
    }
    blocks.push(block);
    blocks
}

/// Widths of the columns of a block. Free space is given to text columns first, then to the space between columns.
fn widths(columns: &[&Column<'_>], room: f32) -> (Vec<f32>, f32) {
    let gaps = columns.len().saturating_sub(1) as f32;
    let least: f32 = columns.iter().map(|column| column.least).sum();
    let wish: f32 = columns.iter().map(|column| column.best - column.least).sum();
    let left = room - least - gaps * GAP;
    let given = if wish > 0.0 { (left / wish).clamp(0.0, 1.0) } else { 0.0 };
    let widths: Vec<f32> =
        columns.iter().map(|column| column.least + given * (column.best - column.least)).collect();
    let spare = (left - given * wish).max(0.0);
    let gap = if gaps > 0.0 { GAP + (spare / gaps).min(28.0) } else { GAP };
    (widths, gap)
}

fn add_block(flow: &mut Flow, table: &dyn Table, columns: &[&Column<'_>], name: &str) {
    let (widths, gap) = widths(columns, flow.width());
    let xs: Vec<f32> = widths
        .iter()
        .scan(MARGIN, |x, width| {
            let here = *x;
            *x += width + gap;
            Some(here)
        })
        .collect();
    let end = xs.last().zip(widths.last()).map_or(MARGIN, |(x, width)| x + width);
    let place = Place { columns, xs: &xs, widths: &widths, end };
    flow.keep(60.0);
    place.add_header(flow);
    if table.rows() == 0 {
        flow.paragraph("no rows", SMALL, 0.0);
    }
    for row in 0..table.rows() {
        let cells: Vec<Vec<String>> = columns
            .iter()
            .zip(&widths)
            .map(|(column, &width)| {
                let cell = column.text.cell(&table.value(row, column.at));
                wrap(&flow.drawing, &cell, CELL, width + 0.5, MOST_LINES)
            })
            .collect();
        let lines = cells.iter().map(Vec::len).max().unwrap_or(1) as f32;
        let height = lines * line_height(CELL) + 2.0 * PADDING;
        if flow.keep(height) {
            flow.paragraph(&format!("{name}, continued"), bold(7.5, GREY), 0.0);
            flow.space(3.0);
            place.add_header(flow);
        }
        place.add_row(flow, &cells, CELL);
        flow.y += height;
        flow.drawing.line((MARGIN, flow.y), (end, flow.y), 0.4, RULE);
    }
}

/// The positions of the columns of a block.
struct Place<'a> {
    columns: &'a [&'a Column<'a>],
    xs: &'a [f32],
    widths: &'a [f32],
    end: f32,
}

impl Place<'_> {
    fn add_header(&self, flow: &mut Flow) {
        let cells: Vec<Vec<String>> = self
            .columns
            .iter()
            .zip(self.widths)
            .map(|(column, &width)| wrap(&flow.drawing, &column.title, HEAD, width + 0.5, 4))
            .collect();
        let lines = cells.iter().map(Vec::len).max().unwrap_or(1) as f32;
        let height = lines * line_height(HEAD) + 2.0 * PADDING;
        let size = Size { width: self.end - MARGIN + 6.0, height };
        flow.drawing.rectangle(MARGIN - 3.0, flow.y, size, PALE);
        self.add_row(flow, &cells, HEAD);
        flow.y += height;
    }

    /// Writes cells at the top of the row; numbers are aligned to the right.
    fn add_row(&self, flow: &mut Flow, cells: &[Vec<String>], style: Style) {
        for (((column, lines), &x), &width) in self.columns.iter().zip(cells).zip(self.xs).zip(self.widths) {
            let mut y = flow.y + PADDING + style.size;
            for line in lines {
                let spare = width - flow.drawing.width(line, style);
                let x = if column.text.is_number() { x + spare } else { x };
                flow.drawing.text(x, y, style, line);
                y += line_height(style);
            }
        }
    }
}
