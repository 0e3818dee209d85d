//! A table as a sheet: a real Excel table with filter, frozen header, number formats, widths and data bars.

use dlprof_core::tables::{Table, Unit, Value};
use rust_xlsxwriter::{
    ConditionalFormatDataBar, Format, FormatAlign, FormatBorder, Table as ExcelTable, TableColumn,
    TableStyle, Workbook, Worksheet, XlsxError,
};
use std::collections::HashMap;

/// Number of the paper size.
pub(super) const A4: u8 = 9;

/// Rows of a sheet, without the header.
const MOST_ROWS: usize = 1_048_575;

/// Sheets with more rows are streamed to disk instead of held in memory.
const LONG: usize = 10_000;

/// Sheets with more rows have a filter instead of an Excel table, and may be larger than four gigabytes before
/// compression.
pub(super) const HUGE: usize = 100_000;

/// Excel refuses longer texts.
const LONGEST_TEXT: usize = 32_767;

/// Whole numbers beyond 2^53 are not exact in a cell; they are written as texts.
const EXACT: i64 = 1 << 53;

/// Links from ops to their first line in the sheet of their kernels, by op ID.
pub(super) struct Links {
    lines: HashMap<String, usize>,
}

impl Links {
    /// Excel allows only so many links in a sheet.
    const MOST: usize = 65_530;

