//! Correlate: from [`Facts`] to a capture: op calls with their API calls, their GPU work and their five times.
//!
//! ```text
//! texts of ranges ──► mode ──► op calls ──► owners of API calls ──► owners of GPU work ──► times
//!                      launches ────────────┘
//! ```
//!
//! This does not depend on iterations, key node or range, so those can be changed without doing it again.

mod backward;
pub(crate) mod call_times;
mod dialects;
mod dlprof_cpu_times;
mod enclosing;
mod exchanges;
pub(crate) mod families;
pub(crate) mod labels;
pub(crate) mod launches;
mod literal;
mod loose_work;
pub(crate) mod mode;
pub(crate) mod model_config;
mod nesting;
mod of_dlprof;
mod op_calls;
mod operands;
mod shapes;
pub(crate) mod tensor_cores;
mod torch_profiler;
mod unassociated;

use crate::read::facts::Vendor;
pub use call_times::CallTimes;
pub use labels::{Direction, Eligibility, Label, OpIdentity};
pub use launches::ApiKind;
use launches::Joined;
pub use loose_work::LooseWork;
pub use mode::{Mode, ModeChoice};
pub(crate) use model_config::ModelConfig;
pub(crate) use nesting::is_library_domain;
pub(crate) use of_dlprof::of_dlprof;
pub use operands::stored_operands;
pub use shapes::Shapes;
pub use tensor_cores::TensorCores;
pub(crate) use tensor_cores::{is_16_bit, op_type_is_eligible};
pub(crate) use torch_profiler::is_collective;
pub use unassociated::UNASSOCIATED;

use crate::base::diagnostics::Diagnostics;
use crate::base::groups::Grouped;
use crate::base::ids::{LabelId, Maybe, OpCallId, StrId, ThreadId, WorkId};
use crate::base::time::{Ns, Span};
use crate::capture::classified::order::Orders;
use crate::capture::graph_captures::GraphCaptures;
use crate::capture::ledger::Ledger;
use crate::capture::names::{NamePattern, kernel_name_says};
use crate::capture::{
    CallRoles, CaptureContents, CaptureDescription, JudgedKernels, OpCalls, OpCallsBuilder, WorkZones,
};
use crate::columns::{Buffer, FactColumn, Memory, PerText, StringPool, Texts};
use crate::read::facts::{Facts, Keys};
use dialects::dlprof::{Marker, Markers};
use dialects::{FrameworkText, FrameworkTexts, emit_nvtx};
use model_config::model_config;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};
use unassociated::SimpleOp;

/// Op calls and labels while they are found.
struct Builder {
    names: StringPool,
    labels: Vec<Label>,
    /// Without times.
    calls: OpCallsBuilder,
    /// By op call: CPU time, without the calls nested directly inside.
    cpu_ns: Buffer<Ns>,
    /// By op call: time covered by its API calls.
    api_ns: Buffer<Ns>,
    /// Labels of backward nodes without a forward op, by text of the capture.
    node_labels: FxHashMap<StrId, LabelId>,
    diagnostics: Diagnostics,
}

impl Builder {
    fn new(memory: &Memory) -> Self {
        Self {
            names: StringPool::default(),
            labels: Vec::new(),
            calls: OpCallsBuilder::new(memory, 0),
            cpu_ns: memory.buffer(0),
            api_ns: memory.buffer(0),
            node_labels: FxHashMap::default(),
            diagnostics: Diagnostics::default(),
        }
    }

    fn add_label(&mut self, label: Label) -> LabelId {
        self.labels.push(label);
        LabelId::new(self.labels.len() - 1)
    }

    fn add_call(&mut self, span: Span, thread: Maybe<ThreadId>, label: LabelId) -> OpCallId {
        self.calls.span.push(span);
        self.calls.thread.push(thread);
        self.calls.label.push(label);
        self.calls.forward.push(Maybe::NONE);
        self.cpu_ns.push(span.length());
        self.api_ns.push(0);
        OpCallId::new(self.calls.span.len() - 1)
    }
}

