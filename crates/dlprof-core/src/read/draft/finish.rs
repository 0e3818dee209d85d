//! A draft to [`Facts`]: numbers resolved, work by kind, times from the first record.

use super::rows::{CallRow, Lane, NO_KEY, NOBODY, RangeRow, UNKNOWN_SIZE, WorkRow};
use super::{Draft, Rows};
use crate::base::Error;
use crate::base::function_name::function_name;
use crate::base::ids::{
    DeviceId, LaunchConfigId, Maybe, ProcessId, RangeId, RangeTextId, StrId, StreamId, ThreadId, TransferId,
};
use crate::base::ordered::partition_near;
use crate::base::time::{Ns, Span};
use crate::columns::{Buffer, FactColumn, Memory, StringPool};
use crate::read::facts::global_ids::process_of;
use crate::read::facts::{
    ApiCallFactsBuilder, CopyFactsBuilder, CorrelationId, Facts, GraphOrigin, HostFacts, KernelFactsBuilder,
    Keys, LaunchConfig, MemoryEventFactsBuilder, NO_CORRELATION, OverheadFactsBuilder, OverheadKind, Process,
    PythonFrameFactsBuilder, RangeFacts, RecordedSystem, RecordedTables, RecordedThread, SequenceNumber,
    Stream, ThreadRangeFacts, ThreadRangeFactsBuilder, TransferFactsBuilder, UnsizedTransfersBuilder,
    WorkFactsBuilder, WorkKind, too_many_gpus,
};
use crate::read::sum_check::Sums;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::path::Path;

/// More streams than this are drawn by their queues, if there are fewer of these.
const MOST_STREAMS: usize = 64;

/// The kind of memory of a copy that the input does not say.
const UNKNOWN_MEMORY: u8 = u8::MAX;

/// CUPTI's number of memory of the GPU.
const DEVICE_MEMORY: u8 = 2;

/// What the numbers of threads and processes mean.
struct Machine {
    processes: Vec<Process>,
    threads: Vec<RecordedThread>,
    /// By place in the draft.
    thread_ids: Vec<ThreadId>,
}

impl Machine {
    fn process(&self, global_pid: i64) -> Maybe<ProcessId> {
        let found = self.processes.binary_search_by_key(&global_pid, |process| process.global_pid);
        found.ok().map(ProcessId::new).into()
    }

    fn thread(&self, place: u32) -> Maybe<ThreadId> {
        self.thread_ids.get(place as usize).copied().into()
    }

    /// The global id of the process of a thread.
    fn process_of(&self, place: u32) -> i64 {
        self.thread(place).some().map_or(0, |thread| process_of(self.threads[thread.index()].global_tid))
    }
}

/// Calls by process and key.
struct Calls<'a> {
    rows: &'a [CallRow],
    by_key: Buffer<(i64, i64, u32)>,
}

impl<'a> Calls<'a> {
    fn new(memory: &Memory, rows: &'a [CallRow], machine: &Machine) -> Self {
        let mut by_key = memory.buffer(rows.len());
        for (row, call) in rows.iter().enumerate().filter(|(_, call)| call.key != NO_KEY) {
            by_key.push((machine.process_of(call.thread), call.key, u32::try_from(row).unwrap_or(NOBODY)));
        }
        if !by_key.is_sorted() {
            by_key.sort_unstable();
        }
        Self { rows, by_key }
    }

    /// The call with a key; `near` is the place where one was found before, because work mostly names calls in their order.
    fn find(&self, process: i64, key: i64, near: &mut usize) -> Option<u32> {
        let wanted = (process, key);
        *near = partition_near(&self.by_key, *near, |&(of, own, _)| (of, own) < wanted);
        self.by_key.get(*near).filter(|&&(of, own, _)| (of, own) == wanted).map(|&(.., row)| row)
    }

