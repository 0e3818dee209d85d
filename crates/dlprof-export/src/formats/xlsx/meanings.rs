//! The sheet that says what each column means.

use super::arranged::Arranged;
use super::names::MEANINGS;
use super::sheet::{A4, FOOTER, row};
use dlprof_core::tables::Table;
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
        for header in (0..table.columns()).map(|column| table.header(column)) {
            line += 1;
            sheet.write_string_with_format(line, 0, name, &text)?;
            sheet.write_string_with_format(line, 1, header.title, &text)?;
            sheet.write_string_with_format(line, 2, header.unit.symbol(), &text)?;
            sheet.write_string_with_format(line, 3, header.doc, &wrapped)?;
            sheet.write_string_with_format(line, 4, header.key, &text)?;
        }
    }
    sheet.autofilter(0, 0, line.max(row(1)), 4)?;
    sheet.set_freeze_panes(1, 0)?.set_repeat_rows(0, 0)?;
    sheet.set_landscape().set_paper_size(A4).set_print_fit_to_pages(1, 0).set_footer(FOOTER);
    Ok(())
}
