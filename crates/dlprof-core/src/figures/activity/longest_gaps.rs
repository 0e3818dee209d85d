//! The longest gaps of GPUs, and what the host did in each.
//!
//! ```text
//! GPU                   ├ A ┤           gap           ├ B ┤
//! thread that launches B      ├ open() ─────┤ ├launch┤        most of it: OS call `open`
//! ```

use super::gaps::{Gap, each_gap, is_small_part};
use super::idle_host::{Frame, named_frame};
use crate::base::ids::{ApiCallId, DeviceId, Maybe, StrId, ThreadId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use crate::capture::classified::innermost::InnermostRanges;
use crate::read::facts::HostFacts;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A gap of a GPU, as far as it lies in the span that was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostGap {
    /// The GPU.
    pub device: DeviceId,
    /// From the end of an item to the start of the next.
    pub span: Span,
    /// The item that ended it.
    pub ended_by: WorkId,
    /// The thread whose call launched that item; none if no call is known.
    pub thread: Maybe<ThreadId>,
}

/// What the thread did in a gap. Each is the one with most of the time in the gap; `None` where there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DuringGap {
    /// Text of the innermost range, and how long it was the innermost one.
    pub range: Option<(StrId, Ns)>,
    /// API function, and the time in its calls.
    pub api_call: Option<(StrId, Ns)>,
    /// MPI function, and the time in its calls.
    pub mpi_call: Option<(StrId, Ns)>,
    /// Function of the operating system, and the time in those of its calls that are not inside others.
    pub os_call: Option<(StrId, Ns)>,
    /// Function that most CPU samples found, and their number.
    pub function: Option<(String, u64)>,
}

/// Length, start and device, and the piece of work that ended it: the longest is the largest, of equal ones the earliest.
type ByLength = (Ns, Reverse<(Ns, usize)>, usize);

/// The longest gaps as far as they lie in a span, longest first; of equal ones the earlier first.
pub(crate) fn longest_gaps(classified: &Classified<'_>, span: Span, most: usize) -> Vec<HostGap> {
    // The heap gives its largest first: here the one that goes.
    let mut longest: BinaryHeap<Reverse<ByLength>> = BinaryHeap::new();
    let add = |gap: &Gap| {
        let part = gap.span.clip(span);
        if !part.is_empty() {
            longest.push(Reverse((part.length(), Reverse((part.start, gap.device)), gap.ended_by)));
            if longest.len() > most {
                longest.pop();
            }
        }
    };
    each_gap(classified, span, is_small_part(classified, span), add);
    let gap = |Reverse((length, Reverse((start, device)), ended_by)): Reverse<_>| HostGap {
        device: DeviceId::new(device),
        span: Span::new(start, start + length),
        ended_by: WorkId::new(ended_by),
        thread: classified.call_of(ended_by).map_or(Maybe::NONE, |call| call.thread),
    };
    longest.into_sorted_vec().into_iter().map(gap).collect()
}

/// What the thread of each gap did in it.
pub(crate) fn host_during(classified: &Classified<'_>, host: &HostFacts, gaps: &[HostGap]) -> Vec<DuringGap> {
    let activity = classified.activity();
    let strings = activity.strings;
    let threads = ThreadGaps::new(classified.threads(), gaps);
    let text = |id: &StrId| strings.get(*id).to_owned();
    let ranges = ranges(classified, gaps);
    let api_calls = threads.sums(gaps, &activity.api_calls.span, |row| {
        let counts = activity.repeated_calls.counts(ApiCallId::new(row));
        counts.then(|| (activity.api_calls.thread[row], activity.api_calls.name[row]))
    });
    let mpi = &activity.host.mpi;
    let mpi_calls = threads.sums(gaps, &mpi.span, |row| Some((mpi.thread[row], mpi.name[row])));
    let os_calls = activity.host.os_calls.as_ref().map_or_else(
        || vec![FxHashMap::default(); gaps.len()],
        |calls| {
            threads.sums(gaps, &calls.span, |row| {
                let is_inside_another = calls.nesting.get(row).is_some_and(|&nesting| nesting > 0);
                (!is_inside_another).then(|| (calls.thread[row], calls.name[row]))
            })
        },
    );
    let samples = samples(classified, host, gaps, &threads);
    let rows = ranges.into_iter().zip(api_calls).zip(mpi_calls).zip(os_calls).zip(samples);
    rows.map(|((((ranges, api_calls), mpi_calls), os_calls), samples)| DuringGap {
        range: most(ranges, text),
        api_call: most(api_calls, text),
        mpi_call: most(mpi_calls, text),
        os_call: most(os_calls, text),
        function: most(samples, |frame| frame.words(strings))
            .map(|(frame, samples)| (frame.words(strings).0, samples)),
    })
    .collect()
}

