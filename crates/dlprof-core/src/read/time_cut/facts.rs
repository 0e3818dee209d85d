//! Cuts the tables of a capture.

use super::resolve::extent;
use super::{CutWindow, TimeCut};
use crate::base::Error;
use crate::base::diagnostics::DiagnosticCode;
use crate::base::ids::{ApiCallId, DeviceId, Maybe, ProcessId, ThreadId, TransferId, WorkId};
use crate::base::time::{Ns, Span};
use crate::columns::{Buffer, Memory};
use crate::read::facts::{
    CollectiveFacts, CorrelationId, CpuSampleFacts, Facts, GraphNodeFacts, HostFacts, MemoryEventFacts,
    NO_CORRELATION, PageFaults, RecordedTables, RepeatedCalls, StackFrameFacts, StackOffsets, SwitchFacts,
    ThreadRangeFacts, UnsizedTransfers,
};
use std::cmp::Reverse;
use std::collections::BTreeMap;

impl Facts {
    /// Leaves only what is in a window in time, and notes how long the whole capture is.
    ///
    /// # Errors
    /// If no range has a text that the cut names, or a limit lies outside of the capture.
    pub(crate) fn cut(mut self, cut: &TimeCut) -> Result<(Self, Option<CutWindow>), Error> {
        let whole = extent(&self);
        self.recorded.about.notes.captured_ns = whole.end;
        if cut.is_none() {
            return Ok((self, None));
        }
        let window = cut.window(&self, whole)?;
        let span = window.span;
        let all = self.known_calls();
        self.cut_calls(span);
        let kept = self.known_calls();
        self.note_launched_before(span, &all, &kept);
        self.cut_work(span);
        self.cut_syncs(&kept);
        self.cut_ranges(span);
        let (memory, recorded) = (&self.memory, &mut self.recorded);
        recorded.host = host(memory, &recorded.host, span);
        recorded.memory_events = memory_events(memory, &recorded.memory_events, span);
        recorded.allocator = recorded.allocator.rows(memory, &at_times(&recorded.allocator.time, span));
        let samples = &recorded.metric_samples;
        recorded.metric_samples = samples.rows(memory, &at_times(&samples.time, span));
        // The export counts page faults without their times.
        recorded.about.notes.page_faults = PageFaults::default();
        Ok((self, Some(window)))
    }

    /// The API calls that there are.
    fn known_calls(&self) -> KnownCalls {
        let known = self.api_calls.thread.iter().zip(&self.keys.api_calls);
        let known = known.filter(|(_, correlation)| **correlation != NO_CORRELATION);
        let mut by_process: Vec<_> =
            known.clone().filter_map(|(thread, &key)| Some((self.process_of(thread.some()?), key))).collect();
        by_process.sort_unstable();
        let names_none = |processes: &[Maybe<ProcessId>]| processes.iter().any(|process| process.is_none());
        let mut of_any: Vec<_> = if names_none(&self.work.process) || names_none(&self.keys.syncs.process) {
            known.map(|(_, &correlation)| correlation).collect()
        } else {
            Vec::new()
        };
        of_any.sort_unstable();
        KnownCalls { by_process, of_any }
    }

    fn cut_calls(&mut self, window: Span) {
        let (memory, recorded) = (&self.memory, &mut self.recorded);
        let rows = touching(&recorded.api_calls.span, window);
        let mut calls = recorded.api_calls.rows(memory, &rows);
        calls.span = clipped(memory, &calls.span, window).into_column();
        let moved = |call: ApiCallId| {
            let row = u32::try_from(call.index()).ok()?;
            rows.binary_search(&row).ok().map(ApiCallId::new)
        };
        let repeated = recorded.repeated_calls.repeat.iter().zip(&recorded.repeated_calls.call);
        let kept: Vec<(ApiCallId, ApiCallId)> =
            repeated.filter_map(|(&repeat, &call)| Some((moved(repeat)?, moved(call)?))).collect();
        recorded.repeated_calls = RepeatedCalls {
            repeat: memory.collect(kept.iter().map(|(repeat, _)| *repeat)).into_column(),
            call: memory.collect(kept.iter().map(|(_, call)| *call)).into_column(),
        };
        recorded.api_calls = calls;
        self.keys.api_calls = self.keys.api_calls.rows(memory, &rows);
    }

