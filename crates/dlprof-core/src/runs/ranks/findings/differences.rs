//! `ranks_differ`: ranks with other hardware or software than most.

use super::super::arithmetic::most_common;
use super::super::digest::RankIdentity;
use super::super::words::have;
use super::{JobFinding, JobRule, Scene};
use crate::advice::Measure;
use crate::steps::iterate::Confidence;

/// What is compared, and whether a difference makes ranks slower or faster.
type Property = (&'static str, bool, fn(&RankIdentity) -> &str);

const PROPERTIES: [Property; 4] = [
    ("GPU model", true, |who| &who.gpu_name),
    ("driver", false, |who| &who.driver),
    ("CPU", false, |who| &who.cpu),
    ("version of nsys", false, |who| &who.nsys_version),
];

pub(super) fn find(scene: &Scene<'_>) -> Vec<JobFinding> {
    PROPERTIES.iter().filter_map(|property| difference(scene, property)).collect()
}

fn difference(scene: &Scene<'_>, &(what, matters, property): &Property) -> Option<JobFinding> {
    let values: Vec<&str> = scene.digests.iter().map(|digest| property(&digest.who)).collect();
    let (usual, count) = most_common(values.iter().copied())?;
    if count == values.len() || values.contains(&"") {
        return None;
    }
    let odd: Vec<usize> = (0..values.len()).filter(|&rank| values[rank] != usual).collect();
    let other = odd.iter().map(|&rank| values[rank]).min()?;
    let title = format!(
        "{} of {} {} {} another {what}: {other} instead of {usual}",
        odd.len(),
        values.len(),
        scene.words.many,
        have(odd.len())
    );
    let finding = JobFinding::new(JobRule::RanksDiffer, Confidence::High, scene.numbers(odd), title)
        .figure("what", Measure::Text(what.into()));
    Some(if matters { finding } else { finding.note() })
}
