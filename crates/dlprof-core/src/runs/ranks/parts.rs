//! Which captures are of one run: captures that were made more than a minute apart are not, unless they share a communicator. Of a run
//! one session is judged.

use super::digest::{CaptureKind, RankDigest};
use super::error::RanksError;
use super::job::{CaptureOfJob, FileStatus, JobFile, JobRequest, JobSession, NotRead};
use super::kept_digests::{SameCapture, same_capture};
use super::natural::natural_order;
use super::sessions::{self, Session};
use crate::base::time::Ns;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What became of each capture, and the ranks of a session of each job of one run: first the one that counts where one is asked for.
pub(super) fn of_one_run(
    mut captures: Vec<CaptureOfJob>,
    request: &JobRequest,
) -> Result<Vec<OneRun>, RanksError> {
    captures.sort_by(|a, b| natural_order(&a.file.to_string_lossy(), &b.file.to_string_lossy()));
    let not_read = || captures.iter().filter_map(|capture| capture.ranks.as_ref().err());
    let (unreadable, is_request) = (not_read().count(), not_read().all(|reason| reason.is_request));
    let (files, digests) = without_copies(captures);
    let copies = files.iter().filter(|file| matches!(file.status, FileStatus::SameAs(_))).count();
    let few = |ranks: usize, files: &[JobFile]| RanksError::FewerThanTwo {
        ranks,
        files: files.len(),
        unreadable,
        copies,
        is_request,
    };
    if digests.len() < 2 {
        return Err(few(digests.len(), &files));
    }
    let kept = if request.largest_part { of_largest_kind(digests) } else { digests };
    refuse_mixed(&kept)?;
    let runs = in_parts(kept, request.thresholds.apart_ns);
    if runs.len() > 1 && !request.largest_part && request.session.is_none() {
        let first = |part: &Vec<RankDigest>| {
            let file = part
                .iter()
                .map(|digest| &digest.who.file)
                .min_by(|a, b| natural_order(&a.to_string_lossy(), &b.to_string_lossy()));
            (part.len(), file.cloned().unwrap_or_default())
        };
        return Err(RanksError::DifferentRuns { parts: runs.iter().map(first).collect() });
    }
    // Of equals the first.
    let largest = (0..runs.len()).rev().max_by_key(|&at| runs[at].len()).unwrap_or(0);
    let sessions: Vec<(usize, Session)> = (0..)
        .zip(runs)
        .flat_map(|(run, digests)| {
            let sessions = sessions::sessions(digests, request.rank_from.as_ref());
            sessions.into_iter().map(move |session| (run, session))
        })
        .collect();
    let chosen = chosen(&sessions, largest, request.session)?;
    match chosen.first().map_or(0, |&first| sessions[first].1.digests.len()) {
        ranks @ (0 | 1) => Err(few(ranks, &files)),
        _ => Ok(each(sessions, &chosen, &files, request.session.is_some())),
    }
}

/// The captures that are judged.
pub(super) struct OneRun {
    /// What became of each capture.
    pub(super) files: Vec<JobFile>,
    /// The ranks that are of one session.
    pub(super) digests: Vec<RankDigest>,
    pub(super) session: JobSession,
}

/// The session that is asked for; else of each job of the run with two ranks or more the largest, of equals the latest: first the
/// largest of all, then the others in order of time.
fn chosen(sessions: &[(usize, Session)], run: usize, asked: Option<usize>) -> Result<Vec<usize>, RanksError> {
    let of = sessions.len();
    if let Some(number) = asked {
        let at = number.checked_sub(1).filter(|&at| at < of);
        return Ok(vec![at.ok_or(RanksError::NoSession { number, of })?]);
    }
    let ranks = |at: usize| sessions[at].1.digests.len();
    let mut of_jobs: BTreeMap<usize, usize> = BTreeMap::new();
    for at in (0..of).filter(|&at| sessions[at].0 == run) {
        let best = of_jobs.entry(sessions[at].1.job).or_insert(at);
        *best = if ranks(at) >= ranks(*best) { at } else { *best };
    }
    let mut chosen: Vec<usize> = of_jobs.into_values().collect();
    chosen.sort_unstable();
    let Some(main) = chosen.iter().copied().max_by_key(|&at| ranks(at)) else { return Ok(chosen) };
    chosen.retain(|&at| at != main && ranks(at) > 1);
    chosen.insert(0, main);
    Ok(chosen)
}