    /// Links to the sheet of `kernel_summaries`. There are none if this table is not exported or is too long for
    /// one sheet.
    pub(super) fn to_kernels(tables: &[Box<dyn Table + '_>]) -> Self {
        let mut lines = HashMap::new();
        let target = tables.iter().find(|table| table.key() == KERNELS && table.rows() <= MOST_ROWS);
        let op_id = target.and_then(|table| position(table.as_ref(), OP_ID));
        if let (Some(table), Some(op_id)) = (target, op_id) {
            for row in 0..table.rows() {
                if let Value::Text(op) = table.value(row, op_id) {
                    lines.entry(op.into_owned()).or_insert(row + 2);
                }
            }
        }
        Self { lines }
    }

    /// The target of the link in a cell.
    fn of_cell(&self, value: &Value<'_>) -> Option<String> {
        let Value::Text(op) = value else { return None };
        self.lines.get(op.as_ref()).map(|line| format!("internal:'{KERNELS}'!A{line}"))
    }
}

const KERNELS: &str = "kernel_summaries";
const OP_ID: &str = "op_id";

/// Tables in which an op ID is a link to the kernels of the op.
const LINKED: [&str; 2] = ["ops", "top_ops"];

fn position(table: &dyn Table, key: &str) -> Option<usize> {
    (0..table.columns()).find(|&column| table.header(column).key == key)
}

/// Adds a table. If a sheet cannot hold all rows, further sheets have the rest; their names and first lines say so.
pub(super) fn add(workbook: &mut Workbook, table: &dyn Table, links: &Links) -> Result<(), XlsxError> {
    let parts = table.rows().div_ceil(MOST_ROWS).max(1);
    for part in 0..parts {
        let first = part * MOST_ROWS;
        let rows = first..table.rows().min(first + MOST_ROWS);
        let is_long = rows.len() > LONG;
        // Names occur many times, so storing each once for the workbook needs less memory, time and space.
        let sheet =
            if is_long { workbook.add_worksheet_with_low_memory()? } else { workbook.add_worksheet() };
        let name = if parts == 1 {
            table.key().to_owned()
        } else {
            format!("{} {} of {parts}", table.key(), part + 1)
        };
        sheet.set_name(&name)?;
        let columns = column(table.columns());
        let last_row = row(rows.len().max(1));
        if rows.len() > HUGE {
            add_filter(sheet, table, last_row)?;
        } else {
            let name =
                if parts == 1 { table.key().to_owned() } else { format!("{}_{}", table.key(), part + 1) };
            sheet.add_table(0, 0, last_row, columns - 1, &excel_table(table, &name))?;
        }
        sheet.set_freeze_panes(1, 0)?;
        // About fourteen columns side by side are readable on paper.
        let sheet = sheet.set_landscape().set_paper_size(A4).set_print_fit_to_pages(columns.div_ceil(14), 0);
        sheet.set_repeat_rows(0, 0)?;
        decorate(sheet, table, last_row)?;
        // The rows come last, because a long sheet is written row by row after the header.
        write_rows(sheet, table, rows, links)?;
    }
    Ok(())
}

fn excel_table(table: &dyn Table, name: &str) -> ExcelTable {
    let headers: Vec<TableColumn> = (0..table.columns())
        .map(|at| TableColumn::new().set_header(table.header(at).title_with_unit()))
        .collect();
    ExcelTable::new().set_name(name).set_style(TableStyle::Light1).set_columns(&headers)
}

/// Writes a header with a filter. It replaces an Excel table, for which the writer keeps 40 bytes of memory per
/// cell.
fn add_filter(sheet: &mut Worksheet, table: &dyn Table, last_row: u32) -> Result<(), XlsxError> {
    let bold = Format::new().set_bold().set_border_bottom(FormatBorder::Thin);
    for at in 0..table.columns() {
        sheet.write_string_with_format(0, column(at), table.header(at).title_with_unit(), &bold)?;
    }
    sheet.autofilter(0, 0, last_row, column(table.columns()) - 1)?;
    Ok(())
}

fn row(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn column(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

fn write_rows(
    sheet: &mut Worksheet,
    table: &dyn Table,
    rows: std::ops::Range<usize>,
    links: &Links,
) -> Result<(), XlsxError> {
    let is_linked = LINKED.contains(&table.key()) && rows.len() <= Links::MOST;
    let op_id = position(table, OP_ID).filter(|_| is_linked);
    // Looking a format up takes longer than writing the number.
    let format = |at| Some(table.header(at).unit).filter(|unit| *unit != Unit::None).map(number_format);
    let formats: Vec<Option<Format>> = (0..table.columns()).map(format).collect();
    for (line, at) in (1..).zip(rows) {
        for (number, format) in (0..).zip(&formats) {
            let value = table.value(at, usize::from(number));
            let link = if op_id == Some(usize::from(number)) { links.of_cell(&value) } else { None };
            match (link, &value) {
                (Some(link), Value::Text(op)) => {
                    sheet.write_url_with_text(line, number, link.as_str(), op.as_ref())?;
                }
                _ => write_cell(sheet, line, number, &value, format.as_ref())?,
            }
        }
    }
    Ok(())
}

/// How Excel shows numbers of a unit.
pub(super) fn number_format(unit: Unit) -> Format {
    match unit {
        Unit::None => Format::new(),
        Unit::Nanoseconds | Unit::Bytes | Unit::Flop | Unit::Hertz | Unit::BytesPerSecond => {
            Format::new().set_num_format("#,##0")
        }
        Unit::Percent
        | Unit::PerSecond
        | Unit::GigabytesPerSecond
        | Unit::TeraflopPerSecond
        | Unit::FlopPerByte => Format::new().set_num_format("0.00"),
    }
}

fn write_cell(
    sheet: &mut Worksheet,
    line: u32,
    column: u16,
    value: &Value<'_>,
    format: Option<&Format>,
) -> Result<(), XlsxError> {
    let mut write_number = |number: f64| match format {
        Some(format) => sheet.write_number_with_format(line, column, number, format).map(drop),
        None => sheet.write_number(line, column, number).map(drop),
    };
    match value {
        Value::Null => {}
        #[expect(clippy::cast_precision_loss, reason = "below 2^53 it is exact")]
        Value::Int(number) if (-EXACT..=EXACT).contains(number) => {
            write_number(*number as f64)?;
        }
        Value::Int(number) => {
            let right = Format::new().set_align(FormatAlign::Right);
            sheet.write_string_with_format(line, column, number.to_string(), &right)?;
        }
        Value::Float(number) if number.is_finite() => {
            write_number(*number)?;
        }
        Value::Float(_) => {}
        Value::Flag(flag) => drop(sheet.write_boolean(line, column, *flag)?),
        Value::Text(text) if text.len() <= LONGEST_TEXT => {
            sheet.write_string(line, column, text.as_ref())?;
        }
        Value::Text(text) => drop(sheet.write_string(line, column, cut(text))?),
    }
    Ok(())
}

/// A text that fits into a cell. If the text had to be cut, it ends with a note.
fn cut(text: &str) -> String {
    const NOTE: &str = "… [cut: longer than a cell]";
    if text.encode_utf16().count() <= LONGEST_TEXT {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut room = LONGEST_TEXT - NOTE.encode_utf16().count();
    for c in text.chars().take_while(|c| {
        let fits = c.len_utf16() <= room;
        room = room.saturating_sub(c.len_utf16());
        fits
    }) {
        kept.push(c);
    }
    kept + NOTE
}

/// Sets the widths by the content, and shows bars in cells with times that are sums.
fn decorate(sheet: &mut Worksheet, table: &dyn Table, last_row: u32) -> Result<(), XlsxError> {
    /// Number of rows that decide the width.
    const SAMPLE: usize = 200;
    for at in 0..table.columns() {
        let header = table.header(at);
        let widest =
            (0..table.rows().min(SAMPLE)).map(|row| shown_width(&table.value(row, at), header.unit)).max();
        let width = widest.unwrap_or(0).max(header.title_with_unit().chars().count() + 3).clamp(8, 60);
        sheet.set_column_width(column(at), u32::try_from(width).unwrap_or(60))?;
        if header.key == "gpu_time_ns" && table.rows() > 1 {
            let bar = ConditionalFormatDataBar::new().set_fill_color("A9D18E").set_solid_fill(true);
            sheet.add_conditional_format(1, column(at), last_row, column(at), &bar)?;
        }
    }
    Ok(())
}

fn shown_width(value: &Value<'_>, unit: Unit) -> usize {
    match value {
        Value::Null => 0,
        Value::Int(number) => {
            let digits = number.to_string().len();
            if unit == Unit::None { digits + 1 } else { digits + digits / 3 + 1 }
        }
        Value::Float(_) => 10,
        Value::Flag(_) => 6,
        Value::Text(text) => text.chars().count() + 1,
    }
}
