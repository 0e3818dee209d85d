//! What rules say of idle time by name: ranges of the host, calls that exchange data, calls of the operating system, functions.

use super::scene::Scene;
use crate::base::ids::{StrId, ThreadId};
use crate::base::ratios::percent;
use crate::base::time::{Ns, Span, total};
use crate::capture::classified::Cause;
use crate::capture::names::{OsCallKind, is_communication_domain, is_communicator_setup, is_one_time};
use crate::figures::activity::{CopyKind, IdleThread, LONG_GAP_NS, LongGap, StepClass};
use crate::read::facts::RangeText;
use std::collections::BTreeMap;

/// Calls of the host that exchange data.
pub(super) struct Exchange {
    /// Their library.
    pub(super) library: String,
    /// The function with most time in the iterations.
    pub(super) function: String,
    /// How many calls there are in the iterations.
    pub(super) calls: u64,
}

impl Scene<'_> {
    /// The cause with most idle time of the class `other`, whether or not there is any.
    pub(super) fn largest_other(&self) -> Option<Cause> {
        StepClass::Other.causes().rev().max_by_key(|&cause| self.idle(&[cause]))
    }

    /// The ranges of the host with most idle time of the iterations, in words behind a sentence: as many as have two thirds of a
    /// time together, up to three, each with a tenth of it or more; work done once is left out.
    pub(super) fn mostly_in_range(&self, ns: Ns) -> String {
        let strings = &self.profile.capture.strings;
        if 3 * self.idle(&[Cause::HostRange]) < ns {
            return String::new();
        }
        let of_steps = self
            .profile
            .idle_ranges()
            .iter()
            .filter(|range| self.places.contains(&range.window) && !is_one_time(strings.get(range.text)));
        let families = self.profile.families_of(of_steps);
        let (mut named, mut named_ns) = (Vec::new(), 0);
        for family in families.iter().take(3).filter(|family| 10 * family.time_ns >= ns) {
            if 3 * named_ns < 2 * ns {
                named.push(format!("`{}`", family.name));
                named_ns += family.time_ns;
            }
        }
        let names = match named.as_slice() {
            [] => return String::new(),
            [only] => only.clone(),
            [others @ .., last] => format!("{} and {last}", others.join(", ")),
        };
        let ranges = if named.len() == 1 { "range" } else { "ranges" };
        match 2 * named_ns >= ns {
            true => format!(", mostly in host {ranges} {names}"),
            false => format!(", of its ranges longest in {names}"),
        }
    }

    /// The share of the time in which GPUs wait for threads that these have no processor: they sleep or wait. `None` where
    /// records of scheduling do not cover most of the time, or say that they compute most of it.
    pub(super) fn asleep_percent(&self) -> Option<f64> {
        let host = self.profile.idle_host();
        let sum = |of: fn(&IdleThread) -> Ns| host.threads.iter().map(of).sum::<Ns>();
        let (waiting, asleep) = (sum(|thread| thread.waiting_ns), sum(|thread| thread.off_cpu_ns));
        (2 * asleep >= waiting && waiting > 0).then(|| percent(asleep, waiting))
    }

    /// The library whose calls exchange data on the host, and its function with most time in the iterations; `None` where the
    /// capture has no records of such calls.
    pub(super) fn exchanging_calls(&self) -> Option<Exchange> {
        let activity = self.facts().activity();
        let strings = &self.profile.capture.strings;
        let mpi = &activity.host.mpi;
        let mut by_name: BTreeMap<(StrId, StrId), Ns> = BTreeMap::new();
        let mut calls = 0;
        let mut add = |span: &Span, library: StrId, name: StrId| {
            let inside = span.clip(self.span).length();
            if inside > 0 && !is_communicator_setup(strings.get(name)) {
                *by_name.entry((library, name)).or_default() += inside;
                calls += 1;
            }
        };
        mpi.span.iter().zip(&mpi.name).for_each(|(span, &name)| add(span, StrId::NONE, name));
        if mpi.span.is_empty() {
            // Older versions of nsys record calls of MPI as ranges of its domain.
            let texts = &activity.ranges.texts;
            let is_exchange = |says: &RangeText| {
                says.domain.some().is_some_and(|domain| is_communication_domain(strings.get(domain)))
            };
            let exchanges: Vec<bool> = texts.iter().map(is_exchange).collect();
            for ranges in activity.ranges.lists().filter(|_| exchanges.contains(&true)) {
                let ranges = ranges.span.iter().zip(&ranges.text).filter(|(_, text)| exchanges[text.index()]);
                ranges
                    .for_each(|(span, text)| add(span, texts[text.index()].domain, texts[text.index()].text));
            }
        }
        let (&(library, name), _) = by_name.iter().rev().max_by_key(|(_, ns)| **ns)?;
        let library = library.some().map_or("MPI", |library| strings.get(library)).to_owned();
        Some(Exchange { library, function: strings.get(name).to_owned(), calls })
    }

    /// Of a call that waits for messages: the process that is longest in a call that sends, and has no less of it than a fifth of
    /// the time: its number, the function, and the share of the time.
    pub(super) fn sender(&self, function: &str) -> Option<(i64, String, f64)> {
        const RECEIVE: [&str; 7] =
            ["MPI_Recv", "MPI_Mrecv", "MPI_Probe", "MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome"];
        const SEND: [&str; 4] = ["MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend"];
        if !RECEIVE.contains(&function) {
            return None;
        }
        let capture = &self.profile.capture;
        let mpi = &self.facts().activity().host.mpi;
        let mut sending: BTreeMap<(ThreadId, StrId), Ns> = BTreeMap::new();
        for ((span, &name), &thread) in mpi.span.iter().zip(&mpi.name).zip(&mpi.thread) {
            if !thread.is_none() && SEND.contains(&capture.strings.get(name)) {
                *sending.entry((thread, name)).or_default() += span.clip(self.span).length();
            }
        }
        let (&(thread, name), &ns) = sending.iter().rev().max_by_key(|(_, ns)| **ns)?;
        let process = capture.processes.get(capture.process_of(thread).some()?.index())?;
        let share = percent(ns, self.span.length());
        (share >= 20.0).then(|| (process.pid(), capture.strings.get(name).to_owned(), share))
    }

    /// The call of the operating system in which threads that launch waited longest while GPUs idled; `None` without any.
    pub(super) fn awaited_os_call(&self) -> Option<String> {
        let strings = &self.profile.capture.strings;
        let names = self.profile.idle_host().os_calls.iter().map(|call| strings.get(call.function));
        let mut waits =
            names.filter(|name| matches!(OsCallKind::of(name), OsCallKind::Wait | OsCallKind::Pause));
        waits.next().map(str::to_owned)
    }

    /// Whether most of the idle time before work without an API call is time before unified memory migrates to the host. Without
    /// a call, a page fault of the host starts such a migration: the host reads or writes the memory.
    pub(super) fn waits_for_host_memory(&self) -> bool {
        let idle_ns = self.idle(&[Cause::NoApiCall]);
        let capture = &self.profile.capture;
        let is_to_host = |gap: &&LongGap| {
            gap.cause == Cause::NoApiCall
                && capture.known_copy_kind(gap.ended_by).map(CopyKind::of) == Some(CopyKind::UnifiedDtoH)
        };
        let gaps = self.figures().gpus.gaps.inside(self.span, LONG_GAP_NS);
        let to_host_ns = total(gaps.iter().filter(is_to_host).map(|gap| gap.span.length()));
        idle_ns > 0 && to_host_ns > idle_ns / 2
    }
}
