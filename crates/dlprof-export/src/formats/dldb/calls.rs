//! Op calls with their API calls and GPU work.

use super::dictionary::{Dictionary, Names, Sizes};
use super::insert::NumberInsert;
use super::lookups::{device_numbers, long_names, numbers, others, waits};
use dlprof_core::{
    ApiCallId, CopyId, Grouped, LabelId, OpCallId, OpId, Profile, Span, StoredOperands, StrId, TensorCores,
    TransferId, WorkId, WorkKind, copy_kind_name, stored_operands,
};
use rusqlite::Connection;
use std::borrow::Cow;
use std::collections::HashMap;

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
            operands: vec![None; capture.description.labels.len()],
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
            _ => numbers(capture, calls.thread[call]),
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
                capture.launches.api[work].some().map_or(Span::default(), |api| capture.api_calls.span[api]);
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
                let uses_tc = i64::from(capture.judged.tensor_cores[work] == TensorCores::Used);
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
        match capture.launches.api[work].some() {
            Some(api) => numbers(capture, capture.api_calls.thread[api]),
            None => {
                let process = capture.work.process[work].some();
                [process.map_or(0, |process| capture.processes[process.index()].pid()), 0]
            }
        }
    }

    /// The name of a piece of work: the kernel's, or the API function's; without an API call the kind of work.
    fn name_of(&self, work: WorkId) -> &'p str {
        let capture = &self.profile.capture;
        let kind = capture.work_kind(work);
        match (kind, capture.launches.api[work].some()) {
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

/// The operands of a label in DLProf's form.
pub(super) fn operands(profile: &Profile, label: LabelId) -> Cow<'_, StoredOperands> {
    let stored =
        profile.capture.description.dlprof.as_ref().and_then(|notes| notes.operands.get(label.index()));
    stored.map_or_else(
        || Cow::Owned(stored_operands(&profile.capture.description.labels[label.index()])),
        Cow::Borrowed,
    )
}
