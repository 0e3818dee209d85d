//! `stage_imbalance`: a group of ranks that has more to do than the others.

use super::super::arithmetic::{mean, median};
use super::super::lag::LEAST_STEPS_OF_LAG;
use super::super::words::have;
use super::{JobFinding, JobRule, Scene};
use crate::advice::Measure;
use crate::base::ratios::to_f64;
use crate::base::time::Ns;
use crate::steps::iterate::Confidence;

pub(super) fn find(scene: &Scene<'_>) -> Option<JobFinding> {
    if scene.steady.len() < LEAST_STEPS_OF_LAG {
        return None;
    }
    let members = &scene.compared.members;
    let own = |rank: &usize| scene.compared.usual_own_ns(*rank);
    let medians: Vec<Ns> = members.iter().map(|of| median(of.iter().map(own)).unwrap_or(0)).collect();
    let (most, group) = medians.iter().copied().zip(0..).max().filter(|_| medians.len() > 1)?;
    let others = medians.iter().enumerate().filter(|(other, _)| *other != group).map(|(_, own)| *own);
    let usual = median(others)?;
    if scene.percent_of_step(to_f64(most - usual)) < scene.thresholds.stage_percent {
        return None;
    }
    let ranks = scene.numbers(members[group].iter().copied());
    let more_percent = 100.0 * (to_f64(most) / to_f64(usual) - 1.0);
    let title = format!(
        "{} {} {more_percent:.0} % more to do than the other {}",
        scene.words.these(&ranks),
        have(ranks.len()),
        scene.ranks.len() - ranks.len()
    );
    let mean = mean((0..scene.ranks.len()).map(|rank| own(&rank)));
    let finding = JobFinding::new(JobRule::StageImbalance, Confidence::Medium, ranks, title)
        .saves(None, Some(to_f64(most) - mean))
        .figure("own_ns", Measure::Time(most))
        .figure("others_ns", Measure::Time(usual));
    Some(finding)
}
