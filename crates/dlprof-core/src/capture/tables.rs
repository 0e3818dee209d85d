//! The tables of a capture: who launched what, and which op it belongs to.

use crate::base::ids::{
    self, ApiCallId, CopyId, DeviceId, LabelId, LaunchConfigId, OpCallId, ProcessId, RangeId, RangeTextId,
    StrId, StreamId, ThreadId, WorkId,
};
use crate::base::time::{Ns, Span};
use crate::capture::correlate::call_times::CallTimes;
use crate::capture::correlate::launches::ApiKind;
use crate::capture::correlate::tensor_cores::TensorCores;
use crate::columns::table;
use crate::read::facts::{GraphOrigin, RangeText};
use std::cmp::Reverse;
use std::sync::Arc;

table! {
    /// CUDA API calls, in file order.
    "api_calls" ApiCalls built by ApiCallsBuilder, by ApiCallId {
        /// Start and end on the CPU.
        span: Span, "ns";
        /// The calling thread.
        thread: ThreadId, "";
        /// API function, with its version suffix.
        name: StrId, "";
        /// What it did.
        kind: ApiKind, "";
        /// The op call that it belongs to, or none.
        op_call: OpCallId, "";
    }
}

table! {
    /// Synchronisations of known API calls, in file order.
    "syncs" Syncs built by SyncsBuilder, by () {
        /// The API call.
        api: ApiCallId, "";
        /// CUPTI's kind of synchronisation; 0 if the export does not say.
        kind: u32, "";
        /// CUDA event that is waited for; the largest number if there is none.
        event: u32, "";
        /// CUDA ordinal of the GPU.
        device: u32, "";
    }
}

table! {
    /// GPU work: kernels, then whole graph launches, then copies, then memsets.
    "work" Work built by WorkBuilder, by WorkId {
        /// Start and end on the GPU.
        span: Span, "ns";
        /// The GPU.
        device: DeviceId, "";
        /// The process that launched it; none if the table does not name it.
        process: ProcessId, "";
        /// The API call that launched it, or none.
        api: ApiCallId, "";
        /// The stream.
        stream: StreamId, "";
    }
}

table! {
    /// Kernels and whole graph launches, the first of the GPU work.
    "kernels" Kernels built by KernelsBuilder, by WorkId {
        /// Name without template arguments and parameters.
        short_name: StrId, "";
        /// Demangled name.
        long_name: StrId, "";
        /// Whether a graph launched it.
        graph: GraphOrigin, "";
        /// Grid and block.
        config: LaunchConfigId, "";
        /// Whether it uses Tensor Cores.
        tensor_cores: TensorCores, "";
    }
}

table! {
    /// Copies, which follow the kernels in the GPU work.
    "copies" Copies built by CopiesBuilder, by CopyId {
        /// CUPTI's copy kind.
        kind: u8, "";
        /// CUPTI's memory kind of the source; 255 if the export does not say.
        source_memory: u8, "";
        /// CUPTI's memory kind of the destination; 255 if the export does not say.
        target_memory: u8, "";
    }
}

table! {
    /// Op calls: every execution of an op, and work that no op claims.
    "op_calls" OpCalls built by OpCallsBuilder, by OpCallId {
        /// Start and stop on the CPU; work without an API call is placed at its start on the GPU.
        span: Span, "ns";
        /// The thread; none for calls that are not on the CPU.
        thread: ThreadId, "";
        /// What its text says.
        label: LabelId, "";
        /// Backward calls: the forward call they belong to.
        forward: OpCallId, "";
        /// Its five times.
        times: CallTimes, "ns";
    }
}

table! {
    /// NVTX ranges of a thread, in file order.
    "ranges" ThreadRanges built by ThreadRangesBuilder, by RangeId {
        /// Start and end on the CPU.
        span: Span, "ns";
        /// What it says.
        text: RangeTextId, "";
    }
}

/// NVTX ranges, thread by thread.
#[derive(Debug, Clone, Default)]
pub struct Ranges {
    /// What ranges say, each distinct one once.
    pub texts: Arc<[RangeText]>,
    /// By thread: its ranges.
    pub by_thread: Vec<ThreadRanges>,
    /// Ranges whose thread the export does not name.
    pub without_thread: ThreadRanges,
}

impl Ranges {
    /// Number of ranges.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_thread.iter().chain([&self.without_thread]).map(|list| list.span.len()).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl OpCalls {
    /// Number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.span.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.span.is_empty()
    }

    /// All ids in order.
    pub fn ids(&self) -> impl Iterator<Item = OpCallId> + Clone + use<> {
        ids::all(self.len())
    }

    /// The order in which calls of a thread open.
    pub(crate) fn nesting_order(&self, call: OpCallId) -> (Ns, Reverse<Ns>, OpCallId) {
        nesting_order(self.span[call], call)
    }
}

/// The order in which op calls of a thread open.
pub(crate) fn nesting_order(span: Span, call: OpCallId) -> (Ns, Reverse<Ns>, OpCallId) {
    (span.start, Reverse(span.end), call)
}

impl ApiCalls {
    /// Number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.span.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.span.is_empty()
    }
}
