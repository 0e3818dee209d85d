//! Arcs of ends of calls: what a call takes of itself, the GPU work that it waits for, and the launch queue.

use super::gpu::{SIGNAL, part_below};
use super::graph::{ArcKind, Draft, Node};
use super::host::Place;
use super::nodes::Nodes;
use super::window::{LaunchedKind, Window};
use crate::base::ids::StrId;
use crate::base::time::Ns;
use crate::capture::names::ApiClass;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What a call that waits takes of itself, if it only waits.
pub(super) const OWN_OF_SYNC: Ns = 3_000;

/// Other calls that wait take no more of themselves.
const MOST_OWN: Ns = 20_000;

/// A wait ends so soon after its work, or after three quarters of the call.
const SOON_BEHIND: Ns = 200_000;

/// How many launches fit into the queue of a context, unless the capture shows its length.
const QUEUE_LENGTH: usize = 1_024;

/// Queues are not shorter.
const SHORTEST_QUEUE: usize = 200;

/// A wait for a device is a wait for so many of its streams at most: those whose work ends last.
const MOST_STREAMS: usize = 32;

/// The pieces of work in order of their ends.
struct Ends(Vec<(Ns, usize)>);

/// Adds the arcs of ends of calls.
pub(super) fn link(window: &Window, places: &[Place], draft: &mut Draft) {
    let nodes = Nodes::of(window);
    let mut durations: FxHashMap<Option<StrId>, Vec<Ns>> = FxHashMap::default();
    for call in &window.calls {
        durations.entry(call.name).or_default().push(call.span.length());
    }
    let part = |part| {
        move |(name, values): (&Option<StrId>, &Vec<Ns>)| {
            (*name, part_below(values.clone(), part).unwrap_or(0))
        }
    };
    let least: FxHashMap<Option<StrId>, Ns> = durations.iter().map(part(10)).collect();
    let mut usual: FxHashMap<Option<StrId>, Ns> = durations.iter().map(part(2)).collect();
    let queued = queued(window, &least, &mut usual);
    let mut ends: Vec<(Ns, usize)> =
        window.work.iter().enumerate().map(|(at, work)| (work.span.end, at)).collect();
    ends.sort_unstable();
    let ends = Ends(ends);
    for (at, (call, place)) in window.calls.iter().zip(places).enumerate() {
        let (node, own) = (Nodes::call_end(at), call.span.length());
        if let Some(child) = place.last_child {
            let inner = window.calls[child].span.end;
            let is_inside = inner <= call.span.end;
            if is_inside && draft.arc(node, ArcKind::Host, Nodes::call_end(child), call.span.end - inner) {
                continue;
            }
        }
        let waits = if place.last_child.is_none() { waits(window, &ends, at) } else { Waits::default() };
        let queue = queued.get(&at).filter(|_| place.last_child.is_none());
        let alone =
            if call.function.class == ApiClass::Sync { OWN_OF_SYNC } else { usual[&call.name].min(MOST_OWN) };
        let holds_up = !waits.work.is_empty() || waits.begun.is_some() || queue.is_some();
        draft.arc(node, ArcKind::Host, Nodes::call_start(at), if holds_up { own.min(alone) } else { own });
        let mut wait = |source: Node, lag: Ns| match waits.is_recorded {
            true => draft.arc(node, ArcKind::Wait, source, lag),
            false => draft.inferred(node, ArcKind::Wait, source, lag),
        };
        for &work in &waits.work {
            wait(nodes.work_end(work), SIGNAL);
        }
        if let Some(work) = waits.begun {
            wait(nodes.work_start(work), 0);
        }
        if let Some(&work) = queue {
            draft.arc(node, ArcKind::Queue, nodes.work_end(work), 0);
        }
    }
}

/// What a call waits for.
#[derive(Debug, Default)]
struct Waits {
    /// Work that has to end.
    work: Vec<usize>,
    /// Work that has to begin: a copy from pageable memory is under way.
    begun: Option<usize>,
    /// Whether the function says so, and not only the time at which it returns.
    is_recorded: bool,
}

fn waits(window: &Window, ends: &Ends, at: usize) -> Waits {
    let call = &window.calls[at];
    let of_process = window.streams.iter().filter(|stream| stream.process == call.process);
    let last_launched = of_process.filter_map(|stream| window.last_before(stream, call.span.start));
    let by_time = |work: Option<usize>| Waits { work: work.into_iter().collect(), ..Waits::default() };
    match call.function.class {
        ApiClass::Sync if call.function.is_stream_sync => {
            let end = |&work: &usize| (call.span.end - window.work[work].span.end).abs();
            let waited = last_launched
                .filter(|&work| is_waited_for(window, at, work))
                .min_by_key(|work| (end(work), *work));
            Waits { is_recorded: true, ..by_time(waited) }
        }
        ApiClass::Sync if call.function.is_event_sync => by_time(ends.ended_in(window, at)),
        ApiClass::Sync => {
            let mut work: Vec<usize> = last_launched.collect();
            work.sort_by_key(|&work| (std::cmp::Reverse(window.work[work].span.end), work));
            work.truncate(MOST_STREAMS);
            Waits { work, begun: None, is_recorded: true }
        }
        ApiClass::Copy => {
            let last = window.launched_by(at).next_back();
            let copy = last.map(|work| (work, window.work[work]));
            match copy {
                Some((work, copy)) if copy.kind == LaunchedKind::Copy && copy.span.end <= call.span.end => {
                    Waits { is_recorded: true, ..by_time(Some(work)) }
                }
                Some((work, copy)) if call.span.length() > MOST_OWN && copy.span.start <= call.span.end => {
                    Waits { begun: Some(work), ..Waits::default() }
                }
                _ => Waits::default(),
            }
        }
        ApiClass::Allocation if !call.function.is_async => by_time(drained(window, at, last_launched)),
        _ => Waits::default(),
    }
}

