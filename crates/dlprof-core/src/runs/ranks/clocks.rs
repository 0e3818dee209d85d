//! Common time: by how much the clock of each rank is off, from collectives, whose members end together.
//!
//! Only pictures, the spread of ends and the order of events of different ranks need it. No other figure does.

use super::arithmetic::{cut_ns, median, ninth_decile};
use super::communicator::Communicator;
use super::digest::RankDigest;
use super::instances::Instance;
use super::settings::RankThresholds;
use crate::base::ratios::to_f64;
use crate::base::time::Ns;
use indexmap::IndexMap;
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The clock of a rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankClock {
    /// Start of its capture: UTC, or 0 where that is not known.
    base: Ns,
    /// What is added to UTC.
    pub offset_ns: Ns,
    /// By how much it runs fast, as a share.
    pub drift: f64,
    /// The time at which the offset is exact.
    middle: Ns,
    /// How far it may be off.
    pub error_ns: Ns,
    /// What it rests on.
    pub source: ClockSource,
}

/// What a clock rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockSource {
    /// Collectives that end together.
    Collectives,
    /// The clock of the host.
    Utc,
    /// Nothing: it cannot be drawn beside others.
    None,
}

impl ClockSource {
    /// The word for people and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Collectives => "collectives",
            Self::Utc => "utc",
            Self::None => "none",
        }
    }
}

impl RankClock {
    /// A time of the rank on the common clock.
    #[must_use]
    pub fn at(&self, time: Ns) -> Ns {
        self.base + time + self.offset_ns - cut_ns(self.drift * to_f64(time - self.middle))
    }
}

/// The common time of a job.
pub(super) struct Clocks {
    pub(super) ranks: Vec<RankClock>,
    /// By instance: the spread of its ends, and their median.
    pub(super) ends: Vec<CommonEnd>,
}

/// When a collective ends on the common clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommonEnd {
    /// How far its members are from ending together; none where clocks rest on nothing else.
    pub skew_ns: Option<Ns>,
    /// The median of their ends.
    pub time_ns: Ns,
}

/// Instances that show the clocks of the members of a communicator.
struct Anchors<'a> {
    communicator: usize,
    instances: Vec<&'a Instance>,
}

pub(super) fn aligned(
    digests: &[RankDigest],
    communicators: &[Communicator],
    instances: &[Instance],
    thresholds: &RankThresholds,
) -> Clocks {
    let clock = |digest: &RankDigest| RankClock {
        base: digest.who.captured_ns.unwrap_or(0),
        offset_ns: 0,
        drift: 0.0,
        middle: 0,
        error_ns: thresholds.utc_error_ns,
        source: if digest.who.captured_ns.is_some() { ClockSource::Utc } else { ClockSource::None },
    };
    let mut clocks: Vec<RankClock> = digests.iter().map(clock).collect();
    let mut anchors = anchors(digests, &clocks, instances);
    // Most members first.
    anchors.sort_by_key(|of| std::cmp::Reverse(communicators[of.communicator].members.len()));
    set_offsets(digests, communicators, &anchors, &mut clocks);
    set_middles(digests, &anchors, &mut clocks);
    if !anchors.is_empty() {
        refine(digests, &anchors, &mut clocks, thresholds);
    }
    let end = |instance: &Instance| {
        let ends: Vec<Ns> =
            instance.collectives(digests).map(|(rank, one)| clocks[rank].at(one.span.end)).collect();
        let spread = || Some(ends.iter().max()? - ends.iter().min()?);
        CommonEnd {
            skew_ns: if anchors.is_empty() { None } else { spread() },
            time_ns: median(ends.iter().copied()).unwrap_or(0),
        }
    };
    let ends = instances.par_iter().map(end).collect();
    Clocks { ranks: clocks, ends }
}

