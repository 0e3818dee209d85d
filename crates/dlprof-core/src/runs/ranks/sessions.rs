//! Sessions and jobs among captures that lie together: what a capture states of itself (rank, world size, communicators, time) beats
//! what is inferred.
//!
//! ```text
//! captures of a run ─no world size and no communicator in common─► jobs ─the same rank twice─► sessions
//! ```
//!
//! The same rank twice, one after the other, is two sessions of a job, as `schedule(repeat=2)` writes them. At the same time, it is
//! two jobs, if communicators or folders tell them apart.

use super::digest::{ChannelKey, RankDigest};
use super::identity::{Number, RankPattern, SOURCES, largest_communicator};
use super::natural::natural_order;
use crate::base::time::Ns;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A session of a job.
pub(super) struct Session {
    /// Its job, by its place.
    pub(super) job: usize,
    pub(super) digests: Vec<RankDigest>,
}

/// Captures that lie together, by session of a job, the earliest first.
pub(super) fn sessions(digests: Vec<RankDigest>, pattern: Option<&RankPattern>) -> Vec<Session> {
    let of_jobs = by_job(&digests, Stated::Any);
    let jobs = split(digests, &of_jobs).into_iter().flat_map(|job| jobs_of(job, pattern)).enumerate();
    let mut found: Vec<Session> = jobs
        .flat_map(|(job, sessions)| sessions.into_iter().map(move |digests| Session { job, digests }))
        .collect();
    found.sort_by_key(|session| session.digests.iter().filter_map(start).min());
    found
}

/// The jobs among captures that have something in common, each with its sessions.
fn jobs_of(digests: Vec<RankDigest>, pattern: Option<&RankPattern>) -> Vec<Vec<Vec<RankDigest>>> {
    let largest = largest_communicator(&digests);
    let stated: Vec<Option<Vec<i64>>> = match pattern {
        Some(pattern) => {
            vec![digests.iter().map(|digest| pattern.rank(&digest.who.file.to_string_lossy())).collect()]
        }
        None => {
            let of_source = |number: &Number| digests.iter().map(|digest| number(digest, largest)).collect();
            SOURCES.iter().map(|(_, number)| of_source(number)).collect()
        }
    };
    for numbers in stated.into_iter().flatten() {
        if are_different(&vec![0; numbers.len()], &numbers) {
            break;
        }
        let tells = |parts: &Vec<usize>| are_different(parts, &numbers);
        if let Some(parts) = one_behind_the_other(&digests, &numbers).filter(tells) {
            return vec![split(digests, &parts)];
        }
        let parts = [by_job(&digests, Stated::Communicators), by_folder(&digests)];
        if let Some(parts) = parts.into_iter().find(tells) {
            return split(digests, &parts).into_iter().map(|job| vec![job]).collect();
        }
    }
    vec![vec![digests]]
}

fn split(digests: Vec<RankDigest>, part_of: &[usize]) -> Vec<Vec<RankDigest>> {
    let mut parts: BTreeMap<usize, Vec<RankDigest>> = BTreeMap::new();
    digests.into_iter().zip(part_of).for_each(|(digest, &part)| parts.entry(part).or_default().push(digest));
    parts.into_values().collect()
}

/// Whether no number is twice in a part.
fn are_different(part_of: &[usize], numbers: &[i64]) -> bool {
    let distinct: BTreeSet<(usize, i64)> = part_of.iter().copied().zip(numbers.iter().copied()).collect();
    distinct.len() == numbers.len()
}

fn start(digest: &RankDigest) -> Option<Ns> {
    Some(digest.who.captured_ns?.saturating_add(digest.who.span.start))
}

fn end(digest: &RankDigest) -> Option<Ns> {
    Some(digest.who.captured_ns?.saturating_add(digest.who.span.end))
}

