//! The channels of a class by communicator: those belong together whose ends keep their distance.
//!
//! ```text
//! channels ─a few places─► blobs ─pairs of a blob, all places─► distances ─closest first─► communicators
//! ```
//!
//! A few places of two channels show cheaply that they are far apart. Channels that are not, directly or over others, are a blob,
//! and only pairs in a blob are measured. Of a large blob it is enough to measure a few pairs of each channel if all of these
//! belong together: then it is one communicator. Else all of its pairs are measured.

use super::arithmetic::{deviation, median};
use super::channel::{Channel, Place};
use super::settings::RankThresholds;
use crate::base::time::{Ns, Span};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Channels of one class by communicator.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// The members of each, in order.
    pub(super) members: Vec<Vec<usize>>,
    /// Pairs that wait for each other: their ends agree although one of them starts much earlier. Such two are members of one
    /// communicator, or of several that are in step.
    pub(super) in_step: Vec<(usize, usize)>,
}

/// Channels of one class by communicator. Ranks of one known group are not put together.
pub(super) fn parts(channels: &[Channel], thresholds: &RankThresholds, known: &KnownGroups) -> Parts {
    let class = Class::new(channels, thresholds, known);
    let mut blobs: Vec<Blob> = class.blobs().into_iter().map(|members| class.measured(members)).collect();
    let limit_ns = loop {
        let limit_ns = class.limit_ns(&blobs);
        let is_doubtful = |blob: &&mut Blob| {
            blob.is_sampled && !blob.near.values().all(|distance| class.belong(*distance, limit_ns))
        };
        let mut doubtful = blobs.iter_mut().filter(is_doubtful).peekable();
        if doubtful.peek().is_none() {
            break limit_ns;
        }
        doubtful.for_each(|blob| class.measure_all(blob));
    };
    let measured = blobs.iter().flat_map(|blob| &blob.near);
    let mut in_step: Vec<(usize, usize)> = measured
        .filter(|(_, distance)| class.wait_for_each_other(**distance, limit_ns))
        .map(|(pair, _)| *pair)
        .collect();
    in_step.sort_unstable();
    let mut members: Vec<Vec<usize>> =
        blobs.into_iter().flat_map(|blob| class.joined(blob, limit_ns)).collect();
    members.sort_unstable();
    Parts { members, in_step }
}

/// How far two channels are from ending and from starting together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Distance {
    ends_ns: Ns,
    starts_ns: Ns,
}

/// Channels of which each is near another one, or which is alone.
struct Blob {
    /// In order.
    members: Vec<usize>,
    /// By two members, the lower one first.
    near: FxHashMap<(usize, usize), Distance>,
    /// Whether only a few pairs of each member are measured.
    is_sampled: bool,
}

/// Groups of ranks that other classes show: each has another dimension of the job.
#[derive(Debug, Default)]
pub(super) struct KnownGroups {
    /// By group: how many members it has.
    sizes: Vec<usize>,
    /// By rank: its groups.
    of_rank: FxHashMap<usize, Vec<usize>>,
}

impl KnownGroups {
    pub(super) fn add(&mut self, ranks: impl Iterator<Item = usize>) {
        let group = self.sizes.len();
        let size = ranks.map(|rank| self.of_rank.entry(rank).or_default().push(group)).count();
        self.sizes.push(size);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    fn of(&self, rank: usize) -> &[usize] {
        self.of_rank.get(&rank).map_or(&[], Vec::as_slice)
    }

    fn share(&self, one: usize, other: usize) -> bool {
        let of_other = self.of(other);
        self.of(one).iter().any(|group| of_other.contains(group))
    }

    /// By rank, of so many or more: the least one that it is in step with over these groups and some others.
    pub(super) fn in_step(&self, ranks: usize, others: &[Vec<usize>]) -> Vec<usize> {
        let ranks = self.of_rank.keys().map(|rank| rank + 1).fold(ranks, usize::max);
        let mut groups = vec![Vec::new(); self.sizes.len()];
        self.of_rank.iter().for_each(|(&rank, of)| of.iter().for_each(|&group| groups[group].push(rank)));
        let mut least: Vec<usize> = (0..ranks).collect();
        for group in groups.iter().chain(others) {
            let sets: BTreeSet<usize> = group.iter().map(|&rank| least[rank]).collect();
            let Some(&first) = sets.first() else { continue };
            least.iter_mut().filter(|set| sets.contains(set)).for_each(|set| *set = first);
        }
        least
    }

    /// Whether some ranks may be a group beside these: of each they are a part, or it of them, or they have one rank in common.
    pub(super) fn fit(&self, ranks: &[usize]) -> bool {
        let mut common: FxHashMap<usize, usize> = FxHashMap::default();
        let groups = ranks.iter().flat_map(|&rank| self.of(rank));
        groups.for_each(|&group| *common.entry(group).or_default() += 1);
        common.iter().all(|(&group, &count)| count == 1 || count == ranks.len().min(self.sizes[group]))
    }
}

/// Channels of one class.
struct Class<'a> {
    channels: &'a [Channel],
    thresholds: &'a RankThresholds,
    known: &'a KnownGroups,
    /// By channel: its ends at a few places that most have.
    ends: Vec<[Option<Ns>; PLACES]>,
}

