//! Texts that no spreadsheet takes for a formula.

use super::Format;
use dlprof_core::{Header, Layout, Ns, Table, Value};
use std::borrow::Cow;

/// What the text of a formula begins with.
const BEGINNINGS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Rows whose texts that begin like a formula begin with `'`, which spreadsheets show as text.
struct SafeTexts<'a>(&'a dyn Table);

/// The same table for a file in a format, in which no text is a formula if it is `safe` and spreadsheets read the format.
#[must_use]
pub fn safe_texts<'a>(table: &'a dyn Table, format: Format, safe: bool) -> Box<dyn Table + 'a> {
    match format {
        Format::Csv | Format::Tsv if safe => Box::new(SafeTexts(table)),
        _ => Box::new(dlprof_core::View::of(table)),
    }
}

impl Table for SafeTexts<'_> {
    fn key(&self) -> &str {
        self.0.key()
    }

    fn title(&self) -> &str {
        self.0.title()
    }

    fn columns(&self) -> usize {
        self.0.columns()
    }

    fn header(&self, column: usize) -> Header<'_> {
        self.0.header(column)
    }

    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        match self.0.value(row, column) {
            Value::Text(text) if text.starts_with(BEGINNINGS) => Value::Text(Cow::Owned(format!("'{text}"))),
            value => value,
        }
    }

    fn layout(&self) -> &Layout {
        self.0.layout()
    }

    fn origin_ns(&self) -> Ns {
        self.0.origin_ns()
    }

    fn prepare(&self) {
        self.0.prepare();
    }
}