    /// The call of a piece of work: the one that the program made, where a library made others inside.
    fn of_work(&self, process: i64, work: &WorkRow, near: &mut usize) -> Option<u32> {
        /// Calls are not nested deeper.
        const DEEPEST: usize = 50;
        if work.call == NO_KEY {
            return None;
        }
        let mut row = self.find(process, work.call, near)?;
        for _ in 0..DEEPEST {
            let call = self.rows.get(row as usize)?;
            match (call.parent != NO_KEY && call.parent != call.key).then_some(call.parent) {
                Some(parent) => match self.find(process, parent, near) {
                    Some(above) => row = above,
                    None => break,
                },
                None => break,
            }
        }
        Some(row)
    }
}

impl Draft<'_> {
    /// The facts.
    ///
    /// # Errors
    /// If times or bytes cannot be added up, or there are more GPUs than a machine can have.
    pub(in crate::read) fn finish(mut self, path: &Path) -> Result<Facts, Error> {
        let memory = self.memory;
        if let Some(found) = too_many_gpus(self.devices.len()) {
            return Err(Error::UnusableTable { path: path.into(), table: "of GPUs".into(), found });
        }
        let zero = self.rows.first();
        let machine = self.machine();
        let calls = Calls::new(memory, &self.rows.calls, &machine);
        let mut api_calls = ApiCallFactsBuilder::new(memory, calls.rows.len());
        let mut call_keys = memory.buffer(calls.rows.len());
        for (row, call) in calls.rows.iter().enumerate() {
            api_calls.span.push(moved(call.span, zero));
            api_calls.thread.push(machine.thread(call.thread));
            api_calls.name.push(call.name);
            call_keys.push(CorrelationId::try_from(row).unwrap_or(NO_CORRELATION));
        }
        let no_config = LaunchConfigId::new(self.configs.insert_full(LaunchConfig::default()).0);
        let lanes = self.lanes.into_iter().collect();
        let work = Work::new(memory, &self.rows.work, lanes, no_config);
        let work = work.fill(&self.rows.work, &calls, &machine, &mut self.names, zero);
        // What is used up makes room.
        drop(calls);
        self.rows.calls = memory.buffer(0);
        self.rows.work = memory.buffer(0);
        let about = &mut self.about;
        about.devices = self.devices.into_values().collect();
        about.system = RecordedSystem {
            gpu_count: about.devices.len(),
            gpu_names: RecordedSystem::names_of(&about.devices),
            ..std::mem::take(&mut about.system)
        };
        about.source.shift_ns = zero;
        // Times count from the start of the recording or, in raw profiles, from 1970.
        let from_1970 = |began: Ns| if zero > began / 2 { zero } else { began.saturating_add(zero) };
        about.source.captured_ns = about.source.captured_ns.map(from_1970);
        about.streams = work.streams;
        about.launch_configs = self.configs.into_iter().collect();
        let (mut ranges, sequences) = ranges(memory, &mut self.rows.ranges, &machine, zero);
        ranges.texts = self.texts.into_iter().collect();
        let host = host(memory, &mut self.rows, &machine, &self.names, zero);
        let mut memory_events = MemoryEventFactsBuilder::new(memory, self.rows.memory_events.len());
        for &(time, device, is_free, bytes) in &*self.rows.memory_events {
            memory_events.time.push(time - zero);
            memory_events.device.push(DeviceId::new(device as usize));
            memory_events.kind.push(DEVICE_MEMORY);
            memory_events.operation.push(u8::from(is_free));
            memory_events.bytes.push(bytes);
        }
        about.processes = machine.processes;
        about.threads = machine.threads;
        let recorded = RecordedTables {
            about: self.about,
            api_calls: api_calls.finish(),
            work: work.rows.finish(),
            kernels: work.kernels.finish(),
            copies: work.copies.finish(),
            transfers: work.transfers.finish(),
            unsized_transfers: work.unsized_transfers.finish(),
            ranges,
            host,
            memory_events: memory_events.finish(),
            ..RecordedTables::default()
        };
        check_sums(path, &recorded)?;
        let keys = Keys { api_calls: call_keys.into_column(), sequences, ..Keys::default() };
        Ok(Facts { memory: memory.clone(), strings: self.names, recorded, keys, records: None })
    }

    fn machine(&self) -> Machine {
        let mut processes: Vec<Process> = self
            .processes
            .iter()
            .map(|(&global_pid, name)| Process { global_pid, name: name.clone() })
            .collect();
        processes.sort_unstable_by_key(|process| process.global_pid);
        let mut order: Vec<usize> = (0..self.threads.len()).collect();
        let global_tid = |&place: &usize| self.threads.get_index(place).map_or(0, |(&id, _)| id);
        order.sort_unstable_by_key(global_tid);
        let mut machine =
            Machine { processes, threads: Vec::new(), thread_ids: vec![ThreadId::new(0); order.len()] };
        for (at, place) in order.into_iter().enumerate() {
            let Some((&global_tid, &name)) = self.threads.get_index(place) else { continue };
            let process = machine.process(process_of(global_tid)).some().unwrap_or(ProcessId::new(0));
            machine.threads.push(RecordedThread { global_tid, process, name });
            machine.thread_ids[place] = ThreadId::new(at);
        }
        machine
    }
}

