//! A job: all its ranks together, and what is asked of it. [`assemble`](super::assemble) makes it.

use super::absent::Absent;
use super::arithmetic::median;
use super::causes::{LagCause, RankWork};
use super::clocks::{ClockSource, CommonEnd, RankClock};
use super::common_iterations::IterationSource;
use super::communicator::Communicator;
use super::digest::{RankDigest, RankIdentity};
use super::dimensions::DimensionOfJob;
use super::findings::JobFinding;
use super::identity::{RankPattern, RankSource};
use super::instances::Instance;
use super::lag::{LEAST_STEPS_OF_LAG, RankLag};
use super::means::JobMeans;
use super::settings::RankThresholds;
use super::step_scale::StepScale;
use super::steps::{RankClass, RankSteps};
use super::words::RankWords;
use crate::base::time::Ns;
use crate::base::{Error, ErrorKind};
use std::path::PathBuf;

/// A capture that was named, and what became of it.
#[derive(Debug, Clone)]
pub struct CaptureOfJob {
    /// The file as it was named.
    pub file: PathBuf,
    /// The digests of its ranks, or why there are none.
    pub ranks: Result<Vec<RankDigest>, NotRead>,
}

/// Why a capture was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotRead {
    /// What was found, in words.
    pub reason: String,
    /// Whether the capture is sound, and only lacks what was asked for, such as a key node.
    pub is_request: bool,
}

impl NotRead {
    /// Of a capture that is not sound.
    #[must_use]
    pub fn unusable(reason: String) -> Self {
        Self { reason, is_request: false }
    }
}

impl From<Error> for NotRead {
    fn from(error: Error) -> Self {
        let advice = match &error {
            Error::TooMuch { too_much, .. } => too_much.limit.beyond.advice(),
            _ => None,
        };
        let advice = advice.map_or_else(String::new, |advice| format!("; {advice}"));
        Self { reason: format!("{error}{advice}"), is_request: error.kind() == ErrorKind::Request }
    }
}

/// What is asked of a job.
#[derive(Debug, Clone, Default)]
pub struct JobRequest {
    /// Where ranks have their numbers from: group `rank`, or the first group, on the path of the capture.
    pub rank_from: Option<RankPattern>,
    /// The first common iteration that counts.
    pub first_iteration: Option<i64>,
    /// The last common iteration that counts.
    pub last_iteration: Option<i64>,
    /// Whether to go on with the largest part where captures are of different runs.
    pub largest_part: bool,
    /// Which session to judge, from 1 on, where captures are of several; without, the largest, and of equals the latest.
    pub session: Option<usize>,
    /// Items of the whole job in a step.
    pub items_per_step: Option<u64>,
    /// Thresholds.
    pub thresholds: RankThresholds,
    /// How many threads compare the ranks; 0 for one per processor.
    pub threads: usize,
}

/// Which of the sessions in the captures is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobSession {
    /// Its number, from 1 on, in order of time.
    pub number: usize,
    /// How many sessions, of this job or of others, the captures are of.
    pub of: usize,
}

/// A job: all its ranks together.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Which session it is.
    pub session: JobSession,
    /// The captures in the natural order of their names.
    pub files: Vec<JobFile>,
    /// Where the numbers of ranks are from.
    pub rank_source: RankSource,
    /// How many ranks the job has, also those without a capture.
    pub world: i64,
    /// Ranks of the job that are not there, whole or in part.
    pub absent: Absent,
    /// Where common numbers of iterations are from.
    pub iteration_source: IterationSource,
    /// Whether any rank has a step that repeats; else the only step is all that was captured.
    pub has_steps: bool,
    /// Its ranks in order.
    pub ranks: Vec<JobRank>,
    /// Who exchanges data with whom.
    pub communicators: Vec<Communicator>,
    /// Collectives of steady iterations, by communicator, iteration and order; each with its end on the common clock.
    pub instances: Vec<(Instance, CommonEnd)>,
    /// Common numbers of the iterations that all figures are about.
    pub steady: Vec<i64>,
    /// Median length of a step.
    pub step_ns: Ns,
    /// Means over ranks and steps.
    pub means: JobMeans,
    /// Mean length of a step, replayed as it was; none where nothing closes windows.
    pub replay_ns: Option<f64>,
    /// What it saves per step if nobody waits for the ranks that lag; none where ranks that are not there may be later still.
    pub saving_ns: Option<f64>,
    /// What was found.
    pub findings: Vec<JobFinding>,
    /// Items per second of the whole job, if the number of items of a step was given.
    pub items_per_s: Option<f64>,
    /// How its work is divided, those first that expose most exchange.
    pub dimensions: Vec<DimensionOfJob>,
    /// Whether ranks that do different work were found.
    pub groups: usize,
}

