//! Streams of different ranks whose collectives belong together, where the export names no communicators.
//!
//! All members of a collective end together, so the ends of the same collectives on two ranks keep their distance; their starts
//! do not. Channels that look alike are compared in pairs, and pairs whose ends agree best are joined first.

use super::arithmetic::{median, most_common};
use super::communicator::{Communicator, Form, MatchedBy};
use super::digest::RankDigest;
use super::kind::CollectiveKind;
use super::settings::RankThresholds;
use crate::base::time::{Ns, Span};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::BTreeSet;

/// Names of kernels of all ranks.
pub(super) type Names = IndexSet<String, FxBuildHasher>;

/// The collectives of a rank on one stream.
pub(super) struct Channel {
    rank: usize,
    channel: u32,
    /// Context and number.
    stream: (i64, i64),
    /// What most iterations have.
    forms: Vec<Form>,
    /// By common iteration and place in it, in order of calls.
    spans: IndexMap<(i64, u32), Span, FxBuildHasher>,
}

impl Channel {
    /// `None` without collectives in iterations.
    pub(super) fn new(
        digest: &RankDigest,
        rank: usize,
        channel: u32,
        stream: (i64, i64),
        numbers: &[i64],
        names: &mut Names,
    ) -> Option<Self> {
        let own = digest.collectives.iter().filter(|one| one.channel == channel);
        let mut spans = IndexMap::default();
        let mut sequences: IndexMap<i64, Vec<Form>, FxBuildHasher> = IndexMap::default();
        for one in own {
            let Some(iteration) = one.iteration else { continue };
            let iteration = numbers[iteration as usize];
            let name = &digest.names[one.name as usize];
            let name = names.get_index_of(name).unwrap_or_else(|| names.insert_full(name.clone()).0);
            let sequence = sequences.entry(iteration).or_default();
            let place = u32::try_from(sequence.len()).unwrap_or(u32::MAX);
            sequence.push((u32::try_from(name).unwrap_or(u32::MAX), one.grid_x));
            spans.insert((iteration, place), one.span);
        }
        let (forms, _) = most_common(sequences.into_values())?;
        Some(Self { rank, channel, stream, forms, spans })
    }

    /// Whether its times are whole microseconds, as in traces of older versions of PyTorch.
    fn is_in_microseconds(&self) -> bool {
        const MICROSECOND_NS: Ns = 1_000;
        self.spans.values().all(|span| span.start % MICROSECOND_NS == 0 && span.end % MICROSECOND_NS == 0)
    }

    /// The order of channels of a class: streams in the order of their numbers as texts.
    fn order(&self) -> (usize, String) {
        let (context, number) = self.stream;
        (self.rank, format!("{context}, {number})"))
    }
}

/// How far two channels are from ending and from starting together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Distance {
    ends_ns: Ns,
    starts_ns: Ns,
}

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
    let mut found = Vec::new();
    for (forms, mut channels) in classes {
        channels.sort_by_cached_key(Channel::order);
        for part in parts(&channels, thresholds).into_iter().filter(|part| part.len() > 1) {
            let members: Vec<(usize, u32)> =
                part.iter().map(|&at| (channels[at].rank, channels[at].channel)).collect();
            let kinds: BTreeSet<&str> =
                forms.iter().map(|&(name, _)| CollectiveKind::of(&names[name as usize]).as_str()).collect();
            let kinds: Vec<&str> = kinds.into_iter().collect();
            let first = &channels[part[0]];
            found.push(Communicator {
                name: format!("{}:{}:{}", kinds.join("+"), first.rank, first.stream.1),
                size: members.len(),
                matched_by: MatchedBy::StreamAndTime,
                members,
                forms: forms.clone(),
            });
        }
    }
    found
}

/// Channels of one class by communicator.
fn parts(channels: &[Channel], thresholds: &RankThresholds) -> Vec<Vec<usize>> {
    const SLACK_NS: Ns = 2_000;
    /// Times in whole microseconds may each be off by half of one, and four of them make a difference of two ends.
    const SLACK_OF_MICROSECONDS_NS: Ns = 4_000;
    let slack_ns =
        if channels.iter().all(Channel::is_in_microseconds) { SLACK_OF_MICROSECONDS_NS } else { SLACK_NS };
    let mut near: FxHashMap<(usize, usize), Distance> = FxHashMap::default();
    let mut best: Vec<Option<Ns>> = vec![None; channels.len()];
    for (i, one) in channels.iter().enumerate() {
        for (j, other) in channels.iter().enumerate().skip(i + 1).filter(|(_, other)| other.rank != one.rank)
        {
            let Some(distance) = distance(one, other) else { continue };
            near.insert((i, j), distance);
            for at in [i, j] {
                best[at] = Some(best[at].map_or(distance.ends_ns, |least| least.min(distance.ends_ns)));
            }
        }
    }
    let usual = median(best.into_iter().flatten()).unwrap_or(0);
    let limit_ns = thresholds.match_ns.min(2 * usual + slack_ns);
    let belong = |a: usize, b: usize| {
        let distance = near.get(&(a.min(b), a.max(b)));
        // Ends agree better than starts: what a barrier does.
        distance.is_some_and(|Distance { ends_ns, starts_ns }| {
            *ends_ns <= limit_ns && 2 * ends_ns <= (*starts_ns).max(2 * thresholds.turnaround_ns)
        })
    };
    let mut order: Vec<(Ns, (usize, usize))> =
        near.iter().map(|(pair, distance)| (distance.ends_ns, *pair)).collect();
    order.sort_unstable();
    let mut part_of: Vec<usize> = (0..channels.len()).collect();
    let mut parts: Vec<Vec<usize>> = (0..channels.len()).map(|at| vec![at]).collect();
    for (_, (i, j)) in order {
        let (p, q) = (part_of[i], part_of[j]);
        if p == q || !parts[p].iter().all(|&a| parts[q].iter().all(|&b| belong(a, b))) {
            continue;
        }
        let moved = std::mem::take(&mut parts[q]);
        moved.iter().for_each(|&at| part_of[at] = p);
        parts[p].extend(moved);
    }
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts
}

/// How far two channels are from ending and from starting together: over what both have, apart by who came last; `None` of fewer
/// than three.
fn distance(one: &Channel, other: &Channel) -> Option<Distance> {
    /// Beyond so many, some are looked at, evenly taken.
    const MOST: usize = 96;
    const TAKEN: usize = 64;
    let both: Vec<(Span, Span)> =
        one.spans.iter().filter_map(|(key, span)| Some((*span, *other.spans.get(key)?))).collect();
    if both.len() < 3 {
        return None;
    }
    let step = if both.len() > MOST { both.len() / TAKEN } else { 1 };
    let both: Vec<(Span, Span)> = both.into_iter().step_by(step).collect();
    let spread = |time: fn(&Span) -> Ns| {
        let mut apart = Vec::with_capacity(both.len());
        for is_other_last in [true, false] {
            let pairs = both.iter().filter(|(a, b)| (b.length() < a.length()) == is_other_last);
            let differences: Vec<Ns> = pairs.map(|(a, b)| time(b) - time(a)).collect();
            let middle = median(differences.iter().copied()).unwrap_or(0);
            apart.extend(differences.into_iter().map(|difference| (difference - middle).abs()));
        }
        median(apart).unwrap_or(0)
    };
    Some(Distance { ends_ns: spread(|span| span.end), starts_ns: spread(|span| span.start) })
}
