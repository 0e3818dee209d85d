//! The tables as read to [`DlprofFacts`]: threads, GPUs and names resolved, API calls of several tables in one, calls and
//! GPU work in order of time.

use super::calls::{CallRows, OtherCalls};
use super::dictionary::{Dictionary, TextId};
use super::gpu_calls::{GpuWork, WorkRows};
use super::machine::Machine;
use super::op_calls::OpCallRows;
use super::source::Source;
use super::threads::Threads;
use crate::base::diagnostics::Diagnostics;
use crate::base::ids::{
    ApiCallId, DeviceId, LaunchConfigId, Maybe, OpCallId, ProcessId, StrId, StreamId, ThreadId,
};
use crate::base::time::Span;
use crate::columns::{Buffer, Memory, StringPool};
use crate::read::facts::{
    AboutRecording, ApiCallFacts, CopyFactsBuilder, Device, DlprofFacts, DlprofOpCalls, GraphOrigin,
    KERNEL_LAUNCH, KernelFactsBuilder, NO_CORRELATION, RecordedTables, Recorder, RecorderKind, Stream,
    SyncFacts, TransferFactsBuilder, Vendor, WorkFacts,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The kind of memory of a copy that nobody recorded.
const UNKNOWN_MEMORY: u8 = u8::MAX;

/// The order of the rows of a table by time.
type Order = Vec<u32>;

pub(super) fn assemble(
    source: &Source<'_>,
    mut machine: Machine,
    dictionary: &Dictionary,
    op_calls: OpCallRows,
    mut work: GpuWork,
    others: OtherCalls,
    diagnostics: Diagnostics,
) -> DlprofFacts {
    let memory = source.memory;
    let (ops, op_calls) = op_calls.into_ops();
    let tables = [&work.kernels.work, &work.copies.work, &work.memsets.work];
    let threads = Threads::new(tables.iter().map(|work| &work.calls.thread).chain([
        &op_calls.thread,
        &others.syncs.calls.thread,
        &others.plain.thread,
    ]));
    add_used_gpus(&mut machine.devices, &tables);
    let orders = tables.map(|work| order_of(&work.span));
    let mut names = Names::new(dictionary);
    let mut calls = ApiCallRows::new(memory, &threads);
    let gpu_work = gpu_work(memory, &machine.devices, &tables, &orders, &mut calls, &mut names);
    let waits_from = calls.rows.len();
    calls.add_all(&others.syncs.calls, &mut names);
    calls.add_all(&others.plain, &mut names);
    let (api_calls, op_call_of_api, moved) = calls.finish();
    let moved_to = |api: Maybe<ApiCallId>| Maybe::from(api.some().map(|api| moved[api.index()]));
    let mut kernels = KernelFactsBuilder::new(memory, orders[0].len());
    for &row in &orders[0] {
        let row = row as usize;
        kernels.short_name.push(names.id(work.kernels.work.calls.name[row]));
        kernels.long_name.push(names.id(work.kernels.long_name[row]));
        kernels.graph.push(GraphOrigin::None);
        kernels.config.push(LaunchConfigId::new(work.kernels.config[row] as usize));
    }
    let mut copies = CopyFactsBuilder::new(memory, orders[1].len());
    let mut transfers = TransferFactsBuilder::new(memory, orders[1].len() + orders[2].len());
    for &row in &orders[1] {
        copies.kind.push(work.copies.kind[row as usize]);
        copies.source_memory.push(UNKNOWN_MEMORY);
        copies.target_memory.push(UNKNOWN_MEMORY);
        transfers.bytes.push(work.copies.bytes[row as usize]);
        transfers.graph.push(GraphOrigin::None);
    }
    for &row in &orders[2] {
        transfers.bytes.push(work.memsets.bytes[row as usize]);
        transfers.graph.push(GraphOrigin::None);
    }
    let syncs = others.syncs;
    let wait_rows = (waits_from..waits_from + syncs.kind.len()).map(ApiCallId::new);
    let notes = &mut machine.notes;
    notes.domain = ops.domain;
    notes.ops = ops.stored;
    notes.sub_ops = ops.sub_ops;
    let operands = op_calls.distinct_operands;
    let op_calls = DlprofOpCalls {
        op: op_calls.op,
        span: op_calls.span,
        thread: threads.resolve(memory, &op_calls.thread),
        operands: op_calls.operands,
    };
    let (stream, streams) = streams(memory, &gpu_work);
    let works = gpu_work.span.len();
    let recorded = RecordedTables {
        api_calls,
        syncs: SyncFacts {
            kind: syncs.kind.into_column(),
            event: syncs.event.into_column(),
            device: syncs.device.into_column(),
        },
        work: WorkFacts {
            span: gpu_work.span.into_column(),
            device: gpu_work.device.into_column(),
            process: gpu_work.process.into_column(),
            stream: stream.into_column(),
            correlation: memory.filled(works, NO_CORRELATION).into_column(),
        },
        kernels: kernels.finish(),
        copies: copies.finish(),
        transfers: transfers.finish(),
        about: AboutRecording {
            recorder: Recorder { kind: RecorderKind::Dlprof, vendor: Vendor::Nvidia },
            source: crate::read::facts::RecordedSource {
                path: source.database.path().into(),
                size_bytes: source.database.size_bytes(),
                product_version: machine.system.nsys_version.clone().unwrap_or_default(),
                ..crate::read::facts::RecordedSource::default()
            },
            system: machine.system,
            processes: threads.processes,
            threads: threads.threads,
            devices: machine.devices,
            streams,
            launch_configs: std::mem::take(&mut work.configs),
            diagnostics,
            ..AboutRecording::default()
        },
        ..RecordedTables::default()
    };
    DlprofFacts {
        memory: memory.clone(),
        strings: names.pool,
        recorded,
        model_config: machine.model_config,
        ops: ops.ops,
        op_calls,
        op_call_of_api,
        api_of_sync: memory.collect(wait_rows.map(|api| moved_to(api.into()))).into_column(),
        api_of_work: memory.collect(gpu_work.api.iter().map(|&api| moved_to(api))).into_column(),
        op_call_of_work: gpu_work.op_call.into_column(),
        uses_tc: memory.collect(orders[0].iter().map(|&row| work.kernels.uses_tc[row as usize])),
        notes: machine.notes,
        operands,
        formats: ops.formats,
    }
}

/// A stream per process and GPU, because the database does not say more.
fn streams(memory: &Memory, work: &WorkColumns) -> (Buffer<StreamId>, Vec<Stream>) {
    let mut known: FxHashMap<(Maybe<ProcessId>, DeviceId), StreamId> = FxHashMap::default();
    let mut streams = Vec::new();
    let of_work = work.process.iter().zip(&work.device).map(|(&process, &device)| {
        *known.entry((process, device)).or_insert_with(|| {
            streams.push(Stream { process, device, context: 0, number: 0 });
            StreamId::new(streams.len() - 1)
        })
    });
    let column = memory.collect(of_work);
    (column, streams)
}

/// GPU work of all tables, with its API calls as they stand before they are put in order.
struct WorkColumns {
    span: Buffer<Span>,
    device: Buffer<DeviceId>,
    process: Buffer<Maybe<ProcessId>>,
    api: Buffer<Maybe<ApiCallId>>,
    op_call: Buffer<OpCallId>,
}

/// Rows by start and end.
fn order_of(spans: &[Span]) -> Order {
    let mut order: Order = (0..u32::try_from(spans.len()).unwrap_or(u32::MAX)).collect();
    // Stable: rows at the same time keep their order.
    order.sort_by_key(|&row| spans[row as usize]);
    order
}

/// Adds GPUs that only the tables of GPU work name.
fn add_used_gpus(devices: &mut Vec<Device>, tables: &[&WorkRows]) {
    let mut used: Vec<i64> = tables.iter().flat_map(|work| work.device.distinct()).copied().collect();
    used.sort_unstable();
    used.dedup();
    let known: FxHashSet<i64> = devices.iter().map(|device| device.device_id).collect();
    used.retain(|id| !known.contains(id));
    devices.extend(used.into_iter().map(|device_id| Device { device_id, ..Device::default() }));
}

/// GPU work in order of time; its API calls are added.
fn gpu_work(
    memory: &Memory,
    devices: &[Device],
    tables: &[&WorkRows; 3],
    orders: &[Order; 3],
    calls: &mut ApiCallRows<'_>,
    names: &mut Names<'_>,
) -> WorkColumns {
    let rows = orders.iter().map(Vec::len).sum();
    let mut work = WorkColumns {
        span: memory.buffer(rows),
        device: memory.buffer(rows),
        process: memory.buffer(rows),
        api: memory.buffer(rows),
        op_call: memory.buffer(rows),
    };
    // `add_used_gpus` made sure that there is one.
    let gpu = |id: i64| devices.iter().position(|device| device.device_id == id);
    for (at, (table, order)) in tables.iter().zip(orders).enumerate() {
        let device_of = table.device.resolve(memory, |id| DeviceId::new(gpu(id).unwrap_or_default()));
        let process_of = table.calls.thread.resolve(memory, |key| calls.threads.process(key));
        let thread_of = calls.threads.resolve(memory, &table.calls.thread);
        for row in order.iter().map(|&row| row as usize) {
            let name = match at {
                0 => names.intern(KERNEL_LAUNCH),
                _ => names.id(table.calls.name[row]),
            };
            let call = (table.calls.op_call[row], table.calls.api[row], thread_of[row]);
            work.span.push(table.span[row]);
            work.device.push(device_of[row]);
            work.process.push(process_of[row]);
            work.api.push(calls.launching(call, name, at > 0));
            work.op_call.push(call.0);
        }
    }
    work
}

/// The API calls of all tables.
struct ApiCallRows<'a> {
    memory: &'a Memory,
    threads: &'a Threads,
    rows: Vec<ApiCallRow>,
    /// API calls that launched something: a call that launched several things has a row for each.
    launching: FxHashMap<(OpCallId, Span, Maybe<ThreadId>), ApiCallId>,
}

