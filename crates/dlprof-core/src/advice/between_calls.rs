//! Between which calls the host is while GPUs idle.

use super::scene::Scene;
use crate::base::ids::{StrId, ThreadId};
use crate::base::time::Ns;
use crate::capture::classified::Cause;
use crate::capture::names::without_version;
use crate::figures::activity::{LONG_GAP_NS, LongGap};
use std::cmp::Reverse;

/// Of some gaps, those in which the host is longest between the same two API calls as in another gap.
pub(super) fn alike<'g>(scene: &Scene<'_>, gaps: &[&'g LongGap], other: &LongGap) -> Vec<&'g LongGap> {
    let around = longest_between(scene, other);
    gaps.iter().copied().filter(|gap| around.is_some() && longest_between(scene, gap) == around).collect()
}

/// The two API calls that follow each other between which the host is longest in a gap, and their thread.
fn longest_between(scene: &Scene<'_>, gap: &LongGap) -> Option<(ThreadId, [StrId; 2])> {
    let facts = scene.facts();
    let calls = &facts.activity().api_calls;
    let launch = facts.call_of(gap.ended_by.index())?;
    let thread = launch.thread.some()?;
    let rows = facts.calls_by_thread().get(thread.index());
    let span = |row: u32| calls.span[row as usize];
    let first = rows.partition_point(|&row| span(row).start < gap.span.start).saturating_sub(1);
    let until = rows.partition_point(|&row| span(row).start <= launch.span.start);
    let pairs = rows.get(first..until)?.windows(2);
    let longest = pairs.max_by_key(|pair| span(pair[1]).start - span(pair[0]).end)?;
    Some((thread, [longest[0], longest[1]].map(|row| calls.name[row as usize])))
}

/// The two API calls between which the host is in nine tenths or more of the idle time of a cause.
pub(super) fn calls_around_most(scene: &Scene<'_>, cause: Cause) -> Option<[String; 2]> {
    let all_ns = scene.idle(&[cause]);
    let length = |gap: &&LongGap| gap.span.clip(scene.span).length();
    let gaps = scene.figures().gpus.gaps.starting_in(scene.span, LONG_GAP_NS);
    let mut gaps: Vec<&LongGap> = gaps.iter().filter(|gap| gap.cause == cause).collect();
    gaps.sort_by_key(|gap| Reverse(length(gap)));
    let mut sum: Ns = 0;
    let before_most = |gap: &&LongGap| {
        let is_wanted = 10 * sum < 9 * all_ns;
        sum += length(gap);
        is_wanted
    };
    let most: Vec<&LongGap> = gaps.into_iter().take_while(before_most).collect();
    let most_ns: Ns = most.iter().map(length).sum();
    (most.len() > 1 && 10 * most_ns >= 9 * all_ns).then(|| calls_around(scene, &most)).flatten()
}

/// The two API calls between which the host is in each of some gaps, if they are the same each time and seldom follow each other.
pub(super) fn calls_around(scene: &Scene<'_>, gaps: &[&LongGap]) -> Option<[String; 2]> {
    /// Calls that follow each other so often per iteration say where in a step they are.
    const MOST_PER_ITERATION: usize = 2;
    let facts = scene.facts();
    let calls = &facts.activity().api_calls;
    let (thread, names) = longest_between(scene, gaps.first()?)?;
    if gaps.iter().any(|gap| longest_between(scene, gap) != Some((thread, names))) {
        return None;
    }
    let inside = scene.call_span();
    let rows = facts.calls_by_thread().get(thread.index());
    let is_pair = |pair: &&[u32]| {
        (inside.start..inside.end).contains(&calls.span[pair[0] as usize].start)
            && [pair[0], pair[1]].map(|row| calls.name[row as usize]) == names
    };
    let most = MOST_PER_ITERATION * scene.passes as usize;
    let is_seldom = rows.windows(2).filter(is_pair).take(most + 1).count() <= most;
    let strings = &scene.profile.capture.strings;
    is_seldom.then(|| names.map(|name| without_version(strings.get(name)).to_owned()))
}