/// The chosen sessions, each with what became of the captures: those of others say how they are taken.
fn each(sessions: Vec<(usize, Session)>, chosen: &[usize], files: &[JobFile], any_run: bool) -> Vec<OneRun> {
    let of = sessions.len();
    let in_files = |session: &Session| session.digests.iter().map(|digest| digest.who.file.clone()).collect();
    let known: Vec<(usize, Vec<PathBuf>)> =
        sessions.iter().map(|(run, session)| (*run, in_files(session))).collect();
    let mut digests: Vec<Vec<RankDigest>> =
        sessions.into_iter().map(|(_, session)| session.digests).collect();
    let one = |&at: &usize| OneRun {
        files: with_status(files, &known, at, any_run),
        digests: std::mem::take(&mut digests[at]),
        session: JobSession { number: at + 1, of },
    };
    chosen.iter().map(one).collect()
}

fn with_status(
    files: &[JobFile],
    sessions: &[(usize, Vec<PathBuf>)],
    chosen: usize,
    any_run: bool,
) -> Vec<JobFile> {
    let mut status: BTreeMap<&PathBuf, FileStatus> = BTreeMap::new();
    for (at, (run, own)) in sessions.iter().enumerate().filter(|(at, _)| *at != chosen) {
        let what = match *run == sessions[chosen].0 || any_run {
            true => FileStatus::OtherSession { number: at + 1 },
            false => FileStatus::OtherRun,
        };
        status.extend(own.iter().map(|file| (file, what.clone())));
    }
    sessions[chosen].1.iter().for_each(|file| _ = status.remove(file));
    let of_file = |file: &JobFile| match status.get(&file.file) {
        Some(status) => JobFile { status: status.clone(), ranks: 0, ..file.clone() },
        None => file.clone(),
    };
    files.iter().map(of_file).collect()
}

/// The ranks of the kind of capture that most are of; of equals the first kind.
fn of_largest_kind(digests: Vec<RankDigest>) -> Vec<RankDigest> {
    let mut kinds: BTreeMap<CaptureKind, usize> = BTreeMap::new();
    digests.iter().for_each(|digest| *kinds.entry(digest.who.kind).or_default() += 1);
    let largest = kinds.iter().rev().max_by_key(|(_, count)| **count).map(|(kind, _)| *kind);
    digests.into_iter().filter(|digest| Some(digest.who.kind) == largest).collect()
}

/// Refuses captures of several kinds.
fn refuse_mixed(digests: &[RankDigest]) -> Result<(), RanksError> {
    let mut kinds: BTreeMap<CaptureKind, (usize, &PathBuf)> = BTreeMap::new();
    for digest in digests {
        kinds.entry(digest.who.kind).or_insert((0, &digest.who.file)).0 += 1;
    }
    if kinds.len() < 2 {
        return Ok(());
    }
    let kinds = kinds.into_iter().map(|(kind, (ranks, file))| (kind, ranks, file.clone()));
    Err(RanksError::Mixed { kinds: kinds.collect() })
}

