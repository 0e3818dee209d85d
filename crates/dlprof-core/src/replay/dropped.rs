//! Work and calls that are not there, or take no time.

use super::gpu::ASSUMED_LATENCY;
use super::graph::{ArcKind, Change};
use super::model::Model;
use super::nodes::Nodes;
use crate::base::ratios::{rounded, to_f64};
use crate::base::time::Ns;
use crate::capture::names::ApiClass;
use std::collections::BTreeMap;

/// A length that is so many times as long.
pub(super) fn scaled(lag: Ns, times: f64) -> Ns {
    rounded(to_f64(lag) * times)
}

/// Work that takes no time needs no time between it and the next either.
pub(super) fn no_turnaround(model: &Model, change: &mut Change<'_>, at: usize) {
    let node = Nodes::of(&model.window).work_start(at);
    [ArcKind::Stream, ArcKind::Graph, ArcKind::Cross]
        .into_iter()
        .for_each(|kind| change.set(node, kind, |lag| lag.min(0)));
}

/// A call takes so many times as long, and so does what of the way to its work lies in it.
pub(super) fn scale_call(model: &Model, change: &mut Change<'_>, call: usize, times: f64) {
    change.set(Nodes::call_end(call), ArcKind::Host, |lag| scaled(lag, times));
    // Where all calls are slow, the usual time from a call to its work is that of calls as well.
    let (nodes, least) = (Nodes::of(&model.window), model.pace.latency.least.min(ASSUMED_LATENCY));
    let made = model.window.calls[call].span;
    for at in model.window.launched_by(call) {
        let inside = (model.window.work[at].span.start.min(made.end) - made.start).max(0);
        let shorter = scaled(inside, 1.0 - times);
        let launched = |lag: Ns| (lag - shorter).max(lag.min(least));
        change.set_from(nodes.work_start(at), ArcKind::Launch, Nodes::call_start(call), launched);
    }
}

/// Work takes so many times as long: what follows it on its stream and begins a little before it ends begins so much earlier.
pub(super) fn scale_what_overlaps(model: &Model, change: &mut Change<'_>, meant: &[usize], times: f64) {
    let nodes = Nodes::of(&model.window);
    for (next, before) in model.previous.iter().enumerate() {
        let Some(before) = before.filter(|before| meant.binary_search(before).is_ok()) else { continue };
        let (node, source) = (nodes.work_start(next), nodes.work_start(before));
        change.set_from(node, ArcKind::Stream, source, |lag| scaled(lag, times));
    }
}

/// Longer gaps in front of a launch, and of a copy, hold work of the host that does not go with it.
const GAP_OF_LAUNCH: Ns = 200_000;
const GAP_OF_COPY: Ns = 20_000;

/// Work is not launched, and takes no time.
pub(super) fn drop_work(model: &Model, change: &mut Change<'_>, dropped: &[usize]) {
    let nodes = Nodes::of(&model.window);
    for &at in dropped {
        for kind in [ArcKind::Duration, ArcKind::Peer] {
            change.set(nodes.work_end(at), kind, |_| 0);
        }
    }
    drop_launches(model, change, dropped);
}

/// Nothing launches work, which needs no time between it and the work before; calls that launch nothing else are not made.
pub(super) fn drop_launches(model: &Model, change: &mut Change<'_>, dropped: &[usize]) {
    let nodes = Nodes::of(&model.window);
    let mut of_call: BTreeMap<usize, usize> = BTreeMap::new();
    for &at in dropped {
        no_turnaround(model, change, at);
        match model.previous[at] {
            Some(_) => change.remove(nodes.work_start(at), ArcKind::Launch),
            None => change.set(nodes.work_start(at), ArcKind::Launch, |lag| lag.min(0)),
        }
        *of_call.entry(model.window.work[at].call).or_default() += 1;
    }
    for (call, count) in of_call {
        if model.window.work_of.get(call).len() == count {
            drop_call(change, call);
            let is_copy = model.window.calls[call].function.class == ApiClass::Copy;
            if model.places[call].gap < if is_copy { GAP_OF_COPY } else { GAP_OF_LAUNCH } {
                change.set(Nodes::call_start(call), ArcKind::Gap, |_| 0);
            }
        }
    }
}

/// A call takes no time and waits for nothing.
pub(super) fn drop_call(change: &mut Change<'_>, call: usize) {
    let end = Nodes::call_end(call);
    change.set(end, ArcKind::Host, |_| 0);
    change.remove(end, ArcKind::Wait);
    change.remove(end, ArcKind::Queue);
}
