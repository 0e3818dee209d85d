//! Tables that tell how many of their rows were written.

use dlprof_core::base::time::Ns;
use dlprof_core::tables::{Header, Layout, Table, Value};
use std::sync::atomic::{AtomicU64, Ordering};

/// How far writing has come: rows written so far, and how many there are in all files.
pub type OnRows<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// Counts rows over all tables and files, and tells the caller now and then.
pub(crate) struct RowCounter<'a> {
    written: AtomicU64,
    total: u64,
    report: OnRows<'a>,
}

impl<'a> RowCounter<'a> {
    const STEP: u64 = 1 << 10;

    pub(crate) fn new(total: u64, report: OnRows<'a>) -> Self {
        Self { written: AtomicU64::new(0), total, report }
    }

    fn step(&self) {
        let written = self.written.fetch_add(1, Ordering::Relaxed) + 1;
        if written.is_multiple_of(Self::STEP) {
            (self.report)(written, self.total.max(written));
        }
    }
}

/// A table that counts its rows when their first cell is read. All other methods of [`Table`] are those of the table, also the
/// ones that have a default.
pub(crate) struct Counted<'a> {
    table: Box<dyn Table + 'a>,
    counter: &'a RowCounter<'a>,
}

impl<'a> Counted<'a> {
    pub(crate) fn of(table: Box<dyn Table + 'a>, counter: &'a RowCounter<'a>) -> Box<dyn Table + 'a> {
        Box::new(Self { table, counter })
    }
}

impl Table for Counted<'_> {
    fn key(&self) -> &str {
        self.table.key()
    }

    fn title(&self) -> &str {
        self.table.title()
    }

    fn columns(&self) -> usize {
        self.table.columns()
    }

    fn header(&self, column: usize) -> Header<'_> {
        self.table.header(column)
    }

    fn rows(&self) -> usize {
        self.table.rows()
    }

    fn layout(&self) -> &Layout {
        self.table.layout()
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        if column == 0 {
            self.counter.step();
        }
        self.table.value(row, column)
    }

    fn origin_ns(&self) -> Ns {
        self.table.origin_ns()
    }

    fn prepare(&self) {
        self.table.prepare();
    }
}