/// Ranks of captures, each once.
fn without_copies(captures: Vec<CaptureOfJob>) -> (Vec<JobFile>, Vec<RankDigest>) {
    let mut met = Met::default();
    let (mut files, mut digests) = (Vec::new(), Vec::new());
    for CaptureOfJob { file, ranks } in captures {
        let ranks = match ranks {
            Ok(ranks) => ranks,
            Err(NotRead { reason, .. }) => {
                files.push(JobFile { file, status: FileStatus::Unreadable(reason), ranks: 0 });
                continue;
            }
        };
        let (mut status, before) = (FileStatus::Read, digests.len());
        for digest in ranks {
            match met.earlier(&digest, &digests) {
                Some(earlier) => status = FileStatus::SameAs(earlier),
                None => digests.push(digest),
            }
        }
        if status == FileStatus::Read && digests.len() == before {
            status = FileStatus::NoWork;
        }
        files.push(JobFile { file, status, ranks: digests.len() - before });
    }
    (files, digests)
}

/// Which ranks were met.
#[derive(Default)]
struct Met {
    /// By the number that nsys gave the capture, process, GPU and start: the file.
    by_session: BTreeMap<(String, Option<i64>, i64, Option<Ns>), PathBuf>,
    /// Of ranks whose captures have no such number, by start and extent: their places.
    by_time: BTreeMap<(Option<Ns>, Ns, Ns), Vec<usize>>,
}

impl Met {
    /// The file in which a rank was met before. If it was not, it is remembered at the end of the list.
    fn earlier(&mut self, digest: &RankDigest, known: &[RankDigest]) -> Option<PathBuf> {
        let who = &digest.who;
        if let Some(session) = who.session.clone() {
            let key = (session, who.global_pid, who.device_id, who.captured_ns);
            let earlier = self.by_session.get(&key).cloned();
            if earlier.is_none() {
                self.by_session.insert(key, who.file.clone());
            }
            return earlier;
        }
        // To the nanosecond only copies begin and end together, so that these lists are short.
        let places = self.by_time.entry((who.captured_ns, who.span.start, who.span.end)).or_default();
        let is_copy = |&&place: &&usize| {
            same_capture(std::slice::from_ref(&known[place]), std::slice::from_ref(digest)) != SameCapture::No
        };
        let earlier = places.iter().find(is_copy).map(|&place| known[place].who.file.clone());
        if earlier.is_none() {
            places.push(known.len());
        }
        earlier
    }
}

/// Ranks by run, the earliest first. Without the time of every capture they are taken as one.
fn in_parts(digests: Vec<RankDigest>, apart_ns: Ns) -> Vec<Vec<RankDigest>> {
    let spans: Option<Vec<(Ns, Ns)>> = digests
        .iter()
        .map(|digest| {
            let utc = digest.who.captured_ns?;
            Some((utc.saturating_add(digest.who.span.start), utc.saturating_add(digest.who.span.end)))
        })
        .collect();
    let Some(spans) = spans else { return vec![digests] };
    let mut order: Vec<usize> = (0..digests.len()).collect();
    order.sort_by_key(|&at| (spans[at], at));
    let mut part_of = vec![0; digests.len()];
    let (mut parts, mut end) = (0, Ns::MIN);
    for (place, at) in order.into_iter().enumerate() {
        if place == 0 || spans[at].0 > end.saturating_add(apart_ns) {
            parts += 1;
        }
        part_of[at] = parts - 1;
        end = end.max(spans[at].1);
    }
    if share_communicator(&digests, &part_of) {
        return vec![digests];
    }
    let mut split: Vec<Vec<RankDigest>> = (0..parts).map(|_| Vec::new()).collect();
    digests.into_iter().zip(part_of).for_each(|(digest, part)| split[part].push(digest));
    split
}

/// Whether ranks of different parts made the same communicator.
fn share_communicator(digests: &[RankDigest], part_of: &[usize]) -> bool {
    let mut part_of_communicator: BTreeMap<u64, usize> = BTreeMap::new();
    digests.iter().zip(part_of).any(|(digest, &part)| {
        let mut known = digest.who.communicators.iter();
        known.any(|known| *part_of_communicator.entry(known.id).or_insert(part) != part)
    })
}
