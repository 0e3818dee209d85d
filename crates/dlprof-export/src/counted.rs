//! Tells how many rows were written.

use std::sync::atomic::{AtomicU64, Ordering};

/// How far writing has come: rows written so far, and how many there are in all files.
pub(crate) type OnRows<'a> = &'a (dyn Fn(u64, u64) + Sync);

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

    /// A row more was written.
    pub(crate) fn step(&self) {
        let written = self.written.fetch_add(1, Ordering::Relaxed) + 1;
        if written.is_multiple_of(Self::STEP) {
            (self.report)(written, self.total.max(written));
        }
    }
}
