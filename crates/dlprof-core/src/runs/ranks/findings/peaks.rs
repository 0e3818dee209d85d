//! `intermittent_rank` and `uneven_steps`: what is after persistent lag, iteration by iteration.

use super::super::arithmetic::{median, of_count};
use super::super::causes::largest;
use super::super::lag::LEAST_STEPS_OF_LAG;
use super::super::steps::RankClass;
use super::{JobFinding, JobRule, Scene};
use crate::advice::{Figure, Measure, Sentence};
use crate::base::ratios::to_f64;
use crate::base::shell_word::shell_word;
use crate::base::time::Ns;
use crate::steps::iterate::Confidence;
use indexmap::IndexMap;
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;
use std::collections::{BTreeMap, BTreeSet};

/// The slowest rank of an iteration, by its place, and by how much it is slower than the median of its group.
#[derive(Debug, Clone, Copy)]
struct Peak {
    rank: usize,
    excess_ns: Ns,
}

pub(super) fn find(scene: &Scene<'_>) -> Option<JobFinding> {
    let peaks: BTreeMap<i64, Peak> =
        scene.steady.par_iter().filter_map(|&number| Some((number, peak(scene, number)?))).collect();
    intermittent(scene, &peaks).or_else(|| uneven(scene, &peaks))
}

/// Own times without the lag of ranks that lag.
fn peak(scene: &Scene<'_>, number: i64) -> Option<Peak> {
    let mut best: Option<Peak> = None;
    for members in &scene.compared.members {
        let own = |&rank: &usize| {
            let own_ns = scene.compared.own_ns(rank, number)?;
            let lag = &scene.lags[rank];
            Some((own_ns - if lag.is_lagging() { lag.lag_ns } else { 0 }, rank))
        };
        let own: Vec<(Ns, usize)> = members.iter().filter_map(own).collect();
        let Some(&(most, rank)) = own.iter().max().filter(|_| own.len() > 1) else { continue };
        let excess_ns = most - median(own.iter().map(|(own, _)| *own)).unwrap_or(0);
        if best.is_none_or(|best| excess_ns > best.excess_ns) {
            best = Some(Peak { rank, excess_ns });
        }
    }
    best.filter(|peak| peak.excess_ns > 0)
}

/// One rank that has most of the excess, in a few iterations.
fn intermittent(scene: &Scene<'_>, peaks: &BTreeMap<i64, Peak>) -> Option<JobFinding> {
    let all: Ns = peaks.values().map(|peak| peak.excess_ns).sum();
    let mut blame: IndexMap<usize, Ns, FxBuildHasher> = IndexMap::default();
    peaks.values().for_each(|peak| *blame.entry(peak.rank).or_default() += peak.excess_ns);
    // Of equals the first.
    let (&rank, &excess) = blame.iter().rev().max_by_key(|(_, excess)| **excess)?;
    let thresholds = scene.thresholds;
    let is_high = |peak: &Peak| scene.percent_of_step(to_f64(peak.excess_ns)) >= thresholds.peak_percent;
    let late: BTreeMap<i64, Peak> = peaks
        .iter()
        .filter(|(_, peak)| peak.rank == rank && is_high(peak))
        .map(|(at, peak)| (*at, *peak))
        .collect();
    let is_often = of_count(late.len()) >= (0.1 * of_count(scene.steady.len())).max(2.0);
    let is_to_blame = to_f64(excess) >= thresholds.blame_share * to_f64(all);
    let is_few = scene.steady.len() < LEAST_STEPS_OF_LAG;
    if scene.lags[rank].is_lagging() || !is_to_blame || !is_often || is_few {
        return None;
    }
    let late_ns = to_f64(late.values().map(|peak| peak.excess_ns).sum()) / of_count(late.len());
    let cause = cause(scene, &late);
    let when = format!(
        "{} is late in {} of {} iterations",
        scene.words.these(&[scene.ranks[rank]]),
        late.len(),
        scene.steady.len()
    );
    let title = Sentence::new(
        "{}, by {}: {}",
        vec![Figure::Text(when), Figure::Time(late_ns), Figure::Text(cause.into())],
    );
    let iterations: Vec<i64> = late.keys().copied().collect();
    let first = iterations.first().copied().unwrap_or(0);
    let file = shell_word(&scene.digests[rank].who.file.to_string_lossy()).into_owned();
    let finding =
        JobFinding::new(JobRule::IntermittentRank, Confidence::Medium, vec![scene.ranks[rank]], title)
            .saves(scene.saving_without(&[rank]), None)
            .figure("cause", Measure::Text(cause.into()))
            .figure("iterations", Measure::Text(super::super::words::spans(&iterations)))
            .command(&format!("dlprof-agg {file} --iter-start {first} --iter-stop {first}"));
    Some(finding)
}

/// Another rank in every iteration.
fn uneven(scene: &Scene<'_>, peaks: &BTreeMap<i64, Peak>) -> Option<JobFinding> {
    const FEWEST: usize = 5;
    const CERTAIN: usize = 8;
    let steps = scene.steady.len();
    let excess: Ns = peaks.values().map(|peak| peak.excess_ns).sum();
    let mean_ns = to_f64(excess) / of_count(steps.max(1));
    if steps < FEWEST || scene.percent_of_step(mean_ns) < scene.thresholds.uneven_percent {
        return None;
    }
    let ranks: BTreeSet<usize> = peaks.values().map(|peak| peak.rank).collect();
    let cause = cause(scene, peaks);
    let who = format!(
        "the slowest {} changes: {} {} in {steps} iterations",
        scene.words.one,
        ranks.len(),
        scene.words.many
    );
    let title = Sentence::new(
        "{}, {} each: {}",
        vec![Figure::Text(who), Figure::Time(mean_ns), Figure::Text(cause.into())],
    );
    let confidence = if steps >= CERTAIN { Confidence::High } else { Confidence::Medium };
    let finding = JobFinding::new(JobRule::UnevenSteps, confidence, Vec::new(), title)
        .saves(None, Some(scene.means.mean.wait_ns))
        .figure("cause", Measure::Text(cause.into()));
    Some(finding)
}

/// The class that is longer than that of the others, over some iterations.
fn cause(scene: &Scene<'_>, peaks: &BTreeMap<i64, Peak>) -> &'static str {
    let mut more = [0; RankClass::ALL.len()];
    for (&number, peak) in peaks {
        let of_peak = scene.compared.classes_more(peak.rank, number);
        more.iter_mut().zip(of_peak).for_each(|(sum, of_class)| *sum += of_class);
    }
    match largest(&more) {
        Some(RankClass::Compute) => "uneven work",
        Some(RankClass::Transfer) => "links",
        Some(RankClass::Copy) => "copies",
        Some(RankClass::Input) => "late input",
        Some(RankClass::Cpu) => "late host",
        Some(RankClass::Sync) => "host waits",
        Some(RankClass::Other) | None => "unexplained",
    }
}