    fn cut_work(&mut self, window: Span) {
        let (memory, recorded) = (&self.memory, &mut self.recorded);
        let (kernels, copies) = (recorded.kernels.len(), recorded.copies.len());
        let rows = touching(&recorded.work.span, window);
        let of = |first: usize, end: usize| -> Vec<u32> {
            let inside = rows.iter().filter(|&&row| (first..end).contains(&(row as usize)));
            inside.map(|row| row - u32::try_from(first).unwrap_or(u32::MAX)).collect()
        };
        let all = recorded.work.len();
        recorded.about.whole_graphs = of(kernels - recorded.whole_graphs, kernels).len();
        recorded.kernels = recorded.kernels.rows(memory, &of(0, kernels));
        recorded.copies = recorded.copies.rows(memory, &of(kernels, kernels + copies));
        recorded.transfers = recorded.transfers.rows(memory, &of(kernels, all));
        recorded.collectives = cut_collectives(memory, &recorded.collectives, &rows);
        // A cut leaves the calls out that were captured, and with them the ranges that name them.
        recorded.graph_nodes = GraphNodeFacts::default();
        recorded.unsized_transfers = cut_unsized(memory, &recorded.unsized_transfers, &of(kernels, all));
        recorded.work = recorded.work.rows(memory, &rows);
        recorded.work.span = clipped(memory, &recorded.work.span, window).into_column();
    }

    /// A synchronisation has no time of its own: it is where its call is.
    fn cut_syncs(&mut self, kept: &KnownCalls) {
        let syncs = &self.keys.syncs;
        let keys = syncs.process.iter().copied().zip(syncs.correlation.iter().copied());
        let rows: Vec<u32> = (0..).zip(keys).filter(|(_, key)| kept.has(*key)).map(|(row, _)| row).collect();
        self.recorded.syncs = self.recorded.syncs.rows(&self.memory, &rows);
        self.keys.syncs = syncs.rows(&self.memory, &rows);
    }

    fn cut_ranges(&mut self, window: Span) {
        let (memory, ranges) = (&self.memory, &mut self.recorded.ranges);
        let mut exchanges = self.keys.exchanges.by_thread.iter_mut();
        for (list, sequences) in ranges.by_thread.iter_mut().zip(&mut self.keys.sequences) {
            let rows = ranges_touching(list, window);
            *list = cut_list(memory, list, &rows, window);
            *sequences = sequences.rows(memory, &rows);
            if let Some(exchanges) = exchanges.next() {
                *exchanges = exchanges.rows(memory, &rows);
            }
        }
        let list = &mut ranges.without_thread;
        *list = cut_list(memory, list, &ranges_touching(list, window), window);
    }

    fn note_launched_before(&mut self, window: Span, all: &KnownCalls, kept: &KnownCalls) {
        let RecordedTables { work, about, .. } = &mut self.recorded;
        let keys = work.process.iter().copied().zip(work.correlation.iter().copied());
        for (span, key) in work.span.iter().zip(keys) {
            if touches(*span, window) && all.has(key) && !kept.has(key) {
                about
                    .diagnostics
                    .count(DiagnosticCode::LaunchedBeforeCut, || format!("at {} ns", span.start));
            }
        }
    }
}

/// Which API calls there are; each list ascends.
struct KnownCalls {
    by_process: Vec<(ProcessId, CorrelationId)>,
    /// For tables that name no process; empty if all do.
    of_any: Vec<CorrelationId>,
}

