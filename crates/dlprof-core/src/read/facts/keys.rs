//! Numbers by which the rows of an export refer to each other. Correlating joins by them and uses them up.

use crate::base::ids::{ApiCallId, Maybe, ProcessId, RangeId, StrId, SyncId};
use crate::columns::{FactColumn, table};
use crate::read::facts::Exchanges;

/// A correlation id; unique only within a process. [`NO_CORRELATION`] means "none".
pub(crate) type CorrelationId = u32;

/// The correlation id of records that have none.
pub(crate) const NO_CORRELATION: CorrelationId = u32::MAX;

/// PyTorch's sequence number, which links a backward node to its forward op. It counts the operators of a thread, so no
/// capture reaches the end of its range.
pub(crate) type SequenceNumber = u32;

/// The sequence number of ranges that have none.
pub(crate) const NO_SEQUENCE: SequenceNumber = SequenceNumber::MAX;

table! {
    /// Whose API call each synchronisation record is about.
    "sync_keys" SyncKeys built by SyncKeysBuilder, by SyncId {
        /// The process; none if the table does not name it.
        process: Maybe<ProcessId>, "";
        /// Correlation id of the API call.
        correlation: CorrelationId, "";
    }
}

/// What a trace of torch.profiler says of a range beyond its text and sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OperatorKeys {
    /// Whether it is a node of the backward pass: it has a forward thread.
    pub is_node: bool,
    /// `Input type`, as JSON; none if not recorded.
    pub types: StrId,
    /// `Concrete Inputs` of convolutions, as JSON; none if not recorded, and for all other operators.
    pub concrete: StrId,
    /// `Call stack`, as it stands; none if not recorded.
    pub stack: StrId,
    /// The collective that it calls: its position among the distinct ones.
    pub collective: Option<u32>,
}

impl Default for OperatorKeys {
    fn default() -> Self {
        Self {
            is_node: false,
            types: StrId::NONE,
            concrete: StrId::NONE,
            stack: StrId::NONE,
            collective: None,
        }
    }
}

/// Numbers by which rows refer to each other, row by row as in the tables of [`RecordedTables`](super::RecordedTables).
#[derive(Debug, Clone, Default)]
pub struct Keys {
    /// Correlation ids of API calls, unique only within the process of the thread.
    pub api_calls: FactColumn<ApiCallId, CorrelationId>,
    /// Those of synchronisation records.
    pub syncs: SyncKeys,
    /// By thread: the sequence numbers of its ranges.
    pub sequences: Vec<FactColumn<RangeId, SequenceNumber>>,
    /// By text of ranges: what else a trace of torch.profiler says of them; empty for other inputs.
    pub operators: Vec<OperatorKeys>,
    /// What libraries recorded beside ranges.
    pub exchanges: Exchanges,
}
