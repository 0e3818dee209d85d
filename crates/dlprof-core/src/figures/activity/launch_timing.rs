//! How kernels were launched: how long before, whether the stream had run empty, and what launching cost.
//!
//! ```text
//! thread         a├ call ┤b
//! stream    ├ p ┤              k├ kernel ┤
//! latency         ├─────────────┤
//! queue                   ├─────┤
//! start delay     ├─────────────┤   from the later of `a` and the end of all that ran on the stream before
//! ```

use crate::base::time::{Ns, Span};
use crate::capture::classified::Activity;
use crate::capture::classified::classified::Classified;
use crate::columns::Buffer;

/// How one kernel was launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// From the start of the call to the start of the kernel; `None` if the kernel started before, which clocks that disagree
    /// make.
    pub latency_ns: Option<Ns>,
    /// From the end of the call to the start of the kernel; `None` if the kernel started before the call returned.
    pub queue_ns: Option<Ns>,
    /// Length of the call.
    pub api_time_ns: Ns,
    /// How long after its call the kernel started although its stream was empty: what launching cost.
    pub start_delay_ns: Ns,
    /// Whether the stream was empty when the call was made.
    pub is_starved: bool,
}

impl Launch {
    /// The launch of a kernel by a call. `stream_end` is the latest end of what ran before on its stream.
    #[must_use]
    pub fn of(kernel: Span, call: Span, stream_end: Option<Ns>) -> Self {
        let ready = stream_end.map_or(call.start, |end| end.max(call.start));
        Self {
            latency_ns: (kernel.start >= call.start).then(|| kernel.start - call.start),
            queue_ns: (kernel.start >= call.end).then(|| kernel.start - call.end),
            api_time_ns: call.length(),
            start_delay_ns: (kernel.start - ready).max(0),
            is_starved: stream_end.is_none_or(|end| end <= call.start),
        }
    }
}

/// How each kernel was launched, by row of the item; `None` without call.
#[cfg(test)]
pub(crate) fn launches(classified: &Classified<'_>) -> Vec<Option<Launch>> {
    let mut launches = vec![None; classified.activity().kernels.len()];
    for_each_kernel(classified, |kernel, launch| launches[kernel] = launch);
    launches
}

/// By kernel: what launching it cost; 0 without a call.
#[must_use]
pub(crate) fn start_delays(classified: &Classified<'_>) -> Buffer<Ns> {
    let activity = classified.activity();
    let mut delays = activity.memory.filled(activity.kernels.len(), 0);
    for_each_kernel(classified, |kernel, launch| {
        delays[kernel] = launch.map_or(0, |launch| launch.start_delay_ns);
    });
    delays
}

/// What launching one kernel cost; `None` without a call.
#[must_use]
pub(crate) fn start_delay(activity: &Activity<'_>, kernel: usize) -> Option<Ns> {
    let calls = &activity.api_calls;
    let call = calls.span[activity.repeated_calls.counted(activity.launches.api[kernel].some()?).index()];
    let (span, stream) = (activity.work.span[kernel], activity.work.stream[kernel]);
    // Of what came before, only what ran when the call was made matters.
    let open = activity.open_in(0..activity.work.len(), span.start.saturating_add(1), call.start);
    let before = open.filter(|&row| {
        activity.work.stream[row] == stream && (activity.work.span[row], row) < (span, kernel)
    });
    let stream_end = before.map(|row| activity.work.span[row].end).max();
    Some(Launch::of(span, call, stream_end).start_delay_ns)
}

/// The median cost of launching, of the first kernels with a call that start in a span, so many of them; `None` without any.
#[must_use]
pub(crate) fn median_start_delay(classified: &Classified<'_>, span: Span, most: usize) -> Option<Ns> {
    let activity = classified.activity();
    // The first kernels lie in a part of the span, which is found by halves.
    let mut length = span.length();
    let part = |length: Ns| Span::new(span.start, span.start.saturating_add(length));
    while length > 1 && activity.most_starting_in(part(length)) > 3 * most.max(1) {
        length /= 2;
    }
    loop {
        let mut delays = first_start_delays(classified, part(length), most);
        if delays.len() == most || length == span.length() {
            let middle = delays.len() / 2;
            return (!delays.is_empty()).then(|| *delays.select_nth_unstable(middle).1);
        }
        length = length.saturating_mul(4).min(span.length());
    }
}

/// What launching the first kernels with a call that start in a span cost, in order of time, so many of them.
fn first_start_delays(classified: &Classified<'_>, span: Span, most: usize) -> Vec<Ns> {
    let activity = classified.activity();
    let all = 0..activity.work.len();
    let mut rows: Vec<usize> = activity.starting_in(all.clone(), span).collect();
    // Stable, because rows consist of a few sorted parts, which it merges, and equal ones stay in order of rows.
    rows.sort_by_key(|&row| activity.work.span[row]);
    let kernels = rows.iter().filter(|&&row| activity.is_kernel(row));
    let calls = kernels.filter_map(|&kernel| classified.call_of(kernel));
    let Some(first_call) = calls.map(|call| call.span.start).min() else { return Vec::new() };
    // Of what came before, only what ran when a call was made matters.
    let mut stream_ends: Vec<Option<Ns>> = vec![None; activity.streams.len()];
    let mut push = |row: usize| {
        let stream_end = &mut stream_ends[activity.work.stream[row].index()];
        let own = activity.work.span[row].end;
        stream_end.replace(stream_end.map_or(own, |end| end.max(own)))
    };
    for row in activity.open_in(all, span.start, first_call) {
        push(row);
    }
    let mut delays = Vec::new();
    for row in rows {
        let before = push(row);
        if delays.len() == most {
            break;
        }
        if activity.is_kernel(row) {
            let launch =
                classified.call_of(row).map(|call| Launch::of(activity.work.span[row], call.span, before));
            delays.extend(launch.map(|launch| launch.start_delay_ns));
        }
    }
    delays
}

