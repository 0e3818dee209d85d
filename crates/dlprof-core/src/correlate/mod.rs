//! Correlate: from a [`Trace`] to op calls with their API calls, their GPU work and their five times.
//!
//! This is the expensive half of the analysis. It does not depend on iterations, key node or range, so those
//! can be changed without doing it again.

mod backward;
mod call_times;
mod communication;
mod enclosing;
mod families;
mod frameworks;
mod labels;
mod launches;
mod literal;
mod mode;
mod nesting;
mod op_calls;
mod shapes;
mod tensor_cores;
mod unassociated;

pub use call_times::CallTimes;
pub use communication::is_communication_kernel;
pub use labels::{Direction, Eligibility, Identity, Label};
pub use launches::{ApiKind, Launches};
pub use mode::{Mode, ModeChoice};
pub use shapes::Shapes;
pub use tensor_cores::{TensorCores, is_16_bit, kernel_uses_tensor_cores, op_type_is_eligible};
pub use unassociated::UNASSOCIATED;

use crate::diagnostics::Diagnostics;
use crate::groups::Grouped;
use crate::ids::{LabelId, OpCallId, StrId, ThreadId, WorkId};
use crate::strings::StringPool;
use crate::time::{Ns, Span};
use crate::trace::{RangeText, Trace};
use frameworks::FrameworkTexts;
use labels::Marker;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use unassociated::SimpleOp;

/// Op calls in columns: every execution of an op, and loose work.
#[derive(Debug, Default)]
pub struct OpCalls {
    /// Start and stop on the CPU; work without an API call stands at its start on the GPU.
    pub span: Vec<Span>,
    /// The thread; none for calls that are not on the CPU.
    pub thread: Vec<ThreadId>,
    /// What its text says.
    pub label: Vec<LabelId>,
    /// Backward calls: the forward call they belong to.
    pub forward: Vec<OpCallId>,
}

impl OpCalls {
    /// Number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.span.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.span.is_empty()
    }

    /// All ids in order.
    pub fn ids(&self) -> impl Iterator<Item = OpCallId> + Clone + use<> {
        (0..self.len()).map(OpCallId::new)
    }

    /// The order in which calls of a thread open.
    pub(crate) fn nesting_order(&self, call: OpCallId) -> (Ns, Reverse<Ns>, OpCallId) {
        let span = self.span[call.index()];
        (span.start, Reverse(span.end), call)
    }
}

/// The correlated capture.
#[derive(Debug)]
pub struct Correlation {
    /// How ranges were read.
    pub mode: Mode,
    /// Why in this mode.
    pub mode_reason: String,
    /// Texts that labels refer to.
    pub names: StringPool,
    /// Distinct labels.
    pub labels: Vec<Label>,
    /// Op calls, loose work included.
    pub calls: OpCalls,
    /// By op call: its five times.
    pub times: Vec<CallTimes>,
    /// Which API call launched what.
    pub launches: Launches,
    /// By op call: its GPU work, in order of start.
    pub work_by_call: Grouped<WorkId>,
    /// By kernel: whether it uses Tensor Cores.
    pub kernel_tensor_cores: Vec<TensorCores>,
    /// Settings that DLProf's markers recorded.
    pub model_config: ModelConfig,
    /// What was odd.
    pub diagnostics: Diagnostics,
}

/// Settings of the training run, as DLProf's `model_config` markers record them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelConfig {
    /// Worker processes of the data loader.
    pub num_workers: i64,
    /// Whether the data loader pins memory.
    pub pin_memory: bool,
    /// Whether a convolution ran with cuDNN's benchmark mode off.
    pub cudnn_benchmark_disabled: bool,
    /// Whether automatic mixed precision was on.
    pub amp_enabled: bool,
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self { num_workers: 0, pin_memory: true, cudnn_benchmark_disabled: false, amp_enabled: false }
    }
}

impl ModelConfig {
    fn merge(&mut self, json: &serde_json::Value) {
        let flag = |key: &str| {
            json.get(key).and_then(|value| value.as_bool().or_else(|| value.as_i64().map(|value| value != 0)))
        };
        if let Some(workers) = json.get("num_workers").and_then(serde_json::Value::as_i64) {
            self.num_workers = workers;
        }
        self.pin_memory = flag("pin_memory").unwrap_or(self.pin_memory);
        self.cudnn_benchmark_disabled =
            flag("cudnn_benchmark_disabled").unwrap_or(self.cudnn_benchmark_disabled);
        self.amp_enabled = flag("amp_enabled").unwrap_or(self.amp_enabled);
    }
}

/// Marker texts of a capture, each distinct one parsed once.
struct Markers {
    /// By text of ranges.
    by_text: Vec<Marker>,
    empty_text: StrId,
}

impl Markers {
    fn parse(trace: &Trace) -> Self {
        let parse = |text: &RangeText| match trace.strings.get(text.text) {
            content if content.starts_with('{') => Marker::parse(content),
            _ => Marker::None,
        };
        Self {
            by_text: trace.ranges.texts.iter().map(parse).collect(),
            empty_text: trace.strings.find("").unwrap_or(StrId::NONE),
        }
    }
}

