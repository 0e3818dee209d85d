//! Kernel summaries and totals: from the GPU work of the aggregated iterations.

use super::Input;
use super::metric::Metric;
use crate::correlate::TensorCores;
use crate::ids::{ApiCallId, OpCallId, OpId, StrId, WorkId};
use crate::time::{Ns, Span};
use crate::trace::WorkKind;
use rustc_hash::FxHashSet;

/// The launches of a kernel by an op.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelSummary {
    /// The op.
    pub op: OpId,
    /// Short name of the kernel.
    pub name: StrId,
    /// Long name of the kernel launched last.
    pub long_name: StrId,
    /// Whether any of the launches uses Tensor Cores; unknown if none does and some name does not tell.
    pub tensor_cores: TensorCores,
    /// Durations on the GPU.
    pub gpu: Metric,
    /// Durations of the API calls that launched it. A call that launches several kernels counts once.
    pub api: Metric,
}

/// Kernels or memory operations of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KernelTotal {
    /// Sum of durations on the GPU.
    pub gpu_ns: Ns,
    /// Sum of durations of their API calls.
    pub api_ns: Ns,
    /// Distinct names: of kernels, or of API functions for memory.
    pub names: u64,
    /// Kernels, or copies and memsets.
    pub launches: u64,
}

impl KernelTotal {
    fn plus(self, other: Self) -> Self {
        Self {
            gpu_ns: self.gpu_ns + other.gpu_ns,
            api_ns: self.api_ns + other.api_ns,
            names: self.names + other.names,
            launches: self.launches + other.launches,
        }
    }
}

/// All GPU work by class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KernelTotals {
    /// Kernels that use Tensor Cores.
    pub tc: KernelTotal,
    /// All other kernels.
    pub non_tc: KernelTotal,
    /// Copies and memsets.
    pub memory: KernelTotal,
    /// Of the other kernels: those whose name does not tell.
    pub tc_unknown: KernelTotal,
}

impl KernelTotals {
    /// Kernels and memory.
    #[must_use]
    pub fn all(&self) -> KernelTotal {
        self.tc.plus(self.non_tc).plus(self.memory)
    }
}

/// What is collected of the kernels of an op with one short name.
struct Collected {
    summary: KernelSummary,
    /// The launch that gives the long name, and its time.
    last: WorkId,
    last_time: (Ns, Span),
    uses_tc: bool,
    is_unknown: bool,
}

/// Summaries by op and short name, in order of op ID and name; and the totals.
pub(super) fn kernels(input: &Input<'_>) -> (Vec<KernelSummary>, KernelTotals) {
    let work = &input.trace.gpu_work;
    // By op: the names of its kernels, which are few, and where they are collected.
    let mut positions: Vec<Vec<(StrId, usize)>> = vec![Vec::new(); input.ops.ops.len()];
    let mut collected: Vec<Collected> = Vec::new();
    let mut totals = Totals::new(input);
    let mut charged = vec![false; input.trace.api_calls.len()];
    for call in input.aggregated_calls() {
        for &id in input.correlation.work_by_call.get(call.index()) {
            let api_ns = charge_api(input, id, &mut charged);
            totals.push(input, id, api_ns);
            if work.kind(id) == WorkKind::Kernel {
                let (op, name) = (input.ops.of_call[call.index()], work.short_name[id.index()]);
                let names = &mut positions[op.index()];
                let at = match names.iter().find(|(other, _)| *other == name) {
                    Some(&(_, at)) => at,
                    None => {
                        names.push((name, collected.len()));
                        collected.push(Collected::new(input, op, name, id));
                        collected.len() - 1
                    }
                };
                collected[at].push(input, id, api_ns);
            }
        }
    }
    let mut summaries: Vec<KernelSummary> = collected.into_iter().map(|entry| entry.finish(input)).collect();
    summaries.sort_unstable_by_key(|summary| (summary.op, input.trace.strings.get(summary.name)));
    (summaries, totals.finish())
}

/// Duration of the API call behind a piece of work, the first time it is met.
fn charge_api(input: &Input<'_>, id: WorkId, charged: &mut [bool]) -> Option<Ns> {
    let api = input.correlation.launches.work_api[id.index()].some()?;
    let is_first = !std::mem::replace(&mut charged[api.index()], true);
    is_first.then(|| input.trace.api_calls.span[api.index()].length())
}

impl Collected {
    fn new(input: &Input<'_>, op: OpId, name: StrId, first: WorkId) -> Self {
        let summary = KernelSummary {
            op,
            name,
            long_name: StrId::NONE,
            tensor_cores: TensorCores::NotUsed,
            gpu: Metric::default(),
            api: Metric::default(),
        };
        Self { summary, last: first, last_time: input.launch_time(first), uses_tc: false, is_unknown: false }
    }