/// Calls `put` with each kernel in order of start, and how it was launched.
fn for_each_kernel(classified: &Classified<'_>, mut put: impl FnMut(usize, Option<Launch>)) {
    let activity = classified.activity();
    let mut stream_ends: Vec<Option<Ns>> = vec![None; activity.streams.len()];
    for item in classified.items_in_order() {
        let span = activity.work.span[item];
        let stream_end = &mut stream_ends[activity.work.stream[item].index()];
        let before = stream_end.replace(stream_end.map_or(span.end, |end| end.max(span.end)));
        if activity.is_kernel(item) {
            put(item, classified.call_of(item).map(|call| Launch::of(span, call.span, before)));
        }
    }
}

/// Sum, median and 90th percentile of some lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Distribution {
    /// Number of them.
    pub count: u64,
    /// Sum.
    pub sum_ns: Ns,
    /// Median; `None` of nothing.
    pub median_ns: Option<Ns>,
    /// 90th percentile; `None` of nothing.
    pub p90_ns: Option<Ns>,
}

impl Distribution {
    /// Takes lengths out of a list, which is empty then.
    fn drain(lengths: &mut Vec<Ns>) -> Self {
        let count = u64::try_from(lengths.len()).unwrap_or(u64::MAX);
        let sum_ns = lengths.iter().fold(0, |sum: Ns, &length| sum.saturating_add(length));
        // Rounded to the nearest position, halves up.
        let mut at = |tenths: usize| {
            let position = (tenths * lengths.len().checked_sub(1)? + 5) / 10;
            Some(*lengths.select_nth_unstable(position).1)
        };
        let (median_ns, p90_ns) = (at(5), at(9));
        lengths.clear();
        Self { count, sum_ns, median_ns, p90_ns }
    }
}

/// Launches of the whole capture. What is said about kernels with a call leaves out those that start before it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaunchStats {
    /// Kernels, whole graph launches included.
    pub kernels: u64,
    /// Plain sum of their lengths.
    pub kernel_ns: Ns,
    /// Those with an API call.
    pub with_call: u64,
    /// Those without.
    pub without_call: u64,
    /// Those that start before their call, because clocks disagree.
    pub before_call: u64,
    /// Those that start in their call.
    pub started_before_return: u64,
    /// Those whose stream was empty when their call was made.
    pub starved: u64,
    /// Short kernels.
    pub short: u64,
    /// Plain sum of the lengths of short kernels.
    pub short_ns: Ns,
    /// Those shorter than their call.
    pub shorter_than_call: u64,
    /// From the start of the call to the start of the kernel.
    pub latency: Distribution,
    /// From the end of the call to the start of the kernel, of those that start after it.
    pub queue: Distribution,
    /// Length of the call.
    pub api: Distribution,
    /// What launching cost.
    pub start_delay: Distribution,
}

/// How the kernels of the capture were launched.
#[must_use]
pub fn launch_stats(classified: &Classified<'_>) -> LaunchStats {
    let mut stats = LaunchStats::default();
    let activity = classified.activity();
    let mut lengths: Vec<Ns> = Vec::new();
    for_each_kernel(classified, |kernel, launch| {
        stats.count(activity.work.span[kernel], launch, classified.settings.thresholds.short_kernel_ns);
        lengths
            .extend(launch.filter(|launch| launch.latency_ns.is_some()).map(|launch| launch.start_delay_ns));
    });
    stats.start_delay = Distribution::drain(&mut lengths);
    // One list at a time: there may be as many lengths as kernels.
    let mut distribution = |of: &dyn Fn(Launch) -> Option<Ns>| {
        let launch =
            |kernel| Some(Launch::of(activity.work.span[kernel], classified.call_of(kernel)?.span, None));
        lengths.extend(
            (0..activity.kernels.len())
                .filter_map(launch)
                .filter(|launch| launch.latency_ns.is_some())
                .filter_map(of),
        );
        Distribution::drain(&mut lengths)
    };
    stats.latency = distribution(&|launch| launch.latency_ns);
    stats.queue = distribution(&|launch| launch.queue_ns);
    stats.api = distribution(&|launch| Some(launch.api_time_ns));
    stats
}

impl LaunchStats {
    fn count(&mut self, kernel: Span, launch: Option<Launch>, short_ns: Ns) {
        self.kernels += 1;
        self.kernel_ns = self.kernel_ns.saturating_add(kernel.length());
        if kernel.length() < short_ns {
            self.short += 1;
            self.short_ns = self.short_ns.saturating_add(kernel.length());
        }
        let Some(launch) = launch else {
            self.without_call += 1;
            return;
        };
        self.with_call += 1;
        if launch.latency_ns.is_none() {
            self.before_call += 1;
            return;
        }
        self.started_before_return += u64::from(launch.queue_ns.is_none());
        self.starved += u64::from(launch.is_starved);
        self.shorter_than_call += u64::from(kernel.length() < launch.api_time_ns);
    }
}
