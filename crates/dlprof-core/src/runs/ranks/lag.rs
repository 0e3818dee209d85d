//! Lag: by how much longer a rank's own time is than that of others that do the same work, and whether that is more than noise.

use super::arithmetic::{deviation, median, median_without, of_count};
use super::settings::RankThresholds;
use super::steps::{RankClass, RankSteps, StepTimes};
use crate::base::ratios::to_f64;
use crate::base::time::Ns;
use crate::steps::iterate::Confidence;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What is known of the lag of a rank.
#[derive(Debug, Clone, PartialEq)]
pub struct RankLag {
    /// By common iteration: its own time less the median of those of the other members of its group.
    pub of: BTreeMap<i64, Ns>,
    /// The median of these.
    pub lag_ns: Ns,
    /// The same in percent of a step.
    pub lag_percent: f64,
    /// Share of the iterations in which it lags at all.
    pub share: f64,
    /// Lag over its noise.
    pub score: f64,
    /// How certain it is that it lags; none if it does not.
    pub confidence: Option<Confidence>,
    /// By class: the median over iterations of how much longer it is than that of the others.
    pub by_class: [Ns; RankClass::ALL.len()],
}

impl RankLag {
    /// Whether the rank lags.
    #[must_use]
    pub fn is_lagging(&self) -> bool {
        self.confidence.is_some()
    }
}

/// Ranks that do the same work, and what they did.
pub(super) struct Compared<'a> {
    pub(super) steps: &'a [RankSteps],
    /// By rank: its group.
    pub(super) groups: &'a [usize],
    /// By group: its members, which ascend.
    pub(super) members: Vec<Vec<usize>>,
    /// The iterations, which ascend.
    steady: &'a [i64],
    exchange: Exchange,
    /// By group and place of the iteration: own times and classes of the members, sorted.
    sorted: Vec<Vec<Sorted>>,
}

/// Whether the exchange of data says which rank is slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exchange {
    /// Waiting is told from it, and what is left is the rank's own.
    Counts,
    /// It may be waiting for ranks that are not there, or for others than those that are taken for its members.
    SaysNothing,
}

impl Exchange {
    /// Time of a class that tells ranks apart.
    fn of(self, step: &StepTimes, class: RankClass) -> Ns {
        match (self, class) {
            (Self::SaysNothing, RankClass::Transfer) => 0,
            _ => step.of(class),
        }
    }

    /// Own time that tells ranks apart.
    fn own_ns(self, step: &StepTimes) -> Ns {
        match self {
            Self::Counts => step.own_ns(),
            Self::SaysNothing => step.own_ns() - step.of(RankClass::Transfer),
        }
    }
}

/// By how much longer a rank takes in an iteration than the median of the others of its group.
struct More {
    own: Ns,
    classes: [Ns; RankClass::ALL.len()],
}

/// Times of the members of a group in an iteration, each list sorted.
struct Sorted {
    own: Vec<Ns>,
    classes: [Vec<Ns>; RankClass::ALL.len()],
}

impl<'a> Compared<'a> {
    pub(super) fn new(
        steps: &'a [RankSteps],
        groups: &'a [usize],
        steady: &'a [i64],
        exchange: Exchange,
    ) -> Self {
        let count = groups.iter().max().map_or(0, |last| last + 1);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
        groups.iter().enumerate().for_each(|(rank, &group)| members[group].push(rank));
        let sorted_in = |members: &[usize], number: i64| {
            let here: Vec<&StepTimes> =
                members.iter().filter_map(|&rank| steps[rank].of.get(&number)).collect();
            let list = |figure: &dyn Fn(&StepTimes) -> Ns| {
                let mut list: Vec<Ns> = here.iter().map(|step| figure(step)).collect();
                list.sort_unstable();
                list
            };
            let classes = RankClass::ALL.map(|class| list(&|step: &StepTimes| exchange.of(step, class)));
            Sorted { own: list(&|step: &StepTimes| exchange.own_ns(step)), classes }
        };
        let of_group = |members: &Vec<usize>| -> Vec<Sorted> {
            steady.par_iter().map(|&number| sorted_in(members, number)).collect()
        };
        let sorted = members.par_iter().map(of_group).collect();
        Self { steps, groups, members, steady, exchange, sorted }
    }

