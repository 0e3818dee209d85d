//! A DLProf database to a capture. Its ops, calls and GPU work are correlated already; only times are computed.

use super::dlprof_cpu_times::{self, LOOSE};
use super::labels::{Direction, Eligibility, Label, OpIdentity};
use super::launches::ApiKind;
use super::mode::Mode;
use super::tensor_cores::{TensorCores, kernel_uses_tensor_cores};
use super::{call_times, operands};
use crate::base::diagnostics::Code;
use crate::base::groups::Grouped;
use crate::base::ids::{
    self, ApiCallId, DeviceId, LabelId, OpCallId, ProcessId, RangeTextId, StrId, StreamId, WorkId,
};
use crate::base::intervals::union_length;
use crate::base::time::Ns;
use crate::capture::{
    ApiCalls, CaptureContents, Copies, Description, Kernels, OpCalls, Ranges, Syncs, ThreadRangesBuilder,
    Work, WorkZones,
};
use crate::columns::long_text::cut;
use crate::columns::{Buffer, Memory, StringPool, Texts};
use crate::read::facts::{DlprofFacts, DlprofOp, RangeText, RepeatedCalls, StoredOperands, Stream, WorkKind};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::sync::{Arc, OnceLock};

/// DLProf's numbers for op types that could use Tensor Cores: as they are, and with other shapes.
const ELIGIBLE: [i64; 2] = [0, 1];

/// Our number for ops that are eligible exactly if one of their kernels uses Tensor Cores, in the same column.
const WHEN_USED: i64 = 4;

/// Makes a capture of a database and uses it up.
#[must_use]
pub(crate) fn of_dlprof(mut facts: DlprofFacts, pool: Arc<rayon::ThreadPool>) -> CaptureContents {
    let memory = facts.memory.clone();
    let mode = Mode::of_dlprof(&facts.notes.mode_string, &facts.notes.original_command);
    let mut names = StringPool::default();
    let labels = labels(&mut facts, &mut names);
    let ranges = ranges(&mut facts, &memory);
    note_missing(&mut facts);
    let api_kind = api_kinds(&facts);
    if mode == Mode::Simple {
        leave_out_plain_calls(&mut facts, &api_kind);
    }
    let work_by_call = {
        let owner = |work: WorkId| Some(facts.work.op_call[work.index()].index());
        let work = ids::all::<WorkId>(facts.work.span.len());
        Grouped::sorted(&memory, facts.op_calls.span.len(), work, owner, |&work| {
            facts.work.span[work.index()]
        })
    };
    let cpu_ns = dlprof_cpu_times::cpu_times(&facts, mode, &memory);
    let api_ns = api_times(&facts, &memory);
    let times = call_times::of_calls(&memory, &facts.work.span, &cpu_ns, &api_ns, &work_by_call);
    let (stream, streams) = streams(&facts, &memory);
    let strings = Texts::from(&facts.strings);
    let tensor_cores = tensor_cores(&facts, &strings);
    let work_zones = WorkZones::new(&facts.work.span);
    let op_calls = facts.op_calls;
    let calls = op_calls.op.len();
    CaptureContents {
        strings,
        names: Texts::from(&names),
        api_calls: ApiCalls {
            span: facts.api_calls.span.into_column(),
            thread: facts.api_calls.thread.into_column(),
            name: facts.api_calls.name.into_column(),
            kind: api_kind.into_column(),
            op_call: facts.api_calls.op_call.into_column(),
        },
        repeated_calls: RepeatedCalls::default(),
        description: Description {
            cut: None,
            source: facts.source,
            processes: facts.processes,
            threads: facts.threads,
            devices: facts.devices,
            system: facts.system,
            mode,
            mode_reason: format!("the DLProf database is of mode `{}`", facts.notes.mode_string),
            labels,
            model_config: facts.model_config,
            launch_configs: facts.launch_configs,
            whole_graphs: 0,
            streams,
            notes: crate::read::facts::CaptureNotes::default(),
            loose_calls: 0,
            syncs: facts.waits.api.len(),
            dlprof: Some(Box::new(facts.notes)),
            diagnostics: facts.diagnostics,
        },
        waits: Syncs {
            api: facts.waits.api.into_column(),
            kind: facts.waits.kind.into_column(),
            event: facts.waits.event.into_column(),
            device: facts.waits.device.into_column(),
        },
        work: Work {
            span: facts.work.span.into_column(),
            device: facts.work.device.into_column(),
            process: facts.work.process.into_column(),
            api: facts.work.api.into_column(),
            stream: stream.into_column(),
        },
        work_zones,
        host_zones: OnceLock::new(),
        records: None,
        kernels: Kernels {
            short_name: facts.kernels.short_name,
            long_name: facts.kernels.long_name,
            graph: facts.kernels.graph,
            config: facts.kernels.config,
            tensor_cores: tensor_cores.into_column(),
        },
        copies: Copies {
            kind: facts.copies.kind,
            source_memory: facts.copies.source_memory,
            target_memory: facts.copies.target_memory,
        },
        transfers: facts.transfers,
        op_calls: OpCalls {
            span: op_calls.span.into_column(),
            thread: op_calls.thread.into_column(),
            label: memory
                .collect(op_calls.operands.iter().map(|&at| LabelId::new(at as usize)))
                .into_column(),
            forward: memory.filled(calls, OpCallId::NONE).into_column(),
            times: times.into_column(),
        },
        work_by_call,
        ranges,
        host: crate::read::facts::HostFacts::default(),
        memory_events: crate::read::facts::MemoryEventFacts::default(),
        metric_samples: crate::read::facts::MetricSampleFacts::default(),
        memory,
        pool,
    }
}

