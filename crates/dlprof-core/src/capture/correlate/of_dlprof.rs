//! A DLProf database to a capture. Its ops, calls and GPU work are correlated already; only times are computed.

use super::dlprof_cpu_times::{self, LOOSE};
use super::labels::{Direction, Eligibility, Label, OpIdentity};
use super::launches::ApiKind;
use super::mode::Mode;
use super::tensor_cores::TensorCores;
use super::{call_times, operands};
use crate::base::diagnostics::DiagnosticCode;
use crate::base::groups::Grouped;
use crate::base::ids::{self, ApiCallId, LabelId, Maybe, OpCallId, RangeTextId, StrId, WorkId};
use crate::base::intervals::{union, union_length};
use crate::base::time::Ns;
use crate::capture::classified::order::Orders;
use crate::capture::graph_captures::GraphCaptures;
use crate::capture::ledger::{LaunchFate, Ledger};
use crate::capture::names::kernel_name_says;
use crate::capture::{
    CallRoles, CaptureContents, CaptureDescription, JudgedKernels, Launches, OpCalls, Waits, WorkZones,
};
use crate::columns::long_text::cut;
use crate::columns::{Buffer, Memory, StringPool, Texts};
use crate::read::facts::{
    DlprofFacts, DlprofOp, RangeFacts, RangeText, StoredOperands, ThreadRangeFactsBuilder,
};
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
    let owner = |work: WorkId| Some(facts.op_call_of_work[work].index());
    let work_by_call =
        Grouped::sorted(&memory, facts.op_calls.span.len(), facts.work_ids(), owner, |&work| {
            facts.work.span[work]
        });
    let cpu_ns = dlprof_cpu_times::cpu_times(&facts, mode, &memory);
    let api_ns = api_times(&facts, &memory);
    let times = call_times::of_calls(&memory, &facts.work.span, &cpu_ns, &api_ns, &work_by_call);
    let strings = Texts::from(&facts.strings);
    let tensor_cores = tensor_cores(&facts, &strings);
    let DlprofFacts { mut recorded, op_calls, notes, .. } = facts;
    recorded.ranges = ranges;
    let label = op_calls.operands.iter().map(|&at| LabelId::new(at as usize));
    CaptureContents {
        description: CaptureDescription {
            cut: None,
            mode,
            mode_reason: format!("the DLProf database is of mode `{}`", notes.mode_string),
            labels,
            model_config: facts.model_config,
            loose_calls: 0,
            ledger: Ledger::default(),
            dlprof: Some(Box::new(notes)),
        },
        strings,
        names: Texts::from(&names),
        launches: Launches { api: facts.api_of_work },
        waits: Waits { api: facts.api_of_sync },
        call_roles: CallRoles {
            fate: memory.filled(api_kind.len(), LaunchFate::NoLaunch).into_column(),
            kind: api_kind.into_column(),
            op_call: facts.op_call_of_api.into_column(),
        },
        judged: JudgedKernels { tensor_cores: tensor_cores.into_column() },
        work_zones: WorkZones::new(&recorded.work.span),
        op_calls: OpCalls {
            label: memory.collect(label).into_column(),
            forward: memory.filled(op_calls.op.len(), Maybe::NONE).into_column(),
            span: op_calls.span.into_column(),
            thread: op_calls.thread.into_column(),
            times: times.into_column(),
        },
        work_by_call,
        recorded,
        records: None,
        memory,
        pool,
        host_zones: OnceLock::new(),
        range_zones: OnceLock::new(),
        orders: Orders::default(),
        counters: None,
        graph_captures: GraphCaptures::default(),
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
fn ranges(facts: &mut DlprofFacts, memory: &Memory) -> RangeFacts {
    let (ops, strings, stored) = (&facts.ops, &mut facts.strings, &facts.notes.ops);
    let text = |op: &DlprofOp| RangeText {
        text: strings.intern(&op.name),
        sizes: StrId::NONE,
        domain: StrId::NONE,
        is_operator: false,
    };
    let texts: Vec<RangeText> = ops.iter().map(text).collect();
    let list = || ThreadRangeFactsBuilder::new(memory, 0);
    let mut by_thread: Vec<ThreadRangeFactsBuilder> = facts.recorded.threads.iter().map(|_| list()).collect();
    let calls = &facts.op_calls;
    let mut order: Vec<u32> = (0..u32::try_from(calls.op.len()).unwrap_or(u32::MAX)).collect();
    order.sort_by_key(|&call| (calls.span[call as usize].start, Reverse(calls.span[call as usize].end)));
    for call in order.into_iter().map(|call| call as usize) {
        let op = calls.op[call] as usize;
        let Some(thread) = calls.thread[call].some() else { continue };
        let list = &mut by_thread[thread.index()];
        if stored[op].tc_support_status != LOOSE {
            list.span.push(calls.span[call]);
            list.text.push(RangeTextId::new(op));
        }
    }
    RangeFacts {
        texts: texts.into(),
        by_thread: by_thread.into_iter().map(ThreadRangeFactsBuilder::finish).collect(),
        without_thread: list().finish(),
    }
}

/// By API call: what it did.
fn api_kinds(facts: &DlprofFacts) -> Buffer<ApiKind> {
    let mut kinds = facts.memory.filled(facts.api_calls.len(), ApiKind::Plain);
    let of_work = facts.work_ids().map(|work| (facts.api_of_work[work], facts.work_kind(work).into()));
    for (api, kind) in of_work.chain(facts.api_of_sync.iter().map(|&api| (api, ApiKind::Sync))) {
        if let Some(api) = api.some() {
            kinds[api.index()] = kinds[api.index()].max(kind);
        }
    }
    kinds
}

/// In simple mode plain API calls stand with some call of the only op, but belong to none.
fn leave_out_plain_calls(facts: &mut DlprofFacts, kinds: &[ApiKind]) {
    for (op_call, kind) in facts.op_call_of_api.iter_mut().zip(kinds) {
        if *kind == ApiKind::Plain {
            *op_call = Maybe::NONE;
        }
    }
}

/// By op call: the time covered by its API calls.
fn api_times(facts: &DlprofFacts, memory: &Memory) -> Buffer<Ns> {
    let calls = facts.op_calls.span.len();
    let (span, op_call) = (&facts.api_calls.span, &facts.op_call_of_api);
    let owner = |api: ApiCallId| op_call[api.index()].some().map(OpCallId::index);
    let of_call = Grouped::new(memory, calls, ids::all::<ApiCallId>(span.len()), owner);
    let covered = |call| union_length(union(of_call.get(call).iter().map(|api| span[api]).collect()));
    memory.collect((0..calls).map(covered))
}

/// By kernel: whether it uses Tensor Cores. What DLProf says is right; where it says no, the name may be one that cannot tell.
fn tensor_cores(facts: &DlprofFacts, strings: &Texts) -> Buffer<TensorCores> {
    let kernels = &facts.kernels;
    let mut judged: FxHashMap<StrId, TensorCores> = FxHashMap::default();
    let of_kernel = |(&long, &uses_tc): (&StrId, &bool)| {
        if uses_tc {
            return TensorCores::Used;
        }
        *judged.entry(long).or_insert_with(|| match kernel_name_says(strings.get(long)).tensor_cores {
            TensorCores::Unknown => TensorCores::Unknown,
            TensorCores::Used | TensorCores::NotUsed => TensorCores::NotUsed,
        })
    };
    facts.memory.collect(kernels.long_name.iter().zip(&facts.uses_tc).map(of_kernel))
}

/// Counts what a complete capture has and this one has not.
fn note_missing(facts: &mut DlprofFacts) {
    if facts.kernels.is_empty() {
        facts
            .recorded
            .about
            .diagnostics
            .count(DiagnosticCode::NoKernels, || "table `read_only_kernels`".into());
    }
}