    /// How much longer a rank takes in one of its steps than the others.
    fn more(&self, rank: usize, number: i64, step: &StepTimes) -> More {
        let of_group = &self.sorted[self.groups[rank]];
        let Some(sorted) = self.steady.binary_search(&number).ok().and_then(|place| of_group.get(place))
        else {
            return More { own: 0, classes: [0; RankClass::ALL.len()] };
        };
        More {
            own: more(&sorted.own, self.exchange.own_ns(step)),
            classes: RankClass::ALL
                .map(|class| more(&sorted.classes[class as usize], self.exchange.of(step, class))),
        }
    }

    /// The own time of a rank in an iteration that tells it from others.
    pub(super) fn own_ns(&self, rank: usize, number: i64) -> Option<Ns> {
        self.steps[rank].of.get(&number).map(|step| self.exchange.own_ns(step))
    }

    /// The median of it over iterations; 0 without.
    pub(super) fn usual_own_ns(&self, rank: usize) -> Ns {
        median(self.steps[rank].of.values().map(|step| self.exchange.own_ns(step))).unwrap_or(0)
    }

    /// By class: how much longer it is on a rank in an iteration than on the others.
    pub(super) fn classes_more(&self, rank: usize, number: i64) -> [Ns; RankClass::ALL.len()] {
        let step = self.steps[rank].of.get(&number);
        step.map_or([0; RankClass::ALL.len()], |step| self.more(rank, number, step).classes)
    }
}

fn more(sorted: &[Ns], own: Ns) -> Ns {
    if sorted.len() > 1 { own - median_without(sorted, own) } else { 0 }
}

/// What the kernels of a rank say against the same kernels of the others of its group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slower {
    /// By how much longer they take in a step.
    pub(super) ns: Ns,
    /// Whether nearly all of them do.
    pub(super) of_nearly_all: bool,
}

/// Fewer steps do not tell lag from noise.
pub const LEAST_STEPS_OF_LAG: usize = 3;

/// The median length of all steady windows of all ranks; 1 if there are none.
pub(super) fn step_ns(steps: &[RankSteps]) -> Ns {
    median(steps.iter().flat_map(|steps| steps.of.values().map(|step| step.length_ns)))
        .filter(|&ns| ns > 0)
        .unwrap_or(1)
}

/// By rank: its lag.
pub(super) fn lags(
    compared: &Compared<'_>,
    slower: &[Slower],
    step_ns: Ns,
    thresholds: &RankThresholds,
) -> Vec<RankLag> {
    let mut lags: Vec<RankLag> =
        (0..compared.steps.len()).into_par_iter().map(|rank| unjudged(compared, rank, step_ns)).collect();
    for members in &compared.members {
        let mut judge = Judge {
            lags: OfGroup::new(members.iter().map(|&rank| lags[rank].lag_ns).collect()),
            slower: OfGroup::new(members.iter().map(|&rank| slower[rank].ns).collect()),
            floor_ns: thresholds.noise_percent / 100.0 * to_f64(step_ns),
            thresholds,
        };
        members.iter().for_each(|&rank| judge.judge(&mut lags[rank], slower[rank]));
    }
    lags
}