#[derive(Clone, Copy)]
struct ApiCallRow {
    span: Span,
    thread: Maybe<ThreadId>,
    name: StrId,
    op_call: OpCallId,
}

impl<'a> ApiCallRows<'a> {
    fn new(memory: &'a Memory, threads: &'a Threads) -> Self {
        Self { memory, threads, rows: Vec::new(), launching: FxHashMap::default() }
    }

    /// The API call that launched something; none for work that has none, whose times are 0. The name of a function is
    /// better than none.
    fn launching(
        &mut self,
        (op_call, span, thread): (OpCallId, Span, Maybe<ThreadId>),
        name: StrId,
        is_function: bool,
    ) -> Maybe<ApiCallId> {
        if span == Span::default() {
            return Maybe::NONE;
        }
        let next = ApiCallId::new(self.rows.len());
        let call = *self.launching.entry((op_call, span, thread)).or_insert(next);
        if call == next {
            self.rows.push(ApiCallRow { span, thread, name, op_call });
        } else if is_function {
            self.rows[call.index()].name = name;
        }
        call.into()
    }

    /// Adds the calls of a table.
    fn add_all(&mut self, calls: &CallRows, names: &mut Names<'_>) {
        let threads = self.threads.resolve(self.memory, &calls.thread);
        for (row, &thread) in threads.iter().enumerate() {
            let name = names.id(calls.name[row]);
            self.rows.push(ApiCallRow { span: calls.api[row], thread, name, op_call: calls.op_call[row] });
        }
    }

