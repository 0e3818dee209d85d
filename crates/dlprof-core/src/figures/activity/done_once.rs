//! Idle time of GPUs while the thread that launches does work that is done once: libraries are initialised, code is loaded,
//! communicators are made, algorithms are tried.
//!
//! ```text
//! GPU       ├ A ┤                                                        ├ B ┤
//! thread        ├cuInit┤├ cudaFree ┤   load ├──┤ reads a file ├──┤   ├─┤ launches B
//!                        makes a context    └── between loads, with them ┘
//! done once     └──────────────────┘        └─────────────────────────┘
//! ```
//!
//! What the names of calls say is not enough. The first call that needs a context makes it, whatever its name. A library that
//! loads code when it is first called also looks for files and prepares what it needs, before, between and after these calls.
//! And what a call makes that makes communicators, such as allocations and waits, belongs to it.

use super::gaps::{Gap, GapFinder};
use super::host_spans::HostSpans;
use super::idle_attribution::IdleAttribution;
use super::idle_time::IdleTime;
use super::long_gaps::LongGap;
use crate::base::ids::{ApiCallId, ThreadId, WorkId};
use crate::base::intervals::{difference, union};
use crate::base::time::{Ns, Span, total};
use crate::capture::classified::Cause;
use crate::capture::classified::classified::Classified;
use crate::capture::names::ApiClass;

/// Between the first and the last call of a gap that set something up, such calls take at least one in so many nanoseconds; else
/// the program does other things in between.
const LEAST_PART: Ns = 4;

/// Of a call that loads code and the pauses right before and after it, the call takes at least one in so many nanoseconds.
const LEAST_LOADING: Ns = 5;

/// Idle time, by cause, in which the thread that ends the gap does work that is done once, summed over GPUs. `gaps` are long gaps
/// of GPUs, all inside `span`, which bounds the rest as well; `trials` says by thread when it tries algorithms, `made_ready` in which calls libraries or operators get ready. Launches that take
/// long ([`Cause::SlowLaunch`]) and calls that name set-up ([`Cause::Setup`]) are among it only where something else belongs to
/// them.
#[must_use]
pub(crate) fn done_once(
    classified: &Classified<'_>,
    gaps: &[LongGap],
    span: Span,
    trials: &[Vec<Span>],
    made_ready: &[Vec<Span>],
) -> IdleTime {
    let mut by_thread = communicator_set_up(classified);
    let with = |spans: &mut Vec<Span>, more: &[Span]| spans.extend(more);
    by_thread.iter_mut().zip(set_up_in(classified, gaps)).for_each(|(spans, more)| with(spans, &more));
    by_thread.iter_mut().zip(trials).for_each(|(spans, more)| with(spans, more));
    by_thread.iter_mut().zip(made_ready).for_each(|(spans, more)| with(spans, more));
    idle_inside(classified, by_thread, span)
}

/// What waiting for GPUs and launching again took of the time in which threads set something up in gaps, summed over GPUs, in gaps
/// under 1 ms: without the waits that [`each_wait`](super::syncs::each_wait) leaves out, those that belong to communicators and to
/// trying algorithms.
#[must_use]
pub(crate) fn set_up_sync_cost_ns(
    classified: &Classified<'_>,
    gaps: &[LongGap],
    span: Span,
    trials: &[Vec<Span>],
) -> Ns {
    let mut by_thread = set_up_in(classified, gaps);
    for (thread, others) in communicator_set_up(classified).into_iter().enumerate() {
        let trials = trials.get(thread).map_or(&[][..], Vec::as_slice);
        let others = union(others.into_iter().chain(trials.iter().copied()).collect());
        by_thread[thread] = difference(&union(std::mem::take(&mut by_thread[thread])), others.into_iter());
    }
    idle_inside(classified, by_thread, span).sync_cost_short_gaps_ns
}

/// Idle time in which the thread that ends the gap is inside some of its spans, which may overlap.
pub(crate) fn idle_inside(classified: &Classified<'_>, by_thread: Vec<Vec<Span>>, span: Span) -> IdleTime {
    let inside = |spans: Vec<Span>| union(spans.into_iter().map(|one| one.clip(span)).collect());
    let by_thread: Vec<Vec<Span>> = by_thread.into_iter().map(inside).collect();
    let mut idle = IdleTime::default();
    if by_thread.iter().all(Vec::is_empty) {
        return idle;
    }
    let host = HostSpans::new(classified);
    let mut attribution = IdleAttribution::new(&host, &[]);
    let mut finder = GapFinder::new(classified);
    let mut add = |gap: &Gap| {
        if let Some(thread) = classified.call_of(gap.ended_by).and_then(|call| call.thread.some()) {
            attribution.add_inside(gap, &by_thread[thread.index()], &mut idle);
        }
    };
    classified.items_in_order().for_each(|item| finder.add(item).iter().for_each(&mut add));
    finder.rest().iter().for_each(add);
    idle
}