fn unjudged(compared: &Compared<'_>, rank: usize, step_ns: Ns) -> RankLag {
    let steps = compared.steps[rank].of.iter();
    let more: Vec<(i64, More)> =
        steps.map(|(&number, step)| (number, compared.more(rank, number, step))).collect();
    let of: BTreeMap<i64, Ns> = more.iter().map(|(number, more)| (*number, more.own)).collect();
    let lag_ns = median(of.values().copied()).unwrap_or(0);
    let behind = of.values().filter(|&&lag| lag > 0).count();
    let by_class = RankClass::ALL
        .map(|class| median(more.iter().map(|(_, more)| more.classes[class as usize])).unwrap_or(0));
    RankLag {
        lag_ns,
        lag_percent: 100.0 * to_f64(lag_ns) / to_f64(step_ns),
        share: if of.is_empty() { 0.0 } else { of_count(behind) / of_count(of.len()) },
        score: 0.0,
        confidence: None,
        by_class,
        of,
    }
}

/// A time of each member of a group.
struct OfGroup {
    sorted: Vec<Ns>,
    /// By median of all members but one, of which there are three at most: how far each time is from it, sorted.
    distances: BTreeMap<Ns, Vec<Ns>>,
}

impl OfGroup {
    fn new(mut times: Vec<Ns>) -> Self {
        times.sort_unstable();
        Self { sorted: times, distances: BTreeMap::new() }
    }

    /// The standard deviation of all members but one, by their median absolute deviation; 0 of few members.
    fn sigma_without(&mut self, time: Ns) -> f64 {
        if self.sorted.len() < 5 {
            return 0.0;
        }
        let middle = median_without(&self.sorted, time);
        let distances = self.distances.entry(middle).or_insert_with(|| {
            let mut distances: Vec<Ns> = self.sorted.iter().map(|time| (time - middle).abs()).collect();
            distances.sort_unstable();
            distances
        });
        TO_SIGMA * to_f64(median_without(distances, (time - middle).abs()))
    }
}

/// From the median absolute deviation to the standard deviation of what is normally distributed.
const TO_SIGMA: f64 = 1.4826;

/// Says which ranks of a group lag.
struct Judge<'a> {
    lags: OfGroup,
    /// By how much longer the kernels of each member take than the same kernels of the others.
    slower: OfGroup,
    /// Noise is at least this.
    floor_ns: f64,
    thresholds: &'a RankThresholds,
}

impl Judge<'_> {
    fn judge(&mut self, lag: &mut RankLag, slower: Slower) {
        let of: Vec<Ns> = lag.of.values().copied().collect();
        let over_time =
            deviation(&of).map_or(0.0, |deviation| TO_SIGMA * to_f64(deviation) / of_count(of.len()).sqrt());
        let noise = self.floor_ns.max(over_time).max(self.lags.sigma_without(lag.lag_ns));
        lag.score = to_f64(lag.lag_ns) / noise;
        let members = self.lags.sorted.len();
        // The more ranks, the higher the largest of them is by chance alone.
        let wanted = self.thresholds.z.max(1.0 + (2.0 * of_count(members.max(2)).ln()).sqrt());
        let score = lag.score.max(self.score_of_kernels(lag, slower));
        let is_lagging = members > 1
            && of.len() >= LEAST_STEPS_OF_LAG
            && lag.lag_percent >= self.thresholds.min_lag_percent
            && score >= wanted
            && lag.share >= self.thresholds.share;
        let is_certain = score >= 2.0 * wanted && lag.share >= self.thresholds.high_share && of.len() >= 5;
        lag.confidence = is_lagging.then_some(if is_certain { Confidence::High } else { Confidence::Medium });
    }

    /// How certain kernels are that a rank lags. Own times of ranks that do the same work may differ for other reasons, such as the
    /// stage of a pipeline; if nearly all kernels take longer than the same ones of the others, that is the rank's own.
    fn score_of_kernels(&mut self, lag: &RankLag, slower: Slower) -> f64 {
        let share = self.thresholds.cause_share * to_f64(lag.lag_ns);
        if !slower.of_nearly_all || to_f64(slower.ns) < share {
            return 0.0;
        }
        to_f64(slower.ns) / self.floor_ns.max(self.slower.sigma_without(slower.ns))
    }
}
