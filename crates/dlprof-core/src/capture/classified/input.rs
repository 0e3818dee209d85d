//! The facts that the figures of this module are made of, as borrowed columns.
//!
//! Columns of one table are of equal length; row `i` of each belongs to the same fact.

use crate::base::ids::{ApiCallId, DeviceId, RangeTextId, StrId, StreamId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::capture::WorkZones;
use crate::columns::{Memory, Texts};
use crate::read::facts::{GraphOrigin, OverheadKind, RangeText, Thread, ThreadRangeFacts};
use std::ops::Range;

/// What GPUs and CPU threads did in a capture.
#[derive(Debug, Clone, Copy)]
pub struct Activity<'a> {
    /// The texts that all [`StrId`]s mean.
    pub strings: &'a Texts,
    /// The budget of the lists that the figures need.
    pub memory: &'a Memory,
    /// Threads by ascending global thread id.
    pub threads: &'a [Thread],
    /// Number of processes.
    pub processes: usize,
    /// Number of GPUs, used or not.
    pub devices: usize,
    /// Number of streams.
    pub streams: usize,
    /// GPU items.
    pub items: GpuItems<'a>,
    /// CUDA API calls.
    pub calls: ApiCallColumns<'a>,
    /// What NVTX ranges say, by [`RangeTextId`].
    pub range_labels: &'a [RangeText],
    /// By thread: its NVTX ranges. Ranges of unknown threads are left out, because they open nothing.
    pub ranges: &'a [ThreadRangeFacts],
    /// Rows of the MPI tables.
    pub mpi: MpiCalls<'a>,
    /// Calls of the operating system's libraries (OSRT); `None` if the capture has no such table.
    pub os_calls: Option<OsCalls<'a>>,
    /// Time that the profiler itself took.
    pub overheads: Overheads<'a>,
}

/// Kernels, then whole graph launches, then copies, then memsets, in columns; each table in the order of its rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct GpuItems<'a> {
    /// Start and end on the GPU.
    pub span: &'a [Span],
    /// When rows are; without it all rows are looked at.
    pub zones: Option<&'a WorkZones>,
    /// The GPU.
    pub device: &'a [DeviceId],
    /// The stream: a dense number of (process, device, context, stream) as the export has them.
    pub stream: &'a [StreamId],
    /// The row of the API call that launched it, or none; see [`ApiCallColumns::counted`].
    pub call: &'a [ApiCallId],
    /// Number of kernels, whole graph launches included; they have the first rows.
    pub kernels: usize,
    /// Number of whole graph launches; they are the last of the kernels.
    pub whole_graphs: usize,
    /// Number of copies; they follow the kernels. The other rows are memsets.
    pub copies: usize,
    /// Kernels only: name without template arguments and parameters.
    pub short_name: &'a [StrId],
    /// Kernels only: whether a graph launched it.
    pub graph: &'a [GraphOrigin],
    /// Copies, then memsets: whether a graph launched it. May be empty: then none is part of a graph.
    pub transfer_graph: &'a [GraphOrigin],
    /// Copies, then memsets: bytes.
    pub bytes: &'a [u64],
    /// Copies only: CUPTI's copy kind.
    pub copy_kind: &'a [u8],
    /// Copies only: CUPTI's memory kind of the source; [`UNKNOWN_MEMORY`] if the export does not say.
    pub source_memory: &'a [u8],
    /// Copies only: CUPTI's memory kind of the destination; [`UNKNOWN_MEMORY`] if the export does not say.
    pub target_memory: &'a [u8],
}

/// Memory kind of copies whose kind the export does not name.
pub const UNKNOWN_MEMORY: u8 = u8::MAX;

impl<'a> Activity<'a> {
    /// The ranges of a thread.
    #[must_use]
    pub(crate) fn ranges_of(&self, thread: usize) -> RangeColumns<'a> {
        RangeColumns::from(&self.ranges[thread])
    }

    /// By thread: its ranges.
    pub(crate) fn ranges_by_thread(&self) -> impl ExactSizeIterator<Item = RangeColumns<'a>> + use<'a> {
        self.ranges.iter().map(RangeColumns::from)
    }
}

impl<'a> From<&'a ThreadRangeFacts> for RangeColumns<'a> {
    fn from(ranges: &'a ThreadRangeFacts) -> Self {
        Self { span: &ranges.span, label: &ranges.text }
    }
}