/// Idle time of the cause [`Cause::Stall`] in a span, in gaps that some kernels end. Kernels are in order.
#[must_use]
pub(crate) fn stalled_before(classified: &Classified<'_>, kernels: &[WorkId], span: Span) -> Ns {
    if kernels.is_empty() {
        return 0;
    }
    let host = HostSpans::new(classified);
    let mut attribution = IdleAttribution::new(&host, &[]);
    let mut finder = GapFinder::new(classified);
    let mut stalled_ns = 0;
    let mut add = |gap: &Gap| {
        if kernels.binary_search(&WorkId::new(gap.ended_by)).is_ok() {
            stalled_ns += attribution.stalled_ns(gap, span);
        }
    };
    classified.items_in_order().for_each(|item| finder.add(item).iter().for_each(&mut add));
    finder.rest().iter().for_each(add);
    stalled_ns
}

/// By thread: when it sets something up in gaps, as its calls show it, in any order.
fn set_up_in(classified: &Classified<'_>, gaps: &[LongGap]) -> Vec<Vec<Span>> {
    let mut by_thread = vec![Vec::new(); classified.threads()];
    let first_calls = first_calls(classified);
    for gap in gaps {
        let Some(launch) = classified.call_of(gap.ended_by.index()) else { continue };
        let before = Span::new(gap.span.start, launch.span.start.clamp(gap.span.start, gap.span.end));
        if let Some(thread) = launch.thread.some() {
            let calls = CallsOfGap::new(classified, thread, before, &first_calls);
            by_thread[thread.index()].extend(calls.done_once(gap));
        }
    }
    by_thread
}

/// By thread: when it makes or ends communicators.
fn communicator_set_up(classified: &Classified<'_>) -> Vec<Vec<Span>> {
    let activity = classified.activity();
    let mut by_thread = vec![Vec::new(); classified.threads()];
    for (ranges, spans) in activity.ranges.by_thread.iter().zip(&mut by_thread) {
        let is_set_up = |label| classified.range_class(label).opens == Some(Cause::Setup);
        let found = ranges.span.iter().zip(&ranges.text).filter(|&(_, &label)| is_set_up(label));
        spans.extend(found.map(|(&span, _)| span));
    }
    let mpi = &activity.host.mpi;
    for ((&span, thread), &name) in mpi.span.iter().zip(&mpi.thread).zip(&mpi.name) {
        if classified.mpi_class(name) == Cause::Setup
            && let Some(spans) = thread.some().and_then(|thread| by_thread.get_mut(thread.index()))
        {
            spans.push(span);
        }
    }
    by_thread
}

/// By process: the start of its first call.
fn first_calls(classified: &Classified<'_>) -> Vec<Option<Ns>> {
    let activity = classified.activity();
    let mut first: Vec<Option<Ns>> = vec![None; activity.processes.len()];
    for (call, span) in activity.counted_calls() {
        let Some(process) = classified.process(activity.api_calls.thread[call]) else {
            continue;
        };
        let start = &mut first[process.index()];
        *start = Some(start.map_or(span.start, |start| start.min(span.start)));
    }
    first
}

/// A call that a thread makes in a gap before it launches what ends it.
#[derive(Debug, Clone, Copy)]
struct GapCall {
    span: Span,
    sets_up: bool,
    loads_code: bool,
    /// Whether it comes after a call that initialises, with nothing between that takes memory, copies, waits or launches, and is
    /// none of the last three.
    goes_on_initialising: bool,
}

/// The calls of a gap, by start.
struct CallsOfGap {
    /// From the start of the gap to the launch.
    before: Span,
    calls: Vec<GapCall>,
}

