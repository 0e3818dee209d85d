//! Op calls with their API calls and GPU work.

use super::dictionary::{Dictionary, Names, Sizes};
use super::insert::NumberInsert;
use super::ops::operands;
use dlprof_core::capture::Capture;
use dlprof_core::correlate::{ApiKind, Mode, TensorCores};
use dlprof_core::facts::{WorkKind, copy_kind_name};
use dlprof_core::groups::Grouped;
use dlprof_core::ids::{ApiCallId, CopyId, LabelId, OpCallId, OpId, StrId, ThreadId, TransferId, WorkId};
use dlprof_core::profile::Profile;
use dlprof_core::time::Span;
use rusqlite::Connection;
use std::collections::{HashMap, HashSet};

/// What all tables of API calls have, and what all tables of GPU work have.
const CALL: [&str; 5] = ["read_only_ops_id", "op_instance", "name_id", "api_start", "api_stop"];
const THREAD: [&str; 2] = ["process_id", "thread_id"];
const WORK: [&str; 3] = ["gpu_start", "gpu_stop", "device_id"];

/// Writes op calls, one after the other.
pub(super) struct CallWriter<'c, 'p> {
    profile: &'p Profile,
    instances: NumberInsert<'c>,
    kernels: NumberInsert<'c>,
    memsets: NumberInsert<'c>,
    copies: NumberInsert<'c>,
    syncs: NumberInsert<'c>,
    plain: NumberInsert<'c>,
    sizes: Sizes<'c>,
    names: Names,
    /// By label: the rows of its operands.
    operands: Vec<Option<[i64; 5]>>,
    long_names: HashMap<(OpId, StrId), StrId>,
    device_numbers: Vec<i64>,
    /// By op call: API calls that launched nothing.
    others: Grouped<ApiCallId>,
    /// By API call that waited: kind, event and GPU.
    waits: HashMap<ApiCallId, [u32; 3]>,
    /// By kernel row: its op call.
    of_kernel: Vec<OpCallId>,
}

/// A row of an op call.
#[derive(Clone, Copy)]
enum Item {
    Work(WorkId),
    Api(ApiCallId),
}

impl<'c, 'p> CallWriter<'c, 'p> {
    pub(super) fn new(connection: &'c Connection, profile: &'p Profile) -> rusqlite::Result<Self> {
        let capture = &profile.capture;
        let into =
            |table: &str, columns: &[&[&str]]| NumberInsert::into(connection, table, &columns.concat());
        let operands: [&str; 8] = [
            "read_only_ops_id",
            "cpu_start",
            "cpu_stop",
            "input_names_id",
            "input_shapes_id",
            "output_names_id",
            "output_shapes_id",
            "parameters_id",
        ];
        Ok(Self {
            profile,
            instances: into("read_only_op_instances", &[&operands, &THREAD])?,
            kernels: into(
                "read_only_kernels",
                &[&CALL, &THREAD, &WORK, &["long_name_id", "uses_tc", "grid_id", "block_id"]],
            )?,
            memsets: into("read_only_memsets", &[&CALL, &THREAD, &WORK, &["num_bytes"]])?,
            copies: into("read_only_memcpys", &[&CALL, &THREAD, &WORK, &["num_bytes", "copy_kind"]])?,
            syncs: into("read_only_cuda_syncs", &[&CALL, &THREAD, &WORK, &["sync_type", "event_id"]])?,
            plain: into("read_only_cuda_calls", &[&CALL, &THREAD])?,
            sizes: Sizes::new(connection)?,
            names: Names::new(capture),
            operands: vec![None; capture.labels.len()],
            long_names: long_names(profile),
            device_numbers: device_numbers(capture),
            others: others(capture),
            waits: waits(capture),
            of_kernel: Vec::new(),
        })
    }

    /// Writes what is left. Returns the op call of each kernel row.
    pub(super) fn finish(self) -> rusqlite::Result<Vec<OpCallId>> {
        let tables = [self.instances, self.kernels, self.memsets, self.copies, self.syncs, self.plain];
        tables.into_iter().try_for_each(NumberInsert::finish)?;
        Ok(self.of_kernel)
    }

