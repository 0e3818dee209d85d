//! What the finder looks at: columns that others own.

use crate::base::ids::{ApiCallId, ProcessId, RangeTextId, StrId, ThreadId};
use crate::base::time::Span;
use crate::columns::Texts;

/// The columns of a capture that the finder reads.
#[derive(Clone)]
pub struct FinderInput<'a> {
    /// Names of kernels and API functions.
    pub strings: &'a Texts,
    /// By thread: its process.
    pub process_of_thread: &'a [ProcessId],
    /// By [`RangeTextId`]: what ranges say.
    pub texts: &'a [RangeSays<'a>],
    /// By thread: its ranges; threads at the end without ranges may be left out.
    pub ranges: Vec<RangeColumns<'a>>,
    /// API calls.
    pub calls: CallColumns<'a>,
    /// Kernels and whole graph launches.
    pub kernels: KernelColumns<'a>,
    /// Copies.
    pub copies: CopyColumns<'a>,
    /// Memsets.
    pub memsets: ItemColumns<'a>,
}

/// What a range says.
#[derive(Debug, Clone, Copy)]
pub struct RangeSays<'a> {
    /// The text without what `emit_nvtx` appends.
    pub text: &'a str,
    /// The name that texts share which differ only in a number of instances: `step` for `step 17`; else the text. It is
    /// wanted for texts with an appendix too: `ProfilerStep#4, op_id = 12` is a `ProfilerStep`.
    pub name: &'a str,
    /// Whether it is in the default domain.
    pub is_user: bool,
    /// Whether `emit_nvtx` appended a sequence number, an operator id or sizes.
    pub has_appendix: bool,
}

/// The ranges of a thread, a column each, in any order.
#[derive(Debug, Clone, Copy, Default)]
pub struct RangeColumns<'a> {
    /// When they were open.
    pub span: &'a [Span],
    /// What they say.
    pub text: &'a [RangeTextId],
}

/// API calls, a column each.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallColumns<'a> {
    /// When the thread was in the call.
    pub span: &'a [Span],
    /// The thread, or none.
    pub thread: &'a [ThreadId],
    /// The function.
    pub name: &'a [StrId],
}

/// What every kind of GPU item has.
#[derive(Debug, Clone, Copy, Default)]
pub struct ItemColumns<'a> {
    /// When it ran.
    pub span: &'a [Span],
    /// Its process, or none.
    pub process: &'a [ProcessId],
    /// The API call that asked for it, or none.
    pub call: &'a [ApiCallId],
}

/// Kernels, and behind them whole graph launches.
#[derive(Debug, Clone, Copy, Default)]
pub struct KernelColumns<'a> {
    /// When they ran, for whom, and who asked.
    pub item: ItemColumns<'a>,
    /// A number for (process, device, context, stream), dense from 0.
    pub stream: &'a [u32],
    /// The demangled name; the name of a graph is different for each graph.
    pub long_name: &'a [StrId],
    /// The short name.
    pub short_name: &'a [StrId],
    /// So many of the last ones are whole graph launches.
    pub whole_graphs: usize,
}

/// Copies.
#[derive(Debug, Clone, Copy, Default)]
pub struct CopyColumns<'a> {
    /// When they ran, for whom, and who asked.
    pub item: ItemColumns<'a>,
    /// CUPTI's number of the direction: 1 from the host, 2 to the host, and so on.
    pub kind: &'a [u8],
}

impl FinderInput<'_> {
    /// Columns of the three kinds of GPU items: kernels, copies, memsets.
    pub(super) fn items(&self) -> [ItemColumns<'_>; 3] {
        [self.kernels.item, self.copies.item, self.memsets]
    }

    /// When the call of an item starts, and its thread.
    pub(super) fn call_of(&self, call: ApiCallId) -> Option<(Span, ThreadId)> {
        let at = call.some()?.index();
        Some((*self.calls.span.get(at)?, *self.calls.thread.get(at)?))
    }

    /// The process of a thread; none for no thread.
    pub(super) fn process_of(&self, thread: ThreadId) -> ProcessId {
        self.process_of_thread.get(thread.index()).copied().unwrap_or(ProcessId::NONE)
    }

    /// One more than the highest process.
    pub(super) fn processes(&self) -> usize {
        let items = self.items();
        let of_items = items.iter().flat_map(|item| item.process);
        let known = self.process_of_thread.iter().chain(of_items).filter_map(|process| process.some());
        known.map(|process| process.index() + 1).max().unwrap_or(0)
    }
}

impl KernelColumns<'_> {
    /// Whether a kernel is the launch of a whole graph.
    pub(super) fn is_whole_graph(&self, kernel: usize) -> bool {
        kernel + self.whole_graphs >= self.item.span.len()
    }
}