/// Reads a text as every mode would, for the fuzz targets.
pub(crate) fn read_range_text(text: &str) {
    let mut names = StringPool::default();
    Marker::parse(text).label(Some(&Marker::parse(text)), &mut names);
    shapes::from_sizes("conv2d", text);
    families::name_of_instances(text);
    if let Some(parsed) = FrameworkText::parse(text, true) {
        parsed.label(StrId::NONE, &mut names);
    }
    emit_nvtx::is_node(text);
}

/// Correlates the facts of a capture and uses them up. Kernels that fit one of the patterns `on_tensor_cores` use Tensor Cores,
/// whatever else their names say.
#[must_use]
pub fn correlate(
    mut facts: Facts,
    choice: ModeChoice,
    loose_work: LooseWork,
    on_tensor_cores: &[NamePattern],
    pool: Arc<rayon::ThreadPool>,
) -> CaptureContents {
    let memory = facts.memory.clone();
    let mut builder = Builder::new(&memory);
    let (texts, joined) =
        rayon::join(|| ReadTexts::new(&facts, choice), || launches::join(&facts, &mut builder.diagnostics));
    let simple = texts.add_op_calls(&facts, &mut builder);
    let owned = (texts.mode == Mode::TorchProfiler).then(|| torch_profiler::own_calls(&facts, &mut builder));
    let (exchanging, exchanged) = exchanges::collectives(&facts, &joined.launches);
    // The rows are joined.
    facts.keys = Keys::default();
    let strings = Texts::from(&facts.strings);
    let owning = loose_work
        .waiting_ns(texts.mode)
        .map(|waiting_ns| loose_work::owning_threads(&facts, &strings, &joined, waiting_ns));
    let owning_threads = owning.as_deref().unwrap_or(&facts.api_calls.thread);
    let (owned, collectives) =
        owned.map_or((None, Vec::new()), |owned| (Some(owned.owner), owned.collectives));
    let (api_owner, work_owner) =
        owners(&facts, &joined, owning_threads, owned, texts.mode, simple.as_ref(), &mut builder);
    let loose_calls =
        owning_threads.iter().zip(&facts.api_calls.thread).filter(|(owning, own)| owning != own).count();
    drop(owning);
    let Builder { names, labels, calls, cpu_ns, api_ns, diagnostics, .. } = builder;
    let (work_by_call, tensor_cores) = rayon::join(
        || {
            let owner = |work: WorkId| work_owner[work.index()].some().map(OpCallId::index);
            Grouped::sorted(&memory, cpu_ns.len(), facts.work_ids(), owner, |&work| facts.work.span[work])
        },
        || tensor_cores_of_kernels(&facts, on_tensor_cores),
    );
    drop(work_owner);
    let times = call_times::of_calls(&memory, &facts.work.span, &cpu_ns, &api_ns, &work_by_call);
    drop((cpu_ns, api_ns));
    let Facts { mut recorded, records, .. } = facts;
    recorded.about.diagnostics.merge(diagnostics);
    torch_profiler::note_slowed_host(&mut recorded);
    if recorded.recorder.is_torch_profiler() {
        recorded.collectives =
            torch_profiler::described_kernels(&memory, &recorded, &joined.launches, collectives);
    } else {
        (recorded.collectives, recorded.about.collectives) = (exchanging, exchanged);
    }
    let mut capture = CaptureContents {
        description: CaptureDescription {
            cut: None,
            mode: texts.mode,
            mode_reason: texts.mode_reason,
            labels,
            model_config: texts.model_config,
            loose_calls,
            ledger: Ledger::default(),
            dlprof: None,
        },
        strings,
        names: Texts::from(&names),
        launches: joined.launches,
        waits: joined.waits,
        call_roles: CallRoles {
            kind: joined.api_kind.into_column(),
            op_call: api_owner.into_column(),
            fate: FactColumn::default(),
        },
        judged: JudgedKernels { tensor_cores: tensor_cores.into_column() },
        work_zones: WorkZones::new(&recorded.work.span),
        op_calls: OpCalls {
            span: calls.span.into_column(),
            thread: calls.thread.into_column(),
            label: calls.label.into_column(),
            forward: calls.forward.into_column(),
            times: times.into_column(),
        },
        work_by_call,
        recorded,
        records,
        memory,
        pool,
        host_zones: OnceLock::new(),
        range_zones: OnceLock::new(),
        orders: Orders::default(),
        counters: None,
        graph_captures: GraphCaptures::default(),
    };
    let (ledger, fates) = Ledger::of(&capture);
    (capture.description.ledger, capture.call_roles.fate) = (ledger, fates.into_column());
    capture
}

