//! One collective on all its members: the shortest duration is the transfer, and what a member has more is its waiting.
//!
//! ```text
//! rank 0   ├──── waiting ─────┤── transfer ──┤
//! rank 1             ├ waiting┤── transfer ──┤
//! rank 2                      ├── transfer ──┤     the last to arrive
//! ```

use super::arithmetic::most_common;
use super::communicator::Communicator;
use super::digest::{RankCollective, RankDigest};
use crate::base::ratios::to_f64;
use crate::base::time::Ns;
use crate::capture::names::CollectiveKind;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// One collective on all its members that have a capture.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// Common number of its iteration.
    pub iteration: i64,
    /// Its communicator, by its place in the list.
    pub communicator: usize,
    /// Its place among those of the communicator in the iteration.
    pub order: usize,
    /// What it does.
    pub kind: CollectiveKind,
    /// Bytes of the message, of one member.
    pub bytes: Option<u64>,
    /// The members that take part, in order of rank: the place of the rank, and of its collective.
    pub members: Vec<(u32, u32)>,
    /// Members of the communicator that are not among them.
    pub missing: usize,
    /// The rank that arrives last, by its place; of several that arrive together, the first.
    pub last: usize,
    /// The rank that waits longest, by its place.
    pub first: usize,
    /// The shortest duration.
    pub transfer_ns: Ns,
    /// The longest duration less the shortest.
    pub arrival_skew_ns: Ns,
    /// The second shortest duration less the shortest: what the last one alone costs.
    pub gap_ns: Ns,
    /// The waiting of all members.
    pub wait_sum_ns: Ns,
}

impl Instance {
    /// How many members take part.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.members.len()
    }

    /// The place of the rank that arrives last; none if others arrive at the same time.
    #[must_use]
    pub fn only_last(&self) -> Option<usize> {
        (self.gap_ns > 0).then_some(self.last)
    }

    /// How many members the communicator has.
    #[must_use]
    pub fn size(&self) -> usize {
        self.members.len() + self.missing
    }

    /// Bytes over the transfer.
    #[must_use]
    pub fn algorithm_gb_per_s(&self) -> Option<f64> {
        let bytes = self.bytes.filter(|_| self.transfer_ns > 0)?;
        Some(self.kind.full_bytes(bytes, self.size()) / to_f64(self.transfer_ns))
    }

    /// The same as it loads the link of a member.
    #[must_use]
    pub fn bus_gb_per_s(&self) -> Option<f64> {
        Some(self.algorithm_gb_per_s()? * self.kind.bus_factor(self.size()))
    }

    /// The collectives of its members, in order of rank.
    pub(super) fn collectives<'a>(
        &'a self,
        digests: &'a [RankDigest],
    ) -> impl Iterator<Item = (usize, &'a RankCollective)> {
        let of = |&(rank, at): &(u32, u32)| (rank as usize, &digests[rank as usize].collectives[at as usize]);
        self.members.iter().map(of)
    }
}

/// What collectives of different ranks belong together.
pub(super) struct Matched {
    /// By communicator, iteration and order.
    pub(super) instances: Vec<Instance>,
    /// By rank: how many of its collectives differ from those of the others.
    pub(super) unmatched: Vec<usize>,
    /// By rank and collective: how long it waited.
    pub(super) waits: Vec<Vec<Ns>>,
}

/// Matches the k-th collective of each member in each iteration. Members whose collectives of an iteration are not like those of
/// most are left out there.
pub(super) fn matched(
    digests: &[RankDigest],
    numbers: &[Vec<i64>],
    communicators: &[Communicator],
) -> Matched {
    let by_channel: Vec<Vec<ByIteration>> =
        digests.par_iter().zip(numbers).map(|(digest, numbers)| by_channel(digest, numbers)).collect();
    let of_communicator = |communicator: &Communicator| -> Vec<(usize, &ByIteration)> {
        let members = communicator.members.iter();
        members.map(|&(rank, channel)| (rank, &by_channel[rank][channel as usize])).collect()
    };
    let members: Vec<Vec<(usize, &ByIteration)>> = communicators.iter().map(of_communicator).collect();
    let mut rounds: Vec<Round<'_>> = Vec::new();
    for (communicator, members) in members.iter().enumerate() {
        let mut iterations: Vec<i64> = members.iter().flat_map(|(_, of)| of.keys().copied()).collect();
        iterations.sort();
        iterations.dedup();
        let size = communicators[communicator].size;
        rounds.extend(iterations.into_iter().map(|iteration| Round {
            communicator,
            size,
            iteration,
            members,
        }));
    }
    let found: Vec<MatchedRound> = rounds.par_iter().map(|round| round.matched(digests)).collect();
    let mut matched = Matched {
        instances: Vec::with_capacity(found.iter().map(|of| of.instances.len()).sum()),
        unmatched: vec![0; digests.len()],
        waits: digests.iter().map(|digest| vec![0; digest.collectives.len()]).collect(),
    };
    for MatchedRound { instances, unmatched } in found {
        unmatched.into_iter().for_each(|(rank, count)| matched.unmatched[rank] += count);
        for instance in &instances {
            for &(rank, at) in &instance.members {
                let length = digests[rank as usize].collectives[at as usize].length();
                matched.waits[rank as usize][at as usize] = length - instance.transfer_ns;
            }
        }
        matched.instances.extend(instances);
    }
    matched
}

