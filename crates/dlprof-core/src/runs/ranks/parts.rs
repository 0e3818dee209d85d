//! Which captures are of one run: captures that were made more than a minute apart are not, unless they share a communicator.

use super::digest::{CaptureKind, RankDigest};
use super::error::RanksError;
use super::job::{CaptureOfJob, FileStatus, JobFile, JobRequest, NotRead};
use super::kept_digests::{SameCapture, same_capture};
use super::natural::natural_order;
use crate::base::time::Ns;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What became of each capture, and the ranks that are of one run.
pub(super) fn of_one_run(
    mut captures: Vec<CaptureOfJob>,
    request: &JobRequest,
) -> Result<(Vec<JobFile>, Vec<RankDigest>), RanksError> {
    captures.sort_by(|a, b| natural_order(&a.file.to_string_lossy(), &b.file.to_string_lossy()));
    let not_read = || captures.iter().filter_map(|capture| capture.ranks.as_ref().err());
    let (unreadable, is_request) = (not_read().count(), not_read().all(|reason| reason.is_request));
    let (mut files, digests) = without_copies(captures);
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
    refuse_mixed(&digests)?;
    let mut parts = in_parts(digests, request.thresholds.apart_ns);
    if parts.len() > 1 && !request.largest_part {
        let first = |part: &Vec<RankDigest>| {
            let file = part
                .iter()
                .map(|digest| &digest.who.file)
                .min_by(|a, b| natural_order(&a.to_string_lossy(), &b.to_string_lossy()));
            (part.len(), file.cloned().unwrap_or_default())
        };
        return Err(RanksError::DifferentRuns { parts: parts.iter().map(first).collect() });
    }
    // Of equals the first.
    let largest = (0..parts.len()).rev().max_by_key(|&at| parts[at].len()).unwrap_or(0);
    let kept = parts.swap_remove(largest);
    let left_out: BTreeSet<PathBuf> = parts.into_iter().flatten().map(|digest| digest.who.file).collect();
    for file in files.iter_mut().filter(|file| left_out.contains(&file.file)) {
        file.status = FileStatus::OtherRun;
        file.ranks = 0;
    }
    if kept.len() < 2 { Err(few(kept.len(), &files)) } else { Ok((files, kept)) }
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
