//! The tables as read to [`Facts`]: foreign ids resolved, texts in one pool, time from the start of the capture.

use super::database::Database;
use super::devices::Devices;
use super::records::RawRecords;
use super::string_ids::{self, Names};
use super::{RawTables, SmallTables, api_calls, copies, kernels, memsets, ranges, system, work};
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::ids::{DeviceId, Maybe, ProcessId, RangeId, StrId, StreamId, ThreadId};
use crate::columns::{FactColumn, Memory, StringPool};
use crate::read::facts::global_ids::process_of;
use crate::read::facts::{
    AboutRecording, AllocatorFacts, ApiCallFacts, CaptureNotes, CollectiveFacts, Exchange, Exchanges, Facts,
    GraphNodeFacts, Keys, NO_EXCHANGE, Process, RangeFacts, RangeText, RecordedCommunicator, RecordedSource,
    RecordedSystem, RecordedTables, RecordedThread, Recorder, SequenceNumber, Stream, SyncFacts, SyncKeys,
    ThreadRangeFacts, UNNAMED_DOMAIN, UnsizedTransfers, WorkFacts,
};
use crate::read::sum_check::Sums;
use rustc_hash::FxHashMap;
use std::path::Path;

pub(super) fn assemble(
    database: &Database,
    memory: &Memory,
    names: Names,
    mut raw: RawTables,
    mut records: Option<RawRecords>,
    mut small: SmallTables,
    mut diagnostics: Diagnostics,
) -> Result<Facts, Error> {
    for part in raw.take_diagnostics() {
        diagnostics.merge(part);
    }
    let used_devices = raw.used_devices();
    // Which of the tables names them matters little: none of its rows can be told by GPU.
    let added = small.devices.add_used(&used_devices);
    added.map_err(|found| database.unusable(kernels::TABLE, found))?;
    let gpus = sorted_distinct(used_devices.iter().filter_map(|&key| small.devices.find(key))).len();
    let system = system::read_system(database, &small.meta, small.devices.known())?;
    let mut source = RecordedSource {
        path: database.path().into(),
        size_bytes: database.size_bytes(),
        product_version: small.meta.product_version.clone(),
        schema_version: small.meta.schema_version.clone(),
        captured_ns: small.session_start,
        shift_ns: 0,
    };
    let base = names.len();
    let mut strings = raw.merge_names(names);
    if let Some(records) = &mut records {
        records.merge_names(&mut strings, base);
    }
    let unnamed_domain = strings.intern(UNNAMED_DOMAIN);
    let time_shift = raw.shift_to_origin(&small.meta, small.session_start, &mut diagnostics);
    source.shift_ns = time_shift;
    raw.close_open_ranges(&mut diagnostics);
    raw.check_sums(database.path(), gpus)?;
    small.notes.lacks_payloads = raw.ranges.exchanges.lacks_payloads() && raw.ranges.names_nccl(&strings);
    let machine = Machine::new(&raw, small);
    let facts = machine.facts(memory, raw, source, strings, unnamed_domain, system, diagnostics);
    Ok(Facts { records: records.map(|records| records.finish(time_shift)), ..facts })
}

impl RawTables {
    fn take_diagnostics(&mut self) -> Vec<Diagnostics> {
        let mut found = self.host.take_diagnostics();
        let others = [
            &mut self.ranges.diagnostics,
            &mut self.api_calls.diagnostics,
            &mut self.kernels.work.diagnostics,
            &mut self.copies.work.diagnostics,
            &mut self.memsets.work.diagnostics,
            &mut self.syncs.diagnostics,
        ];
        found.extend(others.map(std::mem::take));
        found
    }

