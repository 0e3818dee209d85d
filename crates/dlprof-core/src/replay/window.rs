//! The calls and the GPU work of the aggregated iterations, in order of time.

use crate::base::groups::Grouped;
use crate::base::ids::{ApiCallId, StrId, WorkId};
use crate::base::intervals::union;
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use crate::capture::classified::Classified;
use crate::capture::names::{ApiFunction, ByName, OsCallKind};
use crate::figures::profile::Profile;
use crate::read::facts::{GraphOrigin, RecorderKind, WorkKind};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A CUDA call of the host.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostCall {
    pub(super) id: ApiCallId,
    pub(super) span: Span,
    /// Its thread; after all others where none is known.
    pub(super) thread: usize,
    /// Its process; after all others where none is known.
    pub(super) process: usize,
    /// Its name; none of the start of an iteration.
    pub(super) name: Option<StrId>,
    pub(super) function: ApiFunction,
}

/// A piece of GPU work that a call of the window launched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Launched {
    pub(super) id: WorkId,
    pub(super) span: Span,
    pub(super) kind: LaunchedKind,
    /// The call, by its place in the window.
    pub(super) call: usize,
    /// The stream, by its place in the window.
    pub(super) stream: usize,
}

/// What a piece of GPU work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LaunchedKind {
    Kernel,
    /// A kernel that exchanges data between GPUs.
    Exchange,
    /// A whole CUDA graph, recorded as one piece.
    Graph,
    Copy,
    Memset,
}

/// A stream of the window.
#[derive(Debug, Clone)]
pub(super) struct WindowStream {
    pub(super) process: usize,
    pub(super) device: usize,
    pub(super) context: i64,
    /// Its work in order of time.
    pub(super) work: Vec<u32>,
    /// When work ended that was launched before the window and ran into it.
    pub(super) carried_until: Option<Ns>,
}

/// The calls that start in the aggregated iterations, and their work.
#[derive(Debug)]
pub(super) struct Window {
    pub(super) start: Ns,
    /// Starts of the iterations.
    pub(super) steps: Vec<Ns>,
    /// By iteration: how often the step runs in it, which is once but in unsplit ones.
    pub(super) passes: Vec<u32>,
    /// The mean length of the iterations on the clock in force, over every time that the step runs; none without iterations.
    pub(super) mean_ns: Option<Ns>,
    /// Whether it is about that of all iterations that were meant, where only some are replayed.
    pub(super) is_typical: bool,
    pub(super) calls: Vec<HostCall>,
    /// The last one, where the thread of the key node comes to the end of the iterations outside of calls: it takes no time.
    pub(super) end: Option<usize>,
    pub(super) work: Vec<Launched>,
    /// By call: its work.
    pub(super) work_of: Grouped<u32>,
    pub(super) streams: Vec<WindowStream>,
    /// By thread: when it waited in calls of the operating system.
    pub(super) os_waits: Vec<Vec<Span>>,
    /// By thread: Python functions that return when GPU work has ended.
    pub(super) python_waits: Vec<Vec<Span>>,
}

/// How much is replayed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    /// Iterations with more calls than this are replayed around their median.
    pub(super) calls_of_iterations: usize,
    /// A capture without iterations that has more calls than this is not replayed.
    pub(super) calls_of_capture: usize,
}

/// How many iterations on each side of the median one, where there are too many calls.
const AROUND_MEDIAN: usize = 5;

/// OS calls that are shorter are no waits.
const SHORTEST_OS_WAIT: Ns = 20_000;

impl Window {
    pub(super) fn of(profile: &Profile, reach: Reach) -> Self {
        let chosen = chosen(profile, reach);
        profile.look(|facts| Self::new(profile, facts, &chosen))
    }