impl CallsOfGap {
    fn new(classified: &Classified<'_>, thread: ThreadId, before: Span, first_calls: &[Option<Ns>]) -> Self {
        let spans = &classified.activity().api_calls.span;
        let rows = classified.calls_by_thread().get(thread.index());
        let first = rows.partition_point(|&row| spans[row as usize].start < before.start);
        // One that began earlier may reach into the gap.
        let first = first.saturating_sub(1);
        let of_process = classified.process(thread.into()).and_then(|process| first_calls[process.index()]);
        let mut initialises = false;
        let mut calls: Vec<GapCall> = Vec::new();
        for &row in &rows[first..] {
            let (span, call) = (spans[row as usize], ApiCallId::new(row as usize));
            if span.start >= before.end {
                break;
            }
            let function = classified.function(call);
            let begins = function.initialises || of_process == Some(span.start);
            if function.makes_context
                && let Some(outer) = calls.last_mut().filter(|outer| outer.span.end >= span.end)
            {
                outer.sets_up = true;
            }
            let goes_on_initialising = initialises
                && matches!(function.class, ApiClass::Setup | ApiClass::Api | ApiClass::Allocation);
            initialises |= begins;
            let sets_up =
                function.class == ApiClass::Setup || initialises && function.class != ApiClass::Launch;
            // The first of these calls needs what is initialised, and waits for it.
            initialises &= matches!(function.class, ApiClass::Setup | ApiClass::Api);
            calls.push(GapCall { span, sets_up, loads_code: function.loads_code, goes_on_initialising });
        }
        calls.retain(|call| call.span.end > before.start);
        Self { before, calls }
    }

    /// When such work is done in the gap; spans may overlap.
    fn done_once(&self, gap: &LongGap) -> Vec<Span> {
        let set_up = self.calls.iter().filter(|call| call.sets_up).map(|call| call.span.clip(self.before));
        let mut spans: Vec<Span> = union(set_up.collect());
        let is_on_the_way =
            matches!(gap.cause, Cause::Setup | Cause::Unknown) || Cause::ISSUING.contains(&gap.cause);
        if is_on_the_way {
            let between = self.between(&spans);
            spans.extend(self.around_loads());
            spans.extend(between);
        }
        spans.extend(self.while_initialising());
        spans
    }

    /// The pauses between the first and the last call that sets something up, if such calls take enough of the time between.
    fn between(&self, set_up: &[Span]) -> Vec<Span> {
        let (Some(begin), Some(end)) = (set_up.first(), set_up.last()) else { return Vec::new() };
        let all = Span::new(begin.start, end.end);
        match LEAST_PART * total(set_up.iter().map(|span| span.length())) >= all.length() {
            true => self.pauses().filter(|pause| all.start <= pause.start && pause.end <= all.end).collect(),
            false => Vec::new(),
        }
    }

    /// The pauses between a call that initialises and those that follow: what is initialised, such as a library, is loaded and made
    /// ready there.
    fn while_initialising(&self) -> impl Iterator<Item = Span> + '_ {
        let pairs = self.calls.windows(2).filter(|pair| pair[1].goes_on_initialising);
        pairs
            .map(|pair| Span::new(pair[0].span.end, pair[1].span.start.max(pair[0].span.end)))
            .map(|pause| pause.clip(self.before))
    }

    /// The pauses right before and after calls that load code and take enough of the time from one pause to the other.
    fn around_loads(&self) -> Vec<Span> {
        let pauses: Vec<Span> = self.pauses().collect();
        let mut found = Vec::new();
        for load in self.calls.iter().filter(|call| call.loads_code).map(|call| call.span.clip(self.before)) {
            let behind = pauses.partition_point(|pause| pause.end <= load.start);
            let before = behind.checked_sub(1).map(|at| pauses[at]).filter(|pause| pause.end == load.start);
            let behind = pauses.get(behind).copied().filter(|pause| pause.start == load.end);
            let near = [before, behind].into_iter().flatten();
            let paused = total(near.clone().map(Span::length));
            if LEAST_LOADING * load.length() >= load.length() + paused {
                found.extend(near);
            }
        }
        found
    }

    /// The times without a call, in order.
    fn pauses(&self) -> impl Iterator<Item = Span> + '_ {
        let mut at = self.before.start;
        let ends = self.calls.iter().map(|call| call.span.clip(self.before));
        let ends = ends.chain([Span::new(self.before.end, self.before.end)]);
        ends.filter_map(move |call| {
            let pause = Span::new(at, call.start.max(at));
            at = at.max(call.end);
            (!pause.is_empty()).then_some(pause)
        })
    }
}
