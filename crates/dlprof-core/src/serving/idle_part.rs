//! The causes of idle time of a server.

use crate::base::time::Ns;
use crate::capture::names::LoopPart;

/// A cause of idle time of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdlePart {
    /// The thread chose the requests of the next step.
    Schedule,
    /// It prepared inputs.
    Prepare,
    /// It was in the call that launches the next piece, or that piece waited after it.
    Launch,
    /// Between the nodes of one graph launch.
    InsideGraph,
    /// It sampled tokens.
    Sample,
    /// It waited for a GPU that had nothing left to do.
    SyncReturn,
    /// It handed tokens on.
    Output,
    /// It did something that ranges do not name, while they name other parts of its loop.
    Other,
    /// No range names any part of its loop.
    HostUnnamed,
    /// No request was there to be served: no fault.
    NoRequest,
}

impl IdlePart {
    /// All causes, in order.
    pub const ALL: [Self; 10] = [
        Self::Schedule,
        Self::Prepare,
        Self::Launch,
        Self::InsideGraph,
        Self::Sample,
        Self::SyncReturn,
        Self::Output,
        Self::Other,
        Self::HostUnnamed,
        Self::NoRequest,
    ];

    /// What it is, in words that follow a time.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Schedule => "scheduling",
            Self::Prepare => "preparing inputs",
            Self::Launch => "launching",
            Self::InsideGraph => "between nodes of a graph",
            Self::Sample => "sampling",
            Self::SyncReturn => "returning from a wait",
            Self::Output => "output of tokens",
            Self::Other => "other work of the host",
            Self::HostUnnamed => "work of the host that no range names",
            Self::NoRequest => "no request",
        }
    }
}

impl From<LoopPart> for IdlePart {
    /// What looks for requests counts as scheduling, unless nobody waited.
    fn from(part: LoopPart) -> Self {
        match part {
            LoopPart::Schedule | LoopPart::Poll => Self::Schedule,
            LoopPart::Prepare => Self::Prepare,
            LoopPart::Sample => Self::Sample,
            LoopPart::Output => Self::Output,
        }
    }
}

/// Idle time that no part of the loop explains and that is this long had no request to serve, if none waited.
pub(super) const LONG_NS: Ns = 1_000_000;