impl KnownCalls {
    /// Whether there is a call; of no process, whether any process has one.
    fn has(&self, (process, correlation): (Maybe<ProcessId>, CorrelationId)) -> bool {
        match process.some() {
            Some(process) => self.by_process.binary_search(&(process, correlation)).is_ok(),
            None => self.of_any.binary_search(&correlation).is_ok(),
        }
    }
}

/// Whether something is in a window, at least in part. Of things without length those at its start are, those at its end are not.
fn touches(span: Span, window: Span) -> bool {
    span.start < window.end && (span.end > window.start || span.start >= window.start)
}

fn rows_where<T>(values: &[T], is_inside: impl Fn(&T) -> bool) -> Vec<u32> {
    (0..).zip(values).filter(|(_, value)| is_inside(value)).map(|(row, _)| row).collect()
}

fn touching(spans: &[Span], window: Span) -> Vec<u32> {
    rows_where(spans, |span| touches(*span, window))
}

fn at_times(times: &[Ns], window: Span) -> Vec<u32> {
    rows_where(times, |time| (window.start..window.end).contains(time))
}

fn clipped(memory: &Memory, spans: &[Span], window: Span) -> Buffer<Span> {
    memory.collect(spans.iter().map(|span| span.clip(window)))
}

/// Rows of the ranges of a thread in a window, in the order in which they nest: ranges that are open at both limits are equal
/// afterwards, and of equals the one that stands first is around the other.
fn ranges_touching(list: &ThreadRangeFacts, window: Span) -> Vec<u32> {
    let mut rows = touching(&list.span, window);
    rows.sort_by_key(|&row| {
        let span = list.span[..][row as usize];
        (span.start, Reverse(span.end))
    });
    rows
}

fn cut_list(memory: &Memory, list: &ThreadRangeFacts, rows: &[u32], window: Span) -> ThreadRangeFacts {
    let mut kept = list.rows(memory, rows);
    kept.span = clipped(memory, &kept.span, window).into_column();
    kept
}

fn host(memory: &Memory, host: &HostFacts, window: Span) -> HostFacts {
    let mut mpi = host.mpi.rows(memory, &touching(&host.mpi.span, window));
    mpi.span = clipped(memory, &mpi.span, window).into_column();
    let os_calls = host.os_calls.as_ref().map(|calls| {
        let mut kept = calls.rows(memory, &touching(&calls.span, window));
        kept.span = clipped(memory, &kept.span, window).into_column();
        kept
    });
    let mut overheads = host.overheads.rows(memory, &touching(&host.overheads.span, window));
    overheads.span = clipped(memory, &overheads.span, window).into_column();
    let (samples, stack_offsets, stack_frames) = samples(memory, host, window);
    let switches = switches(memory, &host.switches, window);
    let mut python = host.python.rows(memory, &touching(&host.python.span, window));
    python.span = clipped(memory, &python.span, window).into_column();
    HostFacts { mpi, os_calls, overheads, samples, stack_offsets, stack_frames, switches, python }
}

/// The kernels of collectives that are kept: `kept` has the rows of the work that stay, ascending.
fn cut_collectives(memory: &Memory, collectives: &CollectiveFacts, kept: &[u32]) -> CollectiveFacts {
    let places = collectives.work.iter().map(|work| place_of(work.index(), kept)).collect::<Vec<_>>();
    let rows: Vec<u32> =
        (0..).zip(&places).filter(|(_, place)| place.is_some()).map(|(row, _)| row).collect();
    let mut cut = collectives.rows(memory, &rows);
    cut.work = memory.collect(places.into_iter().flatten().map(WorkId::new)).into_column();
    cut
}