/// Op calls and labels while they are found.
#[derive(Default)]
struct Builder {
    names: StringPool,
    labels: Vec<Label>,
    calls: OpCalls,
    /// By op call: CPU time, without the calls nested directly inside.
    cpu_ns: Vec<Ns>,
    /// By op call: time covered by its API calls.
    api_ns: Vec<Ns>,
    /// Labels of backward nodes without a forward op, by text of the capture.
    node_labels: FxHashMap<StrId, LabelId>,
    diagnostics: Diagnostics,
}

impl Builder {
    fn add_label(&mut self, label: Label) -> LabelId {
        self.labels.push(label);
        LabelId::new(self.labels.len() - 1)
    }

    fn add_call(&mut self, span: Span, thread: ThreadId, label: LabelId) -> OpCallId {
        self.calls.span.push(span);
        self.calls.thread.push(thread);
        self.calls.label.push(label);
        self.cpu_ns.push(span.length());
        self.api_ns.push(0);
        self.calls.forward.push(OpCallId::NONE);
        OpCallId::new(self.calls.len() - 1)
    }
}

/// Reads a text as every mode would, for the fuzz targets.
pub(crate) fn read_range_text(text: &str) {
    let mut names = StringPool::default();
    Marker::parse(text).label(Some(&Marker::parse(text)), &mut names);
    shapes::from_sizes("conv2d", text);
    families::name_of_instances(text);
    if let Some(parsed) = frameworks::parse(text, true) {
        parsed.label(StrId::NONE, &mut names);
    }
    backward::is_node(text);
}

/// Correlates a capture, whose ranges and correlation ids are let go of as soon as they have been used.
#[must_use]
pub fn correlate(trace: &mut Trace, choice: ModeChoice) -> Correlation {
    let mut builder = Builder::default();
    let (texts, launches) = rayon::join(
        || {
            let markers = Markers::parse(trace);
            let frameworks = FrameworkTexts::parse(trace, choice);
            let mode = mode::choose(trace, &markers, &frameworks, choice);
            (markers, frameworks, mode)
        },
        || launches::join(trace, &mut builder.diagnostics),
    );
    let (markers, frameworks, (mode, mode_reason)) = texts;
    let model_config = model_config(&markers, trace);
    let simple = (mode == Mode::Simple).then(|| SimpleOp::new(&mut builder));
    match mode {
        Mode::Simple => {}
        Mode::PytorchMarkers => op_calls::from_markers(trace, &markers, &mut builder),
        _ => op_calls::from_ranges(trace, &markers, &frameworks, &mut builder),
    }
    trace.drop_joined();

    let api_owner = match &simple {
        Some(simple) => simple.own_api_calls(trace, &launches, &mut builder),
        None => {
            let mut owners = enclosing::owners(&trace.api_calls, &mut builder, trace.threads.len());
            unassociated::add_api_calls(trace, &launches, &mut owners, &mut builder, mode);
            owners
        }
    };
    trace.api_calls.thread = Vec::new();
    let work_owner = unassociated::own_work(trace, &launches, &api_owner, simple.as_ref(), &mut builder);
    drop(api_owner);
    let Builder { names, labels, calls, cpu_ns, api_ns, diagnostics, .. } = builder;

    let (work_by_call, kernel_tensor_cores) = rayon::join(
        || {
            let owner = |work: WorkId| work_owner[work.index()].some().map(OpCallId::index);
            let mut by_call = Grouped::new(calls.len(), trace.gpu_work.ids(), owner);
            by_call.sort_groups_by_key(|work| trace.gpu_work.span[work.index()]);
            by_call
        },
        || kernel_tensor_cores(trace),
    );
    Correlation {
        mode,
        mode_reason,
        times: call_times::of_calls(trace, &cpu_ns, &api_ns, &work_by_call),
        names,
        labels,
        calls,
        launches,
        work_by_call,
        kernel_tensor_cores,
        model_config,
        diagnostics,
    }
}

/// By kernel: whether it uses Tensor Cores. Each distinct pair of names is judged once.
fn kernel_tensor_cores(trace: &Trace) -> Vec<TensorCores> {
    let work = &trace.gpu_work;
    // By long name: the short name judged with it, and the judgement. Seldom does one long name have two short ones.
    let mut judged: Vec<Option<(StrId, TensorCores)>> = vec![None; trace.strings.len()];
    let judge = |long: StrId, short: StrId| {
        kernel_uses_tensor_cores(trace.strings.get(long), trace.strings.get(short))
    };
    let names = work.long_name.iter().zip(&work.short_name);
    names
        .map(|(&long, &short)| match judged[long.index()] {
            Some((known, tensor_cores)) if known == short => tensor_cores,
            _ => judged[long.index()].insert((short, judge(long, short))).1,
        })
        .collect()
}

/// All `model_config` markers of the capture, in order of time.
fn model_config(markers: &Markers, trace: &Trace) -> ModelConfig {
    let mut config = ModelConfig::default();
    if !markers.by_text.iter().any(|marker| matches!(marker, Marker::ModelConfig(_))) {
        return config;
    }
    let ranges = trace.ranges.lists().flat_map(|list| list.span.iter().zip(&list.text));
    let settings = ranges.filter_map(|(span, text)| match &markers.by_text[text.index()] {
        Marker::ModelConfig(json) => Some((span, json)),
        _ => None,
    });
    let mut settings: Vec<_> = settings.collect();
    settings.sort_by_key(|(span, _)| *span);
    settings.into_iter().for_each(|(_, json)| config.merge(json));
    config
}