/// By communicator: of its three kinds of instances with the shortest transfers, the one whose ends agree best.
fn anchors<'a>(digests: &[RankDigest], clocks: &[RankClock], instances: &'a [Instance]) -> Vec<Anchors<'a>> {
    type Alike<'a> = (Ns, &'static str, String, Vec<&'a Instance>);
    let mut alike: IndexMap<_, Vec<&Instance>, FxBuildHasher> = IndexMap::default();
    for one in instances {
        alike.entry((one.communicator, one.kind, one.bytes)).or_default().push(one);
    }
    let mut candidates: BTreeMap<usize, Vec<Alike<'a>>> = BTreeMap::new();
    for ((communicator, kind, bytes), of) in alike.into_iter().filter(|(_, of)| of.len() >= 3) {
        let transfer = median(of.iter().map(|one| one.transfer_ns)).unwrap_or(0);
        let bytes = bytes.map_or_else(|| "None".into(), |bytes| bytes.to_string());
        candidates.entry(communicator).or_default().push((transfer, kind.as_str(), bytes, of));
    }
    let best = |(communicator, mut kinds): (usize, Vec<Alike<'a>>)| {
        kinds.sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
        let mut best: Option<(Ns, Vec<&Instance>)> = None;
        kinds.truncate(3);
        let spreads: Vec<Ns> = kinds.par_iter().map(|(.., of)| spread_of_ends(digests, clocks, of)).collect();
        for ((.., of), spread) in kinds.into_iter().zip(spreads) {
            /// Agreement that is better than this is no better.
            const FINE_NS: Ns = 5_000;
            let spread = spread.max(FINE_NS);
            if best.as_ref().is_none_or(|(least, _)| spread < *least) {
                best = Some((spread, of));
            }
        }
        best.map(|(_, instances)| Anchors { communicator, instances })
    };
    candidates.into_par_iter().filter_map(best).collect()
}

/// The 90 % quantile of how far ends are from where those of their rank usually are, against the median of the instance.
fn spread_of_ends(digests: &[RankDigest], clocks: &[RankClock], instances: &[&Instance]) -> Ns {
    let mut by_rank: BTreeMap<usize, Vec<Ns>> = BTreeMap::new();
    for instance in instances {
        for (rank, _, residual) in residuals(digests, instance, |rank, time| clocks[rank].base + time) {
            by_rank.entry(rank).or_default().push(residual);
        }
    }
    let mut all = Vec::new();
    for of_rank in by_rank.into_values() {
        let middle = median(of_rank.iter().copied()).unwrap_or(0);
        all.extend(of_rank.into_iter().map(|residual| (residual - middle).abs()));
    }
    ninth_decile(all)
}

/// By member: its rank, the end of its collective, and how far that is from the median of all members on a clock.
fn residuals(
    digests: &[RankDigest],
    instance: &Instance,
    on_clock: impl Fn(usize, Ns) -> Ns,
) -> Vec<(usize, Ns, Ns)> {
    let ends: Vec<(usize, Ns, Ns)> = instance
        .collectives(digests)
        .map(|(rank, one)| (rank, one.span.end, on_clock(rank, one.span.end)))
        .collect();
    let middle = median(ends.iter().map(|(.., end)| *end)).unwrap_or(0);
    ends.into_iter().map(|(rank, time, end)| (rank, time, end - middle)).collect()
}

