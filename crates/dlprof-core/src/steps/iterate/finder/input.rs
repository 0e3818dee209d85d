//! What the finder looks at: tables that others own.

use crate::base::ids::{ApiCallId, Maybe, ProcessId, ThreadId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::Launches;
use crate::columns::Texts;
use crate::read::facts::RecordedTables;

/// The tables that the finder reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FinderInput<'a> {
    /// Names of kernels and API functions.
    pub strings: &'a Texts,
    /// The tables as they were read.
    pub recorded: &'a RecordedTables,
    /// Of the GPU work: the API calls that asked for it.
    pub launches: &'a Launches,
    /// By piece of GPU work: its process, or none. It is known of some work whose table does not name it.
    pub process_of_work: &'a [Maybe<ProcessId>],
    /// By [`RangeTextId`](crate::base::ids::RangeTextId): what ranges say.
    pub texts: &'a [RangeSays<'a>],
}

/// What a range says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RangeSays<'a> {
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

impl FinderInput<'_> {
    /// When an API call starts, and its thread.
    pub(super) fn call_of(&self, call: ApiCallId) -> (Span, Maybe<ThreadId>) {
        let calls = &self.recorded.api_calls;
        (calls.span[call], calls.thread[call])
    }

    /// When the call that asked for a kernel starts, and its thread.
    pub(super) fn call_of_kernel(&self, kernel: usize) -> Option<(Span, Maybe<ThreadId>)> {
        Some(self.call_of(self.launches.api.get(kernel)?.some()?))
    }

    /// When a kernel ran. Kernels are the first of the GPU work.
    pub(super) fn kernel_span(&self, kernel: usize) -> Span {
        self.recorded.work.span[kernel]
    }

    /// When a kernel was asked for; where that is unknown, when it started.
    pub(super) fn asked_for(&self, kernel: usize) -> Ns {
        let call = self.call_of_kernel(kernel);
        call.map_or(self.kernel_span(kernel).start, |(span, _)| span.start)
    }

    /// By kernel: its process, or none.
    pub(super) fn process_of_kernels(&self) -> &[Maybe<ProcessId>] {
        &self.process_of_work[..self.recorded.kernels.len()]
    }

    /// The process of a piece of GPU work, or none.
    pub(super) fn process_of_work(&self, work: WorkId) -> Option<ProcessId> {
        self.process_of_work[work.index()].some()
    }

    /// Number of processes.
    pub(super) fn processes(&self) -> usize {
        self.recorded.processes.len()
    }
}