/// Of the copies and memsets that are kept, those without bytes.
fn cut_unsized(memory: &Memory, unsized_transfers: &UnsizedTransfers, kept: &[u32]) -> UnsizedTransfers {
    let places = unsized_transfers.transfer.iter().filter_map(|transfer| place_of(transfer.index(), kept));
    UnsizedTransfers { transfer: memory.collect(places.map(TransferId::new)).into_column() }
}

/// The position of a row among those that are kept.
fn place_of(row: usize, kept: &[u32]) -> Option<usize> {
    kept.binary_search(&u32::try_from(row).ok()?).ok()
}

fn samples(
    memory: &Memory,
    host: &HostFacts,
    window: Span,
) -> (CpuSampleFacts, StackOffsets, StackFrameFacts) {
    let rows = at_times(&host.samples.time, window);
    let offsets = &host.stack_offsets.offset[..];
    if offsets.is_empty() {
        return (host.samples.rows(memory, &rows), StackOffsets::default(), host.stack_frames.clone());
    }
    let mut frames = Vec::new();
    let mut kept = vec![0];
    for &row in &rows {
        let row = row as usize;
        frames.extend(offsets[row]..offsets[row + 1]);
        kept.push(u32::try_from(frames.len()).unwrap_or(u32::MAX));
    }
    let kept = StackOffsets { offset: memory.collect(kept.into_iter()).into_column() };
    (host.samples.rows(memory, &rows), kept, host.stack_frames.rows(memory, &frames))
}

/// What a thread was told last before the window still holds at its start.
fn switches(memory: &Memory, switches: &SwitchFacts, window: Span) -> SwitchFacts {
    let mut last: BTreeMap<Maybe<ThreadId>, (Ns, u32)> = BTreeMap::new();
    for (row, (&time, &thread)) in (0..).zip(switches.time.iter().zip(&switches.thread)) {
        let is_later = last.get(&thread).is_none_or(|(known, _)| *known <= time);
        if time < window.start && is_later {
            last.insert(thread, (time, row));
        }
    }
    let mut rows: Vec<u32> = last.into_values().map(|(_, row)| row).collect();
    rows.extend(at_times(&switches.time, window));
    let mut kept = switches.rows(memory, &rows);
    kept.time = memory.collect(kept.time.iter().map(|&time| time.max(window.start))).into_column();
    kept
}

/// What was allocated before the window and not freed is in use at its start: one allocation for each GPU and kind of memory.
fn memory_events(memory: &Memory, events: &MemoryEventFacts, window: Span) -> MemoryEventFacts {
    let mut in_use: BTreeMap<(DeviceId, u8), i128> = BTreeMap::new();
    for row in rows_where(&events.time, |time| *time < window.start) {
        let row = row as usize;
        let bytes = i128::from(events.bytes[..][row]);
        let change = match events.operation[..][row] {
            0 => bytes,
            1 => -bytes,
            _ => 0,
        };
        *in_use.entry((events.device[..][row], events.kind[..][row])).or_default() += change;
    }
    let held = in_use.into_iter().filter_map(|(place, bytes)| Some((place, u64::try_from(bytes).ok()?)));
    let held: Vec<((DeviceId, u8), u64)> = held.filter(|(_, bytes)| *bytes > 0).collect();
    let kept = events.rows(memory, &at_times(&events.time, window));
    let held_rows = || held.iter();
    MemoryEventFacts {
        time: memory
            .collect(held_rows().map(|_| window.start).chain(kept.time.iter().copied()))
            .into_column(),
        device: memory
            .collect(held_rows().map(|((device, _), _)| *device).chain(kept.device.iter().copied()))
            .into_column(),
        kind: memory
            .collect(held_rows().map(|((_, kind), _)| *kind).chain(kept.kind.iter().copied()))
            .into_column(),
        operation: memory.collect(held_rows().map(|_| 0).chain(kept.operation.iter().copied())).into_column(),
        bytes: memory
            .collect(held_rows().map(|(_, bytes)| *bytes).chain(kept.bytes.iter().copied()))
            .into_column(),
    }
}
