//! The sheet that says what each column means.

use super::arranged::Arranged;
use super::sheet::{A4, FOOTER, row};
use super::sheet_names::MEANINGS;
use crate::display::{TimeUnit, time};
use dlprof_core::{Table, to_f64};
use rust_xlsxwriter::{Format, FormatAlign, FormatBorder, Workbook, XlsxError};

/// The titles of the columns, and their widths.
const COLUMNS: [(&str, f64); 5] =
    [("Sheet", 26.0), ("Column", 32.0), ("Unit", 10.0), ("Meaning", 100.0), ("Key in data files", 30.0)];

pub(super) fn add(
    workbook: &mut Workbook,
    tables: &[Arranged<'_>],
    names: &[String],
) -> Result<(), XlsxError> {
    let sheet = workbook.add_worksheet().set_name(MEANINGS)?;
    let head = Format::new().set_bold().set_border_bottom(FormatBorder::Thin);
    let text = Format::new().set_align(FormatAlign::Top);
    let wrapped = text.clone().set_text_wrap();
    for (column, (title, width)) in (0..).zip(COLUMNS) {
        sheet.set_column_width(column, width)?;
        sheet.write_string_with_format(0, column, title, &head)?;
    }
    let mut line = 0;
    for (table, name) in tables.iter().zip(names) {
        for column in 0..table.view.columns() {
            let (header, shown) = (table.view.header(column), table.text(column));
            line += 1;
            sheet.write_string_with_format(line, 0, name, &text)?;
            sheet.write_string_with_format(line, 1, header.title, &text)?;
            sheet.write_string_with_format(line, 2, shown.symbol(), &text)?;
            sheet.write_string_with_format(line, 3, meaning(table, column), &wrapped)?;
            sheet.write_string_with_format(line, 4, header.key, &text)?;
        }
    }
    sheet.autofilter(0, 0, line.max(row(1)), 4)?;
    sheet.set_freeze_panes(1, 0)?.set_repeat_rows(0, 0)?;
    sheet.set_landscape().set_paper_size(A4).set_print_fit_to_pages(1, 0).set_footer(FOOTER);
    Ok(())
}

/// The meaning of a column, and from when its points in time count.
fn meaning(table: &Arranged<'_>, column: usize) -> String {
    let doc = table.view.header(column).doc;
    if !table.text(column).is_relative() {
        return doc.to_owned();
    }
    let origin = time(to_f64(table.view.origin_ns()), TimeUnit::S);
    format!("{doc} Here from the start of the aggregated iterations, {origin} into the capture.")
}