    /// Refuses tables whose times or bytes cannot be added up.
    fn check_sums(&self, path: &Path, gpus: usize) -> Result<(), Error> {
        let mut sums = Sums::new(path);
        let (kernels, graphs) =
            self.kernels.work.span.split_at(self.kernels.work.span.len() - self.kernels.whole_graphs);
        sums.add_times(api_calls::TABLE, &self.api_calls.span[..])?;
        sums.add_times(kernels::TABLE, kernels)?;
        sums.add_times(kernels::GRAPHS, graphs)?;
        sums.add_times(copies::TABLE, &self.copies.work.span[..])?;
        sums.add_times(memsets::TABLE, &self.memsets.work.span[..])?;
        sums.add_times(ranges::TABLE, self.ranges.by_thread.iter().flat_map(|(list, _)| list.span.iter()))?;
        sums.add_bytes(copies::TABLE, &self.copies.transfers.bytes)?;
        sums.add_bytes(memsets::TABLE, &self.memsets.transfers.bytes)?;
        self.host.add_to(&mut sums)?;
        sums.check_extent(gpus)
    }

    fn work(&self) -> [&work::RawWork; 3] {
        [&self.kernels.work, &self.copies.work, &self.memsets.work]
    }

    fn used_devices(&self) -> Vec<(Option<i64>, i64)> {
        let streams = self.work().into_iter().flat_map(|work| work.stream.distinct());
        let of_work = streams.map(|stream| stream.process_and_device());
        of_work.chain(self.host.used_devices().iter().copied()).collect()
    }

    /// Global ids of all threads, ascending.
    fn threads(&self) -> Vec<i64> {
        let ids = self.api_calls.global_tid.distinct().iter().chain(self.ranges.threads.iter().flatten());
        sorted_distinct(ids.copied().chain(self.host.threads()))
    }

    /// All processes with events, by ascending global id.
    fn processes(&self, threads: &[i64], names: &FxHashMap<i64, String>) -> Vec<Process> {
        let of_work = self.work().map(|work| work.stream.distinct());
        let ids = threads
            .iter()
            .map(|&tid| process_of(tid))
            .chain(of_work.into_iter().flatten().filter_map(|stream| stream.global_pid))
            .chain(self.syncs.global_pid.distinct().iter().copied());
        let process = |global_pid| Process { global_pid, name: names.get(&global_pid).cloned() };
        sorted_distinct(ids).into_iter().map(process).collect()
    }

    fn merge_names(&mut self, names: Names) -> StringPool {
        let base = names.len();
        let mut pool = names.into_pool();
        let RawTables { ranges, api_calls, kernels, .. } = self;
        let texts = ranges.texts.iter_mut().flat_map(|text| [&mut text.text, &mut text.sizes]);
        let domains = ranges.domain_names.values_mut();
        string_ids::merge(&mut pool, base, &ranges.extra, texts.chain(domains));
        string_ids::merge(&mut pool, base, &api_calls.extra, api_calls.name.iter_mut());
        let columns = kernels.columns.short_name.iter_mut().chain(kernels.columns.long_name.iter_mut());
        string_ids::merge(&mut pool, base, &kernels.extra, columns);
        self.host.merge_names(&mut pool, base);
        pool
    }
}

/// What foreign ids mean.
pub(super) struct Machine {
    processes: Vec<Process>,
    threads: Vec<RecordedThread>,
    devices: Devices,
    notes: CaptureNotes,
}

impl Machine {
    fn new(raw: &RawTables, small: SmallTables) -> Self {
        let threads = raw.threads();
        let processes = raw.processes(&threads, &small.process_names);
        let thread = |global_tid| RecordedThread {
            global_tid,
            process: process_at(&processes, process_of(global_tid)),
            name: small.thread_names.get(&global_tid).copied().unwrap_or(StrId::NONE),
        };
        let threads = threads.into_iter().map(thread).collect();
        Self { threads, processes, devices: small.devices, notes: small.notes }
    }

    fn process(&self, global_pid: i64) -> Maybe<ProcessId> {
        let found = self.processes.binary_search_by_key(&global_pid, |process| process.global_pid);
        found.ok().map(ProcessId::new).into()
    }

