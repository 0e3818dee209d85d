//! Facts about NVTX ranges.

use crate::base::ids::{RangeId, RangeTextId, StrId};
use crate::base::time::Span;
use crate::columns::table;
use serde::{Deserialize, Serialize};

/// Name given to NVTX domains whose creation is not in the capture.
pub const UNNAMED_DOMAIN: &str = "unnamed domain";

/// PyTorch's sequence number, which links a backward node to its forward op. It counts the operators of a thread, so no
/// capture reaches the end of its range.
pub type SequenceNumber = u32;

/// The sequence number of ranges that have none.
pub const NO_SEQUENCE: SequenceNumber = SequenceNumber::MAX;

table! {
    /// NVTX ranges of a thread, push/pop and start/end, in file order (`NVTX_EVENTS`).
    "range_facts" ThreadRangeFacts built by ThreadRangeFactsBuilder, by RangeId {
        /// Start and end on the CPU. A range that is still open at the end of the capture ends there.
        span: Span, "ns";
        /// What it says.
        text: RangeTextId, "";
        /// Its sequence number.
        sequence: SequenceNumber, "";
    }
}

/// NVTX ranges, thread by thread.
#[derive(Debug, Default)]
pub struct RangeFacts {
    /// What ranges say, each distinct one once, in order of appearance.
    pub texts: Vec<RangeText>,
    /// By thread: its ranges.
    pub by_thread: Vec<ThreadRangeFacts>,
    /// Ranges whose thread the export does not name.
    pub without_thread: ThreadRangeFacts,
}

/// What a range says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeText {
    /// The text; of texts in PyTorch's `emit_nvtx` form only the part before the numbers.
    pub text: StrId,
    /// PyTorch's operand sizes, as in the text; none if not recorded.
    pub sizes: StrId,
    /// Name of the NVTX domain; none for the default domain.
    pub domain: StrId,
    /// Whether the text had the form of an operator of PyTorch's `emit_nvtx`.
    pub is_operator: bool,
}

impl RangeFacts {
    /// Number of ranges.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lists().map(|list| list.span.len()).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ranges of each thread, then those without one.
    pub fn lists(&self) -> impl Iterator<Item = &ThreadRangeFacts> {
        self.by_thread.iter().chain([&self.without_thread])
    }
}
