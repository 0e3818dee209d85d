//! What rules say of idle time by name: ranges of the host, calls that exchange data, calls of the operating system, functions.

use super::scene::Scene;
use crate::activity::{Cause, OsCallKind, SampleRole, is_communicator_setup, is_one_time, range_in_words};
use crate::ids::StrId;
use crate::profile::RangeTime;
use crate::ratios::percent;
use crate::time::Ns;
use std::collections::BTreeMap;
use std::ops::Range;

/// Ranges of the host are looked at from this share of the time on.
const LEAST_ONE_TIME_PERCENT: f64 = 2.0;

impl Scene<'_> {
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
        let comes_back = |range: &RangeTime| {
            let windows = self.profile.idle_ranges().iter().filter(|one| one.text == range.text);
            let mut windows: Vec<usize> =
                windows.map(|one| one.window).filter(|window| places.contains(window)).collect();
            windows.dedup();
            places.len() >= 3 && 2 * windows.len() >= places.len()
        };
        ranges
            .into_iter()
            .filter(|range| is_one_time(strings.get(range.text)) && !comes_back(range))
            .collect()
    }

    /// The range of the host with most idle time of the iterations, in words behind a sentence, if it has a third of a time or
    /// more; work done once is left out.
    pub(super) fn mostly_in_range(&self, ns: Ns) -> String {
        let strings = &self.profile.capture.strings;
        if 3 * self.idle(&[Cause::HostRange]) < ns {
            return String::new();
        }
        let ranges = self.profile.idle_ranges_where(|range| self.places.contains(&range.window));
        let most = ranges.iter().find(|range| !is_one_time(strings.get(range.text)));
        match most.filter(|range| 3 * range.time_ns >= ns).and_then(|range| range.text.some()) {
            Some(text) => format!(", mostly in host range `{}`", range_in_words(strings.get(text))),
            None => String::new(),
        }
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

    /// The call of the operating system in which threads that launch waited longest while GPUs idled; `None` without any.
    pub(super) fn awaited_os_call(&self) -> Option<String> {
        let strings = &self.profile.capture.strings;
        let names = self.profile.idle_host().os_calls.iter().map(|call| strings.get(call.function));
        let mut waits =
            names.filter(|name| matches!(OsCallKind::of(name), OsCallKind::Wait | OsCallKind::Pause));
        waits.next().map(str::to_owned)
    }

    /// The function in which most CPU samples of threads that launch were taken while GPUs idled, and its share of them; `None`
    /// without samples.
    pub(super) fn sampled_function(&self) -> Option<(String, f64)> {
        let host = self.profile.idle_host();
        let all = host.samples[SampleRole::Issuing as usize];
        let most = host.functions.iter().find(|function| function.role == SampleRole::Issuing)?;
        let share =
            100.0 * crate::ratios::count_to_f64(most.samples) / crate::ratios::count_to_f64(all.max(1));
        Some((most.function.clone(), share))
    }
}
