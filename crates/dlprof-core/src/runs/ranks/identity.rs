//! Which rank is who: the first source that gives every rank a number of its own.

use super::digest::RankDigest;
use super::error::RanksError;
use super::natural::natural_order;
use crate::base::PatternMistake;
use regex::Regex;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// Where a user says that numbers of ranks are: group `rank`, or the first group, of a pattern on the path of the capture.
#[derive(Debug, Clone)]
pub struct RankPattern(Regex);

impl RankPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// If it is not a regular expression.
    pub fn new(text: &str) -> Result<Self, PatternMistake> {
        Ok(Self(Regex::new(text)?))
    }

    /// The number in a path.
    #[must_use]
    pub fn rank(&self, path: &str) -> Option<i64> {
        let found = self.0.captures(path)?;
        found.name("rank").or_else(|| found.get(1))?.as_str().parse().ok()
    }
}

/// What the numbers of ranks are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankSource {
    /// The user: a pattern on the path of the capture, or what was said when it was put into a lake.
    Option,
    /// The largest communicator that the process knows.
    Communicator,
    /// The trace of torch.profiler.
    Trace,
    /// MPI.
    Mpi,
    /// The environment of the process that nsys started.
    Environment,
    /// The name of the capture or of its report.
    FileName,
    /// Nothing tells: the order of names is taken.
    Order,
}

impl RankSource {
    /// The words for people and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Option => "option",
            Self::Communicator => "communicator",
            Self::Trace => "trace",
            Self::Mpi => "mpi",
            Self::Environment => "environment",
            Self::FileName => "file name",
            Self::Order => "order (assumed)",
        }
    }
}

/// Who is which rank.
pub(super) struct Identified {
    /// By digest: its rank.
    pub(super) ranks: Vec<i64>,
    pub(super) source: RankSource,
    /// How many ranks the job has.
    pub(super) world: i64,
}

/// What a source says that the rank of a capture is; the number is the size of the largest communicator.
pub(super) type Number = fn(&RankDigest, i64) -> Option<i64>;

/// What says which rank a capture is, the surest first.
pub(super) const SOURCES: [(RankSource, Number); 6] = [
    (RankSource::Option, |digest, _| digest.who.given_rank),
    (RankSource::Communicator, by_communicator),
    (RankSource::Trace, |digest, _| digest.who.traced_rank),
    (RankSource::Mpi, |digest, _| digest.who.mpi_rank),
    (RankSource::Environment, |digest, _| digest.who.environment_rank.filter(|_| is_alone(digest))),
    (RankSource::FileName, |digest, _| by_name(digest).filter(|_| is_alone(digest))),
];

/// Numbers ranks.
///
/// # Errors
/// If the pattern of the user does not give each rank a number of its own.
pub(super) fn identify(
    digests: &[RankDigest],
    pattern: Option<&RankPattern>,
) -> Result<Identified, RanksError> {
    if let Some(pattern) = pattern {
        let ranks = by_pattern(digests, pattern)?;
        return Ok(identified(digests, ranks, RankSource::Option));
    }
    let largest = largest_communicator(digests);
    for (source, number) in SOURCES {
        let ranks: Option<Vec<i64>> = digests.iter().map(|digest| number(digest, largest)).collect();
        let is_whole = source != RankSource::Communicator || largest >= as_count(digests.len());
        if let Some(ranks) = ranks.filter(|ranks| is_whole && are_different(ranks)) {
            return Ok(identified(digests, ranks, source));
        }
    }
    Ok(identified(digests, by_order(digests), RankSource::Order))
}

fn identified(digests: &[RankDigest], ranks: Vec<i64>, source: RankSource) -> Identified {
    let largest = largest_communicator(digests);
    let of_communicator = Some(largest).filter(|&largest| largest >= as_count(digests.len()));
    let alone = digests.iter().filter(|digest| is_alone(digest));
    let of_environment = alone.filter_map(|digest| digest.who.environment_world).max();
    let of_trace = digests.iter().filter_map(|digest| digest.who.traced_world).max();
    let highest = ranks.iter().max().map(|&rank| rank.saturating_add(1));
    let world = of_communicator.max(of_environment).max(of_trace).max(highest).unwrap_or(0);
    Identified { ranks, source, world }
}