/// The fewest places of which channels have a distance.
const LEAST_PLACES: usize = 3;

/// How many places are looked at first.
const PLACES: usize = 16;

impl<'a> Class<'a> {
    fn new(channels: &'a [Channel], thresholds: &'a RankThresholds, known: &'a KnownGroups) -> Self {
        let mut counts: BTreeMap<Place, usize> = BTreeMap::new();
        for (place, _) in channels.iter().flat_map(|channel| &channel.spans) {
            *counts.entry(*place).or_default() += 1;
        }
        let most = counts.values().max().copied().unwrap_or(0);
        let usual: Vec<Place> =
            counts.into_iter().filter(|(_, count)| *count == most).map(|(place, _)| place).collect();
        let places: [Option<Place>; PLACES] = std::array::from_fn(|at| match usual.len() {
            few if few <= PLACES => usual.get(at).copied(),
            many => Some(usual[at * many / PLACES]),
        });
        let ends = |channel: &Channel| {
            places.map(|place| {
                let at = channel.spans.binary_search_by_key(&place?, |(own, _)| *own).ok()?;
                Some(channel.spans[at].1.end)
            })
        };
        Self { channels, thresholds, known, ends: channels.iter().map(ends).collect() }
    }

    /// Whether two channels cannot belong together: of the places that both have, not even a third of their ends keep their
    /// distance within twice what is allowed.
    fn are_far(&self, one: usize, other: usize) -> bool {
        /// Fewer places than this say nothing.
        const LEAST: usize = 6;
        let mut apart = [0; PLACES];
        let mut count = 0;
        for (own, others) in self.ends[one].iter().zip(&self.ends[other]) {
            if let (Some(own), Some(others)) = (own, others) {
                apart[count] = others - own;
                count += 1;
            }
        }
        let apart = &apart[..count];
        let within = 2 * self.thresholds.match_ns;
        let agreeing = |usual: Ns| apart.iter().filter(|&&apart| (apart - usual).abs() <= within).count();
        count >= LEAST && apart.iter().step_by(count / LEAST).all(|&usual| 3 * agreeing(usual) < count)
    }

