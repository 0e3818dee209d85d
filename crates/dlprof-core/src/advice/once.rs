//! Idle time in which the thread that launches does work that is done once: a longer run does not repeat it.

use super::scene::Scene;
use crate::base::ids::StrId;
use crate::base::ratios::percent;
use crate::base::time::{Ns, total};
use crate::capture::classified::Cause;
use crate::capture::names::is_one_time;
use crate::figures::activity::{IdleTime, LONG_GAP_NS, done_once, whole_range};
use crate::figures::profile::RangeTime;
use std::collections::BTreeSet;
use std::ops::Range;

/// Ranges of the host are looked at from this share of the time on.
const LEAST_RANGES_PERCENT: f64 = 2.0;

/// Causes whose time belongs to such work where it lies inside it: not those that say that work was queued, that the profiler
/// held the thread up, or that data was loaded.
const BESIDE: [Cause; 10] = [
    Cause::Sync,
    Cause::Copy,
    Cause::Allocation,
    Cause::Launch,
    Cause::Api,
    Cause::Communication,
    Cause::Io,
    Cause::OsCall,
    Cause::HostIssue,
    Cause::Unknown,
];

/// Idle time for work that is done once, summed over the used GPUs.
#[derive(Debug, Default)]
pub(super) struct Once {
    /// Idle time of the causes `setup` and `slow_launch`.
    named_ns: Ns,
    /// Ranges of the host that name such work, with their idle time of the cause `host_range`; those with most time first.
    pub(super) ranges: Vec<RangeTime>,
    /// What lies inside such work as the calls show it.
    beside: IdleTime,
}

impl Once {
    /// All of it.
    pub(super) fn total_ns(&self) -> Ns {
        self.named_ns + self.beside_ns(&BESIDE) + self.in_ranges_ns()
    }

    /// What the causes do not name, because it belongs to such work for another reason.
    pub(super) fn unnamed_ns(&self) -> Ns {
        self.total_ns() - self.named_ns
    }

    /// What counts to the class `cpu` of a step.
    pub(super) fn of_cpu_ns(&self) -> Ns {
        let causes = [Cause::Allocation, Cause::Launch, Cause::Api, Cause::HostIssue];
        self.named_ns + self.beside_ns(&causes) + self.in_ranges_ns()
    }

    /// Idle time of a cause that belongs to such work; of ranges what [`Self::ranges`] name, or what calls show, whichever is more,
    /// because they can be the same.
    pub(super) fn of(&self, cause: Cause) -> Ns {
        match cause {
            Cause::HostRange => self.in_ranges_ns(),
            cause if BESIDE.contains(&cause) => self.beside.of(cause),
            _ => 0,
        }
    }

    /// What the host does of it in gaps of 1 ms and more.
    pub(super) fn in_long_gaps_ns(&self) -> Ns {
        let more_in_ranges = self.in_ranges_ns() - self.beside.of(Cause::HostRange);
        self.beside.cpu_in_long_gaps_ns + more_in_ranges
    }

    /// What the host does of it in shorter gaps.
    pub(super) fn in_short_gaps_ns(&self) -> Ns {
        self.beside.cpu_in_short_gaps_ns
    }

    /// The causes that have such time, without those that name it.
    pub(super) fn causes(&self) -> impl Iterator<Item = Cause> + '_ {
        BESIDE.into_iter().chain([Cause::HostRange]).filter(|&cause| self.of(cause) > 0)
    }

    fn beside_ns(&self, causes: &[Cause]) -> Ns {
        self.beside.of_all(causes)
    }

    fn in_ranges_ns(&self) -> Ns {
        total(self.ranges.iter().map(|range| range.time_ns)).max(self.beside.of(Cause::HostRange))
    }
}

impl Scene<'_> {
    /// Idle time of work that is done once, in some of the aggregated iterations, given as places.
    pub(super) fn once_in(&self, places: Range<usize>) -> Once {
        let idle = self.sum_over(places.clone()).idle;
        let beside = match idle.of_all(&[Cause::Setup, Cause::Allocation]) {
            // Such work has calls or ranges that set something up, or begins with a call that takes or gives back memory.
            0 => IdleTime::default(),
            _ => {
                let span = whole_range(&self.profile.windows()[places.clone()]);
                done_once(self.facts(), &self.profile.long_gaps().inside(span, LONG_GAP_NS), span)
            }
        };
        let named_ns = idle.of_all(&[Cause::Setup, Cause::SlowLaunch]);
        Once { named_ns, ranges: self.one_time_ranges(places), beside }
    }

    /// Ranges of the host that name work done once, such as compiling, and in which GPUs idled in some of the aggregated
    /// iterations, given as places; those with most time first. A range that comes back in half of three or more iterations is
    /// work of every step.
    fn one_time_ranges(&self, places: Range<usize>) -> Vec<RangeTime> {
        let time = self.sum_over(places.clone());
        if percent(time.idle.of(Cause::HostRange), time.length_ns) < LEAST_RANGES_PERCENT {
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
}
