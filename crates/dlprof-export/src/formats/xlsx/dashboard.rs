//! The dashboard sheet: the summary, charts of it, the findings.

use dlprof_core::aggregate::Profile;
#[cfg(doc)]
use dlprof_core::aggregate::Resources;
use dlprof_core::tables::{self, Kind, Table, Unit, Value};
use rust_xlsxwriter::{Chart, ChartType, Color, Format, FormatAlign, Workbook, Worksheet, XlsxError};

const SHEET: &str = "Dashboard";

/// The viewer's colours, in the order of [`Resources::by_class`].
const COLORS: [u32; 7] =
    [0x0037_8B29, 0x0099_D18E, 0x002E_75B6, 0x00F4_C77B, 0x00F2_8E2B, 0x00C5_5A11, 0x008E_6BBF];

/// Columns of the figures that charts are drawn of; they stand to the right of what people read.
const CHART_DATA: u16 = 20;

pub(super) fn add(workbook: &mut Workbook, profile: &Profile<'_>, title: &str) -> Result<(), XlsxError> {
    let sheet = workbook.add_worksheet();
    sheet.set_name(SHEET)?;
    sheet.set_screen_gridlines(false);
    let heading = Format::new().set_bold().set_font_size(16);
    sheet.write_string_with_format(0, 0, title, &heading)?;
    sheet.write_string(
        1,
        0,
        format!("Mode: {}, {}", profile.correlation.mode.as_str(), profile.correlation.mode_reason),
    )?;
    sheet.set_column_width(0, 34)?;
    sheet.set_column_width(1, 22)?;
    let next = write_summary(sheet, profile)?;
    write_findings(sheet, profile, next + 1)?;
    add_charts(sheet, profile)
}

/// The summary table, turned on its side: a line per figure. Returns the next free line.
fn write_summary(sheet: &mut Worksheet, profile: &Profile<'_>) -> Result<u32, XlsxError> {
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
            Kind::Float if header.unit == Unit::None => Format::new().set_num_format("0.000"),
            _ => super::sheet::number_format(header.unit),
        };
        let format = format.set_align(FormatAlign::Right);
        sheet.write_string(line, 0, header.title_with_unit())?;
        match value {
            #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a capture are far below 2^53")]
            Value::Int(number) => drop(sheet.write_number_with_format(line, 1, number as f64, &format)?),
            Value::Float(number) if number.is_finite() => {
                sheet.write_number_with_format(line, 1, number, &format)?;
            }
            Value::Text(text) => drop(sheet.write_string_with_format(line, 1, text.as_ref(), &format)?),
            Value::Flag(flag) => drop(sheet.write_boolean(line, 1, flag)?),
            _ => {}
        }
        line += 1;
    }
    Ok(line)
}

fn write_findings(sheet: &mut Worksheet, profile: &Profile<'_>, first: u32) -> Result<(), XlsxError> {
    let bold = Format::new().set_bold().set_border_bottom(rust_xlsxwriter::FormatBorder::Thin);
    let wrapped = Format::new().set_text_wrap().set_align(FormatAlign::Top);
    let title = if profile.findings.is_empty() { "Findings: none" } else { "Findings" };
    sheet.write_string_with_format(first, 0, title, &bold)?;
    for (line, finding) in (first + 1..).zip(&profile.findings) {
        sheet.write_string_with_format(line, 0, &finding.problem, &wrapped)?;
        sheet.merge_range(line, 1, line, 10, &finding.recommendation, &wrapped)?;
        sheet.set_row_height(line, 48)?;
    }
    Ok(())
}

