//! What rules look at.

use super::super::absent::Absent;
use super::super::causes::{self, LagCause, RankWork};
use super::super::clocks::RankClock;
use super::super::communicator::Communicator;
use super::super::digest::RankDigest;
use super::super::instances::Instance;
use super::super::lag::{Compared, RankLag};
use super::super::means::JobMeans;
use super::super::replay::{Change, JobReplay};
use super::super::settings::RankThresholds;
use super::super::steps::RankClass;
use super::super::words::RankWords;
use crate::base::ratios::to_f64;
use crate::base::time::Ns;

/// What rules look at.
pub(in super::super) struct Scene<'a> {
    pub(in super::super) thresholds: &'a RankThresholds,
    pub(in super::super) words: RankWords,
    /// By place: the number of the rank.
    pub(in super::super) ranks: &'a [i64],
    pub(in super::super) digests: &'a [RankDigest],
    pub(in super::super) communicators: &'a [Communicator],
    /// By communicator: whether it is guessed, and cannot be right.
    pub(in super::super) doubtful: &'a [bool],
    /// Those of steady iterations.
    pub(in super::super) instances: &'a [&'a Instance],
    pub(in super::super) steady: &'a [i64],
    /// Median length of a step.
    pub(in super::super) step_ns: Ns,
    pub(in super::super) compared: &'a Compared<'a>,
    pub(in super::super) lags: &'a [RankLag],
    pub(in super::super) work: &'a [RankWork],
    pub(in super::super) means: &'a JobMeans,
    pub(in super::super) clocks: &'a [RankClock],
    pub(in super::super) unmatched: &'a [usize],
    /// Ranks of the job that are not there.
    pub(in super::super) absent: &'a Absent,
    pub(in super::super) world: i64,
    pub(in super::super) replay: &'a JobReplay<'a>,
    /// Mean length of a step, replayed as it was.
    pub(in super::super) now: Option<f64>,
    /// How much earlier than the others whoever arrives last leaves a collective.
    pub(in super::super) early_ns: Ns,
}

impl Scene<'_> {
    /// What a change saves per step; none where steps cannot be replayed, or where ranks that are not there may be later still.
    pub(in super::super) fn saving(&self, change: &Change<'_>) -> Option<f64> {
        if self.absent.is_any() {
            return None;
        }
        Some((self.now? - self.replay.what_if(change)?).max(0.0))
    }

    /// What it saves per step if nobody waits for some ranks, given by their places.
    pub(in super::super) fn saving_without(&self, ranks: &[usize]) -> Option<f64> {
        self.saving(&Change { without: ranks, ..Change::default() })
    }

    /// Ranks that lag, with the share of their own time by which each is slower than the others of its group. Where its kernels take
    /// longer, they say so better than own times do, which differ for other reasons as well, such as stages.
    pub(super) fn slower(&self, ranks: &[usize]) -> Vec<(usize, f64)> {
        let share = |&rank: &usize| {
            let mean = &self.compared.steps[rank].mean;
            let own_ns = mean.length_ns - mean.wait_ns - mean.of(RankClass::Transfer);
            let (lag, work) = (&self.lags[rank], &self.work[rank]);
            let more_ns = match (causes::cause(lag, work, self.thresholds), work.speed_percent) {
                (LagCause::SlowGpu | LagCause::SlowKernels, Some(speed)) => {
                    (1.0 - speed / 100.0) * mean.of(RankClass::Compute)
                }
                _ => to_f64(lag.lag_ns),
            };
            (rank, (more_ns / own_ns.max(1.0)).clamp(0.0, 1.0))
        };
        ranks.iter().map(share).collect()
    }

    /// What it saves per step if some ranks needed less of their own time, by these shares. Unlike ranks that nobody waits for, they
    /// are late by chance as often as any other.
    pub(super) fn saving_if_faster(&self, faster: &[(usize, f64)]) -> Option<f64> {
        self.saving(&Change { faster, early_ns: self.early_ns, ..Change::default() })
    }

    /// What it saves per step if nobody waits for the only rank that lags, or if all that lag were as fast as the others; where
    /// links are why, which no rank mends alone, if nobody waits for any of these.
    pub(in super::super) fn saving_of(&self, lagging: &[usize]) -> Option<f64> {
        let is_of_link = |&rank: &usize| {
            causes::cause(&self.lags[rank], &self.work[rank], self.thresholds) == LagCause::SlowLink
        };
        match lagging {
            [] => Some(0.0),
            [_] => self.saving_without(lagging),
            _ if lagging.iter().any(is_of_link) => self.saving_without(lagging),
            _ => self.saving_if_faster(&self.slower(lagging)),
        }
    }

    /// The numbers of ranks that are given by their places, in order.
    pub(super) fn numbers(&self, places: impl IntoIterator<Item = usize>) -> Vec<i64> {
        let mut numbers: Vec<i64> = places.into_iter().map(|place| self.ranks[place]).collect();
        numbers.sort_unstable();
        numbers
    }

    /// A share of a step in percent.
    pub(super) fn percent_of_step(&self, ns: f64) -> f64 {
        100.0 * ns / to_f64(self.step_ns)
    }
}
