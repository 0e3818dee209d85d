//! Ranks that lag, one by one, and nodes of which nearly all ranks do.

use super::super::arithmetic::{median, median_f64, most_common, of_count};
use super::super::causes::LagCause;
use super::super::steps::RankClass;
use super::{JobFinding, JobRule, Scene};
use crate::advice::{Figure, Measure, Sentence};
use crate::base::ratios::to_f64;
use crate::base::shell_word::shell_word;
use crate::base::time::Ns;
use crate::steps::iterate::Confidence;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Ranks that are named one by one.
const MOST: usize = 16;

/// `slow_node`: it replaces the findings of its ranks.
pub(super) fn find_nodes(
    scene: &Scene<'_>,
    causes: &[Option<LagCause>],
    findings: &mut Vec<JobFinding>,
    explained: &mut BTreeSet<usize>,
) {
    let mut nodes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (rank, digest) in scene.digests.iter().enumerate() {
        nodes.entry(&digest.who.node).or_default().push(rank);
    }
    if nodes.len() < 2 {
        return;
    }
    let thresholds = scene.thresholds;
    let all_lagging = scene.lags.iter().filter(|lag| lag.is_lagging()).count();
    for (node, ranks) in nodes {
        let on_node = ranks.iter().filter(|&&rank| scene.lags[rank].is_lagging()).count();
        let lagging: Vec<usize> = ranks
            .iter()
            .copied()
            .filter(|rank| scene.lags[*rank].is_lagging() && !explained.contains(rank))
            .collect();
        let elsewhere = of_count(scene.ranks.len() - ranks.len());
        if ranks.len() < 2
            || of_count(lagging.len()) < thresholds.node_share * of_count(ranks.len())
            || of_count(all_lagging - on_node) >= thresholds.other_nodes_share * elsewhere
        {
            continue;
        }
        let lags = || lagging.iter().map(|&rank| &scene.lags[rank]);
        let Some((cause, _)) = most_common(lagging.iter().filter_map(|&rank| causes[rank])) else { continue };
        let lag_ns = median(lags().map(|lag| lag.lag_ns)).unwrap_or(0);
        let lag_percent = median_f64(lags().map(|lag| lag.lag_percent)).unwrap_or(0.0);
        let confidence = lags().filter_map(|lag| lag.confidence).min().unwrap_or(Confidence::Medium);
        let who = match lagging.len() == ranks.len() {
            true => format!("all GPUs of {node} lag"),
            false => format!("{} of {} GPUs of {node} lag", lagging.len(), ranks.len()),
        };
        let title = lags_by(who, (lag_ns, lag_percent), cause);
        let most = lags().map(|lag| lag.lag_ns).max().map(to_f64);
        findings.push(
            JobFinding::new(JobRule::SlowNode, confidence, scene.numbers(lagging.iter().copied()), title)
                .saves(scene.saving_of(&lagging), most)
                .figure("cause", Measure::Text(cause.as_str().into())),
        );
        explained.extend(ranks);
    }
}

/// `rank 3 lags by 2.08 ms (9.7 %): slow GPU`
fn lags_by(who: String, (lag_ns, percent): (Ns, f64), cause: LagCause) -> Sentence {
    let why = format!("({percent:.1} %): {}", cause.as_str());
    Sentence::new("{} by {} {}", vec![Figure::Text(who), Figure::Time(to_f64(lag_ns)), Figure::Text(why)])
}

/// The ranks that lag, with their causes, those that lag most first.
pub(super) fn most_lagging(scene: &Scene<'_>, causes: &[Option<LagCause>]) -> Vec<(usize, LagCause)> {
    let mut lagging: Vec<(usize, LagCause)> =
        causes.iter().enumerate().filter_map(|(rank, cause)| Some((rank, (*cause)?))).collect();
    lagging.sort_by_key(|(rank, _)| (Reverse(scene.lags[*rank].lag_ns), *rank));
    lagging.truncate(MOST);
    lagging
}

/// The rules about one rank that lags, those that lag most first.
pub(super) fn find(
    scene: &Scene<'_>,
    causes: &[Option<LagCause>],
    findings: &mut Vec<JobFinding>,
    explained: &BTreeSet<usize>,
) {
    let mut lagging = most_lagging(scene, causes);
    lagging.retain(|(rank, _)| !explained.contains(rank));
    let finding = |(rank, cause): (usize, LagCause)| {
        let (lag, work) = (&scene.lags[rank], &scene.work[rank]);
        let saving = scene.saving_without(&[rank]);
        let who = format!("{} lags", scene.words.these(&[scene.ranks[rank]]));
        let title = lags_by(who, (lag.lag_ns, lag.lag_percent), cause);
        let upper = to_f64(lag.lag_ns).max(saving.unwrap_or(0.0));
        let confidence = lag.confidence.unwrap_or(Confidence::Medium);
        let rule = JobRule::of(cause);
        let mut finding = JobFinding::new(rule, confidence, vec![scene.ranks[rank]], title)
            .saves(saving, Some(upper))
            .advises(&rule.advice_for(scene.digests[rank].who.recorder.vendor))
            .command(&format!("dlprof-agg {}", shell_word(&scene.digests[rank].who.file.to_string_lossy())));
        if let (Some(speed), Some(work)) = (work.speed_percent, work.work_percent) {
            finding = finding
                .figure("speed_percent", Measure::Number(speed))
                .figure("work_percent", Measure::Number(work));
        }
        for class in RankClass::ALL {
            finding = finding.figure(class.key(), Measure::Time(lag.by_class[class as usize]));
        }
        finding
    };
    findings.par_extend(lagging.into_par_iter().map(finding));
}