/// The key with the largest sum; of equal ones the first in order of words.
fn most<K: Copy, W: Ord, V: Ord + Copy>(
    sums: impl IntoIterator<Item = (K, V)>,
    words: impl Fn(&K) -> W,
) -> Option<(K, V)> {
    let place = |&(key, sum): &(K, V)| (sum, Reverse(words(&key)));
    sums.into_iter().max_by_key(place)
}

/// By gap: for how long each range was the innermost one on its thread.
fn ranges(classified: &Classified<'_>, gaps: &[HostGap]) -> Vec<FxHashMap<StrId, Ns>> {
    let ranges = &classified.activity().ranges;
    let mut innermost: FxHashMap<ThreadId, InnermostRanges> = FxHashMap::default();
    let of_gap = |gap: &HostGap| {
        let mut sums = FxHashMap::default();
        let Some(thread) = gap.thread.some() else { return sums };
        let of_thread = &ranges.by_thread[thread.index()];
        let known = innermost.entry(thread);
        let known = known.or_insert_with(|| InnermostRanges::of_thread(classified, thread));
        known.each_in(gap.span, |part, row| {
            if let Some(row) = row {
                let text = ranges.texts[of_thread.text[row as usize].index()].text;
                *sums.entry(text).or_default() += part.length();
            }
        });
        sums
    };
    gaps.iter().map(of_gap).collect()
}

/// By gap: the CPU samples of its thread.
fn samples(
    classified: &Classified<'_>,
    host: &HostFacts,
    gaps: &[HostGap],
    threads: &ThreadGaps,
) -> Vec<FxHashMap<Frame, u64>> {
    let mut samples = vec![FxHashMap::default(); gaps.len()];
    for (sample, (&time, &thread)) in host.samples.time.iter().zip(&host.samples.thread).enumerate() {
        for gap in threads.touched(gaps, thread, Span::new(time, time.saturating_add(1))) {
            let frame = named_frame(host, sample, classified.activity().strings);
            *samples[gap].entry(frame).or_default() += 1;
        }
    }
    samples
}

/// The gaps of each thread, so that those that a span touches are found quickly.
struct ThreadGaps {
    /// By thread: places of its gaps in order of start, each with the latest end of those up to it.
    by_thread: Vec<Vec<(usize, Ns)>>,
}

impl ThreadGaps {
    fn new(threads: usize, gaps: &[HostGap]) -> Self {
        let mut order: Vec<usize> = (0..gaps.len()).collect();
        order.sort_by_key(|&gap| (gaps[gap].span, gap));
        let mut by_thread: Vec<Vec<(usize, Ns)>> = vec![Vec::new(); threads];
        for gap in order {
            if let Some(thread) = gaps[gap].thread.some() {
                let of_thread = &mut by_thread[thread.index()];
                let before = of_thread.last().map_or(Ns::MIN, |&(_, latest)| latest);
                of_thread.push((gap, gaps[gap].span.end.max(before)));
            }
        }
        Self { by_thread }
    }

    /// The places of the gaps of a thread that share time with a span.
    fn touched<'a>(
        &'a self,
        gaps: &'a [HostGap],
        thread: Maybe<ThreadId>,
        span: Span,
    ) -> impl Iterator<Item = usize> + 'a {
        let of_thread = thread.some().map_or(&[][..], |thread| &self.by_thread[thread.index()][..]);
        let first = of_thread.partition_point(|&(_, latest)| latest <= span.start);
        let places = of_thread[first..].iter().map(|&(gap, _)| gap);
        places
            .take_while(move |&gap| gaps[gap].span.start < span.end)
            .filter(move |&gap| !gaps[gap].span.clip(span).is_empty())
    }

    /// By gap: the time in it by name, of rows with a span each. `of` gives thread and name of a row that counts.
    fn sums(
        &self,
        gaps: &[HostGap],
        spans: &[Span],
        of: impl Fn(usize) -> Option<(Maybe<ThreadId>, StrId)>,
    ) -> Vec<FxHashMap<StrId, Ns>> {
        let mut sums = vec![FxHashMap::default(); gaps.len()];
        for (row, &span) in spans.iter().enumerate() {
            let Some((thread, name)) = of(row) else { continue };
            for gap in self.touched(gaps, thread, span) {
                *sums[gap].entry(name).or_default() += gaps[gap].span.clip(span).length();
            }
        }
        sums
    }
}
