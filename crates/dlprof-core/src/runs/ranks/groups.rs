//! Ranks that do the same work: only these are compared. Stages of a pipeline do different work.

use super::arithmetic::of_count;
use super::communicator::Communicator;
use super::settings::RankThresholds;
use super::steps::RankSteps;
use super::work::{Totals, WorkTotal};
use crate::base::ratios::{count_to_f64, to_f64};
use std::collections::BTreeMap;

/// By rank: its group. Groups are numbered by their lowest ranks.
pub(super) fn groups(
    names: &[Totals],
    steps: &[RankSteps],
    communicators: &[Communicator],
    has_p2p: bool,
    thresholds: &RankThresholds,
) -> Vec<usize> {
    let steps_of = |rank: usize| of_count(steps[rank].of.len().max(1));
    // By group: its first rank.
    let mut firsts: Vec<usize> = Vec::new();
    let mut groups = Vec::with_capacity(names.len());
    for rank in 0..names.len() {
        let mut best: Option<(f64, usize)> = None;
        for (group, &first) in firsts.iter().enumerate() {
            let alike = similarity((&names[rank], steps_of(rank)), (&names[first], steps_of(first)));
            if best.is_none_or(|(most, _)| alike > most) {
                best = Some((alike, group));
            }
        }
        let group = match best.filter(|(alike, _)| *alike >= thresholds.same_work) {
            Some((_, group)) => group,
            None => {
                firsts.push(rank);
                firsts.len() - 1
            }
        };
        groups.push(group);
    }
    repair(&mut groups, communicators, has_p2p);
    numbered(&groups)
}

/// How alike the kernels of two ranks are: 1 if both launch each as often in a step.
fn similarity((a, steps_a): (&Totals, f64), (b, steps_b): (&Totals, f64)) -> f64 {
    let (mut same, mut all) = (0.0, 0.0);
    let missing = WorkTotal::default();
    let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(key)));
    for key in keys {
        let (x, y) = (a.get(key).unwrap_or(&missing), b.get(key).unwrap_or(&missing));
        let mean_ns = to_f64(x.time_ns + y.time_ns) / count_to_f64((x.count + y.count).max(1));
        let (x, y) = (count_to_f64(x.count) / steps_a, count_to_f64(y.count) / steps_b);
        same += x.min(y) * mean_ns;
        all += x.max(y) * mean_ns;
    }
    if all > 0.0 { same / all } else { 1.0 }
}

/// A member that is alone in its group joins the group of most members of its communicator: a rank with twice the layers stays
/// comparable.
fn repair(groups: &mut [usize], communicators: &[Communicator], has_p2p: bool) {
    for communicator in communicators {
        let members = &communicator.members;
        if members.len() < 3 || has_p2p && members.len() == groups.len() {
            continue;
        }
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        members.iter().for_each(|(rank, _)| *counts.entry(groups[*rank]).or_default() += 1);
        let Some((&most, &count)) = counts.iter().max_by_key(|(_, count)| **count) else { continue };
        let others_are_alone = counts.iter().all(|(&group, &count)| group == most || count == 1);
        if 2 * count > members.len() && others_are_alone {
            members.iter().for_each(|(rank, _)| groups[*rank] = most);
        }
    }
}

fn numbered(groups: &[usize]) -> Vec<usize> {
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let number = |group: &usize| {
        let next = numbers.len();
        *numbers.entry(*group).or_insert(next)
    };
    groups.iter().map(number).collect()
}

/// The name of a group: A to Z, then AA.
#[must_use]
pub fn group_name(mut group: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'A' + u8::try_from(group % 26).unwrap_or(0)));
        if group < 26 {
            break;
        }
        group = group / 26 - 1;
    }
    letters.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_letters() {
        let names: Vec<String> = [0, 25, 26, 51, 52, 701, 702].map(group_name).into();
        assert_eq!(names, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }

    #[test]
    fn ranks_with_other_kernels_are_another_group() {
        let total = |count| WorkTotal { count, time_ns: 100 };
        let a = Totals::from([(0, total(10)), (1, total(10))]);
        let b = Totals::from([(0, total(10)), (2, total(30))]);
        let steps = vec![RankSteps::default(); 3];
        let found = groups(&[a.clone(), b, a], &steps, &[], false, &RankThresholds::default());
        assert_eq!(found, [0, 1, 0]);
    }
}
