//! Facts about CUDA API calls.

use crate::base::ids::{ApiCallId, ProcessId, StrId, ThreadId};
use crate::base::time::Span;
use crate::columns::table;

/// A correlation id; unique only within a process. [`NO_CORRELATION`] means "none".
pub type CorrelationId = u32;

/// The correlation id of records that have none.
pub const NO_CORRELATION: CorrelationId = u32::MAX;

table! {
    /// CUDA runtime and driver API calls (`CUPTI_ACTIVITY_KIND_RUNTIME`).
    "api_call_facts" ApiCallFacts built by ApiCallFactsBuilder, by ApiCallId {
        /// Start and end on the CPU.
        span: Span, "ns";
        /// The calling thread.
        thread: ThreadId, "";
        /// Correlation id, unique only within the process of the thread.
        correlation: CorrelationId, "";
        /// API function, with its version suffix.
        name: StrId, "";
    }
}

table! {
    /// Rows of the table of API calls that hold the backtrace of a call which has a row of its own, in file order. DLProf counts
    /// both rows; figures that are not DLProf's leave these out.
    "repeated_calls" RepeatedCalls built by RepeatedCallsBuilder, by () {
        /// The row with the backtrace.
        repeat: ApiCallId, "";
        /// The row of the call: of those with the same thread and correlation id the first to start.
        call: ApiCallId, "";
    }
}

table! {
    /// Synchronisation records (`CUPTI_ACTIVITY_KIND_SYNCHRONIZATION`).
    "sync_facts" SyncFacts built by SyncFactsBuilder, by () {
        /// The process; none if the table does not name it.
        process: ProcessId, "";
        /// Correlation id of the API call.
        correlation: CorrelationId, "";
        /// CUPTI's kind of synchronisation; 0 if the export does not say.
        kind: u32, "";
        /// CUDA event that is waited for; the largest number if there is none.
        event: u32, "";
        /// CUDA ordinal of the GPU.
        device: u32, "";
    }
}
