//! What processes that exchange messages do beside each other: who sends while others wait, and whose kernels take longer.
//!
//! ```text
//! rank 0   ├ Send to 1 ┤├ Send to 2 ┤├ Send to 3 ┤     one message after the other
//! rank 1   ├ Recv ─────┤
//! rank 2   ├ Recv ──────────────────┤                  waits for its turn
//! rank 3   ├ Recv ───────────────────────────────┤
//! ```

use super::scene::Scene;
use crate::base::ids::{ProcessId, StrId, ThreadId};
use crate::base::intervals::{covered_ns, union};
use crate::base::ratios::percent;
use crate::base::time::{Ns, Span, total};
use std::collections::{BTreeMap, BTreeSet};

/// Functions that wait for messages.
const RECEIVE: [&str; 7] =
    ["MPI_Recv", "MPI_Mrecv", "MPI_Probe", "MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome"];

/// Functions that return when the message is on its way or has arrived.
const SEND: [&str; 4] = ["MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend"];

/// The process that sends for the longest time.
pub(super) struct Sender {
    /// Its number.
    pub(super) pid: i64,
    /// The function that sends.
    pub(super) function: String,
    /// The share of the time that it is in this function, without CUDA calls inside.
    pub(super) percent: f64,
    /// Whether it sends to several processes one message after the other: it sends twice per iteration or more, and several other
    /// processes receive.
    pub(super) in_turn: bool,
}

impl Scene<'_> {
    /// Of a call that waits for messages: the process that is longest in a call that sends, if that takes a fifth of the time.
    pub(super) fn sender(&self, function: &str) -> Option<Sender> {
        if !RECEIVE.contains(&function) {
            return None;
        }
        let capture = &self.profile.capture;
        let mpi = &self.facts().activity().host.mpi;
        let mut sending: BTreeMap<(ThreadId, StrId), Vec<Span>> = BTreeMap::new();
        let mut receivers: BTreeSet<ProcessId> = BTreeSet::new();
        for ((span, &name), &thread) in mpi.span.iter().zip(&mpi.name).zip(&mpi.thread) {
            let inside = span.clip(self.span);
            if thread.is_none() || inside.length() == 0 {
                continue;
            }
            let name_text = capture.strings.get(name);
            let Some(thread) = thread.some() else { continue };
            if SEND.contains(&name_text) {
                sending.entry((thread, name)).or_default().push(inside);
            } else if RECEIVE.contains(&name_text) {
                receivers.insert(capture.process_of(thread));
            }
        }
        let length = |spans: &[Span]| total(spans.iter().map(|span| span.length()));
        let ((thread, name), spans) = sending.into_iter().rev().max_by_key(|(_, spans)| length(spans))?;
        let process = capture.process_of(thread);
        receivers.remove(&process);
        let ns = length(&spans) - self.cuda_calls_within_ns(thread, &spans);
        let share = percent(ns, self.span.length());
        (share >= 20.0).then(|| Sender {
            pid: capture.processes[process.index()].pid(),
            function: capture.strings.get(name).to_owned(),
            percent: share,
            in_turn: self.per_iteration(spans.len() as u64) >= 2.0 && receivers.len() >= 2,
        })
    }

    /// How much of some spans of a thread its CUDA calls cover.
    fn cuda_calls_within_ns(&self, thread: ThreadId, spans: &[Span]) -> Ns {
        let activity = self.facts().activity();
        let calls = activity.counted_calls().filter(|&(call, _)| activity.api_calls.thread[call] == thread);
        let calls = union(calls.map(|(_, span)| span).collect());
        total(spans.iter().map(|&span| covered_ns(&calls, span)))
    }

    /// Whether the kernels of all processes that exchange messages take about as long, none a quarter longer than another's;
    /// `None` where fewer than two are in the capture.
    pub(super) fn ranks_are_even(&self) -> Option<bool> {
        let (facts, capture) = (self.facts(), &self.profile.capture);
        let activity = facts.activity();
        let threads = activity.host.mpi.thread.iter().filter_map(|thread| thread.some());
        let ranks: BTreeSet<ProcessId> = threads.map(|thread| capture.process_of(thread)).collect();
        let mut times: BTreeMap<ProcessId, Ns> = ranks.into_iter().map(|rank| (rank, 0)).collect();
        for kernel in activity.starting_in(0..activity.kernels.len(), self.span) {
            let process = facts.call_of(kernel).and_then(|call| facts.process(call.thread));
            if let Some(sum) = process.and_then(|process| times.get_mut(&process))
                && !facts.is_communication(kernel)
            {
                *sum = sum.saturating_add(activity.work.span[kernel].length());
            }
        }
        let (least, most) = (times.values().min()?, times.values().max()?);
        (times.len() > 1).then(|| most.saturating_mul(4) <= least.saturating_mul(5))
    }
}