fn add_charts(sheet: &mut Worksheet, profile: &Profile<'_>) -> Result<(), XlsxError> {
    let classes = profile.summary.resources.by_class().map(|(name, ns)| (name.to_owned(), ns));
    write_series(sheet, CHART_DATA, "Resource usage (ns)", classes.into_iter())?;
    let mut resources = Chart::new(ChartType::Doughnut);
    resources.title().set_name("Resource usage");
    let points: Vec<rust_xlsxwriter::ChartPoint> = COLORS
        .iter()
        .map(|color| {
            rust_xlsxwriter::ChartPoint::new()
                .set_format(rust_xlsxwriter::ChartSolidFill::new().set_color(Color::RGB(*color)))
        })
        .collect();
    resources
        .add_series()
        .set_categories((SHEET, 1, CHART_DATA, 7, CHART_DATA))
        .set_values((SHEET, 1, CHART_DATA + 1, 7, CHART_DATA + 1))
        .set_points(&points);
    sheet.insert_chart(3, 3, &resources)?;

    let top = profile.top_ops();
    let ops = top.iter().map(|op| (profile.op_id(op.op).to_owned(), op.times.gpu.sum));
    let count = u32::try_from(top.len()).unwrap_or(0);
    write_series(sheet, CHART_DATA + 3, "GPU time of the top ops (ns)", ops)?;
    if count > 0 {
        let mut chart = Chart::new(ChartType::Bar);
        chart.title().set_name("Top ops by GPU time (ns)");
        chart.legend().set_hidden();
        chart.y_axis().set_reverse();
        chart
            .add_series()
            .set_categories((SHEET, 1, CHART_DATA + 3, count, CHART_DATA + 3))
            .set_values((SHEET, 1, CHART_DATA + 4, count, CHART_DATA + 4))
            .set_format(rust_xlsxwriter::ChartSolidFill::new().set_color(Color::RGB(COLORS[0])));
        sheet.insert_chart(3, 11, &chart)?;
    }
    add_iterations(sheet, profile)
}

/// Iterations as columns stacked by class, as far as a chart can show them.
fn add_iterations(sheet: &mut Worksheet, profile: &Profile<'_>) -> Result<(), XlsxError> {
    /// More columns are no picture.
    const MOST: usize = 500;
    let stats = &profile.iteration_stats;
    if stats.len() < 2 {
        return Ok(());
    }
    let shown = &stats[..stats.len().min(MOST)];
    let first = CHART_DATA + 6;
    sheet.write_string(0, first, "Iteration")?;
    for (line, row) in (1..).zip(shown) {
        sheet.write_number(line, first, row.iteration)?;
        let classes = row.resources.average(profile.summary.gpus).by_class();
        for (column, (_, ns)) in (first + 1..).zip(classes) {
            sheet.write_number(line, column, dlprof_core::ratios::to_f64(ns))?;
        }
    }
    let last = u32::try_from(shown.len()).unwrap_or(1);
    let mut chart = Chart::new(ChartType::ColumnStacked);
    let title =
        if stats.len() > MOST { format!("First {MOST} iterations (ns)") } else { "Iterations (ns)".into() };
    chart.title().set_name(&title);
    let names = profile.summary.resources.by_class().map(|(name, _)| name);
    for (column, (name, color)) in (first + 1..).zip(names.into_iter().zip(COLORS)) {
        sheet.write_string(0, column, name)?;
        chart
            .add_series()
            .set_name((SHEET, 0, column))
            .set_categories((SHEET, 1, first, last, first))
            .set_values((SHEET, 1, column, last, column))
            .set_format(rust_xlsxwriter::ChartSolidFill::new().set_color(Color::RGB(color)))
            .set_gap(20);
    }
    chart.set_width(980);
    sheet.insert_chart(19, 3, &chart).map(drop)
}

/// A column of names and one of figures below a title, for a chart.
fn write_series(
    sheet: &mut Worksheet,
    column: u16,
    title: &str,
    series: impl Iterator<Item = (String, i64)>,
) -> Result<(), XlsxError> {
    sheet.write_string(0, column, title)?;
    for (line, (name, ns)) in (1..).zip(series) {
        sheet.write_string(line, column, name)?;
        sheet.write_number(line, column + 1, dlprof_core::ratios::to_f64(ns))?;
    }
    Ok(())
}
