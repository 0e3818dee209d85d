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
    /// By how much the member that arrives last leaves a collective earlier than the others.
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

    /// What it saves per step if some ranks, which lag, were as fast as the others of their groups. Those whose GPUs are slow need less of
    /// their own time throughout, so that they are late by chance as often as any other; for those that are late at one place, nobody
    /// waits.
    pub(super) fn saving_if_mended(&self, ranks: &[usize]) -> Option<f64> {
        let (mut faster, mut without) = (Vec::new(), Vec::new());
        for &rank in ranks {
            match self.slower(rank) {
                Some(share) => faster.push((rank, share)),
                None => without.push(rank),
            }
        }
        let early_ns = self.early_ns;
        self.saving(&Change { without: &without, faster: &faster, early_ns, ..Change::default() })
    }

    /// By which share of its own time a rank is slower than others because its GPU is; its kernels say so better than own times do,
    /// which differ for other reasons as well, such as stages.
    fn slower(&self, rank: usize) -> Option<f64> {
        let cause = causes::cause(&self.lags[rank], &self.work[rank], self.thresholds);
        let speed = self.work[rank].speed_percent.filter(|_| cause == LagCause::SlowGpu)?;
        let mean = &self.compared.steps[rank].mean;
        let own_ns = mean.length_ns - mean.wait_ns - mean.of(RankClass::Transfer);
        let more_ns = (1.0 - speed / 100.0) * mean.of(RankClass::Compute);
        Some((more_ns / own_ns.max(1.0)).clamp(0.0, 1.0))
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
            _ => self.saving_if_mended(lagging),
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