    pub(super) fn thread(&self, global_tid: i64) -> Maybe<ThreadId> {
        let found = self.threads.binary_search_by_key(&global_tid, |thread| thread.global_tid);
        found.ok().map(ThreadId::new).into()
    }

    pub(super) fn device(&self, key: (Option<i64>, i64)) -> DeviceId {
        self.devices.find(key).expect("GPUs used by the activity tables were added")
    }

    /// The GPU with an id in table `TARGET_INFO_GPU`.
    pub(super) fn gpu(&self, id: i64) -> Maybe<DeviceId> {
        self.devices.find_gpu(id).into()
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of the facts, put together once")]
    fn facts(
        self,
        memory: &Memory,
        raw: RawTables,
        source: RecordedSource,
        strings: StringPool,
        unnamed_domain: StrId,
        system: RecordedSystem,
        diagnostics: Diagnostics,
    ) -> Facts {
        let RawTables { ranges, api_calls, kernels, copies, memsets, syncs, host } = raw;
        let (host, memory_events, metric_samples) = host.facts(memory, &self);
        let mut work = kernels.work;
        work.append(copies.work);
        work.append(memsets.work);
        let mut transfers = copies.transfers;
        transfers.bytes.extend(memsets.transfers.bytes.iter().copied());
        transfers.graph.extend(memsets.transfers.graph.iter().copied());
        let streams = self.streams(&work);
        let thread = api_calls.global_tid.resolve(memory, |tid| self.thread(tid));
        let process = syncs.global_pid.resolve(memory, |pid| self.process(pid));
        let (ranges, sequences, exchanges, communicators) = self.ranges(ranges, unnamed_domain);
        let work = self.work(memory, work);
        let repeated_calls = api_calls.repeated_calls(memory);
        let shift_ns = source.shift_ns;
        let nodes = kernels.graph_nodes;
        let graph_nodes = GraphNodeFacts {
            work: nodes.work.into_column(),
            captured: memory
                .collect(nodes.captured.iter().map(|at| at.saturating_sub(shift_ns)))
                .into_column(),
            thread: nodes.global_tid.resolve(memory, |tid| self.thread(tid)).into_column(),
        };
        let keys = Keys {
            api_calls: api_calls.correlation.into_column(),
            syncs: SyncKeys { process: process.into_column(), correlation: syncs.correlation.into_column() },
            sequences,
            operators: Vec::new(),
            exchanges,
        };
        let recorded = RecordedTables {
            repeated_calls,
            api_calls: ApiCallFacts {
                span: api_calls.span.into_column(),
                thread: thread.into_column(),
                name: api_calls.name.into_column(),
            },
            syncs: SyncFacts {
                kind: syncs.kind.into_column(),
                event: syncs.event.into_column(),
                device: syncs.device.into_column(),
            },
            work,
            kernels: kernels.columns.finish(),
            copies: copies.columns.finish(),
            transfers: transfers.finish(),
            ranges,
            host,
            memory_events,
            metric_samples,
            allocator: AllocatorFacts::default(),
            collectives: CollectiveFacts::default(),
            graph_nodes,
            unsized_transfers: UnsizedTransfers::default(),
            about: AboutRecording {
                recorder: Recorder::default(),
                source,
                system,
                processes: self.processes,
                threads: self.threads,
                devices: self.devices.into_vec(),
                streams,
                launch_configs: kernels.launch_configs,
                whole_graphs: kernels.whole_graphs,
                notes: self.notes,
                kineto: None,
                collectives: Vec::new(),
                communicators,
                mangled_names: kernels.mangled,
                diagnostics,
            },
        };
        Facts { memory: memory.clone(), strings, recorded, keys, records: None }
    }

    fn work(&self, memory: &Memory, work: work::RawWork) -> WorkFacts {
        let keys = work.stream;
        let process = keys.resolve(memory, |key| self.stream(key).process);
        let device = keys.resolve(memory, |key| self.stream(key).device);
        let mut streams = 0..;
        let stream = keys.resolve(memory, |_| StreamId::new(streams.next().unwrap_or_default()));
        WorkFacts {
            span: work.span.into_column(),
            device: device.into_column(),
            process: process.into_column(),
            stream: stream.into_column(),
            correlation: work.correlation.into_column(),
        }
    }

    fn streams(&self, work: &work::RawWork) -> Vec<Stream> {
        work.stream.distinct().iter().map(|&key| self.stream(key)).collect()
    }

    fn stream(&self, key: work::StreamKey) -> Stream {
        Stream {
            process: key.global_pid.map_or(Maybe::NONE, |pid| self.process(pid)),
            device: self.device(key.process_and_device()),
            context: key.context,
            number: key.number,
        }
    }

    /// The ranges, the sequence numbers of those whose thread is known, and what libraries recorded beside these.
    fn ranges(
        &self,
        raw: ranges::RawRanges,
        unnamed_domain: StrId,
    ) -> (RangeFacts, Vec<FactColumn<RangeId, SequenceNumber>>, Exchanges, Vec<RecordedCommunicator>) {
        let domain_of = |domain| raw.domain_names.get(&domain).copied().unwrap_or(unnamed_domain);
        let texts = raw.texts.iter().map(|text| RangeText {
            text: text.text,
            sizes: text.sizes,
            domain: text.domain.map_or(StrId::NONE, domain_of),
            is_operator: text.is_operator,
        });
        let mut ranges = RangeFacts { texts: texts.collect(), ..RangeFacts::default() };
        ranges.by_thread.resize_with(self.threads.len(), ThreadRangeFacts::default);
        let mut sequences = vec![FactColumn::default(); self.threads.len()];
        let (mut exchanges, communicators) = self.exchanges(&raw.exchanges);
        let mut places = raw.exchanges.by_thread.into_iter();
        for (global_tid, (list, of_list)) in raw.threads.into_iter().zip(raw.by_thread) {
            let places = places.next().filter(|places| !places.is_empty() && !exchanges.by_thread.is_empty());
            match global_tid.and_then(|tid| self.thread(tid).some()) {
                Some(thread) => {
                    let thread = thread.index();
                    ranges.by_thread[thread] = list.finish();
                    sequences[thread] = of_list.into_column();
                    if let Some(mut places) = places {
                        places.resize(ranges.by_thread[thread].span.len(), NO_EXCHANGE);
                        exchanges.by_thread[thread] = places.into_column();
                    }
                }
                None => ranges.without_thread = list.finish(),
            }
        }
        (ranges, sequences, exchanges, communicators)
    }

    /// What libraries recorded beside ranges, without the ranges; nothing if there are names of functions alone.
    fn exchanges(&self, raw: &ranges::RawExchanges) -> (Exchanges, Vec<RecordedCommunicator>) {
        let says = |exchange: &Exchange| exchange.communicator.is_some() || exchange.bytes.is_some();
        if !raw.distinct.iter().any(says) {
            return (Exchanges::default(), Vec::new());
        }
        let communicators = raw.communicators.iter().map(|(&(global_pid, id), known)| RecordedCommunicator {
            process: self.process(global_pid),
            id,
            ranks: known.ranks,
            rank: known.rank,
            is_whole: known.is_whole,
        });
        let by_thread = vec![FactColumn::default(); self.threads.len()];
        (Exchanges { distinct: raw.distinct.iter().cloned().collect(), by_thread }, communicators.collect())
    }
}

/// The process with a global id, which is one of them.
fn process_at(processes: &[Process], global_pid: i64) -> ProcessId {
    ProcessId::new(processes.partition_point(|process| process.global_pid < global_pid))
}

fn sorted_distinct<T: Ord>(ids: impl Iterator<Item = T>) -> Vec<T> {
    let mut ids: Vec<T> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}
