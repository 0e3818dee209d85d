//! The facts that figures of waiting GPUs are made of: the tables of a capture, or of a part of it.

use super::order::Orders;
use crate::base::time::{Ns, Span};
use crate::capture::{CaptureContents, Launches, WorkZones};
use crate::columns::{Memory, Texts};
use crate::read::facts::{GraphOrigin, RecordedTables};
use std::ops::{Deref, Range};

/// What GPUs and CPU threads did: tables that others own.
#[derive(Debug, Clone, Copy)]
pub struct Activity<'a> {
    /// The texts that all ids of texts mean.
    pub strings: &'a Texts,
    /// The budget of the lists that the figures need.
    pub memory: &'a Memory,
    /// The tables as they were read.
    pub recorded: &'a RecordedTables,
    /// Of the GPU work: the API calls that launched it.
    pub launches: &'a Launches,
    /// When the rows of the GPU work are; without it all rows are looked at.
    pub zones: Option<&'a WorkZones>,
    /// Rows of these tables in the order of time.
    pub(crate) orders: &'a Orders,
    /// From when on a GPU without recorded work is known to idle: the begin of a trace of torch.profiler, which has all work that
    /// runs since then. Of other captures this is not known.
    pub idle_from: Option<Ns>,
}

impl Deref for Activity<'_> {
    type Target = RecordedTables;

    fn deref(&self) -> &RecordedTables {
        self.recorded
    }
}

impl<'a> Activity<'a> {
    /// That of a whole capture.
    #[must_use]
    pub fn of(capture: &'a CaptureContents) -> Self {
        Self {
            strings: &capture.strings,
            memory: &capture.memory,
            recorded: &capture.recorded,
            launches: &capture.launches,
            zones: Some(&capture.work_zones),
            orders: &capture.orders,
            idle_from: capture.kineto.as_ref().map(|_| capture.begin()),
        }
    }
}

impl Activity<'_> {
    /// The same with other tables; what is not about rows stays.
    pub(crate) fn of_tables<'a>(
        &'a self,
        recorded: &'a RecordedTables,
        launches: &'a Launches,
        orders: &'a Orders,
    ) -> Activity<'a> {
        Activity { recorded, launches, orders, zones: None, ..*self }
    }

    /// Of some rows of the GPU work: those that start in a span, in order of rows.
    pub(crate) fn starting_in(&self, rows: Range<usize>, span: Span) -> impl Iterator<Item = usize> {
        let spans = &self.recorded.work.span[..];
        let near = self.zones.map(|zones| zones.near_starts(rows.clone(), span));
        blocks(near, rows).filter(move |&row| (span.start..span.end).contains(&spans[row].start))
    }

    /// Of some rows of the GPU work: those that start before a time and end after another, in order of rows.
    pub(crate) fn open_in(&self, rows: Range<usize>, before: Ns, behind: Ns) -> impl Iterator<Item = usize> {
        let spans = &self.recorded.work.span[..];
        let near = self.zones.map(|zones| zones.near_open(rows.clone(), before, behind));
        blocks(near, rows).filter(move |&row| spans[row].start < before && spans[row].end > behind)
    }

    /// Not fewer than the rows of the GPU work that start in a span.
    pub(crate) fn most_starting_in(&self, span: Span) -> usize {
        let rows = 0..self.work.len();
        let near = self.zones.map(|zones| zones.near_starts(rows.clone(), span));
        near.map_or(rows.len(), |near| near.map(|block| block.len()).sum())
    }

    /// Whether a row of the GPU work is a kernel or a whole graph launch.
    #[must_use]
    #[inline]
    pub fn is_kernel(&self, item: usize) -> bool {
        item < self.kernels.len()
    }

    /// Whether a row of the GPU work is a part of a graph, or a whole graph launch.
    #[must_use]
    pub(crate) fn is_in_graph(&self, item: usize) -> bool {
        let origin = match item.checked_sub(self.kernels.len()) {
            None => self.kernels.graph.get(item),
            Some(transfer) => self.transfers.graph.get(transfer),
        };
        origin.is_some_and(|&origin| origin != GraphOrigin::None)
    }
}

/// The rows of some blocks; all rows where it is not known which blocks matter.
fn blocks(
    known: Option<impl Iterator<Item = Range<usize>>>,
    all: Range<usize>,
) -> impl Iterator<Item = usize> {
    let all = known.is_none().then_some(all);
    all.into_iter().chain(known.into_iter().flatten()).flatten()
}
