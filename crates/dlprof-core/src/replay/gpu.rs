//! Arcs of GPU work: from the call that launched it, from the work before it on its stream, from other streams, and between GPUs.

use super::graph::{ArcKind, Draft, ORIGIN, Usual};
use super::host::Place;
use super::nodes::Nodes;
use super::peers::Peers;
use super::window::{Launched, LaunchedKind, Window, WindowStream};
use crate::base::time::Ns;
use crate::capture::names::ApiClass;
use std::collections::{BTreeMap, BinaryHeap};

/// What GPUs and launches of a capture usually take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// From the start of a launch to its work, on an idle stream.
    pub(super) latency: Usual,
    /// From the end of a kernel to the next one on the stream.
    pub(super) turnaround: Usual,
    /// The same from and to copies and memsets.
    copy_turnaround: Ns,
    /// Calls that launch and take longer are slow.
    slow_launch: Ns,
}

/// Latency that is assumed where there are too few samples.
pub(super) const ASSUMED_LATENCY: Ns = 5_000;

/// Longer times from a launch to its work are no latency.
const LONGEST_LATENCY: Ns = 50_000;

/// Turnaround that is assumed where there are too few samples.
const ASSUMED_TURNAROUND: Ns = 1_000;

/// From the end of work to what another stream, or a host, does after it.
pub(super) const SIGNAL: Ns = 2_000;

/// Work that starts so much later than it could waits for something else.
const HELD_UP: Ns = 20_000;

/// Work that starts so soon after work of another stream waited for it.
const SOON: Ns = 5_000;

/// The value below which a tenth, or another part, of some values is.
pub(super) fn part_below(mut values: Vec<Ns>, part: usize) -> Option<Ns> {
    values.sort_unstable();
    values.get(values.len() / part).copied()
}

/// The work before each piece on its stream.
pub(super) fn previous(window: &Window) -> Vec<Option<usize>> {
    let mut previous = vec![None; window.work.len()];
    for stream in &window.streams {
        for pair in stream.work.windows(2) {
            previous[pair[1] as usize] = Some(pair[0] as usize);
        }
    }
    previous
}

impl Pace {
    pub(super) fn of(window: &Window, previous: &[Option<usize>]) -> Self {
        let is_idle = |at: usize, behind: Option<usize>| {
            behind.is_none_or(|before| window.work[before].span.end < window.launching(at).span.start)
        };
        let idle = previous.iter().enumerate().filter(|&(at, &before)| is_idle(at, before));
        let delays = idle.map(|(at, _)| window.work[at].span.start - window.launching(at).span.start);
        let delays: Vec<Ns> = delays.filter(|delay| (1..LONGEST_LATENCY).contains(delay)).collect();
        let latency = if delays.len() < 5 { None } else { part_below(delays.clone(), 10) };
        let least = latency.unwrap_or(ASSUMED_LATENCY);
        let common = delays.into_iter().filter(|&delay| latency.is_some() && delay < 20 * least).collect();
        let latency = Usual { least, typical: part_below(common, 2).unwrap_or(least) };
        let (kernels, copies) = turnarounds(window, previous, least);
        let least = if kernels.len() < 20 { None } else { part_below(kernels.clone(), 10) };
        let turn = least.unwrap_or(ASSUMED_TURNAROUND);
        let typical =
            least.and_then(|_| part_below(kernels, 2)).map_or(turn, |typical| typical.min(3 * turn));
        let of_copies = if copies.len() < 20 { None } else { part_below(copies, 10) };
        let launches = window.calls.iter().enumerate().filter(|&(at, _)| !window.work_of.get(at).is_empty());
        let median =
            part_below(launches.map(|(_, call)| call.span.length()).collect(), 2).unwrap_or(ASSUMED_LATENCY);
        Self {
            latency,
            turnaround: Usual { least: turn, typical },
            copy_turnaround: of_copies.unwrap_or(2 * turn),
            slow_launch: (3 * median).max(30_000),
        }
    }
}

