//! What a capture says about the job that it is a part of: its host, its rank, and the exchanges that it asked for.

use crate::base::time::Span;

/// What a capture says about the job that it is a part of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct JobFacts {
    /// Name of the host; empty if the export does not say.
    pub(crate) host: String,
    /// The number that nsys gave the capture (`PROFILING_SESSION_UUID`).
    pub(crate) session: Option<String>,
    /// The report that was exported (`EXPORT_PARAM_INPUT_FILE`); empty if the export does not say.
    pub(crate) report: String,
    /// The variables of the environment that tell rank or size of a job; other variables are not kept.
    pub(crate) environment: Vec<(String, String)>,
    /// Ranks of MPI, by global process id.
    pub(crate) mpi_ranks: Vec<(i64, i64)>,
    /// By global thread id: names of NCCL's threads, which have the rank in them.
    pub(crate) nccl_threads: Vec<(i64, String)>,
    /// Ranges of libraries that exchange data, with what was recorded beside them, by thread, start, and the longest first.
    pub(crate) exchanges: Vec<Exchange>,
    /// Whether the export describes what libraries recorded beside ranges, but lacks the records: it was made without
    /// `--include-blobs=true`.
    pub(crate) lacks_payloads: bool,
}

/// A range of a library that exchanges data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exchange {
    /// nsys's global id of the thread.
    pub(crate) global_tid: i64,
    /// Start and end on the CPU, from the start of the capture.
    pub(crate) span: Span,
    /// What its text says.
    pub(crate) text: ExchangeText,
    /// The communicator.
    pub(crate) communicator: Option<u64>,
    /// Bytes of the message, of one member.
    pub(crate) bytes: Option<u64>,
    /// Members of the communicator.
    pub(crate) ranks: Option<i64>,
    /// Number of the process among them.
    pub(crate) rank: Option<i64>,
    /// With whom it exchanges data, if it is with one member.
    pub(crate) peer: Option<i64>,
}

/// What the text of a range of a library says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExchangeText {
    /// A communicator is made.
    Init,
    /// Several exchanges follow that are one.
    GroupStart,
    /// These exchanges are begun.
    GroupEnd,
    /// Anything else.
    Other,
}

impl ExchangeText {
    /// What a text says.
    pub(crate) fn of(text: &str) -> Self {
        match text {
            "ncclGroupStart" => Self::GroupStart,
            "ncclGroupEnd" => Self::GroupEnd,
            text if text.starts_with("ncclCommInit") => Self::Init,
            _ => Self::Other,
        }
    }
}
