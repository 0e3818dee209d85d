//! Idle time in which the thread that launches does work that is done once: a longer run does not repeat it.

use crate::base::ids::{DeviceId, StrId, WorkId};
use crate::base::ratios::percent;
use crate::base::time::{Ns, Span, total};
use crate::capture::CaptureContents;
use crate::capture::classified::{Cause, Classified};
use crate::capture::names::is_one_time;
use crate::figures::activity::{
    GpuTime, IdleTime, LONG_GAP_NS, LongGap, done_once, idle_inside, idle_inside_ranges, library_set_up,
    set_up_sync_cost_ns, slow_first_calls, stalled_before, whole_range,
};
use crate::figures::profile::{ProfileContents, RangeTime};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ops::Range;

/// Ranges of the host are looked at from this share of the time on.
const LEAST_RANGES_PERCENT: f64 = 2.0;

/// Stalls are looked at from this share of the time on.
const LEAST_STALL_PERCENT: f64 = 1.0;

/// Causes whose time belongs to such work where it lies inside it: not those that say that work was queued, which
/// [`Once::first_launches`] have, that the profiler held the thread up, or that data was loaded.
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

/// The part that lies in calls in which CPU samples say that a library gets ready, whatever the calls are for.
pub(super) const IN_LIBRARIES: &str = "while a library gets ready";

/// The part of which nothing but its place says that it belongs to such work.
pub(super) const IN_NOTHING: &str = "between its calls, outside of calls and ranges, cause not recorded";

/// The part that lies in other calls that take or give back memory.
pub(super) const IN_ALLOCATIONS: &str = "in calls that take or give back memory";

/// Idle time for work that is done once, summed over the used GPUs.
#[derive(Debug, Default)]
pub(super) struct Once {
    /// Idle time of the causes `setup` and `slow_launch`.
    named_ns: Ns,
    /// That of the cause `slow_launch`.
    slow_launch_ns: Ns,
    /// Ranges of the host that name such work, with their idle time of the cause `host_range`; those with most time first.
    pub(super) ranges: Vec<RangeTime>,
    /// What lies inside such work as the calls show it.
    beside: IdleTime,
    /// What waiting for GPUs and launching again took of it in gaps under 1 ms, without waits that belong to communicators and to
    /// trying algorithms, which are no waits of a step.
    pub(super) sync_cost_short_gaps_ns: Ns,
    /// Of [`Self::beside`], what lies in calls in which a library gets ready.
    in_libraries: IdleTime,
    /// The call and the function that makes the library ready, as in `cudaFree` inside `cublasLtCreate`.
    pub(super) library_call: Option<(StrId, StrId)>,
    /// Kernels that are the first of their name on their GPU and end a long gap, in which their code may be loaded; in order.
    pub(super) first_launches: Vec<WorkId>,
    /// Idle time of the cause `stall` before them.
    stalled_ns: Ns,
}

impl Once {
    /// All of it.
    pub(super) fn total_ns(&self) -> Ns {
        self.named_ns + self.beside_ns(&BESIDE) + self.in_ranges_ns() + self.stalled_ns
    }

    /// What the causes do not name, because it belongs to such work for another reason.
    pub(super) fn unnamed_ns(&self) -> Ns {
        self.total_ns() - self.named_ns
    }

    /// Its parts, with what the host does in each, in words after a share of the time. They add up to all of it.
    pub(super) fn parts(&self) -> Vec<(&'static str, Ns)> {
        // Idle time in ranges belongs to such work by their names, or because it lies around its calls.
        let in_named_ns = total(self.ranges.iter().map(|range| range.time_ns));
        let by_name = in_named_ns >= self.beside.of(Cause::HostRange);
        let (in_named_ns, between_ns) = if by_name { (in_named_ns, 0) } else { (0, self.in_ranges_ns()) };
        let own_ns = |cause: Cause| self.beside.of(cause) - self.in_libraries.of(cause);
        let named = [
            (IN_LIBRARIES, self.in_libraries.of_all(&BESIDE)),
            (IN_ALLOCATIONS, own_ns(Cause::Allocation)),
            ("after first launches of kernels", self.stalled_ns),
            ("in launches over 1 ms", self.slow_launch_ns),
            ("while code, contexts or streams are made ready", self.named_ns - self.slow_launch_ns),
            ("in ranges that are named after it", in_named_ns),
            ("in waits for GPUs", own_ns(Cause::Sync)),
            ("while communicators are made", own_ns(Cause::Communication)),
            ("in ranges of the program", between_ns),
            ("between its calls", own_ns(Cause::HostIssue)),
            (IN_NOTHING, own_ns(Cause::Unknown)),
        ];
        let rest_ns = self.total_ns() - total(named.iter().map(|&(_, ns)| ns));
        named.into_iter().chain([("in its other calls", rest_ns)]).filter(|&(_, ns)| ns > 0).collect()
    }

