//! Windows: the same spans of time on all ranks, from the end of the closing collective of an iteration to that of the next.

use super::arithmetic::{mean, median, of_count};
use super::communicator::Communicator;
use super::digest::RankDigest;
use super::extract::closing_by_channel;
use crate::base::ratios::to_f64;
use crate::base::time::{Ns, Span};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The windows of a rank.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RankWindows {
    /// By common iteration.
    pub of: BTreeMap<i64, Span>,
    /// By common iteration: the collective that closes it; empty where the windows are the rank's own iterations.
    pub(super) closing: BTreeMap<i64, u32>,
}

/// By rank: its windows.
pub(super) fn windows(
    digests: &[RankDigest],
    numbers: &[Vec<i64>],
    communicators: &[Communicator],
) -> Vec<RankWindows> {
    let mut sizes: Vec<BTreeMap<u32, usize>> = vec![BTreeMap::new(); digests.len()];
    for communicator in communicators {
        for &(rank, channel) in &communicator.members {
            sizes[rank].insert(channel, communicator.members.len());
        }
    }
    let ranks = digests.par_iter().zip(numbers).zip(&sizes);
    ranks.map(|((digest, numbers), sizes)| of_rank(digest, numbers, sizes)).collect()
}

fn of_rank(digest: &RankDigest, numbers: &[i64], sizes: &BTreeMap<u32, usize>) -> RankWindows {
    // Of the channels of most members the one that ends latest; of equals the first.
    let mut best: Option<((usize, f64), BTreeMap<u32, u32>)> = None;
    for (channel, closing) in closing_by_channel(digest) {
        let Some(&members) = sizes.get(&channel) else { continue };
        let end = mean(closing.values().map(|&at| digest.collectives[at as usize].span.end));
        if best.as_ref().is_none_or(|(score, _)| (members, end) > *score) {
            best = Some(((members, end), closing));
        }
    }
    let Some((_, closing)) = best else { return own(digest, numbers) };
    let number = |(iteration, at): (u32, u32)| (numbers[iteration as usize], at);
    let closing: BTreeMap<i64, u32> = closing.into_iter().map(number).collect();
    let end = |at: u32| digest.collectives[at as usize].span.end;
    let pairs =
        closing.iter().zip(closing.iter().skip(1)).filter(|((before, _), (next, _))| *before + 1 == **next);
    let of = pairs.map(|((_, &from), (&next, &to))| (next, Span::new(end(from), end(to)))).collect();
    RankWindows { of, closing }
}

/// The iterations of a rank without a closing collective.
fn own(digest: &RankDigest, numbers: &[i64]) -> RankWindows {
    let iterations = numbers.iter().copied().zip(&digest.iterations);
    let of = iterations.map(|(number, iteration)| (number, iteration.span)).collect();
    RankWindows { of, closing: BTreeMap::new() }
}

/// The common iterations that nearly all ranks have, without leading ones that are longer than usual; only those from `first` to
/// `last`, if these are given.
pub(super) fn steady(windows: &[RankWindows], first: Option<i64>, last: Option<i64>) -> Vec<i64> {
    const LONGER: f64 = 1.25;
    let is_asked =
        |number: i64| first.is_none_or(|first| number >= first) && last.is_none_or(|last| number <= last);
    let mut medians = lengths(windows);
    medians.retain(|(number, _)| is_asked(*number));
    let usual = to_f64(median(medians.iter().map(|(_, length)| *length)).unwrap_or(0));
    let mut numbers = &medians[..];
    while first.is_none() && numbers.len() > 3 && to_f64(numbers[0].1) > LONGER * usual {
        numbers = &numbers[1..];
    }
    numbers.iter().map(|(number, _)| *number).collect()
}

/// The common iterations that nearly all ranks have.
pub(super) fn common(windows: &[RankWindows]) -> Vec<i64> {
    lengths(windows).into_iter().map(|(number, _)| number).collect()
}

/// The common iterations that nearly all ranks have, in order, with their median lengths.
fn lengths(windows: &[RankWindows]) -> Vec<(i64, Ns)> {
    let mut lengths: BTreeMap<i64, Vec<Ns>> = BTreeMap::new();
    for (&number, window) in windows.iter().flat_map(|windows| &windows.of) {
        lengths.entry(number).or_default().push(window.length());
    }
    let is_common = |of: &Vec<Ns>| of_count(of.len()) >= 0.9 * of_count(windows.len());
    lengths.retain(|_, of| is_common(of));
    lengths.into_iter().map(|(number, of)| (number, median(of).unwrap_or(0))).collect()
}
