//! Streams of different ranks whose collectives belong together, where the export names no communicators.
//!
//! All members of a collective end together, so the ends of the same collectives on two ranks keep their distance; their starts
//! do not. Channels that look alike are a class, which [`super::channel_parts`] divides by time.

use super::channel::{Channel, Names};
use super::channel_parts::{self, KnownGroups, Parts};
use super::communicator::{Communicator, Form, MatchedBy};
use super::settings::RankThresholds;
use crate::capture::names::CollectiveKind;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Communicators of the channels that belong together.
pub(super) fn joined(
    channels: Vec<Channel>,
    names: &Names,
    thresholds: &RankThresholds,
) -> Vec<Communicator> {
    let mut classes: IndexMap<Vec<Form>, Vec<Channel>, FxBuildHasher> = IndexMap::default();
    for channel in channels {
        classes.entry(channel.forms.clone()).or_default().push(channel);
    }
    let mut classes: Vec<(Vec<Form>, Vec<Channel>)> = classes.into_iter().collect();
    classes.iter_mut().for_each(|(_, channels)| channels.sort_by_cached_key(Channel::order));
    let parts = parts(&classes, thresholds);
    let communicators = classes.iter().zip(parts).flat_map(|((forms, channels), parts)| {
        let parts = parts.into_iter().filter(|part| part.len() > 1);
        parts.map(move |part| communicator(forms, channels, &part, names))
    });
    communicators.collect()
}

/// By class: its channels by communicator. Classes with most collectives tell best, and what they show is known for the others: ranks
/// that exchange data in one dimension of a job and step together do not seem to be one group of another dimension as well.
fn parts(classes: &[(Vec<Form>, Vec<Channel>)], thresholds: &RankThresholds) -> Vec<Vec<Vec<usize>>> {
    let mut order: Vec<usize> = (0..classes.len()).collect();
    order.sort_by_key(|&class| Reverse(classes[class].0.len()));
    let mut known = KnownGroups::default();
    let mut found = vec![Vec::new(); classes.len()];
    for class in order {
        let channels = &classes[class].1;
        let mut parts = channel_parts::parts(channels, thresholds, &KnownGroups::default());
        if !(known.is_empty() || fit(&parts, channels, &known)) {
            let others = channel_parts::parts(channels, thresholds, &known);
            let members = &others.members;
            let are_groups = are_of_one_size(members) && members.first().is_some_and(|part| part.len() > 1);
            parts = if are_groups { others } else { parts };
        }
        // What has all ranks is no part of the job.
        let members = parts.members;
        let some = members.iter().filter(|part| part.len() > 1 && part.len() < channels.len());
        some.for_each(|part| known.add(ranks(part, channels).into_iter()));
        found[class] = members;
    }
    found
}

fn ranks(part: &[usize], channels: &[Channel]) -> Vec<usize> {
    part.iter().map(|&at| channels[at].rank).collect()
}

/// Whether parts may be a dimension of the job beside those that are known: of one size, each a group beside theirs, and with them they
/// say why channels of different parts wait for each other.
fn fit(parts: &Parts, channels: &[Channel], known: &KnownGroups) -> bool {
    let groups: Vec<Vec<usize>> = parts.members.iter().map(|part| ranks(part, channels)).collect();
    let count = channels.iter().map(|channel| channel.rank + 1).max().unwrap_or(0);
    let in_step = known.in_step(count, &groups);
    let rank = |at: usize| channels[at].rank;
    are_of_one_size(&parts.members)
        && groups.iter().all(|group| known.fit(group))
        && parts.in_step.iter().all(|&(one, other)| in_step[rank(one)] == in_step[rank(other)])
}

fn are_of_one_size(parts: &[Vec<usize>]) -> bool {
    parts.windows(2).all(|pair| pair[0].len() == pair[1].len())
}

fn communicator(forms: &[Form], channels: &[Channel], part: &[usize], names: &Names) -> Communicator {
    let members: Vec<(usize, u32)> =
        part.iter().map(|&at| (channels[at].rank, channels[at].channel)).collect();
    let kinds: BTreeSet<&str> =
        forms.iter().map(|&(name, _)| CollectiveKind::of(&names[name as usize]).as_str()).collect();
    let kinds: Vec<&str> = kinds.into_iter().collect();
    let first = &channels[part[0]];
    Communicator {
        name: format!("{}:{}:{}", kinds.join("+"), first.rank, first.stream.1),
        size: members.len(),
        matched_by: MatchedBy::StreamAndTime,
        members,
        forms: forms.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two of four groups of tensor parallelism are equally slow and seem to be one group of data parallelism, as the other two; but
    /// ranks 0 and 4 wait for each other.
    #[test]
    fn groups_say_why_ranks_of_different_groups_wait_for_each_other() {
        let channel =
            |rank| Channel { rank, channel: 0, stream: (1, 20), forms: Vec::new(), spans: Vec::new() };
        let channels: Vec<Channel> = (0..16).map(channel).collect();
        let mut known = KnownGroups::default();
        (0..4).for_each(|group| known.add(4 * group..4 * group + 4));
        let parts = |members: Vec<Vec<usize>>, in_step: &[(usize, usize)]| Parts {
            members,
            in_step: in_step.to_vec(),
        };
        let seeming = vec![vec![0, 1, 2, 3, 12, 13, 14, 15], (4..12).collect()];
        let across = (0..4).map(|place| vec![place, place + 4, place + 8, place + 12]).collect();
        assert!(fit(&parts(seeming.clone(), &[(0, 12), (4, 8)]), &channels, &known));
        assert!(!fit(&parts(seeming, &[(0, 12), (0, 4)]), &channels, &known));
        assert!(fit(&parts(across, &[(0, 12), (0, 5)]), &channels, &known), "4 and 5 are in step");
    }
}