/// From the end of work to the next on a stream where that was launched long before: kernels after kernels, and all others.
fn turnarounds(window: &Window, previous: &[Option<usize>], latency: Ns) -> (Vec<Ns>, Vec<Ns>) {
    let (mut kernels, mut copies) = (Vec::new(), Vec::new());
    for (at, before) in previous.iter().enumerate().filter_map(|(at, before)| Some((at, (*before)?))) {
        let (work, end) = (window.work[at], window.work[before].span.end);
        let launched = window.launching(at).span.start;
        if end > launched + (3 * latency).max(20_000) && work.span.start >= end {
            let list = if follows(window, at, before) { &mut kernels } else { &mut copies };
            list.push(work.span.start - end);
        }
    }
    (kernels, copies)
}

/// Whether a kernel follows a kernel.
fn follows(window: &Window, at: usize, before: usize) -> bool {
    let is_kernel = |at: usize| matches!(window.work[at].kind, LaunchedKind::Kernel | LaunchedKind::Exchange);
    is_kernel(at) && is_kernel(before)
}

/// Adds the arcs of starts of GPU work from its launch and its stream. Gives by piece when these let it start.
pub(super) fn link_starts(
    window: &Window,
    places: &[Place],
    previous: &[Option<usize>],
    pace: &Pace,
    draft: &mut Draft,
) -> Vec<Ns> {
    let nodes = Nodes::of(window);
    let in_graph = graph_predecessors(window);
    // By work: when what it waits for lets it start.
    let mut may_start = vec![Ns::MIN; window.work.len()];
    for (at, work) in window.work.iter().enumerate() {
        let (node, call) = (nodes.work_start(at), &window.calls[work.call]);
        let mut may =
            |source: Ns, usual: Usual| may_start[at] = may_start[at].max(source.saturating_add(usual.least));
        if let Some((source, is_same_stream)) = in_graph[at] {
            let source =
                source.map_or(nodes.work_start(first_of(window, work)), |before| nodes.work_end(before));
            may(draft.time(source), pace.turnaround);
            match is_same_stream {
                true => draft.arc(node, ArcKind::Graph, source, pace.turnaround),
                false => draft.inferred(node, ArcKind::Graph, source, pace.turnaround),
            };
        } else {
            let is_nested = places[work.call].is_inside || places[work.call].last_child.is_some();
            let is_behind = work.span.start >= call.span.end && !is_nested;
            let (source, usual) = match call.span.length() > pace.slow_launch && is_behind {
                true => (
                    Nodes::call_end(work.call),
                    pace.latency.least.min(work.span.start - call.span.end).into(),
                ),
                false => (Nodes::call_start(work.call), pace.latency),
            };
            may(draft.time(source), usual);
            draft.arc(node, ArcKind::Launch, source, usual);
        }
        if let Some(before) = previous[at] {
            let ahead = window.work[before].span;
            let (source, usual) = match ahead.end <= work.span.start {
                true if follows(window, at, before) => (nodes.work_end(before), pace.turnaround),
                true => (nodes.work_end(before), pace.copy_turnaround.into()),
                false => (nodes.work_start(before), (work.span.start - ahead.start).into()),
            };
            may(draft.time(source), usual);
            draft.arc(node, ArcKind::Stream, source, usual);
        } else if let Some(end) = window.streams[work.stream].carried_until.filter(|&end| end > window.start)
        {
            draft.arc(node, ArcKind::Stream, ORIGIN, end + pace.turnaround.least - window.start);
        }
    }
    may_start
}

/// Adds the arcs of ends of GPU work.
pub(super) fn link_ends(window: &Window, peers: &Peers, draft: &mut Draft) {
    let nodes = Nodes::of(window);
    for (at, work) in window.work.iter().enumerate() {
        if !peers.contains_key(&at) {
            draft.arc(nodes.work_end(at), ArcKind::Duration, nodes.work_start(at), work.span.length());
        }
    }
    for (&at, group) in peers {
        let begun = group.iter().map(|&peer| window.work[peer].span.start).max().unwrap_or(0);
        for &peer in group {
            let span = window.work[at].span;
            let rest = if peer == at { (span.end - begun).min(span.length()) } else { span.end - begun };
            draft.arc(nodes.work_end(at), ArcKind::Peer, nodes.work_start(peer), rest);
        }
    }
}