/// By capture: which session of its rank it is, if those of each rank follow one another. A rank with fewer sessions than others has
/// those that are nearest in time.
fn one_behind_the_other(digests: &[RankDigest], numbers: &[i64]) -> Option<Vec<usize>> {
    let mut of_ranks: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    numbers.iter().enumerate().for_each(|(at, &rank)| of_ranks.entry(rank).or_default().push(at));
    for own in of_ranks.values_mut() {
        own.sort_by(|&a, &b| {
            let path = |at: usize| digests[at].who.file.to_string_lossy();
            start(&digests[a]).cmp(&start(&digests[b])).then_with(|| natural_order(&path(a), &path(b)))
        });
        let overlaps = |pair: &[usize]| match (end(&digests[pair[0]]), start(&digests[pair[1]])) {
            (Some(end), Some(start)) => start < end,
            _ => false,
        };
        if own.windows(2).any(overlaps) {
            return None;
        }
    }
    let most = of_ranks.values().max_by_key(|own| own.len())?.clone();
    let mut part_of = vec![0; digests.len()];
    for own in of_ranks.values() {
        let mut next = 0;
        for (place, &at) in own.iter().enumerate() {
            let last = most.len() - (own.len() - place);
            let distance =
                |session: &usize| Some((start(&digests[at])? - start(&digests[most[*session]])?).abs());
            part_of[at] = (next..=last).min_by_key(|session| (distance(session), *session)).unwrap_or(next);
            next = part_of[at] + 1;
        }
    }
    Some(part_of)
}

fn by_folder(digests: &[RankDigest]) -> Vec<usize> {
    let mut folders: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let folder = |digest: &RankDigest| digest.who.file.parent().map(PathBuf::from).unwrap_or_default();
    digests.iter().for_each(|digest| _ = folders.insert(folder(digest), 0));
    folders.values_mut().enumerate().for_each(|(at, number)| *number = at);
    digests.iter().map(|digest| folders[&folder(digest)]).collect()
}

/// What ranks of one job have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stated {
    /// A communicator, or the size of the job.
    Any,
    /// A communicator.
    Communicators,
}

/// Something that ranks of one job have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Common {
    World(i64),
    Communicator(u64),
}

fn common(digest: &RankDigest, stated: Stated) -> Vec<Common> {
    let who = &digest.who;
    let of_channels = digest.channels.iter().filter_map(|key| match key {
        ChannelKey::Communicator(id) => Some(*id),
        ChannelKey::Stream { .. } => None,
    });
    let ids = who.communicators.iter().map(|known| known.id).chain(of_channels);
    let world = [who.traced_world, who.environment_world].into_iter().flatten();
    let world = world.filter(|_| stated == Stated::Any).map(Common::World);
    ids.map(Common::Communicator).chain(world).collect()
}

/// By capture: its job. Captures that state nothing are of the largest one.
fn by_job(digests: &[RankDigest], stated: Stated) -> Vec<usize> {
    let all: Vec<Vec<Common>> = digests.iter().map(|digest| common(digest, stated)).collect();
    // By what is in common: the first capture that has it, or one that is of the same job.
    let mut job_of: Vec<usize> = (0..digests.len()).collect();
    let mut owner: BTreeMap<Common, usize> = BTreeMap::new();
    for (at, of) in all.iter().enumerate() {
        for common in of {
            let (kept, moved) = (job_of[*owner.entry(*common).or_insert(at)], job_of[at]);
            job_of.iter_mut().filter(|job| **job == moved).for_each(|job| *job = kept);
        }
    }
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    let that_state = || (0..digests.len()).filter(|&at| !all[at].is_empty());
    that_state().for_each(|at| *sizes.entry(job_of[at]).or_default() += 1);
    let largest = sizes.iter().rev().max_by_key(|(_, size)| **size).map_or(0, |(job, _)| *job);
    (0..digests.len()).filter(|&at| all[at].is_empty()).for_each(|at| job_of[at] = largest);
    job_of
}
