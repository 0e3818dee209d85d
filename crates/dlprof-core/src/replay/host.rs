//! Arcs of the host: from call to call of a thread, from thread to thread, and from outside.
//!
//! ```text
//! thread 1   ├call├── gap ──├call ├child┤┤
//! thread 2                       ├call├╲
//! thread 1                     waits ────├call┤   handed over
//! ```

use super::graph::{ArcKind, Draft, Node, ORIGIN};
use super::nodes::Nodes;
use super::window::Window;
use crate::base::intervals::{covered_ns, holds};
use crate::base::time::{Ns, Span};

/// Where a call is among those of its thread.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// What the thread did before: the end of the call before, or the start of the call around.
    before: Node,
    /// From there to the start of the call.
    pub(super) gap: Ns,
    /// Whether it is inside another call.
    pub(super) is_inside: bool,
    /// The last call inside it.
    pub(super) last_child: Option<usize>,
}

/// Why a call starts when it does.
#[derive(Debug, Clone, Copy)]
enum Start {
    /// Its thread came to it.
    Reached,
    /// Another thread ended a call.
    HandedOver { by: usize, is_seen: bool },
    /// The thread waited so long for something outside.
    Arrived { waited: Ns },
}

/// Shorter gaps are no hand-over.
const SHORTEST_HAND_OVER: Ns = 50_000;

/// A wait for something outside takes so long, or this part of an iteration: shorter ones are those of a scheduler.
const SHORTEST_ARRIVAL: Ns = 1_000_000;
const PART_OF_ITERATION: Ns = 20;

/// By call: its place.
pub(super) fn places(window: &Window) -> Vec<Place> {
    let threads = window.os_waits.len();
    let mut open: Vec<Vec<usize>> = vec![Vec::new(); threads];
    let mut last: Vec<Option<usize>> = vec![None; threads];
    let mut places: Vec<Place> = Vec::with_capacity(window.calls.len());
    for (at, call) in window.calls.iter().enumerate() {
        let open = &mut open[call.thread];
        while open.pop_if(|around| window.calls[*around].span.end <= call.span.start).is_some() {}
        let (is_inside, before) = match open.last() {
            Some(&around) => {
                let child = places[around].last_child.replace(at);
                (true, child.map_or(Nodes::call_start(around), Nodes::call_end))
            }
            None => (false, last[call.thread].replace(at).map_or(ORIGIN, Nodes::call_end)),
        };
        places.push(Place { before, gap: 0, is_inside, last_child: None });
        open.push(at);
    }
    places
}

/// Adds the arcs of starts of calls, before some of which their threads may have waited for GPU work. Gives the number of arrivals.
pub(super) fn link(window: &Window, places: &mut [Place], may_wait: &[bool], draft: &mut Draft) -> usize {
    for (at, place) in places.iter_mut().enumerate() {
        place.gap = window.calls[at].span.start - draft.time(place.before);
    }
    let starts = starts(window, places, may_wait);
    let arrivals = starts.iter().filter(|start| matches!(start, Start::Arrived { .. })).count();
    let is_input = !window.steps.is_empty() && arrivals >= (window.steps.len() / 2).max(3);
    for (at, (&place, &start)) in places.iter().zip(&starts).enumerate() {
        let (node, begins) = (Nodes::call_start(at), window.calls[at].span.start);
        match start {
            Start::HandedOver { by, is_seen } => {
                draft.arc(node, ArcKind::Gap, place.before, 0);
                let (source, lag) = (Nodes::call_end(by), begins - window.calls[by].span.end);
                match is_seen {
                    true => draft.arc(node, ArcKind::HandOver, source, lag),
                    false => draft.inferred(node, ArcKind::HandOver, source, lag),
                };
            }
            Start::Arrived { waited } if is_input => {
                draft.arc(node, ArcKind::Gap, place.before, place.gap - waited);
                draft.arc(node, ArcKind::Arrival, ORIGIN, begins - window.start);
            }
            Start::Reached if may_wait[at] => {
                draft.inferred(node, ArcKind::Gap, place.before, place.gap);
            }
            Start::Reached | Start::Arrived { .. } => {
                draft.arc(node, ArcKind::Gap, place.before, place.gap);
            }
        }
    }
    if is_input { arrivals } else { 0 }
}

fn starts(window: &Window, places: &[Place], may_wait: &[bool]) -> Vec<Start> {
    let processes = window.calls.iter().map(|call| call.process + 1).max().unwrap_or(0);
    let mut ends: Vec<Vec<(Ns, usize)>> = vec![Vec::new(); processes];
    for (at, call) in window.calls.iter().enumerate().filter(|&(at, _)| !places[at].is_inside) {
        ends[call.process].push((call.span.end, at));
    }
    ends.iter_mut().for_each(|ends| ends.sort_unstable());
    let why = |(at, place): (usize, &Place)| {
        if place.is_inside || place.gap < SHORTEST_HAND_OVER {
            return Start::Reached;
        }
        match start(window, at, place.gap, &ends[window.calls[at].process]) {
            seen @ Start::HandedOver { is_seen: true, .. } => seen,
            _ if may_wait[at] => Start::Reached,
            other => other,
        }
    };
    places.iter().enumerate().map(why).collect()
}

/// Why a call starts after a long gap. `ends` are those of the calls of its process, in order.
fn start(window: &Window, at: usize, gap: Ns, ends: &[(Ns, usize)]) -> Start {
    let call = &window.calls[at];
    let pause = Span::new(call.span.start - gap, call.span.start);
    let waits = &window.os_waits[call.thread];
    let behind = ends.partition_point(|&end| end <= (call.span.start, at));
    let mut others = ends[..behind].iter().rev().take_while(|(end, _)| *end > pause.start);
    let other = others.find(|&&(_, other)| window.calls[other].thread != call.thread);
    if let Some(&(end, by)) = other
        && window.calls[by].span.start > pause.start
        && 2 * (call.span.start - end) < gap
    {
        return Start::HandedOver { by, is_seen: holds(waits, end) };
    }
    let waited = covered_ns(waits, pause);
    match waited >= shortest_arrival(window) {
        true => Start::Arrived { waited },
        false => Start::Reached,
    }
}

/// How long a thread waits at least for something outside, in iterations of the mean length.
fn shortest_arrival(window: &Window) -> Ns {
    let part = window.mean_ns.map_or(SHORTEST_ARRIVAL, |mean| mean / PART_OF_ITERATION);
    part.clamp(SHORTEST_HAND_OVER, SHORTEST_ARRIVAL)
}
