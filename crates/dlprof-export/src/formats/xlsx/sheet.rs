//! A table as a sheet: filter, frozen header and names, number formats, widths, links, print set-up.

use super::arranged::Arranged;
use super::cells::{self, MOST_ROWS};
use super::links::Links;
use super::sheet_names;
use crate::display::plain;
use dlprof_core::{CellKind, Importance, Table, Value};
use rust_xlsxwriter::{Format, FormatBorder, Workbook, Worksheet, XlsxError};
use std::ops::Range;

/// Number of the paper size.
pub(super) const A4: u8 = 9;

/// At the foot of every page.
pub(super) const FOOTER: &str = concat!("&L&A&Cdlprof-agg ", env!("CARGO_PKG_VERSION"), "&RPage &P of &N");

/// Sheets with more rows are streamed to disk instead of held in memory.
const LONG: usize = 10_000;

/// Sheets with more rows may be larger than four gigabytes before compression.
pub(super) const HUGE: usize = 100_000;

/// Adds a table with rows. If a sheet cannot hold all rows, further sheets have the rest; their names say so.
pub(super) fn add(
    workbook: &mut Workbook,
    table: &Arranged<'_>,
    name: &str,
    links: &Links,
) -> Result<(), XlsxError> {
    let parts = table.view.rows().div_ceil(MOST_ROWS);
    for part in 0..parts {
        let first = part * MOST_ROWS;
        let rows = first..table.view.rows().min(first + MOST_ROWS);
        let is_long = rows.len() > LONG;
        // Names occur many times, so storing each once for the workbook needs less memory, time and space.
        let sheet =
            if is_long { workbook.add_worksheet_with_low_memory()? } else { workbook.add_worksheet() };
        sheet.set_name(sheet_names::part(name, part, parts))?;
        add_header(sheet, table, row(rows.len()))?;
        set_up(sheet, table)?;
        // The rows come last, because a long sheet is written row by row after the header.
        write_rows(sheet, table, rows, links)?;
    }
    Ok(())
}

/// The titles of the columns, all different: a repeated one is followed by its key.
fn titles(table: &Arranged<'_>) -> Vec<String> {
    let mut titles: Vec<String> = Vec::new();
    for at in 0..table.view.columns() {
        let header = table.view.header(at);
        let title = cells::title(table.text(at), &header);
        let is_taken = titles.iter().any(|other| other.eq_ignore_ascii_case(&title));
        titles.push(if is_taken { format!("{title} [{}]", header.key) } else { title });
    }
    titles
}

/// Writes a header with a filter.
fn add_header(sheet: &mut Worksheet, table: &Arranged<'_>, last_row: u32) -> Result<(), XlsxError> {
    let bold = Format::new().set_bold().set_border_bottom(FormatBorder::Thin);
    for (at, title) in (0..).zip(titles(table)) {
        sheet.write_string_with_format(0, at, title, &bold)?;
    }
    sheet.autofilter(0, 0, last_row, last_column(&table.view))?;
    Ok(())
}

/// Widths by content; what stays in sight; what is printed.
fn set_up(sheet: &mut Worksheet, table: &Arranged<'_>) -> Result<(), XlsxError> {
    /// Number of rows that decide the width.
    const SAMPLE: usize = 200;
    for at in 0..table.view.columns() {
        let header = table.view.header(at);
        let widest = (0..table.view.rows().min(SAMPLE))
            .map(|row| cells::shown_width(&table.view.value(row, at), table.text(at)))
            .max();
        let width =
            widest.unwrap_or(0).max(cells::title(table.text(at), &header).chars().count() + 3).clamp(8, 60);
        // The column in sight must leave room for others.
        let width = if at == 0 { width.min(44) } else { width };
        sheet.set_column_width(column(at), u32::try_from(width).unwrap_or(60))?;
    }
    let is_name = table.view.columns() > 1 && table.view.header(0).kind == CellKind::Text;
    sheet.set_freeze_panes(1, u16::from(is_name))?;
    sheet.set_landscape().set_paper_size(A4).set_print_fit_to_pages(1, 0).set_footer(FOOTER);
    sheet.set_margins(0.4, 0.4, 0.5, 0.6, 0.3, 0.3);
    sheet.set_repeat_rows(0, 0)?;
    Ok(())
}

/// The last column that is printed: those of most importance come first, and more would be too small to read.
fn last_printed(table: &dyn Table) -> u16 {
    const MOST: usize = 14;
    let is_main = |at: &usize| table.layout().importance(table.header(*at).key) < Importance::Low;
    let main = (0..table.columns()).take_while(is_main).count();
    column(main.clamp(1, MOST.min(table.columns()))) - 1
}

fn write_rows(
    sheet: &mut Worksheet,
    table: &Arranged<'_>,
    rows: Range<usize>,
    links: &Links,
) -> Result<(), XlsxError> {
    sheet.set_print_area(0, 0, row(rows.len()), last_printed(&table.view))?;
    let linked = Links::column(&table.view, rows.len());
    // Looking a format up takes longer than writing the number.
    let headers: Vec<_> = (0..table.view.columns()).map(|at| table.view.header(at)).collect();
    let formats: Vec<Option<Format>> = headers
        .iter()
        .enumerate()
        .map(|(at, header)| cells::number_format(table.text(at), header.unit))
        .map(|code| code.map(|code| Format::new().set_num_format(code)))
        .collect();
    for (line, at) in (1..).zip(rows) {
        for (number, (header, format)) in headers.iter().zip(&formats).enumerate() {
            let value = table.view.value(at, number);
            let place = (line, column(number));
            let link = if linked == Some(number) { links.to_kernels(&value) } else { None };
            match (link, &value) {
                (Some(link), Value::Text(op)) => {
                    // The link keeps its text in an attribute, which the writer does not escape; the cell has it as it is.
                    let op = cells::fitting(op);
                    sheet.write_url_with_text(place.0, place.1, link.as_str(), plain(&op))?;
                    sheet.write_string_with_format(
                        place.0,
                        place.1,
                        op.as_ref(),
                        &Format::new().set_hyperlink(),
                    )?;
                }
                _ => {
                    let text = table.text(number);
                    cells::write(sheet, place, &value, header.unit, text, format.as_ref())?;
                }
            }
        }
    }
    Ok(())
}

pub(super) fn row(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn column(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

fn last_column(table: &dyn Table) -> u16 {
    column(table.columns()) - 1
}