    /// Whether most of it lies before a time: by the ranges that name it, or else by the first launches.
    pub(super) fn is_mostly_before(&self, capture: &CaptureContents, time: Ns) -> bool {
        let named: BTreeSet<StrId> = self.ranges.iter().map(|range| range.text).collect();
        let (mut before_ns, mut behind_ns) = (0, 0);
        for list in capture.ranges.lists() {
            let texts = list.text.iter().map(|text| capture.ranges.texts[text.index()].text);
            for (_, span) in texts.zip(list.span.iter()).filter(|(text, _)| named.contains(text)) {
                *(if span.start < time { &mut before_ns } else { &mut behind_ns }) += span.length();
            }
        }
        if before_ns + behind_ns > 0 {
            return before_ns >= behind_ns;
        }
        let before = self.first_launches.iter().filter(|&&kernel| capture.work.span[kernel].start < time);
        2 * before.count() >= self.first_launches.len()
    }

    /// What belongs to it only because it lies between its calls: no call, no range and no samples say what is done there.
    pub(super) fn guessed_ns(&self) -> Ns {
        self.beside.of(Cause::Unknown) - self.in_libraries.of(Cause::Unknown)
    }

    /// What counts to the class `cpu` of a step.
    pub(super) fn of_cpu_ns(&self) -> Ns {
        let causes = [Cause::Allocation, Cause::Launch, Cause::Api, Cause::HostIssue];
        self.named_ns + self.beside_ns(&causes) + self.in_ranges_ns()
    }