    fn new(profile: &Profile, facts: &Classified<'_>, chosen: &Chosen) -> Self {
        let span = chosen.span;
        let mut calls = calls(facts, span);
        let start =
            if span.start == Ns::MIN { calls.first().map_or(0, |call| call.span.start) } else { span.start };
        let end = end_of_iterations(profile, span.end, &calls);
        if let Some(end) = end {
            let starts = chosen.iterations.iter().skip(1).map(|iteration| iteration.start);
            let begins = starts_between_calls(profile, starts, end.thread, &calls);
            calls.extend(begins.into_iter().map(|start| HostCall { span: Span::new(start, start), ..end }));
            calls.sort_by_key(|call| (call.span.start, std::cmp::Reverse(call.span.end), call.id));
        }
        let (streams, work) = work(facts, &calls);
        let end = end.map(|end| {
            calls.push(end);
            calls.len() - 1
        });
        let launching = |at: u32| work.get(at as usize).map(|work| work.call);
        let count = u32::try_from(work.len()).unwrap_or(u32::MAX);
        let work_of = Grouped::new(&profile.capture.memory, calls.len(), 0..count, launching);
        let os_waits = os_waits(facts, Span::new(start, span.end));
        let python_waits = python_waits(profile, facts.threads(), Span::new(start, span.end));
        let steps = chosen.iterations.iter().map(|iteration| iteration.start).collect();
        let passes = chosen.iterations.iter().map(|iteration| iteration.passes).collect();
        let (mean_ns, is_typical) = (chosen.mean_ns, chosen.is_typical);
        Self {
            start,
            steps,
            passes,
            mean_ns,
            is_typical,
            calls,
            end,
            work_of,
            work,
            streams,
            os_waits,
            python_waits,
        }
    }

    /// The place of the iteration in which a time of the host is, from 1; 0 before the first.
    pub(super) fn step_of(&self, time: Ns) -> usize {
        self.steps.partition_point(|&start| start <= time)
    }

    /// The call of a piece of work.
    pub(super) fn launching(&self, work: usize) -> &HostCall {
        &self.calls[self.work[work].call]
    }

    /// The last work on a stream that was launched before a time of the host.
    pub(super) fn last_before(&self, stream: &WindowStream, time: Ns) -> Option<usize> {
        let is_before = |&at: &u32| self.launching(at as usize).span.start < time;
        let before = stream.work.partition_point(is_before).checked_sub(1)?;
        Some(stream.work[before] as usize)
    }

    /// The work that a call launched, in order of time.
    pub(super) fn launched_by(&self, call: usize) -> impl DoubleEndedIterator<Item = usize> + Clone {
        self.work_of.get(call).iter().map(|&at| at as usize)
    }
}

/// An iteration that is replayed.
struct Replayed {
    start: Ns,
    passes: u32,
}

/// What is replayed: the span of the calls of some iterations, and these; without iterations of all.
struct Chosen {
    span: Span,
    iterations: Vec<Replayed>,
    mean_ns: Option<Ns>,
    is_typical: bool,
}

/// The mean of a few iterations is about that of all if it differs by no more than this part of it.
const TYPICAL_PART: Ns = 10;

/// The iterations that are replayed: of those that findings are about the ones around the median where there are too many calls.
fn chosen(profile: &Profile, reach: Reach) -> Chosen {
    let iterations = &profile.iterations;
    if iterations.key_node.is_none() {
        let start =
            if iterations.start == 0 { Ns::MIN } else { iterations.windows.cpu_span(iterations.start).start };
        let span = Span::new(start, Ns::MAX);
        return Chosen { span, iterations: Vec::new(), mean_ns: None, is_typical: true };
    }
    let numbers: Vec<u32> = iterations.judged().filter(|&number| !iterations.is_outside(number)).collect();
    let spans: Vec<Span> = numbers.iter().map(|&number| iterations.windows.cpu_span(number)).collect();
    let kept = if calls_in(&profile.capture, &spans) > reach.calls_of_iterations {
        around_median(&spans)
    } else {
        0..spans.len()
    };
    let of_all = mean_ns(profile, &numbers);
    let (numbers, spans) = (&numbers[kept.clone()], &spans[kept]);
    let mean_ns = mean_ns(profile, numbers);
    let is_typical =
        mean_ns.zip(of_all).is_none_or(|(some, all)| (some - all).abs().saturating_mul(TYPICAL_PART) <= all);
    let whole =
        Span::new(spans.first().map_or(0, |span| span.start), spans.last().map_or(0, |span| span.end));
    let further = iterations.further_passes_of(numbers.iter().copied());
    let replayed = spans.iter().zip(further);
    let replayed = replayed.map(|(span, (_, further))| Replayed { start: span.start, passes: 1 + further });
    Chosen { span: whole, iterations: replayed.collect(), mean_ns, is_typical }
}