impl Rows {
    /// The first time.
    fn first(&self) -> Ns {
        let spans = self.calls.iter().map(|call| call.span.start);
        let spans = spans.chain(self.work.iter().map(|work| work.span.start));
        let spans = spans.chain(self.ranges.iter().map(|range| range.span.start));
        let spans = spans.chain(self.frames.iter().map(|(span, ..)| span.start));
        let spans = spans.chain(self.memory_events.iter().map(|&(time, ..)| time));
        spans.chain(self.overheads.iter().map(|(span, ..)| span.start)).min().unwrap_or(0)
    }
}

fn moved(span: Span, zero: Ns) -> Span {
    Span::new(span.start - zero, span.end - zero)
}

/// The tables of GPU work while they are filled: all kernels first, then all copies, then all memsets.
struct Work {
    rows: WorkFactsBuilder,
    kernels: KernelFactsBuilder,
    copies: CopyFactsBuilder,
    transfers: TransferFactsBuilder,
    unsized_transfers: UnsizedTransfersBuilder,
    streams: Vec<Stream>,
    known_streams: FxHashMap<(i64, u32, i64), StreamId>,
    lanes: Vec<Lane>,
    /// By lane: its stream, once there was work on it.
    stream_of_lane: Vec<Option<StreamId>>,
    /// By long name: the bare one, once there was a kernel of it.
    short_names: Vec<StrId>,
    /// Whether lanes are queues.
    by_queue: bool,
    /// The grid and block of kernels that say none.
    no_config: LaunchConfigId,
}

impl Work {
    fn new(memory: &Memory, rows: &[WorkRow], lanes: Vec<Lane>, no_config: LaunchConfigId) -> Self {
        let of_kind = |kind| rows.iter().filter(|row| row.kind == kind).count();
        let (kernels, copies) = (of_kind(WorkKind::Kernel), of_kind(WorkKind::Copy));
        Self {
            rows: WorkFactsBuilder::new(memory, rows.len()),
            kernels: KernelFactsBuilder::new(memory, kernels),
            copies: CopyFactsBuilder::new(memory, copies),
            transfers: TransferFactsBuilder::new(memory, rows.len() - kernels),
            unsized_transfers: UnsizedTransfersBuilder::new(memory, 0),
            streams: Vec::new(),
            known_streams: FxHashMap::default(),
            by_queue: is_drawn_by_queue(rows, &lanes),
            stream_of_lane: vec![None; lanes.len()],
            lanes,
            short_names: Vec::new(),
            no_config,
        }
    }