/// By common iteration: the collectives of a channel, in order of call.
type ByIteration = BTreeMap<i64, Vec<u32>>;

fn by_channel(digest: &RankDigest, numbers: &[i64]) -> Vec<ByIteration> {
    let mut by_channel = vec![ByIteration::new(); digest.channels.len()];
    for (at, one) in (0..).zip(&digest.collectives) {
        if let Some(iteration) = one.iteration {
            by_channel[one.channel as usize].entry(numbers[iteration as usize]).or_default().push(at);
        }
    }
    by_channel
}

/// The collectives of a communicator in an iteration.
struct Round<'a> {
    communicator: usize,
    /// How many members the communicator has.
    size: usize,
    iteration: i64,
    members: &'a [(usize, &'a ByIteration)],
}

#[derive(Default)]
struct MatchedRound {
    instances: Vec<Instance>,
    /// By rank that does something else: how many collectives it has.
    unmatched: Vec<(usize, usize)>,
}

impl Round<'_> {
    fn matched(&self, digests: &[RankDigest]) -> MatchedRound {
        let mut found = MatchedRound::default();
        let have: Vec<(usize, &Vec<u32>)> =
            self.members.iter().filter_map(|(rank, of)| Some((*rank, of.get(&self.iteration)?))).collect();
        let sequence = |rank: usize, list: &[u32]| -> Vec<(CollectiveKind, Option<u64>)> {
            let own = &digests[rank].collectives;
            list.iter().map(|&at| (own[at as usize].kind, own[at as usize].bytes)).collect()
        };
        let sequences: Vec<_> = have.iter().map(|(rank, list)| sequence(*rank, list)).collect();
        let Some((usual, _)) = most_common(sequences.iter()) else { return found };
        let mut alike = Vec::with_capacity(have.len());
        for ((rank, list), own) in have.into_iter().zip(&sequences) {
            match own == usual {
                true => alike.push((rank, list)),
                false => found.unmatched.push((rank, list.len())),
            }
        }
        if alike.len() < 2 {
            return found;
        }
        for (order, &what) in usual.iter().enumerate() {
            let members: Vec<(usize, u32)> = alike.iter().map(|(rank, list)| (*rank, list[order])).collect();
            found.instances.push(self.instance(digests, order, what, &members));
        }
        found
    }

    fn instance(
        &self,
        digests: &[RankDigest],
        order: usize,
        (kind, bytes): (CollectiveKind, Option<u64>),
        members: &[(usize, u32)],
    ) -> Instance {
        let length = |&(rank, at): &(usize, u32)| (digests[rank].collectives[at as usize].length(), rank);
        let mut lengths: Vec<(Ns, usize)> = members.iter().map(length).collect();
        lengths.sort_unstable();
        let (transfer_ns, last) = lengths[0];
        let (longest_ns, first) = lengths[lengths.len() - 1];
        let wait_sum_ns = lengths.iter().map(|(length, _)| length - transfer_ns).sum();
        let place = |rank: usize| u32::try_from(rank).unwrap_or(u32::MAX);
        Instance {
            iteration: self.iteration,
            communicator: self.communicator,
            order,
            kind,
            bytes,
            members: members.iter().map(|&(rank, at)| (place(rank), at)).collect(),
            missing: self.size - members.len(),
            last,
            first,
            transfer_ns,
            arrival_skew_ns: longest_ns - transfer_ns,
            gap_ns: lengths[1].0 - transfer_ns,
            wait_sum_ns,
        }
    }
}