    /// Idle time of a cause that belongs to such work; of ranges what [`Self::ranges`] name, or what calls show, whichever is
    /// more, because they can be the same.
    pub(super) fn of(&self, cause: Cause) -> Ns {
        match cause {
            Cause::HostRange => self.in_ranges_ns(),
            Cause::Stall => self.stalled_ns,
            Cause::SlowLaunch => self.slow_launch_ns,
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
        BESIDE.into_iter().chain([Cause::HostRange, Cause::Stall]).filter(|&cause| self.of(cause) > 0)
    }

    fn beside_ns(&self, causes: &[Cause]) -> Ns {
        self.beside.of_all(causes)
    }

    fn in_ranges_ns(&self) -> Ns {
        total(self.ranges.iter().map(|range| range.time_ns)).max(self.beside.of(Cause::HostRange))
    }
}

/// Idle time of work that is done once, in some of the aggregated iterations, given as places. `time` is what the used GPUs did
/// there, `trials` by thread when it tries algorithms.
pub(super) fn once_in(
    profile: &ProfileContents,
    facts: &Classified<'_>,
    time: &GpuTime,
    places: Range<usize>,
    trials: &[Vec<Span>],
) -> Once {
    let span = whole_range(&profile.windows()[places.clone()]);
    let idle = &time.idle;
    let gaps = || profile.long_gaps().inside(span, LONG_GAP_NS);
    let tries = trials.iter().any(|spans| !spans.is_empty());
    let libraries = library_set_up(facts, span);
    // Of a capture that begins in the middle of a run, the first calls are no first calls.
    let mut made_ready = match idle.cpu_in_long_gaps_ns > 0 && !profile.capture.begins_in_mid_run() {
        true => slow_first_calls(&profile.capture, span),
        false => Vec::new(),
    };
    let has_first_calls = made_ready.iter().any(|spans| !spans.is_empty());
    made_ready.resize(facts.threads(), Vec::new());
    made_ready.iter_mut().zip(&libraries.by_thread).for_each(|(spans, more)| spans.extend(more));
    let beside = match idle.of_all(&[Cause::Setup, Cause::Allocation]) {
        // Such work has calls or ranges that set something up, begins with a call that takes or gives back memory, or is slow at first.
        0 if !tries && libraries.longest.is_none() && !has_first_calls => IdleTime::default(),
        _ => done_once(facts, &gaps(), span, trials, &made_ready),
    };
    let sync_cost_short_gaps_ns = match beside.sync_cost_short_gaps_ns {
        0 => 0,
        _ => set_up_sync_cost_ns(facts, &gaps(), span, trials),
    };
    let stalls = percent(idle.of(Cause::Stall), time.length_ns) >= LEAST_STALL_PERCENT;
    let first_launches = match stalls && !profile.capture.begins_in_mid_run() {
        true => first_launches(&profile.capture, &gaps()),
        false => Vec::new(),
    };
    let slow_launch_ns = match comes_again(profile, places.clone(), Cause::SlowLaunch) {
        true => 0,
        false => idle.of(Cause::SlowLaunch),
    };
    Once {
        named_ns: idle.of(Cause::Setup) + slow_launch_ns,
        slow_launch_ns,
        ranges: one_time_ranges(profile, facts, time, places),
        beside,
        in_libraries: match libraries.longest {
            Some(_) => idle_inside(facts, libraries.by_thread, span),
            None => IdleTime::default(),
        },
        library_call: libraries.longest,
        sync_cost_short_gaps_ns,
        stalled_ns: stalled_before(facts, &first_launches, span),
        first_launches,
    }
}

/// Whether idle time of a cause comes back in half of three or more iterations, given as places: it is no work done once.
fn comes_again(profile: &ProfileContents, places: Range<usize>, cause: Cause) -> bool {
    let times = profile.gpu_times();
    let count = places.len();
    let has = places.filter(|&place| times.of_used(place).idle.of(cause) > 0).count();
    count >= 3 && 2 * has >= count
}

/// Of the kernels that end gaps, those that are the first of their name on their GPU in the capture; in order.
fn first_launches(capture: &CaptureContents, gaps: &[LongGap]) -> Vec<WorkId> {
    let name = |kernel: WorkId| capture.kernels.long_name.get_id(kernel).copied();
    let key = |kernel: WorkId| Some((name(kernel)?, capture.work.device[kernel]));
    let ends: BTreeSet<WorkId> = gaps.iter().map(|gap| gap.ended_by).collect();
    let start = |kernel: WorkId| (capture.work.span[kernel].start, kernel);
    let mut first: FxHashMap<(StrId, DeviceId), (Ns, WorkId)> = FxHashMap::default();
    first.extend(ends.iter().filter_map(|&kernel| Some((key(kernel)?, start(kernel)))));
    for kernel in crate::base::ids::all::<WorkId>(capture.counts().kernels) {
        if let Some(first) = key(kernel).and_then(|key| first.get_mut(&key)) {
            *first = start(kernel).min(*first);
        }
    }
    ends.into_iter().filter(|&kernel| key(kernel).is_some_and(|key| first[&key].1 == kernel)).collect()
}

/// Ranges of the host that name work done once, such as compiling, and in which GPUs idled in some of the aggregated
/// iterations, given as places, whatever ranges lie inside them; those with most time first. A range that comes back in half of
/// three or more iterations is work of every step.
fn one_time_ranges(
    profile: &ProfileContents,
    facts: &Classified<'_>,
    time: &GpuTime,
    places: Range<usize>,
) -> Vec<RangeTime> {
    let strings = &profile.capture.strings;
    if percent(time.idle.of(Cause::HostRange), time.length_ns) < LEAST_RANGES_PERCENT {
        return Vec::new();
    }
    let named: FxHashSet<StrId> = profile
        .capture
        .ranges
        .texts
        .iter()
        .map(|says| says.text)
        .filter(|text| text.some().is_some_and(|text| is_one_time(strings.get(text))))
        .collect();
    let of_steps = in_every_second(&named, profile, places.clone());
    if named.iter().all(|text| of_steps.contains(text)) {
        return Vec::new();
    }
    let inside = idle_inside_ranges(facts, &profile.windows()[places], is_one_time);
    let ranges = profile.range_times(inside.iter()).into_iter();
    ranges.filter(|range| !of_steps.contains(&range.text)).collect()
}

/// Of some texts, those of ranges that begin in half of three or more iterations, given as places: `jit_train_step` is no compiling.
fn in_every_second(
    texts: &FxHashSet<StrId>,
    profile: &ProfileContents,
    places: Range<usize>,
) -> FxHashSet<StrId> {
    let windows = &profile.call_windows()[places];
    if texts.is_empty() || windows.len() < 3 {
        return FxHashSet::default();
    }
    let capture = &profile.capture;
    let mut met: FxHashSet<(StrId, usize)> = FxHashSet::default();
    for (list, zones) in capture.ranges.by_thread.iter().zip(capture.range_zones().iter()) {
        for row in zones.near_starts(0..list.span.len(), whole_range(windows)).flatten() {
            let start = list.span[..][row].start;
            let text = capture.ranges.texts[list.text[..][row].index()].text;
            let window = windows.partition_point(|window| window.end <= start);
            if windows.get(window).is_some_and(|window| window.start <= start) && texts.contains(&text) {
                met.insert((text, window));
            }
        }
    }
    let mut count: FxHashMap<StrId, usize> = FxHashMap::default();
    met.into_iter().for_each(|(text, _)| *count.entry(text).or_default() += 1);
    count.into_iter().filter(|(_, of)| 2 * of >= windows.len()).map(|(text, _)| text).collect()
}
