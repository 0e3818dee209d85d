//! Why a rank lags: the class of time that is longer, and, if that is compute, whether it has more to do or is slower.

use super::arithmetic::{cut_ns, median_f64, median_without_f64, of_count};
use super::lag::{Compared, RankLag, Slower};
use super::settings::RankThresholds;
use super::steps::RankClass;
use super::work::{Totals, WorkTotal};
use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::Ns;
use std::collections::{BTreeMap, BTreeSet};

/// Why a rank lags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LagCause {
    /// All its kernels take longer.
    SlowGpu,
    /// It launches more than the others.
    MoreWork,
    /// Some of its kernels take longer.
    SlowKernels,
    /// Its input comes late.
    LateInput,
    /// Its host launches late.
    LateHost,
    /// Its copies take longer.
    SlowCopies,
    /// Its exchange takes longer.
    SlowLink,
    /// Its host waits for the GPU.
    HostWaits,
    /// Several classes together.
    Mixed,
    /// Nothing tells.
    Unexplained,
}

impl LagCause {
    /// The words for people and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SlowGpu => "slow GPU",
            Self::MoreWork => "more work",
            Self::SlowKernels => "slow kernels",
            Self::LateInput => "late input",
            Self::LateHost => "late host",
            Self::SlowCopies => "slow copies",
            Self::SlowLink => "slow link",
            Self::HostWaits => "host waits",
            Self::Mixed => "mixed",
            Self::Unexplained => "unexplained",
        }
    }
}

/// What the kernels of a rank say against those of the other members of its group.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RankWork {
    /// Its speed on the same kernels, in percent of that of the others; none where that cannot be said.
    pub speed_percent: Option<f64>,
    /// The work that it launches, in percent of that of the others.
    pub work_percent: Option<f64>,
    /// Time of the same kernels at the speed of the others.
    base_ns: f64,
    /// Time of kernels that the others do not launch.
    extra_ns: f64,
    /// Time by which the same kernels take longer.
    slower_ns: f64,
    /// The 25 % quantile, weighted by time, of how many times as long kernels take.
    slowdown_of_most: f64,
}

impl RankWork {
    /// By how much longer its kernels take in a step than the same kernels of the others.
    pub(super) fn slower(&self) -> Slower {
        let is_slow = self.slower_ns > 0.0 && cause_of_compute(self) == LagCause::SlowGpu;
        Slower { ns: cut_ns(self.slower_ns), of_nearly_all: is_slow }
    }
}

/// By rank: what its kernels say. Ranks without others or without steady steps have nothing to say.
pub(super) fn work(compared: &Compared<'_>, kernels: &[Totals]) -> Vec<RankWork> {
    let mut work = vec![RankWork::default(); kernels.len()];
    let steps = |rank: usize| of_count(compared.steps[rank].of.len().max(1));
    for members in compared.members.iter().filter(|members| members.len() > 1) {
        let keys: BTreeSet<usize> = members.iter().flat_map(|&rank| kernels[rank].keys().copied()).collect();
        let others: BTreeMap<usize, Others> = keys
            .into_iter()
            .map(|key| {
                let of = members.iter().map(|&rank| (kernels[rank].get(&key), steps(rank)));
                (key, Others::new(of))
            })
            .collect();
        for &rank in members.iter().filter(|&&rank| !compared.steps[rank].of.is_empty()) {
            work[rank] = against(&kernels[rank], steps(rank), &others);
        }
    }
    work
}

/// Of a kernel, on all members of a group: how often it is launched in a step, and how long it takes where it is; both sorted.
struct Others {
    counts: Vec<f64>,
    lengths: Vec<f64>,
}