/// What the texts of all ranges say, and the mode that follows from it.
struct ReadTexts {
    markers: Markers,
    frameworks: FrameworkTexts,
    mode: Mode,
    mode_reason: String,
    model_config: ModelConfig,
}

impl ReadTexts {
    fn new(facts: &Facts, choice: ModeChoice) -> Self {
        let markers = Markers::parse(facts);
        let frameworks = FrameworkTexts::parse(facts, choice);
        let (mode, mode_reason) = mode::choose(facts, &markers, &frameworks, choice);
        let model_config = model_config(&markers, facts);
        Self { markers, frameworks, mode, mode_reason, model_config }
    }

    /// Makes op calls of ranges; in simple mode, the one op instead.
    fn add_op_calls(&self, facts: &Facts, builder: &mut Builder) -> Option<SimpleOp> {
        match self.mode {
            Mode::Simple => return Some(SimpleOp::new(builder)),
            // There the calls of the API and their owners are found together.
            Mode::TorchProfiler => {}
            Mode::PytorchMarkers => op_calls::from_markers(facts, &self.markers, builder),
            _ => op_calls::from_ranges(facts, &self.markers, &self.frameworks, builder),
        }
        None
    }
}

/// By API call and by piece of GPU work: the op call that it belongs to. `owning_threads` says by API call whose op calls may own
/// it; where `owned` is given, that is known already. Work that no op claims gets an op call of its own.
fn owners(
    facts: &Facts,
    joined: &Joined,
    owning_threads: &[Maybe<ThreadId>],
    owned: Option<Buffer<Maybe<OpCallId>>>,
    mode: Mode,
    simple: Option<&SimpleOp>,
    builder: &mut Builder,
) -> (Buffer<Maybe<OpCallId>>, Buffer<Maybe<OpCallId>>) {
    let api_owner = match simple {
        Some(simple) => simple.own_api_calls(facts, joined, builder),
        None => {
            let threads = facts.threads.len();
            let enclosing = |builder: &mut Builder| {
                enclosing::owners(&facts.memory, &facts.api_calls.span, owning_threads, builder, threads)
            };
            let mut owners = owned.unwrap_or_else(|| enclosing(builder));
            unassociated::add_api_calls(facts, joined, &mut owners, builder, mode);
            owners
        }
    };
    let work_owner = unassociated::owners_of_work(facts, joined, &api_owner, simple, builder);
    (api_owner, work_owner)
}

/// By kernel: whether it uses Tensor Cores. Each distinct pair of names is judged once.
fn tensor_cores_of_kernels(facts: &Facts, patterns: &[NamePattern]) -> Buffer<TensorCores> {
    let kernels = &facts.kernels;
    let is_known_maker = matches!(facts.recorder.vendor, Vendor::Nvidia | Vendor::Amd);
    // By long name: the short name judged with it, and the judgement. Seldom does one long name have two short ones.
    let mut judged: PerText<Option<(StrId, TensorCores)>> = PerText::new(facts.strings.len(), None);
    let judge = |long: StrId, short: StrId| {
        let (long, short) = (facts.strings.get(long), facts.strings.get(short));
        match patterns.iter().any(|pattern| pattern.is_match(long) || pattern.is_match(short)) {
            true => TensorCores::Used,
            false => match kernel_name_says(long).tensor_cores {
                // What names say is of the libraries of NVIDIA and AMD.
                TensorCores::Used if !is_known_maker => TensorCores::Unknown,
                said => said,
            },
        }
    };
    let of_names = |(&long, &short): (&StrId, &StrId)| match judged[long] {
        Some((known, tensor_cores)) if known == short => tensor_cores,
        _ => judged[long].insert((short, judge(long, short))).1,
    };
    facts.memory.collect(kernels.long_name.iter().zip(&kernels.short_name).map(of_names))
}
