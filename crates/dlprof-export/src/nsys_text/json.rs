//! JSON: an array of objects. nsys writes an absent value as a text and control characters as they are; the right form
//! has null and escapes.

use super::Layout;
use super::cells::{self, CellKind};
use dlprof_core::{NsysForm, NsysReport};
use std::io::{self, Write};

pub(super) fn write(report: &NsysReport<'_>, layout: &Layout<'_>, out: &mut dyn Write) -> io::Result<()> {
    let columns = report.columns();
    let titles: Vec<String> = columns.iter().map(|column| cells::title(column, layout)).collect();
    out.write_all(b"[\n")?;
    for row in 0..report.len() {
        out.write_all(b"  {\n")?;
        let cells = report.row(row);
        for (place, (cell, column)) in cells.iter().zip(columns).enumerate() {
            let comma = if place + 1 < columns.len() { "," } else { "" };
            write!(out, "    \"{}\": ", titles[place])?;
            match cells::text(cell, column, layout) {
                (CellKind::Absent, _) if layout.form == NsysForm::Right => out.write_all(b"null")?,
                (CellKind::Number, digits) if column_is_hexadecimal(&digits) => write!(out, "\"{digits}\"")?,
                (CellKind::Number, digits) => out.write_all(digits.as_bytes())?,
                (_, text) => write!(out, "\"{}\"", escaped(&text, layout.form))?,
            }
            writeln!(out, "{comma}")?;
        }
        out.write_all(if row + 1 < report.len() { b"  },\n" } else { b"  }\n" })?;
    }
    out.write_all(b"]\n")
}

/// JSON has no hexadecimal numbers.
fn column_is_hexadecimal(digits: &str) -> bool {
    digits.starts_with("0x")
}

fn escaped(text: &str, form: NsysForm) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            control if form == NsysForm::Right && control < ' ' => {
                escaped.push_str(&format!("\\u{:04x}", u32::from(control)));
            }
            other => escaped.push(other),
        }
    }
    escaped
}
