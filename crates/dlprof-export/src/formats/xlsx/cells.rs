//! Cells: values and how Excel shows them.

use dlprof_core::tables::{CellKind, Header, Unit, Value};
use rust_xlsxwriter::{Format, FormatAlign, Worksheet, XlsxError};

/// Rows of a sheet, without the header.
pub(super) const MOST_ROWS: usize = 1_048_575;

/// Excel refuses longer texts.
const LONGEST_TEXT: usize = 32_767;

/// Whole numbers beyond 2^53 are not exact in a cell; they are written as texts.
const EXACT: i64 = 1 << 53;

/// Shares, which are written as fractions of 1.
pub(super) const PERCENT: &str = "0.0 %";

/// How Excel shows the numbers of a column; none if it decides itself.
pub(super) fn number_format(header: &Header<'_>) -> Option<&'static str> {
    match (header.unit, header.kind) {
        (_, CellKind::Flag | CellKind::Text | CellKind::Answer) | (Unit::None, CellKind::Int) => None,
        (Unit::None, CellKind::Float) => Some("#,##0.00"),
        (Unit::Nanoseconds | Unit::Bytes | Unit::Flop | Unit::Hertz | Unit::BytesPerSecond, _) => {
            Some("#,##0")
        }
        (Unit::Percent, _) => Some(PERCENT),
        (Unit::PerSecond | Unit::GigabytesPerSecond | Unit::TeraflopPerSecond | Unit::FlopPerByte, _) => {
            Some("#,##0.00")
        }
    }
}

/// The title of a column with its unit, which shares show in their cells.
pub(super) fn title(header: &Header<'_>) -> String {
    if header.unit == Unit::Percent { header.title.to_owned() } else { header.title_with_unit() }
}

/// Writes a cell. Undefined and infinite values are empty cells.
pub(super) fn write(
    sheet: &mut Worksheet,
    (line, column): (u32, u16),
    value: &Value<'_>,
    unit: Unit,
    format: Option<&Format>,
) -> Result<(), XlsxError> {
    let mut write_number = |number: f64| match format {
        Some(format) => sheet.write_number_with_format(line, column, number, format).map(drop),
        None => sheet.write_number(line, column, number).map(drop),
    };
    match value {
        Value::Float(number) if !number.is_finite() => Ok(()),
        Value::Null => Ok(()),
        Value::Float(number) if unit == Unit::Percent => write_number(number / 100.0),
        Value::Float(number) => write_number(*number),
        #[expect(clippy::cast_precision_loss, reason = "below 2^53 it is exact")]
        Value::Int(number) if (-EXACT..=EXACT).contains(number) => {
            let number = *number as f64;
            write_number(if unit == Unit::Percent { number / 100.0 } else { number })
        }
        Value::Int(number) => {
            let right = Format::new().set_align(FormatAlign::Right);
            sheet.write_string_with_format(line, column, number.to_string(), &right).map(drop)
        }
        Value::Flag(flag) => sheet.write_boolean(line, column, *flag).map(drop),
        Value::Text(text) => sheet.write_string(line, column, fitting(text).as_ref()).map(drop),
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
pub(super) fn shown_width(value: &Value<'_>, unit: Unit) -> usize {
    match value {
        Value::Null => 0,
        Value::Int(number) => {
            let digits = number.to_string().len();
            if unit == Unit::None { digits + 1 } else { digits + digits / 3 + 1 }
        }
        Value::Float(number) if unit == Unit::Nanoseconds => format!("{number:.0}").len() * 4 / 3 + 1,
        Value::Float(_) => 10,
        Value::Flag(_) => 6,
        Value::Text(text) => text.chars().count() + 1,
    }
}
