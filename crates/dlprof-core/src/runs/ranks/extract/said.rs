//! What an input says about a collective beside its kernel.

/// What ranges of a library, or traces, say about a collective.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) communicator: Option<u64>,
    pub(super) bytes: Option<u64>,
    /// Whether it exchanges data with more than two members.
    pub(super) has_many_peers: bool,
}
