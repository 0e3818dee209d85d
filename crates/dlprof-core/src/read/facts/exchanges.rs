//! What libraries that exchange data recorded beside their ranges.

use crate::base::ids::{Maybe, ProcessId, RangeId};
use crate::columns::FactColumn;
use serde::{Deserialize, Serialize};

/// A range of a library that exchanges data, without its times: what its text and its payload say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Exchange {
    /// Its text, such as `ncclAllReduce`.
    pub name: String,
    /// The communicator.
    pub communicator: Option<u64>,
    /// Bytes of the message, of one member.
    pub bytes: Option<u64>,
    /// Data type of the elements; empty if the payload does not say.
    pub data_type: String,
    /// Members of the communicator.
    pub ranks: Option<u64>,
    /// Number of the process among them.
    pub rank: Option<i64>,
    /// With whom it exchanges data, if it is with one member.
    pub peer: Option<i64>,
}

impl Exchange {
    /// Whether several exchanges follow that are one.
    pub(crate) fn begins_group(&self) -> bool {
        self.name == "ncclGroupStart"
    }

    /// Whether the exchanges since then are begun.
    pub(crate) fn ends_group(&self) -> bool {
        self.name == "ncclGroupEnd"
    }

    /// Whether it makes a communicator.
    pub(crate) fn makes_communicator(&self) -> bool {
        self.name.starts_with("ncclCommInit")
    }
}

/// How many different exchanges are told apart.
pub(crate) const MOST_EXCHANGES: usize = 200_000;

/// Ranges that are none.
pub(crate) const NO_EXCHANGE: u32 = u32::MAX;

/// The exchanges of a capture; none if it has no payloads.
#[derive(Debug, Clone, Default)]
pub struct Exchanges {
    /// The different ones, in order of appearance.
    pub distinct: Vec<Exchange>,
    /// By thread: the place of each of its ranges among them, or [`NO_EXCHANGE`]; empty for threads without exchanges.
    pub by_thread: Vec<FactColumn<RangeId, u32>>,
}

/// A communicator of a process, as payloads say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCommunicator {
    /// The process.
    pub process: Maybe<ProcessId>,
    /// The library's number of the communicator, which is the same on all members.
    pub id: u64,
    /// How many members it has.
    pub ranks: Option<u64>,
    /// Which of them the process is.
    pub rank: Option<i64>,
    /// Whether it was made with the job or on its own (`ncclCommInit…`), not as a part of another.
    pub is_whole: bool,
}