/// A label per distinct op and operands, then one per op without calls. Each keeps the texts of its operands.
fn labels(facts: &mut DlprofFacts, names: &mut StringPool) -> Vec<Label> {
    let mut op_of = vec![u32::MAX; facts.operands.len()];
    let mut has_calls = vec![false; facts.ops.len()];
    for (&op, &at) in facts.op_calls.op.iter().zip(&facts.op_calls.operands) {
        op_of[at as usize] = op;
        has_calls[op as usize] = true;
    }
    for (op, _) in has_calls.iter().enumerate().filter(|(_, has_calls)| !**has_calls) {
        op_of.push(u32::try_from(op).unwrap_or(u32::MAX));
        facts.operands.push(facts.formats[op].clone());
    }
    let label = |(&op, stored): (&u32, &StoredOperands)| {
        let (of, status) = (&facts.ops[op as usize], facts.notes.ops[op as usize].tc_support_status);
        Label {
            name: names.intern(&of.name),
            op_type: cut(&of.op_type).into_owned(),
            direction: match of.direction.as_str() {
                "fprop" => Direction::Forward,
                "bprop" => Direction::Backward,
                _ => Direction::None,
            },
            data_type: cut(&of.data_type).into_owned(),
            stack_trace: of.stack_trace.clone(),
            shapes: operands::shapes(stored),
            identity: OpIdentity::Given(op),
            eligibility: match status {
                WHEN_USED => Eligibility::WhenUsed,
                status if ELIGIBLE.contains(&status) => Eligibility::Eligible,
                _ => Eligibility::NotEligible,
            },
        }
    };
    let labels = op_of.iter().zip(&facts.operands).map(label).collect();
    facts.notes.operands = std::mem::take(&mut facts.operands);
    labels
}

/// Op calls as ranges of their threads, loose work left out: so they can be found, drawn and named as those of an export are.
fn ranges(facts: &mut DlprofFacts, memory: &Memory) -> Ranges {
    let (ops, strings, stored) = (&facts.ops, &mut facts.strings, &facts.notes.ops);
    let text = |op: &DlprofOp| RangeText {
        text: strings.intern(&op.name),
        sizes: StrId::NONE,
        domain: StrId::NONE,
        is_operator: false,
    };
    let texts: Vec<RangeText> = ops.iter().map(text).collect();
    let list = || ThreadRangesBuilder::new(memory, 0);
    let mut by_thread: Vec<ThreadRangesBuilder> = facts.threads.iter().map(|_| list()).collect();
    let calls = &facts.op_calls;
    let mut order: Vec<u32> = (0..u32::try_from(calls.op.len()).unwrap_or(u32::MAX)).collect();
    order.sort_by_key(|&call| (calls.span[call as usize].start, Reverse(calls.span[call as usize].end)));
    for call in order.into_iter().map(|call| call as usize) {
        let op = calls.op[call] as usize;
        let Some(list) = by_thread.get_mut(calls.thread[call].index()) else { continue };
        if stored[op].tc_support_status != LOOSE {
            list.span.push(calls.span[call]);
            list.text.push(RangeTextId::new(op));
        }
    }
    Ranges {
        texts: texts.into(),
        by_thread: by_thread.into_iter().map(ThreadRangesBuilder::finish).collect(),
        without_thread: list().finish(),
    }
}