    fn fill(
        mut self,
        rows: &[WorkRow],
        calls: &Calls<'_>,
        machine: &Machine,
        names: &mut StringPool,
        zero: Ns,
    ) -> Self {
        let starts_graphs: FxHashSet<StrId> = calls
            .rows
            .iter()
            .map(|call| call.name)
            .collect::<FxHashSet<_>>()
            .into_iter()
            .filter(|&name| names.get(name).contains("GraphLaunch"))
            .collect();
        let mut near = 0;
        for kind in [WorkKind::Kernel, WorkKind::Copy, WorkKind::Memset] {
            for row in rows.iter().filter(|row| row.kind == kind) {
                let lane = self.lanes[row.lane as usize];
                let call = calls.of_work(lane.process, row, &mut near);
                let name = call.and_then(|call| calls.rows.get(call as usize)).map(|call| call.name);
                let is_of_graph = row.is_of_graph || name.is_some_and(|name| starts_graphs.contains(&name));
                self.rows.span.push(moved(row.span, zero));
                self.rows.correlation.push(call.unwrap_or(NO_CORRELATION));
                self.push(row, is_of_graph, machine, names);
            }
        }
        self
    }

    fn push(&mut self, row: &WorkRow, is_of_graph: bool, machine: &Machine, names: &mut StringPool) {
        let stream = match self.stream_of_lane[row.lane as usize] {
            Some(stream) => stream,
            None => self.stream(row.lane as usize, machine),
        };
        let Stream { process, device, .. } = self.streams[stream.index()];
        self.rows.device.push(device);
        self.rows.process.push(process);
        self.rows.stream.push(stream);
        let graph = if is_of_graph { GraphOrigin::Node } else { GraphOrigin::None };
        if row.kind == WorkKind::Kernel {
            let short = self.short_name(row, names);
            self.kernels.short_name.push(short);
            self.kernels.long_name.push(row.name);
            self.kernels.graph.push(graph);
            let config =
                if row.config == NOBODY { self.no_config } else { LaunchConfigId::new(row.config as usize) };
            self.kernels.config.push(config);
            return;
        }
        if row.kind == WorkKind::Copy {
            self.copies.kind.push(row.copy_kind);
            self.copies.source_memory.push(UNKNOWN_MEMORY);
            self.copies.target_memory.push(UNKNOWN_MEMORY);
        }
        if row.bytes == UNKNOWN_SIZE {
            self.unsized_transfers.transfer.push(TransferId::new(self.transfers.bytes.len()));
        }
        self.transfers.bytes.push(if row.bytes == UNKNOWN_SIZE { 0 } else { row.bytes });
        self.transfers.graph.push(graph);
    }

    /// The stream of a lane on which there was no work before.
    fn stream(&mut self, at: usize, machine: &Machine) -> StreamId {
        let lane = self.lanes[at];
        let number = if self.by_queue { lane.queue } else { lane.stream };
        let number = if number == NO_KEY { 0 } else { number };
        let stream = *self.known_streams.entry((lane.process, lane.device, number)).or_insert_with(|| {
            let (process, device) = (machine.process(lane.process), DeviceId::new(lane.device as usize));
            self.streams.push(Stream { process, device, context: 0, number });
            StreamId::new(self.streams.len() - 1)
        });
        self.stream_of_lane[at] = Some(stream);
        stream
    }

    /// The bare name of a kernel.
    fn short_name(&mut self, row: &WorkRow, names: &mut StringPool) -> StrId {
        let Some(at) = row.name.position() else { return row.short_name };
        if let Some(&known) = self.short_names.get(at).filter(|known| !known.is_none()) {
            return known;
        }
        let short = match row.short_name.is_none() {
            true => {
                let bare = function_name(names.get(row.name)).to_owned();
                names.intern(&bare)
            }
            false => row.short_name,
        };
        if self.short_names.len() <= at {
            self.short_names.resize(at + 1, StrId::NONE);
        }
        self.short_names[at] = short;
        short
    }
}