/// A capture of a job, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFile {
    /// The file as it was named.
    pub file: PathBuf,
    /// What became of it.
    pub status: FileStatus,
    /// How many ranks are from it.
    pub ranks: usize,
}

/// What became of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileStatus {
    /// It was read.
    Read,
    /// It cannot be read, and why.
    Unreadable(String),
    /// All its ranks are in an earlier capture.
    SameAs(PathBuf),
    /// It is of another run.
    OtherRun,
    /// It is of another session, or of another job that lies in the same place.
    OtherSession {
        /// The number by which that one is asked for.
        number: usize,
    },
    /// It has no GPU work, as a trace that ends before it.
    NoWork,
}

/// A rank of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRank {
    /// Its number.
    pub rank: i64,
    /// Who it is.
    pub who: RankIdentity,
    /// Ranks of one group do the same work.
    pub group: usize,
    /// What it did in its steady steps.
    pub steps: RankSteps,
    /// By how much it is slower than others.
    pub lag: RankLag,
    /// What its kernels say against those of others.
    pub work: RankWork,
    /// Why it lags; none if it does not.
    pub cause: Option<LagCause>,
    /// Its clock.
    pub clock: RankClock,
    /// Share of its collectives in which it arrived last, alone; none without collectives.
    pub last_percent: Option<f64>,
    /// The waiting of others that it caused, over all steady iterations.
    pub caused_wait_ns: Ns,
    /// By op: launches of compute kernels and their time, over its steady steps.
    pub ops: Vec<OpOfRank>,
}

/// Compute kernels of an op on a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpOfRank {
    /// The path of user ranges.
    pub op: String,
    /// How many kernels.
    pub kernels: u64,
    /// Their time.
    pub time_ns: Ns,
}

impl Job {
    /// What ranks are called.
    #[must_use]
    pub fn words(&self) -> RankWords {
        RankWords::of(self.rank_source)
    }

    /// The ranks without a capture, as far as it is known which ones these are.
    #[must_use]
    pub fn known_missing(&self) -> &[i64] {
        if self.words().is_order { &[] } else { &self.absent.missing }
    }

    /// What times are means of: steps, or all that was captured.
    #[must_use]
    pub fn per_step(&self) -> &'static str {
        if self.has_steps { "per step" } else { "in all" }
    }

    /// In what unit times are said.
    #[must_use]
    pub fn scale(&self) -> StepScale {
        StepScale::of(self.means.mean.length_ns)
    }

    /// Whether collectives of ranks were matched: without, waiting is not known.
    #[must_use]
    pub fn has_waiting(&self) -> bool {
        !self.communicators.is_empty()
    }

    /// Whether there are enough common steps to tell lag from noise.
    #[must_use]
    pub fn has_lag(&self) -> bool {
        self.steady.len() >= LEAST_STEPS_OF_LAG
    }

    /// How far any clock may be off, and whether all rest on collectives.
    #[must_use]
    pub fn clock_error(&self) -> (Ns, bool) {
        let error = self.ranks.iter().map(|rank| rank.clock.error_ns).max().unwrap_or(0);
        (error, self.ranks.iter().all(|rank| rank.clock.source == ClockSource::Collectives))
    }

    /// The largest own time of a rank, and the median of all.
    #[must_use]
    pub fn own_ns(&self) -> (Ns, Ns) {
        let own = || self.ranks.iter().map(|rank| rank.steps.own_ns);
        (own().max().unwrap_or(0), median(own()).unwrap_or(0))
    }

    /// Mean time of a class.
    #[must_use]
    pub fn mean_of(&self, class: RankClass) -> f64 {
        self.means.mean.of(class)
    }

    /// A time in percent of the mean step.
    #[must_use]
    pub fn percent_of_step(&self, ns: f64) -> f64 {
        self.means.percent_of_step(ns)
    }
}