/// By API call: what it did.
fn api_kinds(facts: &DlprofFacts) -> Buffer<ApiKind> {
    let mut kinds = facts.memory.filled(facts.api_calls.span.len(), ApiKind::Plain);
    let (kernels, copies) = (facts.kernels.short_name.len(), facts.copies.kind.len());
    let of_work = facts
        .work
        .api
        .iter()
        .enumerate()
        .map(|(at, &api)| (api, ApiKind::from(WorkKind::of(WorkId::new(at), kernels, copies))));
    for (api, kind) in of_work.chain(facts.waits.api.iter().map(|&api| (api, ApiKind::Sync))) {
        if let Some(known) = kinds.get_mut(api.index()) {
            *known = (*known).max(kind);
        }
    }
    kinds
}

/// In simple mode plain API calls stand with some call of the only op, but belong to none.
fn leave_out_plain_calls(facts: &mut DlprofFacts, kinds: &[ApiKind]) {
    for (op_call, kind) in facts.api_calls.op_call.iter_mut().zip(kinds) {
        if *kind == ApiKind::Plain {
            *op_call = OpCallId::NONE;
        }
    }
}

/// By op call: the time covered by its API calls.
fn api_times(facts: &DlprofFacts, memory: &Memory) -> Buffer<Ns> {
    let calls = facts.op_calls.span.len();
    let (span, op_call) = (&facts.api_calls.span, &facts.api_calls.op_call);
    let owner = |api: ApiCallId| op_call[api.index()].some().map(OpCallId::index);
    let of_call = Grouped::new(memory, calls, ids::all::<ApiCallId>(span.len()), owner);
    let covered = |call| union_length(of_call.get(call).iter().map(|api| span[api.index()]));
    memory.collect((0..calls).map(covered))
}

/// A stream per process and GPU, because the database does not say more.
fn streams(facts: &DlprofFacts, memory: &Memory) -> (Buffer<StreamId>, Vec<Stream>) {
    let mut known: FxHashMap<(ProcessId, DeviceId), StreamId> = FxHashMap::default();
    let mut streams = Vec::new();
    let of_work = facts.work.process.iter().zip(&facts.work.device).map(|(&process, &device)| {
        *known.entry((process, device)).or_insert_with(|| {
            streams.push(Stream { process, device, context: 0, number: 0 });
            StreamId::new(streams.len() - 1)
        })
    });
    let column = memory.collect(of_work);
    (column, streams)
}

/// By kernel: whether it uses Tensor Cores. What DLProf says is right; where it says no, the name may be one that cannot tell.
fn tensor_cores(facts: &DlprofFacts, strings: &Texts) -> Buffer<TensorCores> {
    let kernels = &facts.kernels;
    let mut judged: FxHashMap<(StrId, StrId), TensorCores> = FxHashMap::default();
    let of_kernel = |((&long, &short), &uses_tc): ((&StrId, &StrId), &bool)| {
        if uses_tc {
            return TensorCores::Used;
        }
        *judged.entry((long, short)).or_insert_with(|| {
            match kernel_uses_tensor_cores(strings.get(long), strings.get(short)) {
                TensorCores::Unknown => TensorCores::Unknown,
                TensorCores::Used | TensorCores::NotUsed => TensorCores::NotUsed,
            }
        })
    };
    let names = kernels.long_name.iter().zip(&kernels.short_name);
    facts.memory.collect(names.zip(&facts.uses_tc).map(of_kernel))
}

/// Counts what a complete capture has and this one has not.
fn note_missing(facts: &mut DlprofFacts) {
    if facts.kernels.short_name.is_empty() {
        facts.diagnostics.count(Code::NoKernels, || "table `read_only_kernels`".into());
    }
}
