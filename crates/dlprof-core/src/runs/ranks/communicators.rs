//! Which ranks exchange data with each other: by the numbers of communicators, else by streams and time ([`super::channels`]).

use super::channel::{Channel, Names};
use super::channels;
use super::communicator::{Communicator, Form, MatchedBy};
use super::digest::{ChannelKey, RankDigest};
use super::settings::RankThresholds;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::{BTreeMap, BTreeSet};

/// The communicators of a job that have two members or more.
pub(super) fn find(
    digests: &[RankDigest],
    numbers: &[Vec<i64>],
    thresholds: &RankThresholds,
) -> Vec<Communicator> {
    let mut by_id: IndexMap<u64, Vec<(usize, u32)>, FxBuildHasher> = IndexMap::default();
    let mut loose: Vec<Channel> = Vec::new();
    let mut names = Names::default();
    for (rank, digest) in digests.iter().enumerate() {
        for (channel, key) in (0..).zip(&digest.channels) {
            match *key {
                ChannelKey::Communicator(id) => by_id.entry(id).or_default().push((rank, channel)),
                ChannelKey::Stream { context, number } => {
                    loose.extend(Channel::new(
                        digest,
                        rank,
                        channel,
                        (context, number),
                        &numbers[rank],
                        &mut names,
                    ));
                }
            }
        }
    }
    let of_id = |(id, members): (u64, Vec<(usize, u32)>)| {
        let said = members.iter().filter_map(|&(rank, _)| said_size(&digests[rank], id)).max().unwrap_or(0);
        let size = said.max(members.len());
        Communicator {
            name: id.to_string(),
            size,
            matched_by: MatchedBy::Payload,
            members,
            forms: Vec::new(),
        }
    };
    let mut found: Vec<Communicator> = by_id.into_iter().map(of_id).collect();
    found.extend(channels::joined(loose, &names, thresholds));
    found.retain(|communicator| communicator.members.len() > 1);
    found
}

/// The size that a process says that a communicator has.
fn said_size(digest: &RankDigest, id: u64) -> Option<usize> {
    let known = digest.who.communicators.iter().find(|known| known.id == id)?;
    usize::try_from(known.size?).ok()
}

/// By communicator: whether it is guessed, and cannot be right, or one of its form cannot be: those of one form have other sizes, or one
/// shares ranks with another communicator of which neither is part of the other.
pub(super) fn doubtful(communicators: &[Communicator]) -> Vec<bool> {
    let is_guessed = |of: &Communicator| of.matched_by == MatchedBy::StreamAndTime;
    let mut sizes: BTreeMap<&[Form], BTreeSet<usize>> = BTreeMap::new();
    for guessed in communicators.iter().filter(|of| is_guessed(of)) {
        sizes.entry(&guessed.forms).or_default().insert(guessed.size);
    }
    let mut wrong: BTreeSet<&[Form]> =
        sizes.into_iter().filter(|(_, sizes)| sizes.len() > 1).map(|(forms, _)| forms).collect();
    for ((one, other), common) in common_ranks(communicators) {
        let (one, other) = (&communicators[one], &communicators[other]);
        let least = one.members.len().min(other.members.len());
        if common > 1 && common < least {
            wrong.extend([one, other].into_iter().filter(|of| is_guessed(of)).map(|of| &of.forms[..]));
        }
    }
    communicators.iter().map(|of| is_guessed(of) && wrong.contains(&of.forms[..])).collect()
}

/// By two communicators: how many ranks are in both.
fn common_ranks(communicators: &[Communicator]) -> FxHashMap<(usize, usize), usize> {
    let mut of_ranks: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, communicator) in communicators.iter().enumerate() {
        communicator.members.iter().for_each(|(rank, _)| of_ranks.entry(*rank).or_default().push(at));
    }
    let mut common = FxHashMap::default();
    for own in of_ranks.values() {
        for (place, &one) in own.iter().enumerate() {
            own[place + 1..].iter().for_each(|&other| *common.entry((one, other)).or_default() += 1);
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_that_cannot_be_right_are_known() {
        let guessed = |form: u32, members: &[usize]| Communicator {
            name: String::new(),
            size: members.len(),
            matched_by: MatchedBy::StreamAndTime,
            members: members.iter().map(|&rank| (rank, form)).collect(),
            forms: vec![(form, 1)],
        };
        let tensor =
            || [guessed(0, &[0, 1, 2, 3]), guessed(0, &[4, 5, 6, 7]), guessed(1, &[0, 1, 2, 3, 4, 5, 6, 7])];
        let with = |data: [&[usize]; 2]| {
            let all: Vec<Communicator> =
                tensor().into_iter().chain(data.into_iter().map(|members| guessed(2, members))).collect();
            doubtful(&all)
        };
        assert_eq!(with([&[0, 4], &[1, 5]]), [false; 5]);
        assert_eq!(with([&[0, 4], &[1, 5, 6]]), [true, true, false, true, true]);
        assert_eq!(with([&[0, 1, 4], &[2, 5, 6]]), [true, true, false, true, true]);
    }
}