impl GpuItems<'_> {
    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.span.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.span.is_empty()
    }

    /// Of some rows: those that start in a span, in order of rows.
    pub(crate) fn starting_in(&self, rows: Range<usize>, span: Span) -> impl Iterator<Item = usize> {
        let spans = self.span;
        let near = self.zones.map(|zones| zones.near_starts(rows.clone(), span));
        blocks(near, rows).filter(move |&row| (span.start..span.end).contains(&spans[row].start))
    }

    /// Of some rows: those that start before a time and end behind another, in order of rows.
    pub(crate) fn open_in(&self, rows: Range<usize>, before: Ns, behind: Ns) -> impl Iterator<Item = usize> {
        let spans = self.span;
        let near = self.zones.map(|zones| zones.near_open(rows.clone(), before, behind));
        blocks(near, rows).filter(move |&row| spans[row].start < before && spans[row].end > behind)
    }

    /// Not fewer than the rows that start in a span.
    pub(crate) fn most_starting_in(&self, span: Span) -> usize {
        let rows = 0..self.len();
        let near = self.zones.map(|zones| zones.near_starts(rows.clone(), span));
        near.map_or(rows.len(), |near| near.map(|block| block.len()).sum())
    }

    /// Whether a row is a kernel or a whole graph launch.
    #[must_use]
    pub fn is_kernel(&self, item: usize) -> bool {
        item < self.kernels
    }

    /// Whether a row is a part of a graph, or a whole graph launch.
    #[must_use]
    pub(crate) fn is_in_graph(&self, item: usize) -> bool {
        let origin = match item.checked_sub(self.kernels) {
            None => self.graph.get(item),
            Some(transfer) => self.transfer_graph.get(transfer),
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

/// CUDA runtime and driver API calls in columns, in any order.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApiCallColumns<'a> {
    /// Start and end on the CPU.
    pub span: &'a [Span],
    /// The calling thread, or none.
    pub thread: &'a [ThreadId],
    /// API function, as the export spells it.
    pub name: &'a [StrId],
    /// Rows that repeat another one for its backtrace and count nowhere, ascending.
    pub repeats: &'a [ApiCallId],
    /// By such row: the row that it repeats.
    pub repeated: &'a [ApiCallId],
}

impl ApiCallColumns<'_> {
    /// Whether a row is a call and not the repetition of one.
    #[must_use]
    #[inline]
    pub fn counts(&self, call: usize) -> bool {
        self.repeats.is_empty() || self.repeats.binary_search(&ApiCallId::new(call)).is_err()
    }

    /// The row that counts: that of the call itself where a row repeats it.
    #[must_use]
    #[inline]
    pub fn counted(&self, call: ApiCallId) -> ApiCallId {
        if self.repeats.is_empty() {
            return call;
        }
        self.repeats.binary_search(&call).map_or(call, |at| self.repeated[at])
    }

    /// The rows that are calls, with their spans.
    pub fn spans(&self) -> impl Iterator<Item = (usize, Span)> + '_ {
        self.span.iter().copied().enumerate().filter(|(call, _)| self.counts(*call))
    }
}

/// NVTX ranges of a thread in columns, in order of their rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct RangeColumns<'a> {
    /// Start and end on the CPU.
    pub span: &'a [Span],
    /// What it says.
    pub label: &'a [RangeTextId],
}

/// Rows of the MPI tables in columns.
#[derive(Debug, Clone, Copy, Default)]
pub struct MpiCalls<'a> {
    /// Start and end on the CPU.
    pub span: &'a [Span],
    /// The calling thread, or none.
    pub thread: &'a [ThreadId],
    /// MPI function.
    pub name: &'a [StrId],
}

/// Calls of the operating system's libraries in columns.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsCalls<'a> {
    /// Start and end on the CPU.
    pub span: &'a [Span],
    /// The calling thread, or none.
    pub thread: &'a [ThreadId],
    /// Function.
    pub name: &'a [StrId],
    /// How deep it lies in other such calls: 0 for calls that the program made itself, or if the export does not say.
    pub nesting: &'a [u8],
}

/// Time that the profiler itself took, in columns.
#[derive(Debug, Clone, Copy, Default)]
pub struct Overheads<'a> {
    /// Start and end on the CPU.
    pub span: &'a [Span],
    /// The thread that it held up, or none.
    pub thread: &'a [ThreadId],
    /// What it was.
    pub kind: &'a [OverheadKind],
}

/// CPU samples and scheduling, which only the tables about waiting threads read.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostSamples<'a> {
    /// When each sample was taken.
    pub time: &'a [Ns],
    /// The thread that each sample is of, or none. Threads of processes without GPU work are in the tables of threads too.
    pub thread: &'a [ThreadId],
    /// By sample: where its frames start in [`Self::symbol`]; one entry more than there are samples.
    pub frames_from: &'a [u32],
    /// By frame, innermost first: function.
    pub symbol: &'a [StrId],
    /// By frame: path of the binary.
    pub module: &'a [StrId],
    /// When a thread got or lost a processor.
    pub switch_time: &'a [Ns],
    /// The thread that got or lost it, or none.
    pub switch_thread: &'a [ThreadId],
    /// Whether it got one.
    pub switched_in: &'a [bool],
}