/// Whether the capture of a rank has no other one.
fn is_alone(digest: &RankDigest) -> bool {
    digest.who.ranks_of_capture == 1
}

fn as_count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn are_different(ranks: &[i64]) -> bool {
    let distinct: FxHashSet<i64> = ranks.iter().copied().collect();
    distinct.len() == ranks.len()
}

/// Size and rank of the largest communicator that a process knows.
fn own_communicator(digest: &RankDigest) -> Option<(i64, i64)> {
    let known =
        digest.who.communicators.iter().filter_map(|one| one.size.filter(|&size| size > 0).zip(one.rank));
    let mut best: Option<(i64, i64)> = None;
    for (size, rank) in known.chain(digest.who.progress_threads.iter().copied()) {
        if best.is_none_or(|(largest, _)| size > largest) {
            best = Some((size, rank));
        }
    }
    best
}

pub(super) fn largest_communicator(digests: &[RankDigest]) -> i64 {
    digests.iter().filter_map(own_communicator).map(|(size, _)| size).max().unwrap_or(0)
}

fn by_communicator(digest: &RankDigest, largest: i64) -> Option<i64> {
    own_communicator(digest).filter(|(size, _)| *size == largest).map(|(_, rank)| rank)
}

static RANK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)(?:^|[^a-z])(?:global[_-]?)?rank[-_.=]?(\d+)").expect("a constant"));

/// The rank in the name of a capture, or of the report that it is an export of.
fn by_name(digest: &RankDigest) -> Option<i64> {
    let name = digest.who.file.file_name().unwrap_or_default().to_string_lossy();
    let number = |name: &str| RANK.captures(name)?.get(1)?.as_str().parse().ok();
    number(&name).or_else(|| number(&digest.who.report))
}

fn by_pattern(digests: &[RankDigest], pattern: &RankPattern) -> Result<Vec<i64>, RanksError> {
    let number = |digest: &RankDigest| {
        let path = digest.who.file.to_string_lossy();
        pattern.rank(&path).ok_or_else(|| RanksError::RankFrom { found: format!("`{path}` gives none") })
    };
    let ranks = digests.iter().map(number).collect::<Result<Vec<i64>, _>>()?;
    let mut met = FxHashSet::default();
    match ranks.iter().find(|&&rank| !met.insert(rank)) {
        Some(twice) => Err(RanksError::RankFrom { found: format!("{twice} is there twice") }),
        None => Ok(ranks),
    }
}

/// The rank of a capture by what it alone says: the lowest, if it has several; none if it says none.
#[must_use]
pub fn rank_of_capture(digests: &[RankDigest]) -> Option<i64> {
    said(digests).into_iter().flatten().min()
}

/// Gives the ranks of a capture their numbers: the lowest as the user says. The others keep their distance to it where the capture
/// says its ranks; else they follow by GPU and process.
pub fn give_ranks(digests: &mut [RankDigest], lowest: i64) {
    let numbers = said(digests).unwrap_or_else(|| by_order(digests));
    let first = numbers.iter().copied().min().unwrap_or(0);
    for (digest, number) in digests.iter_mut().zip(numbers) {
        digest.who.given_rank = Some(lowest.saturating_add(number.saturating_sub(first)));
    }
}

/// By digest: the rank that the capture says; none if it says none.
fn said(digests: &[RankDigest]) -> Option<Vec<i64>> {
    let identified = identify(digests, None).ok()?;
    (identified.source != RankSource::Order).then_some(identified.ranks)
}

/// By host, capture, GPU and process.
fn by_order(digests: &[RankDigest]) -> Vec<i64> {
    let mut order: Vec<usize> = (0..digests.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&digests[a].who, &digests[b].who);
        let files = || natural_order(&a.file.to_string_lossy(), &b.file.to_string_lossy());
        natural_order(&a.node, &b.node)
            .then_with(files)
            .then_with(|| (a.device_id, a.global_pid).cmp(&(b.device_id, b.global_pid)))
    });
    let mut ranks = vec![0; digests.len()];
    order.into_iter().enumerate().for_each(|(rank, at)| ranks[at] = as_count(rank));
    ranks
}
