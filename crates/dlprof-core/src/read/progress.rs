//! How far reading has come, and whether it is to go on.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far reading has come: rows read so far, and about how many there are. A break ends it with
/// [`Error::Stopped`](crate::Error::Stopped).
pub(crate) type OnProgress<'a> = &'a (dyn Fn(u64, u64) -> ControlFlow<()> + Sync);

/// Counts rows over all tables and tells the caller now and then.
pub(super) struct Progress<'a> {
    read: AtomicU64,
    total: u64,
    report: Option<OnProgress<'a>>,
    is_stopped: AtomicBool,
}

impl<'a> Progress<'a> {
    /// How many rows of a table are counted at a time.
    pub(super) const STEP: u64 = 1 << 16;

    /// The start of reading about so many rows.
    pub(super) fn new(total: u64, report: Option<OnProgress<'a>>) -> Self {
        Self { read: AtomicU64::new(0), total, report, is_stopped: AtomicBool::new(false) }
    }

    /// Counts [`Self::STEP`] rows. Who stops one table stops all.
    pub(super) fn step(&self) -> ControlFlow<()> {
        let read = self.read.fetch_add(Self::STEP, Ordering::Relaxed) + Self::STEP;
        if self.report.is_some_and(|report| report(read, self.total.max(read)).is_break()) {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}