    /// The calls in order of time, the op call of each, and by row where it went.
    fn finish(self) -> (ApiCallFacts, Buffer<Maybe<OpCallId>>, Vec<ApiCallId>) {
        let Self { memory, rows, .. } = self;
        let mut order: Order = (0..u32::try_from(rows.len()).unwrap_or(u32::MAX)).collect();
        order.sort_by_key(|&row| rows[row as usize].span);
        let mut moved = vec![ApiCallId::new(0); rows.len()];
        for (to, &from) in order.iter().enumerate() {
            moved[from as usize] = ApiCallId::new(to);
        }
        let sorted = || order.iter().map(|&row| rows[row as usize]);
        let calls = ApiCallFacts {
            span: memory.collect(sorted().map(|row| row.span)).into_column(),
            thread: memory.collect(sorted().map(|row| row.thread)).into_column(),
            name: memory.collect(sorted().map(|row| row.name)).into_column(),
        };
        (calls, memory.collect(sorted().map(|row| row.op_call.into())), moved)
    }
}

/// Texts of the dictionary that are names of kernels and functions.
struct Names<'a> {
    dictionary: &'a Dictionary,
    pool: StringPool,
    /// By text of the dictionary: its id, once it was asked for.
    ids: Vec<StrId>,
}

impl<'a> Names<'a> {
    fn new(dictionary: &'a Dictionary) -> Self {
        Self { dictionary, pool: StringPool::default(), ids: vec![StrId::NONE; dictionary.len()] }
    }

    fn id(&mut self, text: TextId) -> StrId {
        let Some(id) = self.ids.get_mut(Dictionary::position(text)) else { return StrId::NONE };
        if id.is_none() {
            *id = self.pool.intern(self.dictionary.text(text));
        }
        *id
    }

    fn intern(&mut self, text: &str) -> StrId {
        self.pool.intern(text)
    }
}