impl Others {
    fn new<'a>(of: impl Iterator<Item = (Option<&'a WorkTotal>, f64)>) -> Self {
        let (mut counts, mut lengths) = (Vec::new(), Vec::new());
        for (total, steps) in of {
            counts.push(total.map_or(0.0, |total| count_to_f64(total.count) / steps));
            lengths.extend(total.map(mean_length));
        }
        counts.sort_by(f64::total_cmp);
        lengths.sort_by(f64::total_cmp);
        Self { counts, lengths }
    }
}

fn mean_length(total: &WorkTotal) -> f64 {
    to_f64(total.time_ns) / count_to_f64(total.count.max(1))
}

fn against(own: &Totals, steps: f64, others: &BTreeMap<usize, Others>) -> RankWork {
    let mut work = RankWork::default();
    // How many times as long each kernel takes, and its time.
    let mut slowdowns: Vec<(f64, f64)> = Vec::new();
    for (key, others) in others {
        let total = own.get(key);
        let count = total.map_or(0.0, |total| count_to_f64(total.count) / steps);
        let usual_count = median_without_f64(&others.counts, count);
        let length = total.map(mean_length);
        let usual_length = match length {
            Some(length) if others.lengths.len() > 1 => Some(median_without_f64(&others.lengths, length)),
            Some(_) => None,
            None => median_f64(others.lengths.iter().copied()),
        };
        let usual_length = usual_length.filter(|&usual| usual > 0.0);
        if let (Some(total), Some(length), Some(usual)) = (total, length, usual_length) {
            work.slower_ns += count * (length - usual);
            work.base_ns += count * usual;
            slowdowns.push((length / usual, to_f64(total.time_ns)));
        }
        work.extra_ns += (count - usual_count) * usual_length.or(length).unwrap_or(0.0);
    }
    slowdowns.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.total_cmp(&b.1)));
    work.slowdown_of_most = lower_quartile(&slowdowns);
    if work.base_ns > 0.0 {
        work.speed_percent = Some(100.0 * work.base_ns / (work.base_ns + work.slower_ns));
        work.work_percent = Some(100.0 * (work.base_ns + work.extra_ns) / work.base_ns);
    }
    work
}

/// The value up to which a quarter of the weight is; 1 without weight.
fn lower_quartile(weighted: &[(f64, f64)]) -> f64 {
    let quarter = weighted.iter().map(|(_, weight)| weight).sum::<f64>() / 4.0;
    let mut sum = 0.0;
    for (value, weight) in weighted {
        sum += weight;
        if sum >= quarter {
            return *value;
        }
    }
    1.0
}

/// Why a rank that lags does.
pub(super) fn cause(lag: &RankLag, work: &RankWork, thresholds: &RankThresholds) -> LagCause {
    let Some(class) = largest(&lag.by_class) else { return LagCause::Mixed };
    if to_f64(lag.by_class[class as usize]) < thresholds.cause_share * to_f64(lag.lag_ns) {
        return LagCause::Mixed;
    }
    match class {
        RankClass::Compute => cause_of_compute(work),
        RankClass::Transfer => LagCause::SlowLink,
        RankClass::Copy => LagCause::SlowCopies,
        RankClass::Input => LagCause::LateInput,
        RankClass::Cpu => LagCause::LateHost,
        RankClass::Sync => LagCause::HostWaits,
        RankClass::Other => LagCause::Unexplained,
    }
}

fn cause_of_compute(work: &RankWork) -> LagCause {
    let slowdown = if work.base_ns > 0.0 { (work.base_ns + work.slower_ns) / work.base_ns } else { 1.0 };
    if work.extra_ns >= work.slower_ns {
        LagCause::MoreWork
    } else if work.slowdown_of_most >= 1.0 + 0.5 * (slowdown - 1.0) {
        LagCause::SlowGpu
    } else {
        LagCause::SlowKernels
    }
}

/// The class with most time; of equals the first.
pub(super) fn largest(by_class: &[Ns; RankClass::ALL.len()]) -> Option<RankClass> {
    RankClass::ALL.into_iter().rev().max_by_key(|&class| by_class[class as usize])
}
