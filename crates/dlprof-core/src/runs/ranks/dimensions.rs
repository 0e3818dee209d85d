//! Dimensions of a job's parallelism by name, from who exchanges data with whom and what, with the exchange that each exposes.
//!
//! ```text
//! communicators ─same size, distance of members, kinds─► classes ─what they carry─► pipeline, expert, tensor, data, or unknown
//! ```

use super::arithmetic::of_count;
use super::communicator::Communicator;
use super::digest::RankDigest;
use super::instances::Instance;
use super::windows::RankWindows;
use crate::base::ratios::to_f64;
use crate::base::time::Ns;
use crate::capture::names::CollectiveKind;
use std::collections::{BTreeMap, BTreeSet};

/// What the members of a communicator share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dimension {
    /// Each has a part of the batch.
    Data,
    /// Each has a part of every layer.
    Tensor,
    /// Each has some of the layers.
    Pipeline,
    /// Each has some of the experts.
    Expert,
    /// That cannot be told.
    Unknown,
}

impl Dimension {
    /// The word for people and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Tensor => "tensor",
            Self::Pipeline => "pipeline",
            Self::Expert => "expert",
            Self::Unknown => "unknown",
        }
    }
}

/// A dimension of a job, and the exchange that it exposes.
#[derive(Debug, Clone, PartialEq)]
pub struct DimensionOfJob {
    /// What it is.
    pub dimension: Dimension,
    /// How many members its communicators have.
    pub size: usize,
    /// How many communicators it has.
    pub communicators: usize,
    /// What it carries, the most frequent first.
    pub kinds: Vec<CollectiveKind>,
    /// Collectives of a communicator in a step.
    pub per_step: f64,
    /// By place of the rank: exchange per step that no compute hides, waiting for others included.
    pub exposed_ns: Vec<f64>,
}

/// Communicators that are alike: how many members, how far these are apart, and whether they send to one, to all, or reduce.
type Likeness = (usize, Option<i64>, Dimension);

/// What the collectives of some communicators are.
#[derive(Default)]
struct Carried {
    communicators: Vec<usize>,
    kinds: BTreeMap<CollectiveKind, usize>,
    count: usize,
    most_bytes: u64,
}

pub(super) fn dimensions(
    digests: &[RankDigest],
    ranks: &[i64],
    communicators: &[Communicator],
    instances: &[&Instance],
    windows: &[RankWindows],
    steady: &[i64],
) -> Vec<DimensionOfJob> {
    let mut by_communicator: Vec<Carried> = communicators.iter().map(|_| Carried::default()).collect();
    for instance in instances {
        let own = &mut by_communicator[instance.communicator];
        *own.kinds.entry(instance.kind).or_default() += 1;
        own.count += 1;
        own.most_bytes = own.most_bytes.max(instance.bytes.unwrap_or(u64::MAX));
    }
    let mut classes: BTreeMap<Likeness, Carried> = BTreeMap::new();
    for (at, own) in by_communicator.into_iter().enumerate().filter(|(_, own)| own.count > 0) {
        let members: Vec<i64> = communicators[at].members.iter().map(|(rank, _)| ranks[*rank]).collect();
        let class =
            classes.entry((communicators[at].size, distance(&members), of_kinds(&own.kinds))).or_default();
        class.communicators.push(at);
        own.kinds.into_iter().for_each(|(kind, count)| *class.kinds.entry(kind).or_default() += count);
        class.count += own.count;
        class.most_bytes = class.most_bytes.max(own.most_bytes);
    }
    let named: Vec<(Dimension, Likeness)> =
        classes.keys().map(|likeness| (named(*likeness, &classes, ranks.len()), *likeness)).collect();
    let exposed = exposed(digests, communicators, windows, steady);
    let steps = of_count(steady.len().max(1));
    let of_class = |(dimension, likeness): (Dimension, Likeness)| {
        let class = &classes[&likeness];
        let mut kinds: Vec<(CollectiveKind, usize)> =
            class.kinds.iter().map(|(kind, count)| (*kind, *count)).collect();
        kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
        let of_rank = |of: &BTreeMap<usize, Ns>| {
            let own = class.communicators.iter().filter_map(|at| of.get(at));
            to_f64(own.sum()) / steps
        };
        DimensionOfJob {
            dimension,
            size: likeness.0,
            communicators: class.communicators.len(),
            kinds: kinds.into_iter().map(|(kind, _)| kind).collect(),
            per_step: of_count(class.count) / steps / of_count(class.communicators.len()),
            exposed_ns: exposed.iter().map(of_rank).collect(),
        }
    };
    let mut found: Vec<DimensionOfJob> = named.into_iter().map(of_class).collect();
    let sum = |dimension: &DimensionOfJob| dimension.exposed_ns.iter().sum::<f64>();
    found.sort_by(|a, b| sum(b).total_cmp(&sum(a)));
    found
}

