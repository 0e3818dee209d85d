//! The op call of each piece of GPU work, that of its API call; and op calls of their own for what no op claims, so that every
//! table adds up.

use super::labels::{Eligibility, Label, OpIdentity};
use super::launches::{ApiKind, Joined};
use super::{Builder, Mode};
use crate::base::ids::{self, ApiCallId, CopyId, LabelId, Maybe, OpCallId, StrId, ThreadId, WorkId};
use crate::base::time::Span;
use crate::columns::Buffer;
use crate::read::facts::{Facts, WorkKind, copy_kind_name};
use rustc_hash::FxHashMap;

/// Start of the names of ops made of loose work.
pub const UNASSOCIATED: &str = "unassociated_";

/// Name and type of the one op of simple mode, as DLProf has them.
const SIMPLE_NAME: &str = "simple_mode_global_node_name";
const SIMPLE_TYPE: &str = "simple_mode_global_node_op_type";

/// Makes an op call of every loose API call that launched, copied, filled or waited. Loose plain calls leave no
/// trace. `owners` gets the new calls.
pub(super) fn add_api_calls(
    facts: &Facts,
    joined: &Joined,
    owners: &mut [Maybe<OpCallId>],
    builder: &mut Builder,
    mode: Mode,
) {
    // DLProf keeps equal loose calls of an iteration apart; only its own markers ask for that.
    let identity = if mode == Mode::PytorchMarkers { OpIdentity::NameAndOrdinal } else { OpIdentity::Name };
    let kernel_names = first_kernel_names(facts, joined, owners);
    let mut labels: FxHashMap<StrId, LabelId> = FxHashMap::default();
    for api in ids::all::<ApiCallId>(facts.api_calls.span.len()) {
        let kind = joined.api_kind[api.index()];
        if kind == ApiKind::Plain || !owners[api.index()].is_none() {
            continue;
        }
        let name = match kernel_names.get(&api) {
            Some(&(_, name)) => name,
            None => facts.api_calls.name[api],
        };
        let label = *labels
            .entry(name)
            .or_insert_with(|| builder.add_unassociated_label(facts.strings.get(name), identity));
        let span = facts.api_calls.span[api];
        let call = builder.add_call(span, facts.api_calls.thread[api], label);
        builder.api_ns[call.index()] = span.length();
        owners[api.index()] = call.into();
    }
}

/// For API calls without an owner that launched kernels: the kernel that started first, and its short name.
fn first_kernel_names(
    facts: &Facts,
    joined: &Joined,
    owners: &[Maybe<OpCallId>],
) -> FxHashMap<ApiCallId, (WorkId, StrId)> {
    let short_names = &facts.kernels.short_name;
    let order = |kernel: WorkId| (facts.work.span[kernel], facts.strings.get(short_names[kernel]));
    let mut first: FxHashMap<ApiCallId, (WorkId, StrId)> = FxHashMap::default();
    for kernel in ids::all::<WorkId>(short_names.len()) {
        let Some(api) = joined.launches.api[kernel].some() else { continue };
        if !owners[api.index()].is_none() {
            continue;
        }
        let candidate = (kernel, short_names[kernel]);
        let best = first.entry(api).or_insert(candidate);
        if order(kernel) < order(best.0) {
            *best = candidate;
        }
    }
    first
}

/// By piece of GPU work: the op call that owns its API call. Work without an API call (copies of unified memory, stripped exports)
/// gets an op call of its own, without CPU time, at the start of the work.
pub(super) fn owners_of_work(
    facts: &Facts,
    joined: &Joined,
    owners: &[Maybe<OpCallId>],
    simple: Option<&SimpleOp>,
    builder: &mut Builder,
) -> Buffer<Maybe<OpCallId>> {
    let mut labels: FxHashMap<StrId, LabelId> = FxHashMap::default();
    let own = |work: WorkId| {
        if let Some(api) = joined.launches.api[work].some() {
            return owners[api.index()];
        }
        let start = facts.work.span[work].start;
        if let Some(simple) = simple {
            return simple.add_call(Span::new(start, start), Maybe::NONE, builder).into();
        }
        let name = work_name(facts, work, builder);
        let label = *labels.entry(name).or_insert_with(|| {
            let name = builder.names.get(name).to_owned();
            builder.add_unassociated_label(&name, OpIdentity::Name)
        });
        builder.add_call(Span::new(start, start), Maybe::NONE, label).into()
    };
    facts.memory.collect(facts.work_ids().map(own))
}

/// The name of work that no API call names.
fn work_name(facts: &Facts, work: WorkId, builder: &mut Builder) -> StrId {
    match facts.work_kind(work) {
        WorkKind::Kernel => builder.names.intern(facts.strings.get(facts.kernels.short_name[work])),
        WorkKind::Copy => {
            builder.names.intern(&format!("memcpy_{}", copy_kind_name(kind_of_copy(facts, work))))
        }
        WorkKind::Memset => builder.names.intern("memset"),
    }
}

/// CUPTI's kind of a copy.
fn kind_of_copy(facts: &Facts, copy: WorkId) -> u8 {
    facts.copies.kind[CopyId::new(copy.index() - facts.kernels.len())]
}

/// Simple mode: every API call that launched, copied, filled or waited is a call of the one op, and so is work
/// without an API call. The calls have no CPU time, as DLProf has it.
pub(super) struct SimpleOp {
    label: LabelId,
}

impl SimpleOp {
    pub(super) fn new(builder: &mut Builder) -> Self {
        let name = builder.names.intern(SIMPLE_NAME);
        Self {
            label: builder.add_label(Label::plain(
                name,
                SIMPLE_TYPE,
                OpIdentity::Name,
                Eligibility::WhenUsed,
            )),
        }
    }

    fn add_call(&self, span: Span, thread: Maybe<ThreadId>, builder: &mut Builder) -> OpCallId {
        let call = builder.add_call(span, thread, self.label);
        builder.cpu_ns[call.index()] = 0;
        call
    }

    /// The op call of each API call; none for plain ones.
    pub(super) fn own_api_calls(
        &self,
        facts: &Facts,
        joined: &Joined,
        builder: &mut Builder,
    ) -> Buffer<Maybe<OpCallId>> {
        let own = |api: ApiCallId| match joined.api_kind[api.index()] {
            ApiKind::Plain => Maybe::NONE,
            _ => {
                let (span, thread) = (facts.api_calls.span[api], facts.api_calls.thread[api]);
                let call = self.add_call(span, thread, builder);
                builder.api_ns[call.index()] = span.length();
                call.into()
            }
        };
        facts.memory.collect(ids::all(facts.api_calls.span.len()).map(own))
    }
}

impl Builder {
    fn add_unassociated_label(&mut self, what: &str, identity: OpIdentity) -> LabelId {
        let name = self.names.intern(&format!("{UNASSOCIATED}{what}"));
        self.add_label(Label::plain(name, what, identity, Eligibility::NotEligible))
    }
}
