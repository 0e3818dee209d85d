//! CSV and TSV. nsys quotes a value if it holds a comma and escapes nothing; the right form is RFC 4180.

use super::{Layout, cells};
use dlprof_core::{NsysForm, NsysReport};
use std::borrow::Cow;
use std::io::{self, Write};

/// What stands between values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Comma,
    Tab,
}

pub(super) fn write(
    report: &NsysReport<'_>,
    separator: Separator,
    layout: &Layout<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let columns = report.columns();
    let titles = columns.iter().map(|column| cells::title(column, layout));
    if !layout.arguments.no_header {
        write_line(titles.map(Cow::Owned), separator, layout.form, out)?;
    }
    let tab = if layout.arguments.escapes_tabs { "\\t" } else { " " };
    for row in 0..report.len() {
        let cells = report.row(row);
        let texts = cells.iter().zip(columns).map(|(cell, column)| cells::text(cell, column, layout).1);
        let texts = texts.map(|text| match separator {
            Separator::Tab if text.contains('\t') => Cow::Owned(text.replace('\t', tab)),
            Separator::Tab | Separator::Comma => text,
        });
        write_line(texts, separator, layout.form, out)?;
    }
    Ok(())
}

fn write_line<'t>(
    values: impl Iterator<Item = Cow<'t, str>>,
    separator: Separator,
    form: NsysForm,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (place, value) in values.enumerate() {
        if place > 0 {
            out.write_all(if separator == Separator::Comma { b"," } else { b"\t" })?;
        }
        let needs_quotes = match (form, separator) {
            (NsysForm::Right, Separator::Comma) => value.contains([',', '"', '\n', '\r']),
            (NsysForm::Right, Separator::Tab) => value.contains(['\t', '"', '\n', '\r']),
            (_, Separator::Comma) => value.contains(','),
            (_, Separator::Tab) => false,
        };
        match (needs_quotes, form) {
            (true, NsysForm::Right) => write!(out, "\"{}\"", value.replace('"', "\"\""))?,
            (true, _) => write!(out, "\"{value}\"")?,
            (false, _) => out.write_all(value.as_bytes())?,
        }
    }
    out.write_all(b"\n")
}
