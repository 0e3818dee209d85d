//! Why GPUs idled in the aggregated iterations: by cause, by range of the host, and what the host did meanwhile.

use super::ProfileContents;
use super::activity::DeviceWindow;
use super::range_families::{RangeFamily, RangeTime};
use crate::base::ids::StrId;
use crate::base::time::Ns;
use crate::capture::classified::Cause;
use crate::figures::activity::{
    IdleHost, IdleRange, UnexplainedHost, idle_host, unexplained_times, waiting_times,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// Idle time of a GPU by cause: a row of table `idle_causes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleCause {
    /// The iteration and the GPU.
    pub place: DeviceWindow,
    /// The cause.
    pub cause: Cause,
    /// The time; above 0.
    pub time_ns: Ns,
    /// Of cause `host_range`: the range with most of this time, and its part; else `None`.
    pub range: Option<RangeTime>,
}

/// Idle time of a cause over all aggregated iterations and used GPUs: a row of table `idle_totals`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleTotal {
    /// The cause.
    pub cause: Cause,
    /// The words for it, with what else tells about it.
    pub words: &'static str,
    /// The time, summed over iterations and GPUs; above 0.
    pub time_ns: Ns,
    /// The part of it that is work done once.
    pub once: OnceTime,
    /// Of cause `host_range`: the family of ranges with most of this time, and its part; else `None`.
    pub range: Option<RangeFamily>,
}

/// Idle time of a family of ranges over all aggregated iterations and used GPUs: a row of table `idle_ranges`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IdleRangeRow {
    /// The ranges, and the time.
    pub(crate) family: RangeFamily,
    /// Whether they are markers of DLProf that hold other ranges: the time is that of the wrapper around the function.
    pub(crate) is_marker: bool,
}

/// Idle time of work that is done once, such as loading code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OnceTime {
    /// The time.
    pub ns: Ns,
    /// The length of the iterations in which it was looked for, summed over the used GPUs.
    pub of_ns: Ns,
}

impl ProfileContents {
    /// Idle time by aggregated iteration, GPU and cause, in this order, without those of which it is not known.
    #[must_use]
    pub fn idle_causes(&self) -> Vec<IdleCause> {
        let times = self.gpu_times();
        let range_of = |place: DeviceWindow| {
            let ranges = self.idle_ranges();
            let first =
                ranges.partition_point(|range| (range.window, range.device) < (place.window, place.device));
            let range = ranges.get(first)?;
            let is_here = (range.window, range.device) == (place.window, place.device);
            is_here.then_some(RangeTime { text: range.text, time_ns: range.time_ns })
        };
        let of_place = |place: DeviceWindow| {
            let idle = times.at(place.device.index(), place.window).idle;
            let row = |(cause, time_ns)| {
                let range = (cause == Cause::HostRange).then(|| range_of(place)).flatten();
                IdleCause { place, cause, time_ns, range }
            };
            idle.causes().map(row).collect::<Vec<_>>()
        };
        let is_known = |place: &DeviceWindow| {
            self.knows_gpu_work_in(self.iteration_of_window(place.window)) && self.knows_work_of(place.device)
        };
        self.device_windows().into_iter().filter(is_known).flat_map(of_place).collect()
    }

    /// Idle time of the cause `host_range` by range of the host, in order of window and GPU, those with most time first.
    #[must_use]
    pub fn idle_ranges(&self) -> &[IdleRange] {
        let ranges = || self.iteration_figures().gpus.ranges.of_windows(self.places());
        self.figures.idle_ranges.get_or_init(ranges)
    }

    /// The same of gaps of 1 ms and more alone, in some of the aggregated iterations, given as places.
    #[must_use]
    pub(crate) fn idle_ranges_in_long_gaps(&self, places: Range<usize>) -> Vec<IdleRange> {
        let first = self.places().start;
        self.iteration_figures().gpus.ranges.in_long_gaps(first + places.start..first + places.end)
    }

    /// In which ranges of the host GPUs idled, over those windows and GPUs that are wanted; ranges with most time first.
    #[must_use]
    pub(crate) fn idle_ranges_where(&self, is_wanted: impl Fn(&IdleRange) -> bool) -> Vec<RangeTime> {
        self.range_times(self.idle_ranges().iter().filter(|range| is_wanted(range)))
    }

