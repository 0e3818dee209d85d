//! A table whose titles and meanings are in the words of who recorded the capture. Cells and keys stay as they are.

use super::layout::Layout;
use super::table::{Header, Table, Value};
use crate::base::time::Ns;
use crate::read::facts::{Recorder, Vendor};
use std::ops::Range;

/// A table in other words than those of nsys and of NVIDIA's GPUs.
struct InWords<T> {
    table: T,
    title: String,
    /// Of each column the title, and what it means.
    headers: Vec<[String; 2]>,
}

/// A table in the words of a recorder.
pub(crate) fn in_words<T: Table + 'static>(table: T, recorder: Recorder) -> Box<dyn Table> {
    if !recorder.has_own_words() && matches!(recorder.vendor, Vendor::Nvidia | Vendor::Unknown) {
        return Box::new(table);
    }
    let said = |text: &str| recorder.title_in_its_words(text).into_owned();
    let headers = (0..table.columns()).map(|column| table.header(column));
    let headers = headers.map(|header| [header.title, header.doc].map(said)).collect();
    Box::new(InWords { title: said(table.title()), headers, table })
}

impl<T: Table> Table for InWords<T> {
    fn key(&self) -> &str {
        self.table.key()
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn columns(&self) -> usize {
        self.table.columns()
    }

    fn header(&self, column: usize) -> Header<'_> {
        let [title, doc] = &self.headers[column];
        Header { title, doc, ..self.table.header(column) }
    }

    fn rows(&self) -> usize {
        self.table.rows()
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        self.table.value(row, column)
    }

    fn layout(&self) -> &Layout {
        self.table.layout()
    }

    fn origin_ns(&self) -> Ns {
        self.table.origin_ns()
    }

    fn prepare(&self) {
        self.table.prepare();
    }

    fn parts_by_largest(&self, column: usize) -> Option<Vec<(Range<usize>, i64)>> {
        self.table.parts_by_largest(column)
    }
}