/// The mean length of iterations on the clock in force, over every time that the step runs; none without iterations.
fn mean_ns(profile: &Profile, numbers: &[u32]) -> Option<Ns> {
    let length: Ns = numbers.iter().map(|&number| profile.iterations.windows.span(number).length()).sum();
    let further = profile.iterations.further_passes_of(numbers.iter().copied());
    let passes: Ns = further.map(|(_, further)| 1 + Ns::from(further)).sum();
    length.checked_div(passes).filter(|&ns| ns > 0)
}

fn calls_in(capture: &Capture, spans: &[Span]) -> usize {
    let Some((first, last)) = spans.first().zip(spans.last()) else { return 0 };
    capture.api_calls.span.iter().filter(|call| (first.start..last.end).contains(&call.start)).count()
}

/// The places of the iterations around the median one.
fn around_median(spans: &[Span]) -> Range<usize> {
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_by_key(|&at| (spans[at].length(), at));
    let middle = order.get(order.len() / 2).copied().unwrap_or(0);
    middle.saturating_sub(AROUND_MEDIAN)..(middle + AROUND_MEDIAN + 1).min(spans.len())
}

fn calls(facts: &Classified<'_>, window: Span) -> Vec<HostCall> {
    let activity = facts.activity();
    let columns = &activity.api_calls;
    let call = |id: ApiCallId| {
        let thread = columns.thread[id];
        HostCall {
            id,
            span: columns.span[id],
            thread: thread.some().map_or(facts.threads(), |thread| thread.index()),
            process: facts.process(thread).map_or(activity.processes.len(), |process| process.index()),
            name: Some(columns.name[id]),
            function: facts.function(id),
        }
    };
    let counted =
        activity.counted_calls().filter(|(_, span)| (window.start..window.end).contains(&span.start));
    let mut calls: Vec<HostCall> = counted.map(|(id, _)| call(id)).collect();
    calls.sort_by_key(|call| (call.span.start, std::cmp::Reverse(call.span.end), call.id));
    calls
}

/// The end of iterations as a call that takes no time; none where no other one begins then, or the thread of the key node is in a call.
fn end_of_iterations(profile: &Profile, end: Ns, calls: &[HostCall]) -> Option<HostCall> {
    let key_node =
        profile.iterations.key_node.as_ref().filter(|key| key.starts.binary_search(&end).is_ok())?;
    let thread = key_node.thread.some()?.index();
    let own = || calls.iter().filter(|call| call.thread == thread);
    let last = own().next_back().filter(|_| own().all(|call| call.span.end <= end))?;
    Some(HostCall { span: Span::new(end, end), name: None, function: ApiFunction::of(""), ..*last })
}

/// The calls that are recorded, with their places: not those that stand for the start of an iteration.
fn recorded(calls: &[HostCall]) -> impl Iterator<Item = (usize, &HostCall)> {
    calls.iter().enumerate().filter(|(_, call)| call.name.is_some())
}

/// Of some starts of iterations, in order, those at which the key node begins and its thread is in no call: there an iteration ends as the last
/// one does, before anything that the next one begins with.
fn starts_between_calls(
    profile: &Profile,
    starts: impl Iterator<Item = Ns>,
    thread: usize,
    calls: &[HostCall],
) -> Vec<Ns> {
    let Some(key_node) = &profile.iterations.key_node else { return Vec::new() };
    let mut own = calls.iter().filter(|call| call.thread == thread).peekable();
    let mut busy_until = Ns::MIN;
    let is_between = |&start: &Ns| {
        while let Some(call) = own.next_if(|call| call.span.start <= start) {
            busy_until = busy_until.max(call.span.end);
        }
        busy_until <= start && key_node.starts.binary_search(&start).is_ok()
    };
    starts.filter(is_between).collect()
}