    /// Writes a call of the op in a row: its row, then its API calls and GPU work, by name, then start.
    pub(super) fn write(
        &mut self,
        call: OpCallId,
        op_row: i64,
        number: i64,
        dictionary: &mut Dictionary<'_>,
    ) -> rusqlite::Result<()> {
        let capture = &self.profile.capture;
        let calls = &capture.op_calls;
        let work = capture.work_by_call.get(call.index());
        let [process, thread] = match (calls.thread[call].some(), work.first()) {
            (None, Some(&work)) => self.launched_by(work),
            (thread, _) => numbers(capture, thread.unwrap_or(ThreadId::NONE)),
        };
        let [names, shapes, output_names, output_shapes, parameters] =
            self.operands_of(calls.label[call], dictionary)?;
        let Span { start, end } = calls.span[call];
        self.instances.add([
            op_row,
            start,
            end,
            names,
            shapes,
            output_names,
            output_shapes,
            parameters,
            process,
            thread,
        ])?;
        let mut items: Vec<(&str, Span, Span, Item)> = Vec::with_capacity(work.len());
        for &work in work {
            let api =
                capture.work.api[work].some().map_or(Span::default(), |api| capture.api_calls.span[api]);
            items.push((self.name_of(work), api, capture.work.span[work], Item::Work(work)));
        }
        for &api in self.others.get(call.index()) {
            let name = capture.strings.get(capture.api_calls.name[api]);
            items.push((name, capture.api_calls.span[api], Span::default(), Item::Api(api)));
        }
        // Stable: equal rows keep their order.
        items.sort_by(|a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)));
        for (name, span, _, item) in items {
            let common = [op_row, number, span.start, span.end];
            match item {
                Item::Work(work) => self.write_work(work, call, name, common, dictionary)?,
                Item::Api(api) => self.write_api(api, common, dictionary)?,
            }
        }
        Ok(())
    }

    fn write_work(
        &mut self,
        work: WorkId,
        call: OpCallId,
        name: &str,
        [op, number, start, stop]: [i64; 4],
        dictionary: &mut Dictionary<'_>,
    ) -> rusqlite::Result<()> {
        let capture = &self.profile.capture;
        let span = capture.work.span[work];
        let device = self.device_numbers[capture.work.device[work].index()];
        let [process, thread] = self.launched_by(work);
        let (gpu_start, gpu_stop) = (span.start, span.end);
        let kernels = capture.kernels.short_name.len();
        let bytes = |work: WorkId| {
            let bytes = capture.transfers.bytes[TransferId::new(work.index() - kernels)];
            i64::try_from(bytes).unwrap_or(i64::MAX)
        };
        match capture.work_kind(work) {
            WorkKind::Kernel => {
                let short = capture.kernels.short_name[work];
                let op_of_call = self.profile.index.calls.op[call];
                let long = self.long_names.get(&(op_of_call, short)).copied();
                let name = self.names.id(capture, short, dictionary)?;
                let long =
                    self.names.id(capture, long.unwrap_or(capture.kernels.long_name[work]), dictionary)?;
                let config = capture.launch_config(work);
                let (grid, block) = (self.sizes.id(config.grid)?, self.sizes.id(config.block)?);
                let uses_tc = i64::from(capture.kernels.tensor_cores[work] == TensorCores::Used);
                self.kernels.add([
                    op, number, name, start, stop, process, thread, gpu_start, gpu_stop, device, long,
                    uses_tc, grid, block,
                ])?;
                self.of_kernel.push(call);
            }
            WorkKind::Copy => {
                let kind = i64::from(capture.copies.kind[CopyId::new(work.index() - kernels)]);
                let name = dictionary.id(name)?;
                self.copies.add([
                    op,
                    number,
                    name,
                    start,
                    stop,
                    process,
                    thread,
                    gpu_start,
                    gpu_stop,
                    device,
                    bytes(work),
                    kind,
                ])?;
            }
            WorkKind::Memset => {
                let name = dictionary.id(name)?;
                self.memsets.add([
                    op,
                    number,
                    name,
                    start,
                    stop,
                    process,
                    thread,
                    gpu_start,
                    gpu_stop,
                    device,
                    bytes(work),
                ])?;
            }
        }
        Ok(())
    }

    fn write_api(
        &mut self,
        api: ApiCallId,
        [op, number, start, stop]: [i64; 4],
        dictionary: &mut Dictionary<'_>,
    ) -> rusqlite::Result<()> {
        let capture = &self.profile.capture;
        let name = self.names.id(capture, capture.api_calls.name[api], dictionary)?;
        let [process, thread] = numbers(capture, capture.api_calls.thread[api]);
        match self.waits.get(&api).map(|wait| wait.map(i64::from)) {
            Some([kind, event, device]) => {
                self.syncs.add([op, number, name, start, stop, process, thread, 0, 0, device, kind, event])?
            }
            None => self.plain.add([op, number, name, start, stop, process, thread])?,
        };
        Ok(())
    }

    /// Process and thread that launched a piece of work; thread 0 if it is not known.
    fn launched_by(&self, work: WorkId) -> [i64; 2] {
        let capture = &self.profile.capture;
        match capture.work.api[work].some() {
            Some(api) => numbers(capture, capture.api_calls.thread[api]),
            None => {
                let process = capture.processes.get(capture.work.process[work].index());
                [process.map_or(0, dlprof_core::facts::Process::pid), 0]
            }
        }
    }

    /// The name of a piece of work: the kernel's, or the API function's; without an API call the kind of work.
    fn name_of(&self, work: WorkId) -> &'p str {
        let capture = &self.profile.capture;
        let kind = capture.work_kind(work);
        match (kind, capture.work.api[work].some()) {
            (WorkKind::Kernel, _) => capture.strings.get(capture.kernels.short_name[work]),
            (_, Some(api)) => capture.strings.get(capture.api_calls.name[api]),
            (WorkKind::Copy, None) => copy_kind_name(capture.known_copy_kind(work).unwrap_or(0)),
            (WorkKind::Memset, None) => "memset",
        }
    }

    fn operands_of(&mut self, label: LabelId, dictionary: &mut Dictionary<'_>) -> rusqlite::Result<[i64; 5]> {
        if let Some(known) = self.operands[label.index()] {
            return Ok(known);
        }
        let texts = operands(self.profile, label);
        let rows = [
            dictionary.id(&texts.input_names)?,
            dictionary.id(&texts.input_shapes)?,
            dictionary.id(&texts.output_names)?,
            dictionary.id(&texts.output_shapes)?,
            dictionary.id(&texts.parameters)?,
        ];
        self.operands[label.index()] = Some(rows);
        Ok(rows)
    }
}

