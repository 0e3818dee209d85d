//! The first rows of a table as a piece of HTML.

use super::{css, escaped, push, quiet};
use crate::column_text::{ColumnText, UNKNOWN_CELL};
use crate::display::{TimeUnit, grouped};
use crate::palette;
use crate::text::shorten_name;
use dlprof_core::{Table, Value, View};

/// A long name loses its middle beyond so many letters; the whole stands where the mouse points.
const LONGEST: usize = 60;

/// The first rows of a table, with units in the titles and the meaning of a column where the mouse points.
#[must_use]
pub fn table(table: &dyn Table, rows: usize, unit: TimeUnit) -> String {
    let page = View::of(table).page(0, rows);
    let columns: Vec<ColumnText<'_>> =
        (0..page.columns()).map(|column| ColumnText::new(&page, column, unit)).collect();
    let line = css(palette::LINE);
    let mut out = format!(
        "<div style=\"overflow-x:auto\"><table style=\"border-collapse:collapse;font-size:12px;white-space:nowrap\"><caption style=\"caption-side:top;text-align:left\">{}</caption><thead><tr>",
        escaped(table.title())
    );
    for (at, column) in columns.iter().enumerate() {
        push(
            &mut out,
            format_args!(
                "<th title=\"{}\" style=\"text-align:{};padding:2px 8px;border-bottom:1px solid {line}\">{}</th>",
                escaped(page.header(at).doc),
                side(column),
                escaped(&column.title())
            ),
        );
    }
    out.push_str("</tr></thead><tbody>");
    for row in 0..page.rows() {
        out.push_str("<tr>");
        for (at, column) in columns.iter().enumerate() {
            let value = page.value(row, at);
            let (whole, shown) = match &value {
                Value::Null => (None, UNKNOWN_CELL.to_owned()),
                value => {
                    let text = column.cell(value);
                    let short = if column.is_number() { text.clone() } else { shorten_name(&text, LONGEST) };
                    ((short != text).then_some(text), short)
                }
            };
            let title = whole.map(|text| format!(" title=\"{}\"", escaped(&text))).unwrap_or_default();
            push(
                &mut out,
                format_args!(
                    "<td{title} style=\"text-align:{};padding:1px 8px\">{}</td>",
                    side(column),
                    escaped(&shown)
                ),
            );
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>");
    let all = grouped(&table.rows().to_string());
    let said = match page.rows() < table.rows() {
        true => format!("{} of {all} rows, {} columns", page.rows(), page.columns()),
        false => format!("{all} rows, {} columns", page.columns()),
    };
    out + &quiet(&said)
}

fn side(column: &ColumnText<'_>) -> &'static str {
    if column.is_number() { "right" } else { "left" }
}
