//! What an export says about the job that it is a part of: its host, and its rank.

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
}
