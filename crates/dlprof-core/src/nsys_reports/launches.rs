//! Which call launched which GPU work, and in which ranges the call lies.

use super::ranges::Range;
use super::source::Source;
use crate::by_id::{ById, IdRange};
use crate::ids::{ApiCallId, ProcessId, WorkId};
use rustc_hash::FxHashMap;

/// Calls by process and correlation id.
pub(super) struct Calls {
    /// By process: its calls by correlation id.
    first: Vec<ById<ApiCallId>>,
    /// Further calls with the same process and id, in file order.
    more: FxHashMap<(ProcessId, u32), Vec<ApiCallId>>,
}

impl Calls {
    pub(super) fn new(source: Source<'_>) -> Self {
        let keyed = || source.calls().filter_map(move |call| Some((source.call_key(call)?, call)));
        let mut ranges = vec![IdRange::default(); source.capture.processes.len()];
        for ((process, id), _) in keyed() {
            ranges[process.index()].add(id);
        }
        let by_id = |range| ById::new(&source.capture.memory, range, ApiCallId::NONE);
        let mut calls = Self { first: ranges.iter().map(by_id).collect(), more: FxHashMap::default() };
        for ((process, id), call) in keyed() {
            let place = calls.first[process.index()].slot(id);
            if place.is_none() {
                *place = call;
            } else {
                calls.more.entry((process, id)).or_default().push(call);
            }
        }
        calls
    }

    /// The calls that launched a piece of work, in file order.
    pub(super) fn of(&self, source: Source<'_>, work: WorkId) -> impl Iterator<Item = ApiCallId> + '_ {
        let key = source.work_key(work);
        let first = key.and_then(|(process, id)| self.first[process.index()].find(id).some());
        let more = key.filter(|_| !self.more.is_empty()).and_then(|key| self.more.get(&key));
        first.into_iter().chain(more.into_iter().flatten().copied())
    }
}

/// The work that each call launched, for calls that launched any.
pub(super) struct Launches {
    /// Call and work, in order of calls, and of each call in order of work.
    pub(super) pairs: Vec<(ApiCallId, WorkId)>,
    /// Work without a call, in order.
    pub(super) without_call: Vec<WorkId>,
}

impl Launches {
    pub(super) fn new(source: Source<'_>, calls: &Calls, work: impl Iterator<Item = WorkId>) -> Self {
        let mut launches = Self { pairs: Vec::new(), without_call: Vec::new() };
        for work in work {
            let before = launches.pairs.len();
            launches.pairs.extend(calls.of(source, work).map(|call| (call, work)));
            if launches.pairs.len() == before {
                launches.without_call.push(work);
            }
        }
        launches.pairs.sort_unstable();
        launches
    }

    /// The launches of each call.
    pub(super) fn by_call(&self) -> impl Iterator<Item = &[(ApiCallId, WorkId)]> {
        self.pairs.chunk_by(|a, b| a.0 == b.0)
    }
}

/// Calls `on_call` for each call that launched work with the ranges of its thread that contain it, in order of their starts.
/// Ranges that end on another thread contain nothing. Calls come thread by thread in order of their starts.
pub(super) fn for_each_call<'l>(
    source: Source<'_>,
    launches: &'l Launches,
    ranges: &[Range],
    mut on_call: impl FnMut(&'l [(ApiCallId, WorkId)], &[u32]),
) {
    let mut by_thread = containing_ranges(ranges);
    let mut calls: Vec<_> =
        launches.by_call().map(|launched| (source.call_thread(launched[0].0), launched)).collect();
    calls.sort_by_key(|(thread, launched)| (*thread, source.call_span(launched[0].0).start));
    for of_thread in calls.chunk_by(|a, b| a.0 == b.0) {
        let mut open: Vec<u32> = Vec::new();
        let mut coming = match of_thread[0].0 {
            Some(thread) => by_thread.remove(&thread).unwrap_or_default().into_iter().peekable(),
            None => Vec::new().into_iter().peekable(),
        };
        let mut containing = Vec::new();
        let mut earliest_end = i64::MAX;
        for (_, launched) in of_thread {
            let span = source.call_span(launched[0].0);
            let end = |range: u32| ranges[range as usize].end.unwrap_or(i64::MIN);
            while let Some(range) = coming.next_if(|&range| ranges[range as usize].start <= span.start) {
                earliest_end = earliest_end.min(end(range));
                open.push(range);
            }
            if earliest_end < span.start {
                open.retain(|&range| end(range) >= span.start);
                earliest_end = open.iter().map(|&range| end(range)).min().unwrap_or(i64::MAX);
            }
            containing.clear();
            containing.extend(open.iter().copied().filter(|&range| end(range) >= span.end));
            on_call(launched, &containing);
        }
    }
}

/// Places of the ranges that may contain calls, by thread, in order of their starts.
fn containing_ranges(ranges: &[Range]) -> FxHashMap<i64, Vec<u32>> {
    let mut by_thread: FxHashMap<i64, Vec<u32>> = FxHashMap::default();
    for (place, range) in (0..).zip(ranges) {
        if !range.ends_elsewhere {
            by_thread.entry(range.thread).or_default().push(place);
        }
    }
    for places in by_thread.values_mut() {
        places.sort_by_key(|&place| ranges[place as usize].start);
    }
    by_thread
}
