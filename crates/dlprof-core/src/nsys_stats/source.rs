//! What reports are made of: the rows of a capture, as nsys sees them.

use super::filter::Window;
use crate::base::ids::{ApiCallId, CopyId, Maybe, ProcessId, StrId, ThreadId, TransferId, WorkId, all};
use crate::base::limits::{Limit, Room};
use crate::base::time::{Ns, Span};
use crate::capture::Capture;
use crate::capture::names::without_version;
use crate::read::facts::{
    CpuFault, GpuFault, LaunchConfig, MpiRecord, NO_CORRELATION, Records, RuntimeEvent,
};

/// A capture with the records of its rows, and which of the rows count.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) capture: &'a Capture,
    pub(super) records: &'a Records,
    pub(super) window: Window,
    /// Whether graph launches that were recorded as one are kernels.
    pub(super) with_graphs: bool,
}

impl<'a> Source<'a> {
    /// The same rows without a filter.
    pub(super) fn unfiltered(self) -> Self {
        Self { window: Window::everything(), ..self }
    }

    /// Room for what is made of the GPU work, within the memory budget.
    pub(super) fn room(self, limit: &'static Limit) -> Room {
        limit.room(self.capture.work.span.len(), self.capture.memory.bytes())
    }

    /// The text of an id; none for the id that means "none".
    pub(super) fn text(self, id: StrId) -> Option<&'a str> {
        id.some().map(|id| self.capture.strings.get(id))
    }

    /// A span as the export has it.
    fn shifted(self, span: Span) -> Span {
        let shift = self.records.time_shift;
        Span { start: span.start + shift, end: span.end + shift }
    }

    /// Global id of a thread.
    fn global_tid(self, thread: Maybe<ThreadId>) -> Option<i64> {
        thread.some().map(|thread| self.capture.threads[thread.index()].global_tid)
    }

    /// Global id of a process.
    fn global_pid(self, process: Maybe<ProcessId>) -> Option<i64> {
        process.some().map(|process| self.capture.processes[process.index()].global_pid)
    }

    /// Calls that count, in file order.
    pub(super) fn calls(self) -> impl Iterator<Item = ApiCallId> + 'a {
        all::<ApiCallId>(self.capture.api_calls.len()).filter(move |&call| {
            self.window.is_all() || self.window.has_thread(self.call_span(call), self.call_thread(call))
        })
    }

    /// When a call was.
    pub(super) fn call_span(self, call: ApiCallId) -> Span {
        self.shifted(self.capture.api_calls.span[call])
    }

    /// Global id of the thread of a call.
    pub(super) fn call_thread(self, call: ApiCallId) -> Option<i64> {
        self.global_tid(self.capture.api_calls.thread[call])
    }

    /// Correlation id of a call.
    pub(super) fn call_correlation(self, call: ApiCallId) -> Option<u32> {
        Some(self.records.api_calls.correlation[call]).filter(|&id| id != NO_CORRELATION)
    }

    /// Process and correlation id of a call.
    pub(super) fn call_key(self, call: ApiCallId) -> Option<(ProcessId, u32)> {
        let process = self.capture.process_of_call(call)?;
        Some((process, self.call_correlation(call)?))
    }

    /// Process and correlation id of a piece of work.
    pub(super) fn work_key(self, work: WorkId) -> Option<(ProcessId, u32)> {
        Some((self.capture.work.process[work].some()?, self.work_correlation(work)?))
    }

    /// Name of a call, without its version.
    pub(super) fn call_name(self, call: ApiCallId) -> Option<&'a str> {
        self.text(self.capture.api_calls.name[call]).map(without_version)
    }

    /// Where the kernels, graph launches, copies and memsets end.
    fn work_bounds(self) -> [usize; 4] {
        let kernels = self.capture.kernels.short_name.len();
        let copies = kernels + self.capture.copies.kind.len();
        [kernels - self.capture.whole_graphs, kernels, copies, self.capture.work.span.len()]
    }

    fn work_between(self, from: usize, to: usize) -> impl Iterator<Item = WorkId> + 'a {
        (from..to).map(WorkId::new).filter(move |&work| {
            self.window.is_all() || self.window.has_process(self.work_span(work), self.work_process(work))
        })
    }

    /// Kernels that count, in file order; graph launches that were recorded as one only if they are to be kernels.
    pub(super) fn kernels(self) -> impl Iterator<Item = WorkId> + 'a {
        self.work_between(0, self.work_bounds()[usize::from(self.with_graphs)])
    }

    /// Copies that count, in file order.
    pub(super) fn copies(self) -> impl Iterator<Item = WorkId> + 'a {
        let [_, from, to, _] = self.work_bounds();
        self.work_between(from, to)
    }

    /// Memsets that count, in file order.
    pub(super) fn memsets(self) -> impl Iterator<Item = WorkId> + 'a {
        let [_, _, from, to] = self.work_bounds();
        self.work_between(from, to)
    }

    /// When a piece of work ran.
    pub(super) fn work_span(self, work: WorkId) -> Span {
        self.shifted(self.capture.work.span[work])
    }

    /// Global id of the process of a piece of work.
    pub(super) fn work_process(self, work: WorkId) -> Option<i64> {
        self.global_pid(self.capture.work.process[work])
    }

    /// Correlation id of a piece of work.
    pub(super) fn work_correlation(self, work: WorkId) -> Option<u32> {
        Some(self.records.work.correlation[work]).filter(|&id| id != NO_CORRELATION)
    }

    /// Grid and block of a kernel.
    pub(super) fn launch_config(self, kernel: WorkId) -> LaunchConfig {
        self.capture.launch_config(kernel)
    }

    /// CUPTI's kind of a copy.
    pub(super) fn copy_kind(self, copy: WorkId) -> u8 {
        self.capture.copies.kind[self.copy_id(copy)]
    }

    /// Whether a piece of work is a copy.
    pub(super) fn copies_have(self, work: WorkId) -> bool {
        let [_, from, to, _] = self.work_bounds();
        (from..to).contains(&work.index())
    }

    /// The place of a copy among the copies.
    pub(super) fn copy_id(self, copy: WorkId) -> CopyId {
        CopyId::new(copy.index() - self.work_bounds()[1])
    }

    /// Bytes of a copy or memset.
    pub(super) fn bytes(self, transfer: WorkId) -> i64 {
        let place = TransferId::new(transfer.index() - self.work_bounds()[1]);
        i64::try_from(self.capture.transfers.bytes[place]).unwrap_or(i64::MAX)
    }

    /// CUPTI's kinds of memory of the source and the destination of a copy, or of a memset.
    pub(super) fn memory_kinds(self, transfer: WorkId) -> [Option<u8>; 2] {
        let [_, copies, memsets, _] = self.work_bounds();
        let known = |kind: u8| Some(kind).filter(|&kind| kind != u8::MAX);
        if transfer.index() < copies {
            return [None; 2];
        }
        match transfer.index().checked_sub(memsets) {
            Some(place) => [self.records.memsets.memory.get(place).copied().and_then(known), None],
            None => {
                let copy = self.copy_id(transfer);
                [self.capture.copies.source_memory[copy], self.capture.copies.target_memory[copy]].map(known)
            }
        }
    }

    /// Context and number of the stream of a piece of work.
    pub(super) fn stream(self, work: WorkId) -> [i64; 2] {
        let stream = &self.capture.streams[self.capture.work.stream[work].index()];
        [stream.context, stream.number]
    }

    /// Calls of the operating system's libraries that count: name and duration, with nsys's number of what they are.
    pub(super) fn os_calls(self) -> impl Iterator<Item = (StrId, Ns, i64)> + 'a {
        let calls = self.capture.host.os_calls.as_ref();
        let rows = calls.map_or(0, |calls| calls.span.len());
        (0..rows).filter_map(move |row| {
            let calls = calls?;
            let span = self.shifted(calls.span[..][row]);
            let counts =
                self.window.is_all() || self.window.has_thread(span, self.global_tid(calls.thread[..][row]));
            counts.then(|| (calls.name[..][row], span.length(), self.records.os_calls.class[..][row]))
        })
    }

    /// OpenACC or OpenMP events that count.
    pub(super) fn runtime_events(self, events: &'a [RuntimeEvent]) -> impl Iterator<Item = &'a RuntimeEvent> {
        events.iter().filter(move |event| self.window.has_thread(event.span, event.global_tid))
    }

    /// MPI calls that count.
    pub(super) fn mpi_calls(self) -> impl Iterator<Item = &'a MpiRecord> {
        self.records.mpi.iter().filter(move |call| self.window.has_thread(call.span, call.global_tid))
    }

    /// Page faults on CPUs that count: they have no end, so that only the process of a filter matters.
    pub(super) fn cpu_faults(self) -> impl Iterator<Item = &'a CpuFault> {
        let span = |fault: &CpuFault| Span::new(fault.start, fault.start);
        self.records
            .cpu_faults
            .iter()
            .filter(move |fault| self.window.has_process(span(fault), fault.global_pid))
    }

    /// Page faults on GPUs that count.
    pub(super) fn gpu_faults(self) -> impl Iterator<Item = &'a GpuFault> {
        self.records
            .gpu_faults
            .iter()
            .filter(move |fault| self.window.has_process(fault.span, fault.global_pid))
    }
}