fn first_of(window: &Window, work: &Launched) -> usize {
    window.launched_by(work.call).next().unwrap_or(0)
}

/// By work: of kernels after the first one of a launch, the work of the same launch that ended last before, if one did, and whether
/// it is on the same stream.
fn graph_predecessors(window: &Window) -> Vec<Option<(Option<usize>, bool)>> {
    let mut found = vec![None; window.work.len()];
    for call in (0..window.calls.len()).filter(|&call| window.work_of.get(call).len() > 1) {
        let mut running: BinaryHeap<std::cmp::Reverse<(Ns, usize)>> = BinaryHeap::new();
        let mut ended: Option<usize> = None;
        for (place, at) in window.launched_by(call).enumerate() {
            let work = &window.work[at];
            while let Some(&std::cmp::Reverse((end, before))) = running.peek()
                && end <= work.span.start
            {
                ended = Some(before);
                running.pop();
            }
            if place > 0 && !matches!(work.kind, LaunchedKind::Copy | LaunchedKind::Memset) {
                let is_same = ended.is_some_and(|before| window.work[before].stream == work.stream);
                found[at] = Some((ended, is_same));
            }
            running.push(std::cmp::Reverse((work.span.end, at)));
        }
    }
    found
}

/// Adds the arcs of work that waits for other streams: the next launch after a call that orders streams, and work that starts right after work of
/// another stream though nothing else holds it up.
pub(super) fn link_streams(window: &Window, mut may_start: Vec<Ns>, draft: &mut Draft) {
    let nodes = Nodes::of(window);
    for (at, source) in ordered_launches(window) {
        if draft.inferred(nodes.work_start(at), ArcKind::Cross, nodes.work_end(source), SIGNAL) {
            may_start[at] = may_start[at].max(window.work[source].span.end.saturating_add(SIGNAL));
        }
    }
    let mut ends: Vec<(Ns, usize)> =
        window.work.iter().enumerate().map(|(at, work)| (work.span.end, at)).collect();
    ends.sort_unstable();
    for (at, work) in window.work.iter().enumerate() {
        let may = may_start[at].max(0);
        let Some(last) = ends.partition_point(|&(end, _)| end <= work.span.start).checked_sub(1) else {
            continue;
        };
        let (end, other) = ends[last];
        let (own, others) = (&window.streams[work.stream], &window.streams[window.work[other].stream]);
        let is_other = work.stream != window.work[other].stream && own.is_beside(others);
        if is_other && work.span.start - may >= HELD_UP && work.span.start - end < SOON && end > may {
            draft.inferred(nodes.work_start(at), ArcKind::Cross, nodes.work_end(other), SIGNAL);
        }
    }
}

impl WindowStream {
    /// Whether both are of one process and one GPU.
    fn is_beside(&self, other: &Self) -> bool {
        (self.process, self.device) == (other.process, other.device)
    }
}

/// Work of the first launch of a thread after a call that makes a stream wait, and the last work launched before that call on
/// another stream.
fn ordered_launches(window: &Window) -> Vec<(usize, usize)> {
    let mut waiting: BTreeMap<usize, Ns> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, call) in window.calls.iter().enumerate() {
        let launched = window.launched_by(at).next();
        match (launched, call.function.is_ordering && !call.function.waits_for_others) {
            (None, true) => {
                waiting.insert(call.thread, call.span.start);
            }
            (Some(work), _) if call.function.class != ApiClass::Api => {
                let Some(since) = waiting.remove(&call.thread) else { continue };
                let own = &window.streams[window.work[work].stream];
                let others = window.streams.iter().enumerate();
                let others = others
                    .filter(|&(place, other)| place != window.work[work].stream && own.is_beside(other));
                let last = others.filter_map(|(_, other)| window.last_before(other, since));
                found.extend(
                    last.max_by_key(|&source| (window.work[source].call, source))
                        .map(|source| (work, source)),
                );
            }
            _ => {}
        }
    }
    found
}