fn work(facts: &Classified<'_>, calls: &[HostCall]) -> (Vec<WindowStream>, Vec<Launched>) {
    let activity = facts.activity();
    let place_of: FxHashMap<ApiCallId, usize> = recorded(calls).map(|(at, call)| (call.id, at)).collect();
    let starts = match calls {
        [first, .., last] => first.span.start..=last.span.start,
        _ => Ns::MIN..=Ns::MAX,
    };
    let (mut found, mut other) = (Vec::new(), Vec::new());
    for item in 0..activity.work.len() {
        let id = WorkId::new(item);
        let (span, stream) = (activity.work.span[id], activity.work.stream[id].index());
        let call = facts.call_row(item).filter(|&call| starts.contains(&activity.api_calls.span[call].start));
        match call.and_then(|call| place_of.get(&call)) {
            Some(&call) => found.push(Launched { id, span, kind: kind(facts, id), call, stream }),
            None => other.push((stream, span)),
        }
    }
    found.sort_by_key(|work| (work.span, work.id));
    let mut places = FxHashMap::default();
    let mut streams: Vec<WindowStream> = Vec::new();
    for (at, work) in found.iter_mut().enumerate() {
        let recorded = &activity.streams[work.stream];
        let place = *places.entry(work.stream).or_insert_with(|| {
            let process = calls[work.call].process;
            let (device, context) = (recorded.device.index(), recorded.context);
            streams.push(WindowStream { process, device, context, work: Vec::new(), carried_until: None });
            streams.len() - 1
        });
        work.stream = place;
        streams[place].work.push(u32::try_from(at).unwrap_or(u32::MAX));
    }
    for (stream, span) in other {
        let Some(stream) = places.get(&stream).and_then(|&place| streams.get_mut(place)) else { continue };
        let first = stream.work.first().map_or(Ns::MIN, |&at| found[at as usize].span.start);
        if span.end <= first {
            stream.carried_until = stream.carried_until.max(Some(span.end));
        }
    }
    (streams, found)
}

fn kind(facts: &Classified<'_>, id: WorkId) -> LaunchedKind {
    let recorded = facts.activity().recorded;
    match recorded.work_kind(id) {
        WorkKind::Copy => LaunchedKind::Copy,
        WorkKind::Memset => LaunchedKind::Memset,
        WorkKind::Kernel if recorded.kernels.graph[id] == GraphOrigin::WholeGraph => LaunchedKind::Graph,
        WorkKind::Kernel if facts.is_communication(id.index()) => LaunchedKind::Exchange,
        WorkKind::Kernel => LaunchedKind::Kernel,
    }
}

/// Functions of JAX that wait for what GPUs compute; calls of the runtime that do so are not recorded there.
const WAITS_OF_PYTHON: [&str; 2] = ["block_until_ready", "effects_barrier"];

fn python_waits(profile: &Profile, threads: usize, window: Span) -> Vec<Vec<Span>> {
    let mut waits = vec![Vec::new(); threads + 1];
    let capture = &profile.capture;
    if capture.recorder.kind != RecorderKind::Xla {
        return waits;
    }
    let is_wait =
        |name: &str| name.rsplit(' ').next().is_some_and(|function| WAITS_OF_PYTHON.contains(&function));
    let waiting = ByName::new(&capture.strings, is_wait);
    let frames = &capture.host.python;
    for ((&span, &thread), &name) in frames.span.iter().zip(&frames.thread).zip(&frames.name) {
        let is_near = span.end > window.start && span.start < window.end;
        if let Some(thread) = thread.some().filter(|_| is_near && waiting.get(name)) {
            waits[thread.index()].push(span);
        }
    }
    waits.into_iter().map(union).collect()
}

fn os_waits(facts: &Classified<'_>, window: Span) -> Vec<Vec<Span>> {
    let mut waits = vec![Vec::new(); facts.threads() + 1];
    if let Some(calls) = &facts.activity().host.os_calls {
        for ((&span, &thread), &name) in calls.span.iter().zip(&calls.thread).zip(&calls.name) {
            let is_near = span.end > window.start && span.start < window.end;
            let Some(thread) = thread.some().filter(|_| is_near && span.length() >= SHORTEST_OS_WAIT) else {
                continue;
            };
            if facts.os_call_kind(name) == OsCallKind::Wait {
                waits[thread.index()].push(span);
            }
        }
    }
    waits.into_iter().map(union).collect()
}
