//! A table in Markdown, for issues and pull requests.

use crate::column_text::in_words;
use crate::display::changes_others;
use dlprof_core::{CellKind, Table, Value};
use std::io::{self, Write};

/// Writes a table. Titles are the header; numbers are aligned to the right.
pub(super) fn write(table: &dyn Table, out: &mut dyn Write) -> io::Result<()> {
    for column in 0..table.columns() {
        write!(out, "| {} ", escaped(&table.header(column).title_with_unit()))?;
    }
    writeln!(out, "|")?;
    for column in 0..table.columns() {
        let is_number = matches!(table.header(column).kind, CellKind::Int | CellKind::Float);
        write!(out, "|{}", if is_number { "---:" } else { "---" })?;
    }
    writeln!(out, "|")?;
    for row in 0..table.rows() {
        for column in 0..table.columns() {
            write!(out, "| {} ", cell(&table.value(row, column), table.header(column).kind))?;
        }
        writeln!(out, "|")?;
    }
    Ok(())
}

fn cell(value: &Value<'_>, kind: CellKind) -> String {
    match value {
        Value::Text(answer) if kind == CellKind::Answer => in_words(answer).into(),
        Value::Null => String::new(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => format!("{number:.3}"),
        Value::Flag(flag) => if *flag { "yes" } else { "no" }.into(),
        Value::Text(text) => escaped(text),
    }
}

/// A text escaped so that it stays in its cell and is shown unchanged.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' => shown.extend(['\\', c]),
            c if changes_others(c) => shown.push(' '),
            c => shown.push(c),
        }
    }
    shown
}
