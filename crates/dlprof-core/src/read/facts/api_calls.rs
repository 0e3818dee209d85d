//! Facts about CUDA API calls.

use crate::base::ids::{ApiCallId, Maybe, StrId, SyncId, ThreadId};
use crate::base::time::Span;
use crate::columns::table;

table! {
    /// CUDA runtime and driver API calls (`CUPTI_ACTIVITY_KIND_RUNTIME`), in file order.
    "api_calls" ApiCallFacts built by ApiCallFactsBuilder, by ApiCallId {
        /// Start and end on the CPU.
        span: Span, "ns";
        /// The calling thread.
        thread: Maybe<ThreadId>, "";
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
    /// Synchronisation records (`CUPTI_ACTIVITY_KIND_SYNCHRONIZATION`), in file order.
    "syncs" SyncFacts built by SyncFactsBuilder, by SyncId {
        /// CUPTI's kind of synchronisation; 0 if the export does not say.
        kind: u32, "";
        /// CUDA event that is waited for; the largest number if there is none.
        event: u32, "";
        /// CUDA ordinal of the GPU.
        device: u32, "";
    }
}

impl ApiCallFacts {
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

impl RepeatedCalls {
    /// Whether a row is a call and not the repetition of one.
    #[must_use]
    #[inline]
    pub fn counts(&self, call: ApiCallId) -> bool {
        self.repeat.is_empty() || self.repeat.binary_search(&call).is_err()
    }

    /// The row that counts: that of the call itself where a row repeats it.
    #[must_use]
    #[inline]
    pub fn counted(&self, call: ApiCallId) -> ApiCallId {
        if self.repeat.is_empty() {
            return call;
        }
        self.repeat.binary_search(&call).map_or(call, |at| self.call[..][at])
    }
}
