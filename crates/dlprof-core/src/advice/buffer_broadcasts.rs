//! What broadcasts of buffers cost before each forward pass of PyTorch's `DistributedDataParallel`.
//!
//! ```text
//! thread     ├─ DistributedDataParallel.forward ─────────────────────────────────────┤
//!             ├ flatten ┤├ broadcast_ ┤├ unflatten ┤├ copy_ ┤├ copy_ ┤ ├ conv2d ┤ …
//! broadcasts  ██████████████████████████████████████████████████████
//! ```
//!
//! Unless it is told not to, the module sends the buffers of rank 0, such as the statistics of BatchNorm, to all ranks: it joins
//! them, broadcasts the whole, takes it apart, and copies each part back. All of it is many short calls of the host.

use super::scene::Scene;
use crate::base::ids::{ApiCallId, ThreadId, WorkId};
use crate::base::intervals::{difference, holds, union, union_length};
use crate::base::time::{Ns, Span, total};
use crate::read::facts::RangeText;
use std::cmp::Reverse;

/// What broadcasts of buffers cost in the iterations that findings are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BufferBroadcasts {
    /// Forward passes that begin with one.
    pub(super) passes: u64,
    /// Their time on the host.
    pub(super) host_ns: Ns,
    /// Idle time of the used GPUs in it.
    pub(super) idle_ns: Ns,
    /// GPU time of what they launch.
    pub(super) gpu_ns: Ns,
}

/// The forward pass.
const FORWARD: &str = "DistributedDataParallel.forward";

/// What a broadcast of buffers consists of.
const PARTS: [&str; 3] = ["aten::flatten_dense_tensors", "aten::unflatten_dense_tensors", "aten::copy_"];

/// What shows that something is sent.
const SENDING: [&str; 3] = ["c10d::broadcast_", "nccl:broadcast", "record_param_comms"];

/// Those of the iterations; `None` where there are none.
pub(super) fn buffer_broadcasts(scene: &Scene<'_>) -> Option<BufferBroadcasts> {
    let activity = scene.facts().activity();
    let is_forward = |says: &RangeText| scene.profile.capture.strings.get(says.text) == FORWARD;
    if !activity.ranges.texts.iter().any(is_forward) {
        return None;
    }
    let mut found = BufferBroadcasts { passes: 0, host_ns: 0, idle_ns: 0, gpu_ns: 0 };
    for (thread, ranges) in activity.ranges.by_thread.iter().enumerate() {
        let text = |row: usize| {
            scene.profile.capture.strings.get(activity.ranges.texts[ranges.text[..][row].index()].text)
        };
        let mut rows: Vec<(Span, usize)> = ranges.span.iter().copied().zip(0..).collect();
        rows.sort_unstable_by_key(|&(span, row)| (span.start, Reverse(span.end), row));
        let of_thread: Vec<Span> = rows
            .iter()
            .enumerate()
            .filter(|(_, (_, row))| text(*row) == FORWARD)
            .filter_map(|(at, (forward, _))| broadcast_of(*forward, &rows[at + 1..], &text))
            // On the clock of the GPU an iteration begins with its first work, which may lie inside the broadcast.
            .filter(|span| span.start < scene.span.end && span.end > scene.span.start)
            .collect();
        let in_time: Vec<Span> = of_thread.iter().map(|span| span.clip(scene.span)).collect();
        found.passes += of_thread.len() as u64;
        found.host_ns += total(of_thread.iter().map(|span| span.length()));
        found.idle_ns += idle_in(scene, &in_time);
        found.gpu_ns += launched_in(scene, ThreadId::new(thread), &union(of_thread));
    }
    (found.passes > 0).then_some(found)
}

/// The broadcast that a forward pass begins with, of the ranges after the pass in order of start.
fn broadcast_of<'a>(
    forward: Span,
    behind: &[(Span, usize)],
    text: &impl Fn(usize) -> &'a str,
) -> Option<Span> {
    let mut all: Option<Span> = None;
    let (mut sends, mut takes_apart) = (false, false);
    for &(span, row) in behind.iter().take_while(|(span, _)| span.start < forward.end) {
        let name = text(row);
        let is_sending = SENDING.contains(&name);
        sends |= is_sending;
        // What a part calls inside is no part of its own.
        if all.is_some_and(|all| span.end <= all.end) {
            continue;
        }
        if !is_sending && !PARTS.contains(&name) {
            break;
        }
        takes_apart |= name == PARTS[1];
        all = Some(Span::new(all.map_or(span.start, |all| all.start), span.end));
    }
    all.filter(|_| sends && takes_apart).map(|all| all.clip(forward))
}

/// Time of some spans in which used GPUs idle, summed up over them.
fn idle_in(scene: &Scene<'_>, spans: &[Span]) -> Ns {
    let activity = scene.facts().activity();
    let whole = Span::new(
        spans.iter().map(|span| span.start).min().unwrap_or(0),
        spans.iter().map(|span| span.end).max().unwrap_or(0),
    );
    let idle = |device| {
        let items = activity.open_in(0..activity.work.len(), whole.end, whole.start);
        let busy = items.filter(|&item| activity.work.device[item] == device);
        let busy = union(busy.map(|item| activity.work.span[item]).collect());
        union_length(difference(&union(spans.to_vec()), busy.into_iter()))
    };
    total(scene.used_devices().map(idle))
}

/// GPU time of what a thread launches in some spans, which are disjoint and in order.
fn launched_in(scene: &Scene<'_>, thread: ThreadId, spans: &[Span]) -> Ns {
    let activity = scene.facts().activity();
    let is_in = |call: ApiCallId| {
        let start = activity.api_calls.span[call].start;
        activity.api_calls.thread[call] == thread && holds(spans, start)
    };
    let items = (0..activity.work.len()).map(WorkId::new);
    let of_calls = items.filter(|&work| activity.launches.api[work].some().is_some_and(is_in));
    total(of_calls.map(|work| activity.work.span[work].length()))
}