/// Whether there are too many streams to draw, and fewer queues.
fn is_drawn_by_queue(rows: &[WorkRow], lanes: &[Lane]) -> bool {
    let mut is_used = vec![false; lanes.len()];
    rows.iter().for_each(|row| is_used[row.lane as usize] = true);
    let used = || lanes.iter().zip(&is_used).filter(|(_, is_used)| **is_used).map(|(lane, _)| lane);
    let distinct = |number: fn(&Lane) -> i64| {
        used().map(|lane| (lane.process, lane.device, number(lane))).collect::<FxHashSet<_>>().len()
    };
    let streams = distinct(|lane| lane.stream);
    let has_queues = used().any(|lane| lane.queue != NO_KEY);
    has_queues && streams > MOST_STREAMS && distinct(|lane| lane.queue) < streams
}

/// The ranges of each thread in the order in which they open, and their sequence numbers.
fn ranges(
    memory: &Memory,
    rows: &mut Buffer<RangeRow>,
    machine: &Machine,
    zero: Ns,
) -> (RangeFacts, Vec<FactColumn<RangeId, SequenceNumber>>) {
    rows.sort_by_key(|row| (row.thread, row.span.start, Reverse(row.span.end)));
    let mut ranges = RangeFacts {
        by_thread: vec![ThreadRangeFacts::default(); machine.threads.len()],
        ..RangeFacts::default()
    };
    let mut sequences = vec![FactColumn::default(); machine.threads.len()];
    for of_thread in rows.chunk_by(|a, b| a.thread == b.thread) {
        let mut list = ThreadRangeFactsBuilder::new(memory, of_thread.len());
        let mut numbers = memory.buffer(of_thread.len());
        for row in of_thread {
            list.span.push(moved(row.span, zero));
            list.text.push(RangeTextId::new(row.text as usize));
            numbers.push(row.sequence);
        }
        match machine.thread(of_thread[0].thread).some() {
            Some(thread) => {
                ranges.by_thread[thread.index()] = list.finish();
                sequences[thread.index()] = numbers.into_column();
            }
            None => ranges.without_thread = list.finish(),
        }
    }
    (ranges, sequences)
}

/// What the host did besides.
fn host(memory: &Memory, rows: &mut Rows, machine: &Machine, names: &StringPool, zero: Ns) -> HostFacts {
    rows.frames.sort_by_key(|(span, thread, _)| (machine.thread(*thread), span.start, Reverse(span.end)));
    let mut frames = PythonFrameFactsBuilder::new(memory, rows.frames.len());
    for &(span, thread, name) in &*rows.frames {
        frames.span.push(moved(span, zero));
        frames.thread.push(machine.thread(thread));
        frames.name.push(name);
    }
    let mut overheads = OverheadFactsBuilder::new(memory, rows.overheads.len());
    for &(span, thread, name) in &*rows.overheads {
        overheads.span.push(moved(span, zero));
        overheads.thread.push(machine.thread(thread));
        overheads.name.push(name);
        overheads.kind.push(OverheadKind::of(None, names.get(name)));
    }
    HostFacts { python: frames.finish(), overheads: overheads.finish(), ..HostFacts::default() }
}

/// Refuses inputs whose times or bytes cannot be added up.
fn check_sums(path: &Path, recorded: &RecordedTables) -> Result<(), Error> {
    let mut sums = Sums::new(path);
    let kernels = recorded.kernels.len();
    sums.add_times("API calls", &recorded.api_calls.span[..])?;
    sums.add_times("kernels", &recorded.work.span[..][..kernels])?;
    sums.add_times("copies and memsets", &recorded.work.span[..][kernels..])?;
    sums.add_times("ranges", recorded.ranges.lists().flat_map(|list| list.span.iter()))?;
    sums.add_times("Python functions", &recorded.host.python.span[..])?;
    sums.add_times("overheads", &recorded.host.overheads.span[..])?;
    sums.add_bytes("copies and memsets", &recorded.transfers.bytes)?;
    sums.check_extent(recorded.devices.len())
}