/// The first rank of each connected part keeps its clock, and the others follow it from communicator to communicator.
fn set_offsets(
    digests: &[RankDigest],
    communicators: &[Communicator],
    anchors: &[Anchors<'_>],
    clocks: &mut [RankClock],
) {
    let mut of_rank: Vec<Vec<&Anchors<'_>>> = vec![Vec::new(); digests.len()];
    for of in anchors {
        communicators[of.communicator].members.iter().for_each(|(member, _)| of_rank[*member].push(of));
    }
    let mut left: BTreeSet<usize> = (0..digests.len()).collect();
    while let Some(root) = left.pop_first() {
        let mut queue = VecDeque::from([root]);
        while let Some(rank) = queue.pop_front().filter(|_| !left.is_empty()) {
            for of in &of_rank[rank] {
                let members = &communicators[of.communicator].members;
                for other in members.iter().map(|(member, _)| *member).filter(|&member| member != rank) {
                    if left.contains(&other)
                        && let Some(apart) = apart(digests, &of.instances, rank, other, clocks)
                    {
                        clocks[other].offset_ns = clocks[rank].offset_ns - apart;
                        left.remove(&other);
                        queue.push_back(other);
                    }
                }
            }
        }
    }
}

/// How much later the clock of `other` shows the same ends than that of `rank`. Who arrives last leaves a little before the
/// others, so instances in which neither was last count, or as many of both.
fn apart(
    digests: &[RankDigest],
    instances: &[&Instance],
    rank: usize,
    other: usize,
    clocks: &[RankClock],
) -> Option<Ns> {
    let (mut neither, mut rank_last, mut other_last) = (Vec::new(), Vec::new(), Vec::new());
    for instance in instances {
        let end = |wanted: usize| {
            let place =
                instance.members.binary_search_by_key(&wanted, |(member, _)| *member as usize).ok()?;
            let (_, at) = instance.members[place];
            Some(digests[wanted].collectives[at as usize].span.end + clocks[wanted].base)
        };
        let (Some(own), Some(others)) = (end(rank), end(other)) else { continue };
        let list = match instance.last {
            last if last == rank => &mut rank_last,
            last if last == other => &mut other_last,
            _ => &mut neither,
        };
        list.push(others - own);
    }
    if neither.len() >= 3 {
        return median(neither);
    }
    if rank_last.len() >= 3 && other_last.len() >= 3 {
        return Some((median(rank_last)? + median(other_last)?).div_euclid(2));
    }
    neither.extend(rank_last.into_iter().chain(other_last));
    if neither.len() >= 3 { median(neither) } else { None }
}

/// The middle between the first and the last end of each rank.
fn set_middles(digests: &[RankDigest], anchors: &[Anchors<'_>], clocks: &mut [RankClock]) {
    let mut extent: Vec<Option<(Ns, Ns)>> = vec![None; clocks.len()];
    for instance in anchors.iter().flat_map(|of| &of.instances) {
        for (rank, one) in instance.collectives(digests) {
            let end = one.span.end;
            let (first, last) = extent[rank].unwrap_or((end, end));
            extent[rank] = Some((first.min(end), last.max(end)));
        }
    }
    for (clock, extent) in clocks.iter_mut().zip(extent) {
        clock.middle = extent.map_or(0, |(first, last)| (first + last).div_euclid(2));
    }
}

/// An end of a rank: when it is, how far it is from the median, and whether the rank was last.
type Residual = (Ns, Ns, bool);

/// Three rounds in which each rank takes its median distance to the others off its offset; a fourth measures what is left.
fn refine(
    digests: &[RankDigest],
    anchors: &[Anchors<'_>],
    clocks: &mut [RankClock],
    thresholds: &RankThresholds,
) {
    const ROUNDS: usize = 3;
    for round in 0..=ROUNDS {
        let mut by_rank: Vec<Vec<Residual>> = vec![Vec::new(); clocks.len()];
        for of in anchors {
            let of_instance =
                |instance: &&Instance| residuals(digests, instance, |rank, time| clocks[rank].at(time));
            let found: Vec<Vec<(usize, Ns, Ns)>> = of.instances.par_iter().map(of_instance).collect();
            for (instance, found) in of.instances.iter().zip(found) {
                for (rank, time, residual) in found {
                    by_rank[rank].push((time, residual, rank == instance.last));
                }
            }
        }
        let has_others = clocks.len() > 2;
        let with_ends = clocks.par_iter_mut().zip(by_rank).filter(|(_, of)| !of.is_empty());
        with_ends.for_each(|(clock, residuals)| {
            let kept: Vec<Residual> = residuals.iter().copied().filter(|(.., is_last)| !is_last).collect();
            let mut kept = if kept.len() >= 3 { kept } else { residuals };
            kept.sort_unstable();
            if round == ROUNDS {
                let left = kept.iter().map(|(_, residual, _)| residual.abs()).collect();
                clock.error_ns = thresholds.clock_bias_ns + ninth_decile(left);
                clock.source = ClockSource::Collectives;
                return;
            }
            clock.drift += drift(&kept, thresholds);
            if has_others {
                clock.offset_ns -= median(kept.iter().map(|(_, residual, _)| *residual)).unwrap_or(0);
            }
        });
    }
}

/// The slope from the first to the last third of the ends; 0 where it makes little.
fn drift(residuals: &[Residual], thresholds: &RankThresholds) -> f64 {
    let third = residuals.len() / 3;
    if third < 3 {
        return 0.0;
    }
    let middle = |of: &[Residual]| {
        let time = median(of.iter().map(|(time, ..)| *time));
        let residual = median(of.iter().map(|(_, residual, _)| *residual));
        time.zip(residual).unwrap_or_default()
    };
    let (first, last) = (&residuals[..third], &residuals[residuals.len() - third..]);
    let ((from, at_first), (to, at_last)) = (middle(first), middle(last));
    if to <= from {
        return 0.0;
    }
    let slope = to_f64(at_last - at_first) / to_f64(to - from);
    let length = residuals[residuals.len() - 1].0 - residuals[0].0;
    if slope.abs() * to_f64(length) >= to_f64(2 * thresholds.clock_bias_ns) { slope } else { 0.0 }
}
