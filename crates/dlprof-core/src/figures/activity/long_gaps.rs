//! Long gaps one by one.

use super::cursors::ByCause;
use super::gaps::Gap;
use super::windows::whole_range;
use crate::base::ids::{DeviceId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::capture::classified::Cause;
use crate::columns::table;

table! {
    /// A row per long gap of a GPU, in order of time.
    "long_gaps" LongGaps built by LongGapsBuilder, by () {
        /// The GPU.
        device: DeviceId, "";
        /// From the end of an item to the start of the next.
        span: Span, "ns";
        /// The cause of the greatest part of it that lies in windows; of equal ones the first.
        cause: Cause, "";
        /// The item that ended it.
        ended_by: WorkId, "";
    }
}

/// A gap of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongGap {
    /// The GPU.
    pub device: DeviceId,
    /// From the end of an item to the start of the next.
    pub span: Span,
    /// The cause of the greatest part of it; of equal ones the first.
    pub cause: Cause,
    /// The item that ended it.
    pub ended_by: WorkId,
}

impl LongGap {
    /// A gap by the time that each cause has in it; `None` if no part of it lies in windows.
    pub(super) fn of(gap: &Gap, causes: ByCause) -> Option<Self> {
        let cause = Cause::ALL.into_iter().rev().max_by_key(|&cause| causes[cause.index()])?;
        let (device, ended_by) = (DeviceId::new(gap.device), WorkId::new(gap.ended_by));
        (causes[cause.index()] > 0).then_some(Self { device, span: gap.span, cause, ended_by })
    }
}

/// Gaps from this length on are kept.
pub const LONG_GAP_NS: Ns = 100_000;

/// Gaps from this length on are kept where they reach into the first or last twentieth of a window. Shorter ones do not reach far
/// beyond a boundary.
const LEAST_GAP_NS: Ns = 10_000;

impl LongGaps {
    /// The columns of some gaps.
    pub(super) fn new(mut gaps: Vec<LongGap>) -> Self {
        gaps.sort_by_key(|gap| (gap.span.start, gap.device));
        Self {
            device: gaps.iter().map(|gap| gap.device).collect(),
            span: gaps.iter().map(|gap| gap.span).collect(),
            cause: gaps.iter().map(|gap| gap.cause).collect(),
            ended_by: gaps.iter().map(|gap| gap.ended_by).collect(),
        }
    }

    /// A gap by its row.
    ///
    /// # Panics
    /// If there are not so many rows.
    #[must_use]
    pub fn get(&self, row: usize) -> LongGap {
        LongGap {
            device: self.device[..][row],
            span: self.span[..][row],
            cause: self.cause[..][row],
            ended_by: self.ended_by[..][row],
        }
    }

    /// The gaps of at least a length, [`LONG_GAP_NS`] or more, that lie in a span of windows that follow each other, in order of
    /// time.
    #[must_use]
    pub fn inside(&self, span: Span, least_ns: Ns) -> Vec<LongGap> {
        let mut gaps = self.starting_in(span, least_ns);
        gaps.retain(|gap| gap.span.end <= span.end);
        gaps
    }

    /// The same with those that end after the span.
    #[must_use]
    pub fn starting_in(&self, span: Span, least_ns: Ns) -> Vec<LongGap> {
        let first = self.span.partition_point(|gap| gap.start < span.start);
        let rows = (first..self.span.len()).take_while(|&row| self.span[..][row].start < span.end);
        rows.map(|row| self.get(row)).filter(|gap| gap.span.length() >= least_ns).collect()
    }

    /// The gaps of [`LONG_GAP_NS`] and more of which a part lies in the span, in order of time.
    #[must_use]
    pub fn reaching_into(&self, span: Span) -> Vec<LongGap> {
        let rows = (0..self.span.len()).take_while(|&row| self.span[..][row].start < span.end);
        let gaps = rows.map(|row| self.get(row));
        gaps.filter(|gap| gap.span.end > span.start && gap.span.length() >= LONG_GAP_NS).collect()
    }

    /// The length of the gaps of 10 µs and more that reach into the first or last twentieth of a window, as far as they lie in
    /// the windows, summed over GPUs. Windows are some of those that the gaps were found for, and follow each other.
    #[must_use]
    pub fn at_boundaries_ns(&self, windows: &[Span]) -> Ns {
        let (edges, all) = (Edges::new(windows), whole_range(windows));
        let rows = self.span.iter().take_while(|gap| gap.start < all.end);
        rows.filter(|gap| edges.are_reached_by(gap)).map(|gap| gap.clip(all).length()).sum()
    }

    /// Whether the columns fit each other and a capture.
    pub(crate) fn fits(&self, capture: &CaptureContents) -> bool {
        let rows = self.span.len();
        [self.device.len(), self.cause.len(), self.ended_by.len()].iter().all(|&length| length == rows)
            && self.ended_by.iter().all(|item| item.index() < capture.work.span.len())
    }
}

/// The first and last twentieth of each window.
#[derive(Debug)]
pub(super) struct Edges {
    pub(super) spans: Vec<Span>,
}

impl Edges {
    /// Windows are in order of time and do not overlap.
    pub(super) fn new(windows: &[Span]) -> Self {
        let of_window = |window: &Span| {
            let part = window.length() / 20;
            [Span::new(window.start, window.start + part), Span::new(window.end - part, window.end)]
        };
        Self { spans: windows.iter().flat_map(of_window).collect() }
    }

    fn are_reached_by(&self, gap: &Span) -> bool {
        let next = self.spans.partition_point(|edge| edge.end <= gap.start);
        self.spans.get(next).is_some_and(|edge| edge.start < gap.end)
    }

    /// Whether a gap is kept.
    pub(super) fn keep(&self, gap: &Gap) -> bool {
        let length = gap.span.length();
        length >= LONG_GAP_NS || (length >= LEAST_GAP_NS && self.are_reached_by(&gap.span))
    }
}
