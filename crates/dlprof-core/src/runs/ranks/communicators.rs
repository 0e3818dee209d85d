//! Which ranks exchange data with each other: by the numbers of communicators, else by streams and time ([`super::channels`]).

use super::channel::{Channel, Names};
use super::channels;
use super::communicator::{Communicator, MatchedBy};
use super::digest::{ChannelKey, RankDigest};
use super::settings::RankThresholds;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

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
