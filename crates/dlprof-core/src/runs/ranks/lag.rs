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
    /// It may be waiting for ranks that are not there.
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

/// Fewer steps do not tell lag from noise.
pub const LEAST_STEPS_OF_LAG: usize = 3;

/// The median length of all steady windows of all ranks; 1 if there are none.
pub(super) fn step_ns(steps: &[RankSteps]) -> Ns {
    median(steps.iter().flat_map(|steps| steps.of.values().map(|step| step.length_ns)))
        .filter(|&ns| ns > 0)
        .unwrap_or(1)
}

/// By rank: its lag.
pub(super) fn lags(compared: &Compared<'_>, step_ns: Ns, thresholds: &RankThresholds) -> Vec<RankLag> {
    let mut lags: Vec<RankLag> =
        (0..compared.steps.len()).into_par_iter().map(|rank| unjudged(compared, rank, step_ns)).collect();
    for members in &compared.members {
        let mut of_group = LagsOfGroup::new(members.iter().map(|&rank| lags[rank].lag_ns).collect());
        for &rank in members {
            judge(&mut lags[rank], &mut of_group, step_ns, thresholds);
        }
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

/// The lags of the members of a group.
struct LagsOfGroup {
    sorted: Vec<Ns>,
    /// By median of all members but one, of which there are three at most: how far each lag is from it, sorted.
    distances: BTreeMap<Ns, Vec<Ns>>,
}

impl LagsOfGroup {
    fn new(mut lags: Vec<Ns>) -> Self {
        lags.sort_unstable();
        Self { sorted: lags, distances: BTreeMap::new() }
    }

    /// The median absolute deviation of all members but one.
    fn deviation_without(&mut self, lag_ns: Ns) -> Ns {
        let middle = median_without(&self.sorted, lag_ns);
        let distances = self.distances.entry(middle).or_insert_with(|| {
            let mut distances: Vec<Ns> = self.sorted.iter().map(|lag| (lag - middle).abs()).collect();
            distances.sort_unstable();
            distances
        });
        median_without(distances, (lag_ns - middle).abs())
    }
}

/// Says whether a rank lags.
fn judge(lag: &mut RankLag, of_group: &mut LagsOfGroup, step_ns: Ns, thresholds: &RankThresholds) {
    /// From the median absolute deviation to the standard deviation of what is normally distributed.
    const TO_SIGMA: f64 = 1.4826;
    let mut noise = thresholds.noise_percent / 100.0 * to_f64(step_ns);
    let of: Vec<Ns> = lag.of.values().copied().collect();
    if let Some(deviation) = deviation(&of) {
        noise = noise.max(TO_SIGMA * to_f64(deviation) / of_count(of.len()).sqrt());
    }
    let members = of_group.sorted.len();
    if members >= 5 {
        noise = noise.max(TO_SIGMA * to_f64(of_group.deviation_without(lag.lag_ns)));
    }
    lag.score = to_f64(lag.lag_ns) / noise;
    // The more ranks, the higher the largest of them is by chance alone.
    let wanted = thresholds.z.max(1.0 + (2.0 * of_count(members.max(2)).ln()).sqrt());
    let is_lagging = members > 1
        && of.len() >= LEAST_STEPS_OF_LAG
        && lag.lag_percent >= thresholds.min_lag_percent
        && lag.score >= wanted
        && lag.share >= thresholds.share;
    let is_certain = lag.score >= 2.0 * wanted && lag.share >= thresholds.high_share && of.len() >= 5;
    lag.confidence = is_lagging.then_some(if is_certain { Confidence::High } else { Confidence::Medium });
}
