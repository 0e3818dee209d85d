//! Which call launched which GPU work, and in which ranges the call lies.

use super::ranges::{Range, by_thread};
use super::source::Source;
use crate::base::by_id::{ById, IdRange};
use crate::base::ids::{ApiCallId, Maybe, ProcessId, WorkId};
use crate::base::limits::{Room, STATS_LAUNCHES, STATS_RANGES_OF_CALLS, TooMuch};
use crate::base::time::{Ns, Span};
use rustc_hash::FxHashMap;

/// Calls by process and correlation id.
pub(super) struct Calls {
    /// By process: its calls by correlation id.
    first: Vec<ById<Maybe<ApiCallId>>>,
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
        let by_id = |range| ById::new(&source.capture.memory, range, Maybe::NONE);
        let mut calls = Self { first: ranges.iter().map(by_id).collect(), more: FxHashMap::default() };
        for ((process, id), call) in keyed() {
            let place = calls.first[process.index()].slot(id);
            if place.is_none() {
                *place = call.into();
            } else {
                calls.more.entry((process, id)).or_default().push(call);
            }
        }
        calls
    }

    /// The calls that launched a piece of work, in file order.
    ///
    /// # Errors
    /// If there is no room for the pairs of them and the work.
    pub(super) fn of(
        &self,
        source: Source<'_>,
        work: WorkId,
        room: &mut Room,
    ) -> Result<impl Iterator<Item = ApiCallId> + '_, TooMuch> {
        let key = source.work_key(work);
        let first = key.and_then(|(process, id)| self.first[process.index()].find(id).some());
        let more = key.filter(|_| !self.more.is_empty()).and_then(|key| self.more.get(&key));
        room.take(usize::from(first.is_some()) + more.map_or(0, Vec::len))?;
        Ok(first.into_iter().chain(more.into_iter().flatten().copied()))
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
    pub(super) fn new(
        source: Source<'_>,
        calls: &Calls,
        work: impl Iterator<Item = WorkId>,
    ) -> Result<Self, TooMuch> {
        let mut launches = Self { pairs: Vec::new(), without_call: Vec::new() };
        let mut room = source.room(&STATS_LAUNCHES);
        for work in work {
            let before = launches.pairs.len();
            launches.pairs.extend(calls.of(source, work, &mut room)?.map(|call| (call, work)));
            if launches.pairs.len() == before {
                launches.without_call.push(work);
            }
        }
        // Kernels, copies and memsets are three runs, mostly in order.
        launches.pairs.sort();
        Ok(launches)
    }

    /// The launches of each call.
    pub(super) fn by_call(&self) -> impl Iterator<Item = &[(ApiCallId, WorkId)]> {
        self.pairs.chunk_by(|a, b| a.0 == b.0)
    }
}

/// Calls `on_call` for each call that launched work with the ranges of its thread that contain it, in order of their starts.
/// Ranges that end on another thread contain nothing. Calls come thread by thread in order of their starts.
///
/// # Errors
/// If `on_call` has one, or the calls lie in too many ranges.
pub(super) fn for_each_call<'l>(
    source: Source<'_>,
    launches: &'l Launches,
    ranges: &[Range],
    mut on_call: impl FnMut(&'l [(ApiCallId, WorkId)], &[u32]) -> Result<(), TooMuch>,
) -> Result<(), TooMuch> {
    let mut room = STATS_RANGES_OF_CALLS.room(launches.pairs.len(), source.capture.memory.bytes());
    let mut ranges_of: FxHashMap<Option<i64>, Vec<u32>> = FxHashMap::default();
    for (thread, mut places) in by_thread(ranges, |range| !range.ends_elsewhere) {
        places.sort_by_key(|&place| ranges[place as usize].start);
        ranges_of.insert(Some(thread), places);
    }
    for (thread, mut calls) in calls_by_thread(source, launches) {
        calls.sort_by_key(|(span, _)| span.start);
        let mut open = Open { ranges, places: Vec::new(), earliest_end: Ns::MAX };
        let mut coming = ranges_of.remove(&thread).unwrap_or_default().into_iter().peekable();
        let mut containing = Vec::new();
        for (span, launched) in calls {
            while let Some(range) = coming.next_if(|&range| ranges[range as usize].start <= span.start) {
                open.add(range);
            }
            open.close_before(span.start);
            room.take(open.places.len().saturating_mul(launched.len()))?;
            containing.clear();
            containing.extend(open.places.iter().copied().filter(|&range| open.end(range) >= span.end));
            on_call(launched, &containing)?;
        }
    }
    Ok(())
}

/// A call that launched work.
type Launching<'l> = (Span, &'l [(ApiCallId, WorkId)]);

/// The calls that launched work by thread, in the order of calls.
fn calls_by_thread<'l>(source: Source<'_>, launches: &'l Launches) -> Vec<(Option<i64>, Vec<Launching<'l>>)> {
    let mut places: FxHashMap<Option<i64>, usize> = FxHashMap::default();
    let mut threads: Vec<(Option<i64>, Vec<Launching<'l>>)> = Vec::new();
    for launched in launches.by_call() {
        let call = launched[0].0;
        let thread = source.call_thread(call);
        let place = *places.entry(thread).or_insert(threads.len());
        if place == threads.len() {
            threads.push((thread, Vec::new()));
        }
        threads[place].1.push((source.call_span(call), launched));
    }
    threads
}

/// Ranges that began and may not have ended.
struct Open<'r> {
    ranges: &'r [Range],
    places: Vec<u32>,
    /// Of these ranges.
    earliest_end: Ns,
}

impl Open<'_> {
    fn end(&self, range: u32) -> Ns {
        self.ranges[range as usize].end_or_none
    }

    fn add(&mut self, range: u32) {
        self.earliest_end = self.earliest_end.min(self.end(range));
        self.places.push(range);
    }

    /// Leaves out ranges that ended before a time.
    fn close_before(&mut self, time: Ns) {
        if self.earliest_end < time {
            let ranges = self.ranges;
            self.places.retain(|&range| ranges[range as usize].end_or_none >= time);
            self.earliest_end = self.places.iter().map(|&range| self.end(range)).min().unwrap_or(Ns::MAX);
        }
    }
}
