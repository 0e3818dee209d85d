//! What is wrong with the captures of a job: ranks without one, collectives that match no others, clocks that rest on UTC.

use super::super::absent::Absent;
use super::super::arithmetic::of_count;
use super::super::clocks::ClockSource;
use super::{JobFinding, JobRule, Scene};
use crate::advice::Measure;
use crate::base::ratios::to_f64;
use crate::steps::iterate::Confidence;

pub(super) fn find(scene: &Scene<'_>) -> Vec<JobFinding> {
    let mut findings = Vec::new();
    let rests_on_utc = |&rank: &usize| scene.clocks[rank].source != ClockSource::Collectives;
    let odd: Vec<usize> = (0..scene.ranks.len()).filter(rests_on_utc).collect();
    if !odd.is_empty() {
        let whose = match &odd[..] {
            [one] => format!("the clock of {} rests", scene.words.these(&[scene.ranks[*one]])),
            many => format!("clocks of {} {} rest", many.len(), scene.words.many),
        };
        let title = format!(
            "{whose} on UTC alone and may be off by {:.0} ms in pictures",
            to_f64(scene.thresholds.utc_error_ns) / 1e6
        );
        let ranks = scene.numbers(odd);
        findings.push(JobFinding::new(JobRule::ClocksNotAligned, Confidence::High, ranks, title).note());
    }
    for (rank, &count) in scene.unmatched.iter().enumerate().filter(|(_, count)| **count > 0) {
        let all = scene.digests[rank].collectives.len().max(1);
        if of_count(count) < scene.thresholds.unmatched_share * of_count(all) {
            continue;
        }
        let title = format!(
            "{count} collectives of {} differ in kind, size or number from those of the others",
            scene.words.these(&[scene.ranks[rank]])
        );
        let ranks = vec![scene.ranks[rank]];
        findings.push(
            JobFinding::new(JobRule::CollectivesUnmatched, Confidence::High, ranks, title)
                .figure("count", Measure::Count(count as u64)),
        );
    }
    findings.extend(missing_records(scene));
    findings
}

/// `missing_records`: what is said of these ranks may be wrong.
fn missing_records(scene: &Scene<'_>) -> Option<JobFinding> {
    let why = |rank: usize| scene.digests[rank].who.misleads.as_deref();
    let ranks: Vec<usize> = (0..scene.ranks.len()).filter(|&rank| why(rank).is_some()).collect();
    let first = why(*ranks.first()?)?;
    let numbers: Vec<i64> = ranks.iter().map(|&rank| scene.ranks[rank]).collect();
    let title = format!("captures of {} mislead: {first}", scene.words.these(&numbers));
    let finding = JobFinding::new(JobRule::MissingRecords, Confidence::High, scene.numbers(ranks), title);
    Some(finding.error())
}

/// `missing_ranks`: it comes first, because nothing is known of what it costs, and little of what others do.
pub(super) fn missing(scene: &Scene<'_>) -> Option<JobFinding> {
    if !scene.absent.is_any() {
        return None;
    }
    let Absent { missing, cut, whole_groups } = scene.absent;
    let title =
        format!("{}; {}", scene.absent.sentence(scene.words, scene.world), scene.absent.groups_in_words());
    let known: &[i64] = if scene.words.is_order { &[] } else { missing };
    let ranks = known.iter().chain(cut).copied().collect();
    let finding = JobFinding::new(JobRule::MissingRanks, Confidence::High, ranks, title);
    Some(whole_groups.iter().fold(finding, |finding, &(whole, all)| {
        finding
            .figure("whole_groups", Measure::Count(whole as u64))
            .figure("groups", Measure::Count(all as u64))
    }))
}
