//! Waits for the GPU inside a step.
//!
//! ```text
//! window     ├──────────────────────────────────────┤
//! thread        │launch  ├ sync ┤  │launch     ├ sync ┤
//!                        in the step           ends the step
//! ```

use super::copies::CopyKind;
use super::windows::WindowFinder;
use crate::base::ids::{ApiCallId, Maybe, ProcessId, ThreadId};
use crate::base::intervals::holds;
use crate::base::time::{Ns, Span};
use crate::capture::classified::classified::Classified;
use crate::capture::classified::order::{Row, row};
use crate::capture::names::ApiClass;
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

/// Calls of the program that wait for the GPU and start in a window; not those that a library for communication makes, nor those
/// in which algorithms are tried.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WindowSyncs {
    /// Number.
    pub syncs: u64,
    /// The processes that wait.
    pub processes: BTreeSet<Option<ProcessId>>,
    /// By process: the call that ends the step, which is the last of them, unless its thread launches or copies after
    /// it in the window.
    pub terminal: BTreeMap<Option<ProcessId>, ApiCallId>,
    /// Copies of at most 4096 bytes to the host, followed by a wait for the stream: the program reads a value.
    pub scalar_reads: u64,
}

impl WindowSyncs {
    /// Number of waits that do not end the step.
    #[must_use]
    pub fn in_step(&self) -> u64 {
        self.syncs - self.terminal.len() as u64
    }
}

/// A copy up to this size, before a wait, reads a value.
pub(super) const MOST_SCALAR_BYTES: u64 = 4096;

/// The waits in each window. Windows are in order of time and do not overlap. `trials` says by thread when it tries algorithms.
#[must_use]
pub fn syncs_by_window(
    classified: &Classified<'_>,
    windows: &[Span],
    trials: &[Vec<Span>],
) -> Vec<WindowSyncs> {
    let mut syncs = last_syncs(classified, windows, trials);
    let calls = &classified.activity().api_calls;
    let without_thread = LazyCell::new(|| calls_without_thread(classified));
    for (syncs, window) in syncs.iter_mut().zip(windows) {
        syncs.terminal.retain(|_, &mut last| {
            let of_thread = match calls.thread[last].some() {
                Some(thread) => classified.calls_by_thread().get(thread.index()),
                None => &without_thread,
            };
            !issues_behind(classified, of_thread, Span::new(calls.span[last].end, window.end))
        });
    }
    let mut finder = WindowFinder::new(windows);
    for call in small_reads(classified) {
        let (thread, start) = (calls.thread[call], calls.span[call].start);
        let Some(window) = finder.find(start).filter(|_| !is_inside(trials, thread, start)) else { continue };
        syncs[window].scalar_reads += u64::from(is_read_at_once(classified, call));
    }
    syncs
}

/// Whether one of the calls of a thread, by start, launches or copies and starts in a span.
fn issues_behind(classified: &Classified<'_>, of_thread: &[Row], span: Span) -> bool {
    let start = |row: Row| classified.activity().api_calls.span[row as usize].start;
    let class = |row: Row| classified.function(ApiCallId::new(row as usize)).class;
    let first = of_thread.partition_point(|&row| start(row) < span.start);
    let mut inside = of_thread[first..].iter().copied().take_while(|&row| start(row) < span.end);
    inside.any(|row| matches!(class(row), ApiClass::Launch | ApiClass::Copy))
}

/// The calls whose thread is not known, by start.
fn calls_without_thread(classified: &Classified<'_>) -> Vec<Row> {
    let calls = &classified.activity().api_calls;
    let all = classified.activity().counted_calls();
    let mut rows: Vec<Row> =
        all.filter(|(call, _)| calls.thread[*call].is_none()).map(|(call, _)| row(call.index())).collect();
    rows.sort_by_key(|&row| calls.span[row as usize].start);
    rows
}

