//! What rules say of idle time by name: ranges of the host, calls that exchange data, calls of the operating system, functions.

use super::scene::Scene;
use crate::base::ids::{StrId, ThreadId};
use crate::base::ratios::percent;
use crate::base::time::{Ns, total};
use crate::capture::classified::Cause;
use crate::capture::names::{OsCallKind, is_communicator_setup, is_one_time};
use crate::figures::activity::{
    CopyKind, IdleThread, LONG_GAP_NS, LongGap, SampleRole, StepClass, between_setup_ns, whole_range,
};
use crate::figures::profile::RangeTime;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Ranges of the host are looked at from this share of the time on.
const LEAST_ONE_TIME_PERCENT: f64 = 2.0;

impl Scene<'_> {
    /// The cause with most idle time of the class `other`, whether or not there is any.
    pub(super) fn largest_other(&self) -> Option<Cause> {
        StepClass::Other.causes().rev().max_by_key(|&cause| self.idle(&[cause]))
    }

    /// Ranges of the host that name work done once, such as compiling, and in which GPUs idled in some of the aggregated
    /// iterations, given as places; those with most time first. A range that comes back in half of three or more iterations is
    /// work of every step.
    pub(super) fn one_time_ranges(&self, places: Range<usize>) -> Vec<RangeTime> {
        let time = self.sum_over(places.clone());
        if percent(time.idle.of(Cause::HostRange), time.length_ns) < LEAST_ONE_TIME_PERCENT {
            return Vec::new();
        }
        let ranges = self.profile.idle_ranges_where(|range| places.contains(&range.window));
        let strings = &self.profile.capture.strings;
        let mut windows: BTreeSet<(StrId, usize)> = BTreeSet::new();
        let inside = self.profile.idle_ranges().iter().filter(|range| places.contains(&range.window));
        windows.extend(inside.map(|range| (range.text, range.window)));
        let comes_back = |range: &RangeTime| {
            let of_text = windows.range((range.text, 0)..=(range.text, usize::MAX)).count();
            places.len() >= 3 && 2 * of_text >= places.len()
        };
        ranges
            .into_iter()
            .filter(|range| is_one_time(strings.get(range.text)) && !comes_back(range))
            .collect()
    }

    /// Idle time of work done once that no cause names: in ranges of the host whose names say so, or between calls that set
    /// something up in one gap of 1 ms or more, whichever is more, because they can be the same.
    pub(super) fn unnamed_one_time_ns(&self, places: Range<usize>) -> Ns {
        let ranges: Ns = self.one_time_ranges(places.clone()).iter().map(|range| range.time_ns).sum();
        ranges.max(self.between_setup_ns(places))
    }

    /// Idle time between calls that set something up in one gap of 1 ms or more, summed over the used GPUs.
    pub(super) fn between_setup_ns(&self, places: Range<usize>) -> Ns {
        if self.sum_over(places.clone()).idle.of(Cause::Setup) == 0 {
            return 0;
        }
        let span = whole_range(&self.profile.windows()[places]);
        let long_gap_ns = self.profile.settings().activity.thresholds.long_gap_ns;
        between_setup_ns(self.facts(), &self.profile.long_gaps().inside(span, long_gap_ns))
    }

    /// The range of the host with most idle time of the iterations, in words behind a sentence, if it has a third of a time or
    /// more; work done once is left out.
    pub(super) fn mostly_in_range(&self, ns: Ns) -> String {
        let strings = &self.profile.capture.strings;
        if 3 * self.idle(&[Cause::HostRange]) < ns {
            return String::new();
        }
        let families = self.profile.idle_families_where(|range| {
            self.places.contains(&range.window) && !is_one_time(strings.get(range.text))
        });
        match families.first() {
            Some(most) if 3 * most.time_ns >= ns => format!(", mostly in host range `{}`", most.name),
            Some(most) if 10 * most.time_ns >= ns => {
                format!(", of its ranges longest in `{}`", most.name)
            }
            _ => String::new(),
        }
    }

    /// The share of the time in which GPUs wait for threads that these have no processor: they sleep or wait. `None` where records
    /// of scheduling do not cover most of the time, or say that they compute most of it.
    pub(super) fn asleep_percent(&self) -> Option<f64> {
        let host = self.profile.idle_host();
        let sum = |of: fn(&IdleThread) -> Ns| host.threads.iter().map(of).sum::<Ns>();
        let (waiting, asleep) = (sum(|thread| thread.waiting_ns), sum(|thread| thread.off_cpu_ns));
        (2 * asleep >= waiting && waiting > 0).then(|| percent(asleep, waiting))
    }

    /// The library whose calls exchange data on the host, and its function with most time in the iterations; `None` where the capture
    /// has no records of such calls.
    pub(super) fn exchanging_calls(&self) -> Option<(&'static str, String)> {
        let mpi = &self.facts().activity().mpi;
        let mut by_name: BTreeMap<StrId, Ns> = BTreeMap::new();
        for (span, &name) in mpi.span.iter().zip(mpi.name) {
            let inside = span.clip(self.span).length();
            if inside > 0 && !is_communicator_setup(self.profile.capture.strings.get(name)) {
                *by_name.entry(name).or_default() += inside;
            }
        }
        let (&name, _) = by_name.iter().rev().max_by_key(|(_, ns)| **ns)?;
        Some(("MPI", self.profile.capture.strings.get(name).to_owned()))
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
        let mpi = &self.facts().activity().mpi;
        let mut sending: BTreeMap<(ThreadId, StrId), Ns> = BTreeMap::new();
        for ((span, &name), &thread) in mpi.span.iter().zip(mpi.name).zip(mpi.thread) {
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

    /// Whether most of the idle time before work without an API call is time before unified memory migrates to the host. Without a call,
    /// a page fault of the host starts such a migration: the host reads or writes the memory.
    pub(super) fn waits_for_host_memory(&self) -> bool {
        let idle_ns = self.idle(&[Cause::NoApiCall]);
        let capture = &self.profile.capture;
        let is_to_host = |gap: &&LongGap| {
            gap.cause == Cause::NoApiCall
                && capture.known_copy_kind(gap.ended_by).map(CopyKind::of) == Some(CopyKind::UnifiedDtoH)
        };
        let gaps = self.figures().gaps.inside(self.span, LONG_GAP_NS);
        let to_host_ns = total(gaps.iter().filter(is_to_host).map(|gap| gap.span.length()));
        idle_ns > 0 && to_host_ns > idle_ns / 2
    }

    /// The function in which most CPU samples of threads that launch were taken while GPUs idled, and its share of them; `None`
    /// without samples.
    pub(super) fn sampled_function(&self) -> Option<(String, f64)> {
        let host = self.profile.idle_host();
        let all = host.samples[SampleRole::Issuing as usize];
        let most = host.functions.iter().find(|function| function.role == SampleRole::Issuing)?;
        let share = 100.0 * crate::base::ratios::count_to_f64(most.samples)
            / crate::base::ratios::count_to_f64(all.max(1));
        Some((most.function.clone(), share))
    }
}