/// The work with whose end a device had done all that was launched before a call, if that explains the end of the call. `last` are the
/// last pieces of the streams. Calls that take memory or give it back wait for a whole device, if they wait.
fn drained(window: &Window, at: usize, last: impl Iterator<Item = usize>) -> Option<usize> {
    let mut of_devices: BTreeMap<usize, usize> = BTreeMap::new();
    let end = |work: usize| (window.work[work].span.end, work);
    for work in last {
        let latest = of_devices.entry(window.streams[window.work[work].stream].device).or_insert(work);
        if end(work) > end(*latest) {
            *latest = work;
        }
    }
    let waited = of_devices.into_values().filter(|&work| is_waited_for(window, at, work));
    waited.max_by_key(|&work| end(work))
}

/// Whether the end of work explains the end of a call that waits.
fn is_waited_for(window: &Window, at: usize, work: usize) -> bool {
    let (call, end) = (window.calls[at].span, window.work[work].span.end);
    let behind = call.end - end;
    end > call.start
        && behind > -super::graph::CLOCK_SKEW
        && (behind < SOON_BEHIND || 4 * behind < call.length())
}

impl Ends {
    /// The last work that was launched before a call and ended inside it, little before its end.
    fn ended_in(&self, window: &Window, at: usize) -> Option<usize> {
        let call = &window.calls[at];
        let behind = self.0.partition_point(|&(end, _)| end <= call.span.end);
        let inside = self.0[..behind].iter().rev().take_while(|(end, _)| *end > call.span.start);
        let is_own = |work: usize| {
            let launching = window.launching(work);
            launching.span.start < call.span.start && launching.process == call.process
        };
        let (_, work) = *inside.take(64).find(|&&(_, work)| is_own(work))?;
        is_waited_for(window, at, work).then_some(work)
    }
}

/// By launch call: the work whose end lets it into the queue.
fn queued(
    window: &Window,
    least: &FxHashMap<Option<StrId>, Ns>,
    usual: &mut FxHashMap<Option<StrId>, Ns>,
) -> FxHashMap<usize, usize> {
    let mut by_context: BTreeMap<(usize, usize, i64), Vec<usize>> = BTreeMap::new();
    for (at, work) in window.work.iter().enumerate() {
        let stream = &window.streams[work.stream];
        by_context.entry((stream.process, stream.device, stream.context)).or_default().push(at);
    }
    let mut queued = FxHashMap::default();
    for mut work in by_context.into_values() {
        work.sort_by_key(|&at| (window.work[at].call, at));
        let depths = depths(window, &work);
        let (length, blocked) = queue(window, &work, &depths, least, usual);
        for (place, &at) in work.iter().enumerate() {
            let call = window.work[at].call;
            let is_launch = window.calls[call].function.class == ApiClass::Launch;
            let is_first = window.launched_by(call).next() == Some(at);
            let back = if blocked[place] { depths[place] } else { length };
            if let Some(before) = place.checked_sub(back).filter(|_| is_launch && is_first && back > 0) {
                queued.insert(call, work[before]);
            }
        }
    }
    queued
}

/// By work, in order of launch: so many pieces were launched and had not ended when its call returned.
fn depths(window: &Window, work: &[usize]) -> Vec<usize> {
    let mut ends: Vec<Ns> = work.iter().map(|&at| window.work[at].span.end).collect();
    ends.sort_unstable();
    let ended = |at: usize| ends.partition_point(|&end| end <= window.launching(at).span.end);
    work.iter().enumerate().map(|(place, &at)| (place + 1).saturating_sub(ended(at))).collect()
}

/// The length of a queue, and which launches were blocked by it. Where some were, what launches usually take is what those take that
/// were not.
fn queue(
    window: &Window,
    work: &[usize],
    depths: &[usize],
    least: &FxHashMap<Option<StrId>, Ns>,
    usual: &mut FxHashMap<Option<StrId>, Ns>,
) -> (usize, Vec<bool>) {
    let launches = || {
        let calls = work.iter().zip(depths).map(move |(&at, &depth)| (window.launching(at), depth));
        calls.map(|(call, depth)| (call, depth, call.function.class == ApiClass::Launch))
    };
    let is_slow = |&(call, depth, is_launch): &(&super::window::HostCall, usize, bool)| {
        is_launch && call.span.length() > (5 * least[&call.name]).max(20_000) && depth > SHORTEST_QUEUE
    };
    let full: Vec<usize> = launches().filter(is_slow).map(|(_, depth, _)| depth).collect();
    let most = full.iter().copied().max().unwrap_or(0);
    if full.iter().filter(|&&depth| 10 * depth >= 9 * most).count() < 10 {
        return (QUEUE_LENGTH, vec![false; work.len()]);
    }
    let mut free: BTreeMap<Option<StrId>, Vec<Ns>> = BTreeMap::new();
    for (call, depth, _) in launches().filter(|&(_, _, is_launch)| is_launch) {
        let durations = free.entry(call.name).or_default();
        if 2 * depth < most {
            durations.push(call.span.length());
        }
    }
    for (name, durations) in free {
        let own = if durations.len() < 10 { least[&name] } else { part_below(durations, 2).unwrap_or(0) };
        usual.insert(name, own);
    }
    let is_blocked = |(call, depth, is_launch): (&super::window::HostCall, usize, bool)| {
        is_launch && 100 * depth >= 95 * most && call.span.length() > 2 * usual[&call.name] + SIGNAL
    };
    (most, launches().map(is_blocked).collect())
}
