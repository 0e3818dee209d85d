//! The dashboard sheet: the summary, charts of it, the findings.

use super::charts::{self, SHEET};
use super::sheet::{A4, number_format};
use crate::display::{TimeUnit, sentence};
use crate::findings::texts;
use crate::origin;
use dlprof_core::profile::Profile;
use dlprof_core::tables::{self, CellKind, Table, Unit, Value};
use rust_xlsxwriter::{Format, FormatAlign, Workbook, Worksheet, XlsxError};

pub(super) fn add(workbook: &mut Workbook, profile: &Profile, title: &str) -> Result<(), XlsxError> {
    let sheet = workbook.add_worksheet();
    sheet.set_name(SHEET)?;
    sheet.set_screen_gridlines(false);
    let heading = Format::new().set_bold().set_font_size(16);
    sheet.write_string_with_format(0, 0, title, &heading)?;
    let verdict = sentence(&dlprof_core::findings::verdict(profile), TimeUnit::Auto);
    let bold = Format::new().set_bold().set_text_wrap().set_align(FormatAlign::Top);
    sheet.merge_range(1, 0, 1, 8, &verdict, &bold)?;
    sheet.set_row_height(1, 32)?;
    sheet.write_string(
        2,
        0,
        format!("Mode: {}, {}", profile.capture.mode.as_str(), profile.capture.mode_reason),
    )?;
    sheet.set_column_width(0, 46)?;
    sheet.set_column_width(1, 26)?;
    let next = write_summary(sheet, profile)?;
    let last = write_findings(sheet, profile, charts::LAST_LINE.max(next) + 1)?;
    // The print area leaves out the figures of the charts.
    sheet.set_print_area(0, 0, last, charts::LAST_COLUMN)?;
    sheet.set_landscape().set_paper_size(A4).set_print_fit_to_pages(1, 0);
    charts::add(sheet, profile)
}

/// Writes the summary table with one line per figure. Returns the next free line.
fn write_summary(sheet: &mut Worksheet, profile: &Profile) -> Result<u32, XlsxError> {
    let table = tables::summary::build(profile);
    let bold = Format::new().set_bold().set_border_bottom(rust_xlsxwriter::FormatBorder::Thin);
    sheet.write_string_with_format(3, 0, "Summary", &bold)?;
    sheet.write_blank(3, 1, &bold)?;
    let mut line = 4;
    for column in 0..table.columns() {
        let header = table.header(column);
        let value = table.value(0, column);
        if value == Value::Null {
            continue;
        }
        let format = match header.kind {
            CellKind::Float if header.unit == Unit::None => Format::new().set_num_format("0.000"),
            _ => number_format(header.unit),
        };
        let format = format.set_align(FormatAlign::Right);
        sheet.write_string(line, 0, header.title_with_unit())?;
        match value {
            #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a capture are far below 2^53")]
            Value::Int(number) => drop(sheet.write_number_with_format(line, 1, number as f64, &format)?),
            Value::Float(number) if number.is_finite() => {
                sheet.write_number_with_format(line, 1, number, &format)?;
            }
            Value::Text(text) => {
                let format = format.set_text_wrap();
                sheet.write_string_with_format(line, 1, text.as_ref(), &format)?;
            }
            Value::Flag(flag) => drop(sheet.write_boolean(line, 1, flag)?),
            _ => {}
        }
        line += 1;
    }
    Ok(line)
}

/// Returns the last line.
fn write_findings(sheet: &mut Worksheet, profile: &Profile, first: u32) -> Result<u32, XlsxError> {
    let mut last = first;
    let bold = Format::new().set_bold().set_border_bottom(rust_xlsxwriter::FormatBorder::Thin);
    let wrapped = Format::new().set_text_wrap().set_align(FormatAlign::Top);
    let findings = texts(profile, &origin::file_name(profile), TimeUnit::Auto);
    let title = if findings.is_empty() { "Findings: none" } else { "Findings, by what they would save" };
    sheet.write_string_with_format(first, 0, title, &bold)?;
    for (line, finding) in (first + 1..).zip(&findings) {
        sheet.write_string_with_format(line, 0, format!("{} {}", finding.mark, finding.problem), &wrapped)?;
        let saving = match finding.saving.as_str() {
            "" => String::new(),
            saving => format!("\nSaves: {saving}"),
        };
        sheet.merge_range(line, 1, line, 10, &format!("{}{saving}", finding.advice), &wrapped)?;
        sheet.set_row_height(line, 48)?;
        last = line;
    }
    Ok(last)
}