    fn push(&mut self, input: &Input<'_>, kernel: WorkId, api_ns: Option<Ns>) {
        self.summary.gpu.push(input.trace.gpu_work.span[kernel.index()].length());
        if let Some(api_ns) = api_ns {
            self.summary.api.push(api_ns);
        }
        match input.correlation.kernel_tensor_cores[kernel.index()] {
            TensorCores::Used => self.uses_tc = true,
            TensorCores::Unknown => self.is_unknown = true,
            TensorCores::NotUsed => {}
        }
        let time = input.launch_time(kernel);
        let is_later = time > self.last_time
            || (time == self.last_time && input.launch_order(kernel) > input.launch_order(self.last));
        if is_later {
            (self.last, self.last_time) = (kernel, time);
        }
    }

    fn finish(mut self, input: &Input<'_>) -> KernelSummary {
        self.summary.long_name = input.trace.gpu_work.long_name[self.last.index()];
        self.summary.tensor_cores = match (self.uses_tc, self.is_unknown) {
            (true, _) => TensorCores::Used,
            (false, true) => TensorCores::Unknown,
            (false, false) => TensorCores::NotUsed,
        };
        self.summary
    }
}

/// Totals and the names met so far, by class.
struct Totals {
    sums: KernelTotals,
    /// By text: the classes in which it is a name, a bit each.
    names: Vec<u8>,
    unnamed_memory: FxHashSet<&'static str>,
}

const TC: u8 = 1;
const NON_TC: u8 = 2;
const TC_UNKNOWN: u8 = 4;
const MEMORY: u8 = 8;

impl Totals {
    fn new(input: &Input<'_>) -> Self {
        let names = vec![0; input.trace.strings.len()];
        Self { sums: KernelTotals::default(), names, unnamed_memory: FxHashSet::default() }
    }

    fn note_name(&mut self, name: StrId, class: u8) {
        self.names[name.index()] |= class;
    }

    fn push(&mut self, input: &Input<'_>, id: WorkId, api_ns: Option<Ns>) {
        let work = &input.trace.gpu_work;
        let one = KernelTotal {
            gpu_ns: work.span[id.index()].length(),
            api_ns: api_ns.unwrap_or(0),
            names: 0,
            launches: 1,
        };
        if work.kind(id) != WorkKind::Kernel {
            self.sums.memory = self.sums.memory.plus(one);
            let api = input.correlation.launches.work_api[id.index()].some();
            match api.and_then(|api| input.trace.api_calls.name[api.index()].some()) {
                Some(name) => self.note_name(name, MEMORY),
                None => drop(self.unnamed_memory.insert(work.copy_kind_name(id))),
            }
            return;
        }
        let name = work.short_name[id.index()];
        let tensor_cores = input.correlation.kernel_tensor_cores[id.index()];
        if tensor_cores == TensorCores::Used {
            self.sums.tc = self.sums.tc.plus(one);
            self.note_name(name, TC);
        } else {
            self.sums.non_tc = self.sums.non_tc.plus(one);
            self.note_name(name, NON_TC);
        }
        if tensor_cores == TensorCores::Unknown {
            self.sums.tc_unknown = self.sums.tc_unknown.plus(one);
            self.note_name(name, TC_UNKNOWN);
        }
    }

    fn finish(self) -> KernelTotals {
        let mut totals = self.sums;
        let count = |class: u8| self.names.iter().filter(|classes| **classes & class != 0).count() as u64;
        totals.tc.names = count(TC);
        totals.non_tc.names = count(NON_TC);
        totals.tc_unknown.names = count(TC_UNKNOWN);
        totals.memory.names = count(MEMORY) + self.unnamed_memory.len() as u64;
        totals
    }
}

/// A kernel launch of the aggregated iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelLaunch {
    /// The iteration of its op call.
    pub iteration: u32,
    /// The op call.
    pub call: OpCallId,
    /// The kernel.
    pub kernel: WorkId,
    /// The API call, or none.
    pub api: ApiCallId,
}

/// All launches, ordered by iteration, op name, op ID, short kernel name and start of the API call.
pub(super) fn launches(input: &Input<'_>) -> Vec<KernelLaunch> {
    let work = &input.trace.gpu_work;
    let mut launches = Vec::new();
    for call in input.aggregated_calls() {
        let kernels = input.correlation.work_by_call.get(call.index()).iter();
        launches.extend(kernels.filter(|id| work.kind(**id) == WorkKind::Kernel).map(|&kernel| {
            KernelLaunch {
                iteration: input.iterations.of_call[call.index()],
                call,
                kernel,
                api: input.correlation.launches.work_api[kernel.index()],
            }
        }));
    }
    launches.sort_by_cached_key(|launch| {
        let op = input.ops.of_call[launch.call.index()];
        let name = input.trace.strings.get(work.short_name[launch.kernel.index()]);
        (launch.iteration, input.name(op), op, name, input.launch_order(launch.kernel))
    });
    launches
}
