//! Facts about NVTX ranges.

use crate::base::ids::{RangeId, RangeTextId, StrId};
use crate::base::time::Span;
use crate::columns::table;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Name given to NVTX domains whose creation is not in the capture.
pub(crate) const UNNAMED_DOMAIN: &str = "unnamed domain";

table! {
    /// NVTX ranges of a thread, push/pop and start/end, in file order (`NVTX_EVENTS`).
    "ranges" ThreadRangeFacts built by ThreadRangeFactsBuilder, by RangeId {
        /// Start and end on the CPU. A range that is still open at the end of the capture ends there.
        span: Span, "ns";
        /// What it says.
        text: RangeTextId, "";
    }
}

/// NVTX ranges, thread by thread.
#[derive(Debug, Clone, Default)]
pub struct RangeFacts {
    /// What ranges say, each distinct one once, in order of appearance.
    pub texts: Arc<[RangeText]>,
    /// By thread: its ranges.
    pub by_thread: Vec<ThreadRangeFacts>,
    /// Ranges whose thread the export does not name.
    pub without_thread: ThreadRangeFacts,
}

/// What a range says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
