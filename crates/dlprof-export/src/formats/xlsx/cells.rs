//! Cells: values and how Excel shows them.

use super::super::scale::Scale;
use crate::display::{ColumnText, TimeUnit};
use dlprof_core::{Header, Table, Unit, Value};
use rust_xlsxwriter::{Format, FormatAlign, Worksheet, XlsxError};

/// Rows of a sheet, without the header.
pub(super) const MOST_ROWS: usize = 1_048_575;

/// Excel refuses longer texts.
const LONGEST_TEXT: usize = 32_767;

/// Whole numbers beyond 2^53 are not exact in a cell; those without a unit are written as texts.
const EXACT: i64 = 1 << 53;

/// Shares, which are written as fractions of 1.
pub(super) const PERCENT: &str = "0.0 %";

/// How the cells of a column are shown. An automatic unit of times is µs or ms: shorter and longer ones would mix with them on a
/// sheet.
pub(super) fn column_text(table: &dyn Table, column: usize, time_unit: TimeUnit) -> ColumnText<'_> {
    let text = ColumnText::new(table, column, time_unit);
    if table.header(column).unit != Unit::Nanoseconds || time_unit != TimeUnit::Auto {
        return text;
    }
    let unit = match text.symbol() {
        symbol if symbol == TimeUnit::Ns.symbol() => TimeUnit::Us,
        symbol if symbol == TimeUnit::S.symbol() => TimeUnit::Ms,
        _ => return text,
    };
    ColumnText::new(table, column, unit)
}

/// The unit of all times of the first sheet: that of the user, or µs or ms by the length of an iteration.
pub(super) fn unit_of_sheet(iteration_ns: f64, time_unit: TimeUnit) -> TimeUnit {
    match time_unit {
        TimeUnit::Auto if iteration_ns < 1e6 => TimeUnit::Us,
        TimeUnit::Auto => TimeUnit::Ms,
        unit => unit,
    }
}

/// The number format of times.
pub(super) fn times_code(scale: Scale) -> String {
    number_code(scale.decimals())
}

/// How Excel shows the numbers of a column; none if it decides itself.
pub(super) fn number_format(text: &ColumnText<'_>, unit: Unit) -> Option<String> {
    if unit == Unit::Percent {
        return Some(PERCENT.to_owned());
    }
    text.decimals().map(number_code)
}

/// A number format with so many decimals.
pub(super) fn number_code(decimals: usize) -> String {
    let point = if decimals == 0 { "" } else { "." };
    format!("#,##0{point}{}", "0".repeat(decimals))
}

/// The title of a column with its unit, which shares show in their cells.
pub(super) fn title(text: &ColumnText<'_>, header: &Header<'_>) -> String {
    if header.unit == Unit::Percent { header.title.to_owned() } else { text.title() }
}

/// Writes a cell. Undefined and infinite values are empty cells.
pub(super) fn write(
    sheet: &mut Worksheet,
    (line, column): (u32, u16),
    value: &Value<'_>,
    unit: Unit,
    text: &ColumnText<'_>,
    format: Option<&Format>,
) -> Result<(), XlsxError> {
    match value {
        Value::Null => return Ok(()),
        Value::Flag(flag) => return sheet.write_boolean(line, column, *flag).map(drop),
        Value::Text(text) => return sheet.write_string(line, column, fitting(text).as_ref()).map(drop),
        Value::Int(number) if unit == Unit::None && !(-EXACT..=EXACT).contains(number) => {
            let right = Format::new().set_align(FormatAlign::Right);
            return sheet.write_string_with_format(line, column, number.to_string(), &right).map(drop);
        }
        Value::Int(_) | Value::Float(_) => {}
    }
    let Some(number) = text.number(value).filter(|number| number.is_finite()) else { return Ok(()) };
    let number = if unit == Unit::Percent { number / 100.0 } else { number };
    match format {
        Some(format) => sheet.write_number_with_format(line, column, number, format).map(drop),
        None => sheet.write_number(line, column, number).map(drop),
    }
}

/// A text that fits into a cell. If the text had to be cut, it ends with a note.
pub(super) fn fitting(text: &str) -> std::borrow::Cow<'_, str> {
    const NOTE: &str = "… [cut: longer than a cell]";
    if text.len() <= LONGEST_TEXT || text.encode_utf16().count() <= LONGEST_TEXT {
        return text.into();
    }
    let mut room = LONGEST_TEXT - NOTE.encode_utf16().count();
    let mut kept: String = text
        .chars()
        .take_while(|c| {
            let fits = c.len_utf16() <= room;
            room = room.saturating_sub(c.len_utf16());
            fits
        })
        .collect();
    kept.push_str(NOTE);
    kept.into()
}

/// How many characters wide a value is shown.
pub(super) fn shown_width(value: &Value<'_>, text: &ColumnText<'_>) -> usize {
    match value {
        Value::Null => 0,
        Value::Text(text) => text.chars().count() + 1,
        value => text.cell(value).chars().count().max(4) + 1,
    }
}