/// Numbers of the operating system for a thread; zeros if it is not known.
fn numbers(capture: &Capture, thread: ThreadId) -> [i64; 2] {
    let Some(known) = capture.threads.get(thread.index()) else { return [0, 0] };
    let process = capture.processes.get(known.process.index());
    [process.map_or(0, dlprof_core::facts::Process::pid), known.global_tid & 0xFF_FFFF]
}

/// By GPU: its number, each used once.
pub(super) fn device_numbers(capture: &Capture) -> Vec<i64> {
    let mut used = HashSet::new();
    let mut next = capture.devices.iter().map(|device| device.device_id).max().unwrap_or(0);
    let mut number = |wanted: i64| {
        if wanted >= 0 && used.insert(wanted) {
            return wanted;
        }
        next += 1;
        used.insert(next);
        next
    };
    capture.devices.iter().map(|device| number(device.device_id)).collect()
}

/// By op and short name: the long name of the kernel that was launched last.
fn long_names(profile: &Profile) -> HashMap<(OpId, StrId), StrId> {
    let capture = &profile.capture;
    let mut last: HashMap<(OpId, StrId), (Span, WorkId)> = HashMap::new();
    let text = |work: WorkId| capture.strings.get(capture.kernels.long_name[work]);
    for call in capture.op_calls.ids() {
        let op = profile.index.calls.op[call];
        for &work in capture.work_by_call.get(call.index()) {
            let Some(&short) = capture.kernels.short_name.get_id(work) else { continue };
            let span = capture.work.span[work];
            let start =
                capture.work.api[work].some().map_or(span.start, |api| capture.api_calls.span[api].start);
            let launch = (Span { start, end: span.start }, work);
            let known = last.entry((op, short)).or_insert(launch);
            if launch.0 > known.0 || (launch.0 == known.0 && text(work) > text(known.1)) {
                *known = launch;
            }
        }
    }
    last.into_iter().map(|(key, (_, work))| (key, capture.kernels.long_name[work])).collect()
}

/// By op call: API calls that launched nothing. Plain ones of simple mode, which belong to no op call, stand with the last that
/// started before them.
fn others(capture: &Capture) -> Grouped<ApiCallId> {
    let calls = (0..capture.api_calls.len()).map(ApiCallId::new);
    let op_calls = &capture.op_calls;
    let mut by_start: Vec<OpCallId> =
        if capture.mode == Mode::Simple { op_calls.ids().collect() } else { Vec::new() };
    by_start.sort_by_key(|&call| op_calls.span[call]);
    let nearest = |api: ApiCallId| {
        let start = capture.api_calls.span[api].start;
        let behind = by_start.partition_point(|&call| op_calls.span[call].start <= start);
        by_start.get(behind.saturating_sub(1)).copied()
    };
    let owner = |api: ApiCallId| {
        let launched_nothing = matches!(capture.api_calls.kind[api], ApiKind::Plain | ApiKind::Sync);
        let owner = capture.api_calls.op_call[api].some().or_else(|| nearest(api));
        owner.filter(|_| launched_nothing).map(OpCallId::index)
    };
    Grouped::new(&capture.memory, capture.op_calls.len(), calls, owner)
}

/// By API call: the first of its synchronisations.
fn waits(capture: &Capture) -> HashMap<ApiCallId, [u32; 3]> {
    let waits = &capture.waits;
    let mut by_call = HashMap::new();
    for (at, &api) in waits.api.iter().enumerate() {
        let wait = [waits.kind[..][at], waits.event[..][at], waits.device[..][at]];
        by_call.entry(api).or_insert(wait);
    }
    by_call
}

/// Whether two kernels of an op have the same start of the API call, start on the GPU and thread.
pub(super) fn has_equal_kernels(profile: &Profile) -> bool {
    let capture = &profile.capture;
    // Kernels without an API call: of all calls of an op. The others can only be equal inside a call.
    let mut loose = HashSet::new();
    let mut launched: Vec<(ApiCallId, i64)> = Vec::new();
    capture.op_calls.ids().any(|call| {
        launched.clear();
        let work = capture.work_by_call.get(call.index()).iter().copied();
        for work in work.filter(|&work| capture.work_kind(work) == WorkKind::Kernel) {
            let start = capture.work.span[work].start;
            match capture.work.api[work].some() {
                Some(api) => launched.push((api, start)),
                None if !loose.insert((profile.index.calls.op[call], start)) => return true,
                None => {}
            }
        }
        launched.sort_unstable();
        launched.windows(2).any(|pair| pair[0] == pair[1])
    })
}