/// How far members are apart, if all are equally far.
fn distance(members: &[i64]) -> Option<i64> {
    let distances: BTreeSet<i64> = members.windows(2).map(|pair| pair[1] - pair[0]).collect();
    distances.first().copied().filter(|_| distances.len() == 1)
}

/// What kinds of collectives alone say.
fn of_kinds(kinds: &BTreeMap<CollectiveKind, usize>) -> Dimension {
    let all: usize = kinds.values().sum();
    let count = |kind| kinds.get(&kind).copied().unwrap_or(0);
    if count(CollectiveKind::SendRecv) == all {
        Dimension::Pipeline
    } else if 2 * count(CollectiveKind::AllToAll) >= all {
        Dimension::Expert
    } else {
        Dimension::Unknown
    }
}

/// What a class is. Reductions are told by how often they are, and by where their members are: those of tensor parallelism are in
/// every layer and among neighbours, those of data parallelism are few, large and among ranks that are apart, or among all.
fn named(likeness: Likeness, classes: &BTreeMap<Likeness, Carried>, ranks: usize) -> Dimension {
    /// What is smaller, such as the norm of gradients, says nothing about how the work is divided.
    const SMALL: u64 = 64 << 10;
    let (size, apart, of_kinds) = likeness;
    if of_kinds != Dimension::Unknown {
        return of_kinds;
    }
    let each = |class: &Carried| of_count(class.count) / of_count(class.communicators.len());
    let own = &classes[&likeness];
    let reduces = |other: &(&Likeness, &Carried)| {
        other.0.2 == Dimension::Unknown
            && other.1.most_bytes > SMALL
            && *other.0 != likeness
            && other.0.0 < ranks
    };
    let others: Vec<(&Likeness, &Carried)> = classes.iter().filter(reduces).collect();
    let is_alone = others.is_empty();
    if own.most_bytes <= SMALL {
        return Dimension::Unknown;
    }
    match (size == ranks, is_alone) {
        (true, true) => Dimension::Data,
        (false, true) if apart.is_some_and(|apart| apart > 1) => Dimension::Data,
        (true, false) | (false, true) => Dimension::Unknown,
        (false, false) => {
            let is_closer = others
                .iter()
                .all(|(other, _)| apart.is_some() && other.1.is_none_or(|far| apart < Some(far)));
            let is_further = others
                .iter()
                .all(|(other, _)| other.1.is_some_and(|near| apart.is_none_or(|apart| apart > near)));
            let (more, fewer) = (
                others.iter().all(|&(_, other)| each(own) > each(other)),
                others.iter().all(|&(_, other)| each(own) < each(other)),
            );
            match (is_closer && more, is_further && fewer) {
                (true, _) => Dimension::Tensor,
                (_, true) => Dimension::Data,
                _ => Dimension::Unknown,
            }
        }
    }
}

/// By rank and communicator: exchange in steady windows that no compute hides.
fn exposed(
    digests: &[RankDigest],
    communicators: &[Communicator],
    windows: &[RankWindows],
    steady: &[i64],
) -> Vec<BTreeMap<usize, Ns>> {
    let mut of_channel: Vec<BTreeMap<u32, usize>> = vec![BTreeMap::new(); digests.len()];
    for (at, communicator) in communicators.iter().enumerate() {
        communicator.members.iter().for_each(|&(rank, channel)| _ = of_channel[rank].insert(channel, at));
    }
    let of_rank = |rank: usize| {
        let mut exposed: BTreeMap<usize, Ns> = BTreeMap::new();
        let gates = &digests[rank].gates;
        for window in steady.iter().filter_map(|number| windows[rank].of.get(number)) {
            let first = gates.partition_point(|gate| gate.span.end <= window.start);
            for gate in gates[first..].iter().take_while(|gate| gate.span.start < window.end) {
                let channel = digests[rank].collectives[gate.opener as usize].channel;
                if let Some(&communicator) = of_channel[rank].get(&channel) {
                    *exposed.entry(communicator).or_default() += gate.span.clip(*window).length();
                }
            }
        }
        exposed
    };
    (0..digests.len()).map(of_rank).collect()
}
