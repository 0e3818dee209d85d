//! `slow_ranks`: several ranks that lag. Where they are equally slow, mending one saves nothing, because the others hold the job back
//! as before; where they hide each other's waiting, all together save less than the sum.
//!
//! ```text
//! all that lag ─without the one that lags least, if that saves as much─► … ─► those that are needed for the joint saving
//! ```

use super::super::causes::LagCause;
use super::super::words::named;
use super::laggards::most_lagging;
use super::{JobFinding, JobRule, Scene};
use crate::advice::{Figure, Measure, Sentence};
use crate::base::ratios::to_f64;
use crate::steps::iterate::Confidence;
use std::collections::BTreeSet;

/// How much of the joint saving is worth another rank.
const WORTH: f64 = 0.02;

/// Savings whose sum differs from the joint one by less than this share of it simply add up.
const ADDS_UP: f64 = 0.1;

/// What ranks that lag cost together; none if one of them, or a node, is all that counts.
pub(super) fn find(
    scene: &Scene<'_>,
    causes: &[Option<LagCause>],
    found: &[JobFinding],
) -> Option<JobFinding> {
    // A slow link is not of any one of its members.
    let of_link = |rank: usize| {
        let links = found.iter().filter(|finding| finding.rule == JobRule::SlowLink);
        links.flat_map(|finding| &finding.ranks).any(|&number| number == scene.ranks[rank])
    };
    let lagging = most_lagging(scene, causes).into_iter();
    let lagging = lagging.filter(|&(rank, cause)| cause != LagCause::SlowLink || !of_link(rank));
    let lagging: Vec<usize> = lagging.map(|(rank, _)| rank).collect();
    let (needed, saving_ns) = needed(scene, &lagging)?;
    let numbers = scene.numbers(needed.iter().copied());
    let is_of_node = |finding: &JobFinding| finding.rule == JobRule::SlowNode && finding.ranks == numbers;
    if needed.len() < 2 || saving_ns <= 0.0 || found.iter().any(is_of_node) {
        return None;
    }
    let alone: Vec<f64> = needed.iter().filter_map(|&rank| scene.saving_without(&[rank])).collect();
    let most_alone_ns = alone.iter().copied().fold(0.0, f64::max);
    let saving_ns = saving_ns.max(most_alone_ns);
    let of_causes = why(scene, causes, &needed);
    let who = format!("{} together hold the job back", named(scene.words, &numbers));
    let title = match alone.iter().sum::<f64>() {
        sum if sum < (1.0 - ADDS_UP) * saving_ns => Sentence::new(
            "{}: {} (mending one alone saves at most {}, because the others hold it back as well)",
            vec![Figure::Text(who), Figure::Text(of_causes), Figure::Time(most_alone_ns)],
        ),
        sum if sum > (1.0 + ADDS_UP) * saving_ns => Sentence::new(
            "{}: {} (their savings alone, {} in all, overlap)",
            vec![Figure::Text(who), Figure::Text(of_causes), Figure::Time(sum)],
        ),
        _ => Sentence::new("{}: {}", vec![Figure::Text(who), Figure::Text(of_causes)]),
    };
    let lags = || needed.iter().map(|&rank| &scene.lags[rank]);
    let confidence = lags().filter_map(|lag| lag.confidence).min().unwrap_or(Confidence::Medium);
    let most_ns = lags().map(|lag| to_f64(lag.lag_ns)).fold(saving_ns, f64::max);
    let finding = JobFinding::new(JobRule::SlowRanks, confidence, numbers, title)
        .saves(Some(saving_ns), Some(most_ns))
        .figure("most_alone_ns", Measure::Number(most_alone_ns));
    Some(finding)
}

/// The ranks, of those that lag, without which the joint saving would be less, and the joint saving.
fn needed(scene: &Scene<'_>, lagging: &[usize]) -> Option<(Vec<usize>, f64)> {
    if lagging.len() < 2 {
        return None;
    }
    let mut needed = lagging.to_vec();
    let saving_ns = scene.saving_if_mended(&needed)?;
    for rank in lagging.iter().rev() {
        let fewer: Vec<usize> = needed.iter().copied().filter(|other| other != rank).collect();
        if !fewer.is_empty() && scene.saving_if_mended(&fewer)? >= (1.0 - WORTH) * saving_ns {
            needed = fewer;
        }
    }
    Some((needed, saving_ns))
}

/// Why these ranks lag: with their speed if all their GPUs are slow.
fn why(scene: &Scene<'_>, causes: &[Option<LagCause>], ranks: &[usize]) -> String {
    let of: BTreeSet<&str> = ranks.iter().filter_map(|&rank| causes[rank]).map(LagCause::as_str).collect();
    let speeds: Option<Vec<f64>> = ranks.iter().map(|&rank| scene.work[rank].speed_percent).collect();
    match speeds.filter(|_| of.iter().eq([&LagCause::SlowGpu.as_str()])) {
        Some(speeds) => {
            let slowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
            let fastest = speeds.iter().copied().fold(0.0, f64::max);
            let (slowest, fastest) = (format!("{slowest:.0}"), format!("{fastest:.0}"));
            let range = if slowest == fastest { slowest } else { format!("{slowest} to {fastest}") };
            format!("their GPUs run at {range} % of the others' speed")
        }
        None => of.into_iter().collect::<Vec<_>>().join(", "),
    }
}