    /// By range, most time first.
    pub(crate) fn range_times<'a>(&self, idle: impl Iterator<Item = &'a IdleRange>) -> Vec<RangeTime> {
        let mut sums: BTreeMap<StrId, Ns> = BTreeMap::new();
        for range in idle {
            *sums.entry(range.text).or_default() += range.time_ns;
        }
        let mut ranges: Vec<RangeTime> =
            sums.into_iter().map(|(text, time_ns)| RangeTime { text, time_ns }).collect();
        let strings = &self.capture.strings;
        ranges.sort_by(|a, b| {
            b.time_ns.cmp(&a.time_ns).then_with(|| strings.get(a.text).cmp(strings.get(b.text)))
        });
        ranges
    }

    /// The ranges of some of [`Self::idle_ranges`], those together whose texts differ in numbers alone; most time first.
    #[must_use]
    pub fn families_of<'a>(&self, idle: impl Iterator<Item = &'a IdleRange>) -> Vec<RangeFamily> {
        RangeFamily::of(&self.capture.strings, &self.range_times(idle))
    }

    /// Idle time of the used GPUs over the aggregated iterations by cause, most first; `once` says how much of a cause is work
    /// done once, `words` what is said of it.
    #[must_use]
    pub fn idle_totals(
        &self,
        words: impl Fn(Cause) -> &'static str,
        once: impl Fn(Cause) -> OnceTime,
    ) -> Vec<IdleTotal> {
        let row = |(cause, time_ns)| {
            let range =
                (cause == Cause::HostRange).then(|| self.idle_range_totals().into_iter().next()).flatten();
            IdleTotal { cause, words: words(cause), time_ns, once: once(cause), range }
        };
        let mut rows: Vec<IdleTotal> = self.used_gpu_time().idle.causes().map(row).collect();
        // Equal times keep the order of causes.
        rows.sort_by_key(|row| std::cmp::Reverse(row.time_ns));
        rows
    }

    /// Idle time of the cause `host_range` over the aggregated iterations and the used GPUs by family of ranges, most first.
    #[must_use]
    pub fn idle_range_totals(&self) -> Vec<RangeFamily> {
        self.families_of(self.idle_ranges().iter())
    }

    /// Idle time of the cause `host_range` over the aggregated iterations and the used GPUs: of markers of DLProf that hold other
    /// ranges, and of all others, each by family of ranges.
    #[must_use]
    pub(crate) fn idle_range_rows(&self) -> Vec<IdleRangeRow> {
        let markers = self.markers_that_hold_ranges();
        let rows = |is_marker: bool| {
            let of_kind =
                self.idle_ranges().iter().filter(|range| markers.contains(&range.text) == is_marker);
            self.families_of(of_kind).into_iter().map(move |family| IdleRangeRow { family, is_marker })
        };
        let mut all: Vec<IdleRangeRow> = rows(true).chain(rows(false)).collect();
        all.sort_by(|a, b| (b.family.time_ns, &a.family.name).cmp(&(a.family.time_ns, &b.family.name)));
        all
    }

    /// What the threads did for which GPUs idled in the aggregated iterations while neither a call nor a range says what they do:
    /// [`Self::idle_host`] of this time alone, and what was recorded around it.
    #[must_use]
    pub(crate) fn unexplained_host(&self) -> &UnexplainedHost {
        let compute = || {
            let (windows, host) = (self.windows(), &self.capture.host);
            self.look(|facts| UnexplainedHost::of(facts, &unexplained_times(facts, &windows), host))
        };
        self.figures.unexplained_host.get_or_init(compute)
    }

    /// What the host did while GPUs waited for it in the aggregated iterations.
    #[must_use]
    pub fn idle_host(&self) -> &IdleHost {
        let compute = || {
            let (windows, host) = (self.windows(), &self.capture.host);
            self.look(|facts| idle_host(facts, &waiting_times(facts, &windows), host))
        };
        self.figures.idle_host.get_or_init(compute)
    }
}