    /// Whether two channels are of one rank, or of two ranks of a known group.
    fn exclude(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.channels[one].rank, self.channels[other].rank);
        one == other || self.known.share(one, other)
    }

    /// Channels that are not far from each other, directly or over others.
    fn blobs(&self) -> Vec<Vec<usize>> {
        let mut blob_of: Vec<usize> = (0..self.channels.len()).collect();
        let mut blobs: Vec<Vec<usize>> = (0..self.channels.len()).map(|at| vec![at]).collect();
        for one in 0..self.channels.len() {
            for other in one + 1..self.channels.len() {
                let (mut kept, mut moved) = (blob_of[one], blob_of[other]);
                if kept == moved || self.exclude(one, other) || self.are_far(one, other) {
                    continue;
                }
                if blobs[kept].len() < blobs[moved].len() {
                    std::mem::swap(&mut kept, &mut moved);
                }
                let members = std::mem::take(&mut blobs[moved]);
                members.iter().for_each(|&at| blob_of[at] = kept);
                blobs[kept].extend(members);
            }
        }
        blobs.retain(|members| !members.is_empty());
        blobs.iter_mut().for_each(|members| members.sort_unstable());
        blobs
    }

    /// A blob with the distances of its channels; of a large one only those to the channels that follow 1, 2, 4, 8 … places later,
    /// if it may be one communicator.
    fn measured(&self, members: Vec<usize>) -> Blob {
        /// A blob of more channels is large.
        const LARGE: usize = 64;
        let ranks: BTreeSet<usize> = members.iter().map(|&at| self.channels[at].rank).collect();
        let is_sampled = members.len() > LARGE && ranks.len() == members.len() && self.known.is_empty();
        let mut blob = Blob { members, near: FxHashMap::default(), is_sampled };
        if !is_sampled {
            self.measure_all(&mut blob);
            return blob;
        }
        let count = blob.members.len();
        for place in 0..count {
            for step in std::iter::successors(Some(1), |step| Some(2 * step)).take_while(|&step| step < count)
            {
                let (one, other) = (blob.members[place], blob.members[(place + step) % count]);
                self.measure(&mut blob, one.min(other), one.max(other));
            }
        }
        blob
    }

    fn measure_all(&self, blob: &mut Blob) {
        blob.is_sampled = false;
        for at in 0..blob.members.len() {
            for next in at + 1..blob.members.len() {
                let (one, other) = (blob.members[at], blob.members[next]);
                if !self.exclude(one, other) && !self.are_far(one, other) {
                    self.measure(blob, one, other);
                }
            }
        }
    }

    fn measure(&self, blob: &mut Blob, one: usize, other: usize) {
        let distance = || distance(&self.channels[one].spans, &self.channels[other].spans);
        if let std::collections::hash_map::Entry::Vacant(place) = blob.near.entry((one, other))
            && let Some(distance) = distance()
        {
            place.insert(distance);
        }
    }

    /// How far channels of one communicator may be apart.
    fn limit_ns(&self, blobs: &[Blob]) -> Ns {
        const SLACK_NS: Ns = 2_000;
        /// Times in whole microseconds may each be off by half of one, and four of them make a difference of two ends.
        const SLACK_OF_MICROSECONDS_NS: Ns = 4_000;
        let is_coarse = self.channels.iter().all(Channel::is_in_microseconds);
        let slack_ns = if is_coarse { SLACK_OF_MICROSECONDS_NS } else { SLACK_NS };
        // Who is far from all others counts as one who is so far that the limit is the largest.
        let mut best = vec![self.thresholds.match_ns; self.channels.len()];
        for (&(one, other), distance) in blobs.iter().flat_map(|blob| &blob.near) {
            for at in [one, other] {
                best[at] = best[at].min(distance.ends_ns);
            }
        }
        let best =
            best.into_iter().zip(self.channels).filter(|(_, channel)| channel.spans.len() >= LEAST_PLACES);
        let usual = median(best.map(|(best, _)| best)).unwrap_or(0);
        self.thresholds.match_ns.min(2 * usual + slack_ns)
    }

    /// Whether ends agree, and better than starts: what a barrier does.
    fn belong(&self, distance: Distance, limit_ns: Ns) -> bool {
        let Distance { ends_ns, starts_ns } = distance;
        ends_ns <= limit_ns && 2 * ends_ns <= starts_ns.max(2 * self.thresholds.turnaround_ns)
    }

    /// Whether ends agree although starts do not.
    fn wait_for_each_other(&self, distance: Distance, limit_ns: Ns) -> bool {
        self.belong(distance, limit_ns) && distance.starts_ns > 2 * self.thresholds.turnaround_ns
    }

    /// The channels of a blob by communicator: those that are closest are joined first, and only if all of both belong together.
    fn joined(&self, blob: Blob, limit_ns: Ns) -> Vec<Vec<usize>> {
        let Blob { members, near, is_sampled } = blob;
        if is_sampled {
            return vec![members];
        }
        let belong = |one: usize, other: usize| {
            let distance = near.get(&(one.min(other), one.max(other)));
            distance.is_some_and(|distance| self.belong(*distance, limit_ns))
        };
        let mut order: Vec<(Ns, (usize, usize))> =
            near.iter().map(|(pair, distance)| (distance.ends_ns, *pair)).collect();
        order.sort_unstable();
        let mut part_of: FxHashMap<usize, usize> = members.iter().map(|&at| (at, at)).collect();
        let mut parts: BTreeMap<usize, Vec<usize>> = members.iter().map(|&at| (at, vec![at])).collect();
        for (_, (one, other)) in order {
            let (kept, moved) = (part_of[&one], part_of[&other]);
            if kept == moved || !parts[&kept].iter().all(|&a| parts[&moved].iter().all(|&b| belong(a, b))) {
                continue;
            }
            let moved = parts.remove(&moved).unwrap_or_default();
            moved.iter().for_each(|&at| _ = part_of.insert(at, kept));
            parts.entry(kept).or_default().extend(moved);
        }
        let sorted = |mut part: Vec<usize>| {
            part.sort_unstable();
            part
        };
        self.merged(parts.into_values().map(sorted).collect(), limit_ns)
    }

    /// Parts that are one communicator although not all of their members end together: who arrives last leaves a little earlier, and
    /// where several ranks are late together, another of them is last each time. Without the last one, ends tell.
    fn merged(&self, mut parts: Vec<Vec<usize>>, limit_ns: Ns) -> Vec<Vec<usize>> {
        /// Of more parts, which are pairs of a pipeline, none is half of another.
        const MOST: usize = 32;
        while (2..=MOST).contains(&parts.len()) {
            let pairs =
                (0..parts.len()).flat_map(|one| (one + 1..parts.len()).map(move |other| (one, other)));
            let apart = |(one, other): (usize, usize)| {
                Some((self.apart_without_the_last(&parts[one], &parts[other])?, one, other))
            };
            let nearest = pairs.filter_map(apart).min();
            let Some((_, one, other)) = nearest.filter(|(distance, _, _)| *distance <= limit_ns) else {
                break;
            };
            let moved = parts.swap_remove(other);
            parts[one].extend(moved);
            parts[one].sort_unstable();
        }
        parts
    }

    /// How far the ends of two parts are apart where neither of two members is the last of both parts: the largest over pairs;
    /// `None` where that cannot be seen, or a rank is in both.
    fn apart_without_the_last(&self, one: &[usize], other: &[usize]) -> Option<Ns> {
        /// How many members of each part are compared.
        const MEMBERS: usize = 4;
        if one.iter().any(|&a| other.iter().any(|&b| self.exclude(a, b) || self.are_far(a, b))) {
            return None;
        }
        let places = self.places_with_last(one, other);
        let pairs = one.iter().take(MEMBERS).flat_map(|&a| other.iter().take(MEMBERS).map(move |&b| (a, b)));
        let spreads = pairs.filter_map(|(a, b)| {
            let neither = places.iter().filter(|(_, last)| ![a, b].contains(last));
            let apart: Vec<Ns> = neither
                .filter_map(|(place, _)| Some(self.span(b, *place)?.end - self.span(a, *place)?.end))
                .collect();
            deviation(&apart).filter(|_| apart.len() >= LEAST_PLACES)
        });
        spreads.max()
    }

    /// Places of a part, some of many, with the member of both parts that arrives last there.
    fn places_with_last(&self, one: &[usize], other: &[usize]) -> Vec<(Place, usize)> {
        const MOST: usize = 64;
        let spans = &self.channels[one[0]].spans;
        let members = || one.iter().chain(other).copied();
        let last = |place: Place| {
            let lengths = members().filter_map(|at| Some((self.span(at, place)?.length(), at)));
            lengths.min().map(|(_, at)| (place, at))
        };
        spans
            .iter()
            .step_by(spans.len().div_ceil(MOST).max(1))
            .filter_map(|(place, _)| last(*place))
            .collect()
    }

    fn span(&self, channel: usize, place: Place) -> Option<Span> {
        let spans = &self.channels[channel].spans;
        let at = spans.binary_search_by_key(&place, |(own, _)| *own).ok()?;
        Some(spans[at].1)
    }
}

/// How far two channels are from ending and from starting together: over what both have, apart by who came last; `None` of too few.
fn distance(one: &[(Place, Span)], other: &[(Place, Span)]) -> Option<Distance> {
    /// Beyond so many, some are looked at, evenly taken.
    const MOST: usize = 96;
    const TAKEN: usize = 64;
    let mut both = Vec::with_capacity(one.len());
    let (mut a, mut b) = (0, 0);
    while let (Some((own, span)), Some((others, other_span))) = (one.get(a), other.get(b)) {
        let order = own.cmp(others);
        if order == Ordering::Equal {
            both.push((*span, *other_span));
        }
        a += usize::from(order.is_le());
        b += usize::from(order.is_ge());
    }
    if both.len() < LEAST_PLACES {
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