/// The number of waits in each window, and the last one.
fn last_syncs(classified: &Classified<'_>, windows: &[Span], trials: &[Vec<Span>]) -> Vec<WindowSyncs> {
    let calls = &classified.activity().api_calls;
    let mut syncs = vec![WindowSyncs::default(); windows.len()];
    each_wait(classified, windows, trials, |window, call, span| {
        let of_window = &mut syncs[window];
        of_window.syncs += 1;
        let process = classified.process(calls.thread[call]);
        of_window.processes.insert(process);
        let last = of_window.terminal.entry(process).or_insert(call);
        if calls.span[last.index()].start <= span.start {
            *last = call;
        }
    });
    syncs
}

/// Calls `put` with the window, the call and the span of each wait that counts.
pub(super) fn each_wait(
    classified: &Classified<'_>,
    windows: &[Span],
    trials: &[Vec<Span>],
    mut put: impl FnMut(usize, ApiCallId, Span),
) {
    let calls = &classified.activity().api_calls;
    let exchange = ExchangeSpans::new(classified);
    let mut finder = WindowFinder::new(windows);
    for (call, span) in classified.waits() {
        let Some(window) = finder.find(span.start) else { continue };
        let thread = calls.thread[call];
        if !exchange.is_open(thread, span.start) && !is_inside(trials, thread, span.start) {
            put(window, call, span);
        }
    }
}

/// Whether one of the spans of a thread holds a time.
fn is_inside(by_thread: &[Vec<Span>], thread: Maybe<ThreadId>, time: Ns) -> bool {
    thread.some().and_then(|thread| by_thread.get(thread.index())).is_some_and(|spans| holds(spans, time))
}

/// When threads are in calls that exchange data, or make what these need.
struct ExchangeSpans {
    /// By thread, in order; they do not overlap.
    spans: BTreeMap<ThreadId, Vec<Span>>,
}

impl ExchangeSpans {
    fn new(classified: &Classified<'_>) -> Self {
        let activity = classified.activity();
        let mpi = &activity.host.mpi;
        let mut spans: BTreeMap<ThreadId, Vec<Span>> = BTreeMap::new();
        for (&span, &thread) in mpi.span.iter().zip(&mpi.thread) {
            if let Some(thread) = thread.some() {
                spans.entry(thread).or_default().push(span);
            }
        }
        for (thread, ranges) in activity.ranges.by_thread.iter().enumerate() {
            let of_library = |label| {
                let class = classified.range_class(label);
                class.opens.is_some() && !class.is_user
            };
            let found = ranges.span.iter().zip(&ranges.text).filter(|&(_, &label)| of_library(label));
            let found: Vec<Span> = found.map(|(&span, _)| span).collect();
            if !found.is_empty() {
                spans.entry(ThreadId::new(thread)).or_default().extend(found);
            }
        }
        for spans in spans.values_mut() {
            *spans = crate::base::intervals::union(std::mem::take(spans));
        }
        Self { spans }
    }

    fn is_open(&self, thread: Maybe<ThreadId>, time: Ns) -> bool {
        thread.some().and_then(|thread| self.spans.get(&thread)).is_some_and(|spans| holds(spans, time))
    }
}

/// Calls of the copies that are small enough to read a value.
fn small_reads<'c>(classified: &'c Classified<'_>) -> impl Iterator<Item = ApiCallId> + 'c {
    let activity = classified.activity();
    let copies = (0..activity.copies.len()).filter(move |&copy| {
        activity.copies.kind.get(copy).is_some_and(|&kind| CopyKind::of(kind) == CopyKind::DtoH)
            && activity.transfers.bytes.get(copy).is_some_and(|&bytes| bytes <= MOST_SCALAR_BYTES)
    });
    copies.filter_map(move |copy| classified.call_row(activity.kernels.len() + copy))
}

/// Whether the next call of the thread waits for the stream.
fn is_read_at_once(classified: &Classified<'_>, call: ApiCallId) -> bool {
    let calls = &classified.activity().api_calls;
    let Some(thread) = calls.thread[call].some() else { return false };
    let rows = classified.calls_by_thread().get(thread.index());
    let place = |row: usize| (calls.span[row], row);
    let next = rows.partition_point(|&row| place(row as usize) <= place(call.index()));
    rows.get(next).is_some_and(|&row| classified.function(ApiCallId::new(row as usize)).is_stream_sync)
}
