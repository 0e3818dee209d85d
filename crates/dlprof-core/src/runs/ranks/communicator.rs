//! Who exchanges data with whom.

/// Ranks that exchange data with each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Communicator {
    /// Its number, or a name made of what it does.
    pub name: String,
    /// How many members it has, also those without a capture.
    pub size: usize,
    /// How it was found.
    pub matched_by: MatchedBy,
    /// Its members in order of rank: the place of the rank, and its channel.
    pub members: Vec<(usize, u32)>,
    /// What its collectives look like in an iteration; empty where it has a number.
    pub(super) forms: Vec<Form>,
}

/// What a collective looks like where nothing tells its bytes: its kernel, by its place in the list of all names, and the width of
/// its grid.
pub(super) type Form = (u32, i64);

/// How a communicator was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchedBy {
    /// By the number that the export has.
    Payload,
    /// By streams whose collectives end together.
    StreamAndTime,
}

impl MatchedBy {
    /// The words for people and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Payload => "payload",
            Self::StreamAndTime => "stream and time",
        }
    }
}
