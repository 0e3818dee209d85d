//! Many ranks: which one holds a job back, and why.
//!
//! ```text
//! capture ─digests─► RankDigest ─┐
//! capture ─digests─► RankDigest ─┼─Job::new─► Job ─► tables, verdict, findings
//! capture ─digests─► RankDigest ─┘
//! ```
//!
//! Three ideas. No figure needs common clocks: of a collective all members end together, so the shortest duration is the transfer
//! and what a rank has more is its waiting. A rank's own time is its step without waiting: wall times are equal on all ranks, own
//! times are not. And savings are replayed: the job is run again, on its recorded times, without waiting for the rank in question.

mod absent;
mod arithmetic;
mod assemble;
mod causes;
mod channel;
mod channel_parts;
mod channels;
mod clocks;
mod common_iterations;
mod communicator;
mod communicators;
mod digest;
mod dimensions;
mod error;
mod extract;
mod findings;
mod groups;
mod identity;
mod instances;
mod job;
mod kept_digests;
mod kinds_of_collectives;
mod lag;
mod leaving;
mod means;
mod natural;
mod parts;
mod replay;
mod sessions;
mod settings;
mod step_scale;
mod steps;
mod tables;
#[cfg(test)]
mod tests;
mod verdict;
mod windows;
mod words;
mod work;

pub use absent::Absent;
pub use causes::{LagCause, RankWork};
pub use clocks::{ClockSource, CommonEnd, RankClock};
pub use common_iterations::IterationSource;
pub use communicator::{Communicator, MatchedBy};
pub use digest::{
    CaptureKind, ChannelKey, Gate, KernelKey, KnownCommunicator, PieceSums, RankCollective, RankDigest,
    RankIdentity, RankIteration, WorkSum,
};
pub use dimensions::{Dimension, DimensionOfJob};
pub use error::RanksError;
pub use extract::digests as rank_digests;
pub use findings::{JobFinding, JobRule};
pub use groups::group_name;
pub use identity::{RankPattern, RankSource, give_ranks, rank_of_capture};
pub use instances::Instance;
pub use job::{CaptureOfJob, FileStatus, Job, JobFile, JobRank, JobRequest, JobSession, NotRead, OpOfRank};
pub(crate) use kept_digests::are_sound;
pub use kept_digests::{
    DIGEST_FILE, DIGEST_FORMAT, DigestError, SameCapture, has_rank, read_digests, same_capture, write_digests,
};
pub use kinds_of_collectives::CollectivesOfKind;
pub use lag::{LEAST_STEPS_OF_LAG, RankLag};
pub use means::JobMeans;
pub use natural::natural_order;
pub use settings::RankThresholds;
pub use step_scale::StepScale;
pub use steps::{MeanTimes, RankClass, RankSteps, StepTimes};
pub use tables::{JOB_TABLES, JobTableDefinition, job_table};
pub use windows::RankWindows;
pub use words::{RankWords, capitalized, have, spans};
