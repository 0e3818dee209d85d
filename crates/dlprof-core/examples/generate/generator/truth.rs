//! What is true of a capture, by DLProf's definitions: op identity, iterations, sums, resources.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::catalog::KERNELS;
use super::options::{Options, Style};
use super::trace::{Direction, KernelSums, Ns, OpCall, Span, Times, Trace};

/// Above this number of kernels the figures by iteration and op are left out.
const MAX_KERNELS_IN_DETAIL: usize = 200_000;

/// Everything that is known of a capture.
#[derive(Serialize)]
pub(crate) struct Truth<'a> {
    /// The command line.
    options: &'a Options,
    /// Name that starts an iteration; absent without NVTX.
    key_node: Option<&'static str>,
    /// `globalTid` of the thread whose key calls are the iteration boundaries.
    key_thread: Option<i64>,
    /// Iterations; 0 is what comes before the first key call.
    iterations: Vec<IterationTruth>,
    /// Ops over all iterations, by name, direction and ordinal; empty without NVTX.
    ops: Vec<OpTruth<'a>>,
    /// Kernels of every op in every iteration; absent in large captures.
    #[serde(skip_serializing_if = "Option::is_none")]
    iteration_ops: Option<Vec<IterationOpTruth<'a>>>,
    /// Kernels by short name.
    kernel_names: Vec<KernelNameTruth>,
    /// Sums over the capture.
    totals: Totals,
    /// What the GPUs did, by iteration and (last) in total.
    resources: Vec<ResourceTruth>,
}

/// An iteration.
#[derive(Serialize)]
struct IterationTruth {
    /// Its number.
    index: usize,
    /// First nanosecond.
    start_ns: Ns,
    /// Nanosecond after the last.
    stop_ns: Ns,
    /// Kernels launched by its op calls.
    kernels: u64,
    /// Those that use Tensor Cores.
    tc_kernels: u64,
    /// Sum of the durations of the kernels.
    kernel_gpu_ns: Ns,
    /// Sum of the durations of those that use Tensor Cores.
    tc_kernel_gpu_ns: Ns,
}

/// What makes calls the same op.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct OpKey {
    /// Index into the trace's operations.
    operation: usize,
    /// Pass.
    direction: Direction,
    /// Number within the iteration, process and thread; 1 is the first.
    ordinal: u32,
}

/// An op.
#[derive(Serialize)]
struct OpTruth<'a> {
    /// Name.
    name: &'a str,
    /// Pass.
    direction: &'static str,
    /// Number among the ops of that name and pass.
    ordinal: u32,
    /// Type.
    op_type: &'a str,
    /// Number of calls.
    calls: u64,
    /// CPU time.
    cpu_ns: Ns,
    /// GPU time.
    gpu_ns: Ns,
    /// API time.
    api_ns: Ns,
    /// CPU overhead.
    overhead_ns: Ns,
    /// GPU idle time.
    idle_ns: Ns,
    /// Kernel launches.
    kernel_launches: u64,
    /// Sum of kernel durations.
    kernel_gpu_ns: Ns,
    /// Launches that use Tensor Cores.
    tc_kernel_launches: u64,
    /// Sum of the durations of those.
    tc_kernel_gpu_ns: Ns,
}

/// An op in an iteration.
#[derive(Serialize)]
struct IterationOpTruth<'a> {
    /// Number of the iteration.
    iteration: usize,
    /// Name.
    name: &'a str,
    /// Pass.
    direction: &'static str,
    /// Number among the ops of that name and pass.
    ordinal: u32,
    /// Number of calls.
    calls: u64,
    /// Kernel launches.
    kernel_launches: u64,
    /// Sum of kernel durations.
    kernel_gpu_ns: Ns,
    /// Launches that use Tensor Cores.
    tc_kernel_launches: u64,
    /// Sum of the durations of those.
    tc_kernel_gpu_ns: Ns,
}

/// All kernels of a short name.
#[derive(Serialize)]
struct KernelNameTruth {
    /// Short name.
    name: &'static str,
    /// Launches.
    launches: u64,
    /// Sum of durations.
    gpu_ns: Ns,
    /// Launches that use Tensor Cores.
    tc_launches: u64,
    /// Sum of the durations of those.
    tc_gpu_ns: Ns,
    /// Whether any launch uses Tensor Cores.
    uses_tc: bool,
}

/// Sums over the whole capture.
#[derive(Serialize)]
struct Totals {
    /// Kernels.
    kernels: usize,
    /// Copies.
    copies: usize,
    /// Memory fills.
    memsets: usize,
    /// Waits.
    syncs: usize,
    /// API calls, whether they belong to an op or not.
    api_calls: usize,
    /// NVTX ranges.
    ranges: usize,
    /// Sum of kernel durations.
    kernel_gpu_ns: Ns,
    /// Sum of the durations of kernels that use Tensor Cores.
    tc_kernel_gpu_ns: Ns,
    /// Sum of copy durations.
    copy_gpu_ns: Ns,
    /// Sum of memory fill durations.
    memset_gpu_ns: Ns,
    /// From time 0 to the last end of an op call or a GPU item.
    wall_clock_ns: Ns,
}

/// Nanoseconds of all GPUs by what they did; every nanosecond of every GPU counts once.
#[derive(Serialize, Clone, Copy, Default)]
struct ResourceTruth {
    /// Number of the iteration; absent for the sum.
    iteration: Option<usize>,
    /// Some kernel that uses Tensor Cores ran.
    tc_kernel_ns: Ns,
    /// Otherwise: some other kernel ran.
    non_tc_kernel_ns: Ns,
    /// Otherwise: some copy or memory fill ran.
    memory_ns: Ns,
    /// Otherwise: some op call was under way on some thread.
    cpu_ns: Ns,
    /// Otherwise.
    other_ns: Ns,
}

/// Calls and kernels of an op.
#[derive(Clone, Copy, Default)]
struct OpSums {
    /// Number of calls.
    calls: u64,
    /// Summed times.
    times: Times,
    /// Summed kernels.
    kernels: KernelSums,
}

impl<'a> Truth<'a> {
    /// Works out the truth of `trace`.
    pub(crate) fn new(options: &'a Options, trace: &'a Trace) -> Self {
        let key_thread = key_thread(trace);
        let iterations = Iterations::new(trace, key_thread);
        let keys = op_keys(options, trace, &iterations);
        let has_ops = options.style != Style::None;
        let in_detail = options.full_truth || trace.kernels.len() <= MAX_KERNELS_IN_DETAIL;
        let ops = if has_ops { op_truths(trace, &keys) } else { Vec::new() };
        let detail = has_ops && in_detail;
        Self {
            options,
            key_node: key_node(options.style),
            key_thread: key_thread.map(|thread| trace.threads[thread].global_tid),
            iterations: iteration_truths(trace, &iterations),
            ops,
            iteration_ops: detail.then(|| iteration_op_truths(trace, &keys, &iterations)),
            kernel_names: kernel_name_truths(trace),
            totals: totals(trace, iterations.end),
            resources: resource_truths(options, trace, &iterations),
        }
    }
}

/// What starts an iteration.
fn key_node(style: Style) -> Option<&'static str> {
    match style {
        Style::Markers => Some("/module/train_step"),
        Style::EmitNvtx | Style::Ranges => Some("step"),
        Style::None => None,
    }
}

/// Of the threads that run the key node, the one whose op calls own most GPU time.
fn key_thread(trace: &Trace) -> Option<usize> {
    let mut gpu_time = vec![0; trace.threads.len()];
    for call in &trace.calls {
        gpu_time[call.thread] += call.times.gpu;
    }
    let candidates = trace.key_calls.iter().map(|&(thread, _)| thread);
    candidates.max_by_key(|&thread| (gpu_time[thread], std::cmp::Reverse(trace.threads[thread].global_tid)))
}

/// The time line of the iterations.
struct Iterations {
    /// Start of each iteration; the first is 0.
    starts: Vec<Ns>,
    /// End of the last.
    end: Ns,
}

impl Iterations {
    /// Iterations at the key calls of a thread; only one without such a thread.
    fn new(trace: &Trace, key_thread: Option<usize>) -> Self {
        let boundaries = trace.key_calls.iter().filter(|(thread, _)| Some(*thread) == key_thread);
        let starts = std::iter::once(0).chain(boundaries.map(|&(_, start)| start)).collect();
        let calls = trace.calls.iter().map(|call| call.span.stop);
        let kernels = trace.kernels.iter().map(|kernel| kernel.span.stop);
        let copies = trace.copies.iter().map(|copy| copy.span.stop);
        let memsets = trace.memsets.iter().map(|memset| memset.span.stop);
        let end = calls.chain(kernels).chain(copies).chain(memsets).max().unwrap_or(0);
        Self { starts, end }
    }

    /// Number of iterations.
    fn len(&self) -> usize {
        self.starts.len()
    }

    /// The iteration that `time` lies in.
    fn at(&self, time: Ns) -> usize {
        self.starts.partition_point(|&start| start <= time).saturating_sub(1)
    }

    /// When an iteration lasts.
    fn span(&self, index: usize) -> Span {
        let stop = self.starts.get(index + 1).copied().unwrap_or(self.end);
        Span { start: self.starts[index], stop }
    }
}

/// The op of every call.
fn op_keys(options: &Options, trace: &Trace, iterations: &Iterations) -> Vec<OpKey> {
    let mut keys: Vec<OpKey> = trace
        .calls
        .iter()
        .map(|call| OpKey { operation: call.operation, direction: call.direction, ordinal: 1 })
        .collect();
    // User ranges, and loose work beside them, are told apart by name alone.
    let has_ordinal = |call: &OpCall| match options.style {
        Style::Markers | Style::None => true,
        Style::EmitNvtx => call.direction != Direction::None,
        Style::Ranges => false,
    };
    let mut by_start: Vec<usize> =
        (0..keys.len()).filter(|&index| has_ordinal(&trace.calls[index])).collect();
    by_start.sort_by_key(|&index| trace.calls[index].span.start);
    let mut last_seen = HashMap::new();
    for index in by_start {
        let call = &trace.calls[index];
        keys[index].ordinal = if let Some(forward) = call.forward {
            keys[forward].ordinal
        } else {
            let iteration = iterations.at(call.span.start);
            let name = (call.thread, call.operation, call.direction);
            let (last_iteration, ordinal) = last_seen.entry(name).or_insert((iteration, 0));
            if *last_iteration != iteration {
                (*last_iteration, *ordinal) = (iteration, 0);
            }
            *ordinal += 1;
            *ordinal
        };
    }
    keys
}

/// The iterations and their kernels.
fn iteration_truths(trace: &Trace, iterations: &Iterations) -> Vec<IterationTruth> {
    let mut sums = vec![KernelSums::default(); iterations.len()];
    for call in &trace.calls {
        sums[iterations.at(call.span.start)].add(&call.kernels);
    }
    let truth = |(index, sums): (usize, &KernelSums)| {
        let span = iterations.span(index);
        IterationTruth {
            index,
            start_ns: span.start,
            stop_ns: span.stop,
            kernels: sums.launches,
            tc_kernels: sums.tc_launches,
            kernel_gpu_ns: sums.gpu_ns,
            tc_kernel_gpu_ns: sums.tc_gpu_ns,
        }
    };
    sums.iter().enumerate().map(truth).collect()
}

/// The ops, by name, direction and ordinal.
fn op_truths<'a>(trace: &'a Trace, keys: &[OpKey]) -> Vec<OpTruth<'a>> {
    let mut sums: HashMap<OpKey, OpSums> = HashMap::new();
    for (call, key) in trace.calls.iter().zip(keys) {
        let op = sums.entry(*key).or_default();
        op.calls += 1;
        op.times.add(&call.times);
        op.kernels.add(&call.kernels);
    }
    let mut ops: Vec<_> = sums.iter().map(|(key, sums)| op_truth(trace, *key, sums)).collect();
    ops.sort_by_key(|op| (op.name, op.direction, op.ordinal, op.op_type));
    ops
}

/// An op.
fn op_truth<'a>(trace: &'a Trace, key: OpKey, sums: &OpSums) -> OpTruth<'a> {
    let op = &trace.operations.values()[key.operation];
    OpTruth {
        name: &op.name,
        direction: key.direction.name(),
        ordinal: key.ordinal,
        op_type: &op.op_type,
        calls: sums.calls,
        cpu_ns: sums.times.cpu,
        gpu_ns: sums.times.gpu,
        api_ns: sums.times.api,
        overhead_ns: sums.times.cpu - sums.times.api,
        idle_ns: sums.times.idle,
        kernel_launches: sums.kernels.launches,
        kernel_gpu_ns: sums.kernels.gpu_ns,
        tc_kernel_launches: sums.kernels.tc_launches,
        tc_kernel_gpu_ns: sums.kernels.tc_gpu_ns,
    }
}

/// The kernels of every op in every iteration, by iteration, name, direction and ordinal.
fn iteration_op_truths<'a>(
    trace: &'a Trace,
    keys: &[OpKey],
    iterations: &Iterations,
) -> Vec<IterationOpTruth<'a>> {
    let mut sums: BTreeMap<(usize, &'a str, &'static str, u32), OpSums> = BTreeMap::new();
    for (call, key) in trace.calls.iter().zip(keys) {
        let name = trace.operations.values()[key.operation].name.as_str();
        let iteration = iterations.at(call.span.start);
        let op = sums.entry((iteration, name, key.direction.name(), key.ordinal)).or_default();
        op.calls += 1;
        op.kernels.add(&call.kernels);
    }
    let truth = |((iteration, name, direction, ordinal), sums): ((_, _, _, _), OpSums)| IterationOpTruth {
        iteration,
        name,
        direction,
        ordinal,
        calls: sums.calls,
        kernel_launches: sums.kernels.launches,
        kernel_gpu_ns: sums.kernels.gpu_ns,
        tc_kernel_launches: sums.kernels.tc_launches,
        tc_kernel_gpu_ns: sums.kernels.tc_gpu_ns,
    };
    sums.into_iter().map(truth).collect()
}

/// Kernels by short name.
fn kernel_name_truths(trace: &Trace) -> Vec<KernelNameTruth> {
    let mut sums: BTreeMap<&'static str, KernelSums> = BTreeMap::new();
    for record in &trace.kernels {
        let kernel = &KERNELS[record.kernel];
        let name = sums.entry(kernel.short_name).or_default();
        name.count(record.span.duration(), kernel.uses_tensor_cores);
    }
    let truth = |(name, sums): (&'static str, KernelSums)| KernelNameTruth {
        name,
        launches: sums.launches,
        gpu_ns: sums.gpu_ns,
        tc_launches: sums.tc_launches,
        tc_gpu_ns: sums.tc_gpu_ns,
        uses_tc: sums.tc_launches > 0,
    };
    sums.into_iter().map(truth).collect()
}

/// Sums over the whole capture.
fn totals(trace: &Trace, end: Ns) -> Totals {
    let mut kernels = KernelSums::default();
    for record in &trace.kernels {
        kernels.count(record.span.duration(), KERNELS[record.kernel].uses_tensor_cores);
    }
    Totals {
        kernels: trace.kernels.len(),
        copies: trace.copies.len(),
        memsets: trace.memsets.len(),
        syncs: trace.syncs.len(),
        api_calls: trace.api_calls.len(),
        ranges: trace.ranges.len(),
        kernel_gpu_ns: kernels.gpu_ns,
        tc_kernel_gpu_ns: kernels.tc_gpu_ns,
        copy_gpu_ns: trace.copies.iter().map(|copy| copy.span.duration()).sum(),
        memset_gpu_ns: trace.memsets.iter().map(|memset| memset.span.duration()).sum(),
        wall_clock_ns: end,
    }
}

/// Activity of a kernel that uses Tensor Cores; of several activities the first counts.
const TC_KERNEL: usize = 0;
/// Activity of another kernel.
const OTHER_KERNEL: usize = 1;
/// Activity of a copy or memory fill.
const MEMORY: usize = 2;
/// Activity of an op call.
const CPU: usize = 3;
/// Number of activities.
const ACTIVITIES: usize = 4;

/// A start (+1) or an end (-1) of an activity.
type Edge = (Ns, usize, i32);

/// The split of every GPU's time, by iteration and in total, summed over the GPUs.
fn resource_truths(options: &Options, trace: &Trace, iterations: &Iterations) -> Vec<ResourceTruth> {
    let mut by_iteration: Vec<_> = (0..iterations.len())
        .map(|index| ResourceTruth { iteration: Some(index), ..ResourceTruth::default() })
        .collect();
    for gpu in 0..usize::from(options.gpus) {
        let mut edges = activity_edges(options, trace, gpu);
        edges.sort_unstable_by_key(|&(time, _, _)| time);
        split_time(&edges, iterations, &mut by_iteration);
    }
    let mut total = ResourceTruth::default();
    for part in &by_iteration {
        total.tc_kernel_ns += part.tc_kernel_ns;
        total.non_tc_kernel_ns += part.non_tc_kernel_ns;
        total.memory_ns += part.memory_ns;
        total.cpu_ns += part.cpu_ns;
        total.other_ns += part.other_ns;
    }
    by_iteration.push(total);
    by_iteration
}

/// Starts and ends of all that matters to a GPU.
fn activity_edges(options: &Options, trace: &Trace, gpu: usize) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut add = |span: Span, activity| {
        edges.push((span.start, activity, 1));
        edges.push((span.stop, activity, -1));
    };
    let is_here = |process: usize| trace.processes[process].gpu == gpu;
    for record in trace.kernels.iter().filter(|record| is_here(record.origin.process)) {
        let uses_tensor_cores = KERNELS[record.kernel].uses_tensor_cores;
        add(record.span, if uses_tensor_cores { TC_KERNEL } else { OTHER_KERNEL });
    }
    for record in trace.copies.iter().filter(|record| is_here(record.origin.process)) {
        add(record.span, MEMORY);
    }
    for record in trace.memsets.iter().filter(|record| is_here(record.origin.process)) {
        add(record.span, MEMORY);
    }
    // Without ranges, all that is known of the CPU is its API calls.
    let on_cpu: Vec<Span> = match options.style {
        Style::None => trace.api_calls.iter().map(|call| call.span).collect(),
        _ => trace.calls.iter().map(|call| call.span).collect(),
    };
    for span in on_cpu {
        add(span, CPU);
    }
    edges
}

/// Gives every nanosecond between 0 and the end to the first activity that is under way.
fn split_time(edges: &[Edge], iterations: &Iterations, split: &mut [ResourceTruth]) {
    let mut under_way = [0; ACTIVITIES];
    let mut edges = edges.iter().peekable();
    for (index, part) in split.iter_mut().enumerate() {
        let Span { mut start, stop } = iterations.span(index);
        while start < stop {
            while let Some((_, activity, change)) = edges.next_if(|(time, _, _)| *time <= start) {
                under_way[*activity] += change;
            }
            let next = edges.peek().map_or(stop, |(time, _, _)| stop.min(*time));
            *part.share(&under_way) += next - start;
            start = next;
        }
    }
}

impl ResourceTruth {
    /// The share that counts while these numbers of activities are under way.
    fn share(&mut self, under_way: &[i32; ACTIVITIES]) -> &mut Ns {
        match under_way.map(|number| number > 0) {
            [true, _, _, _] => &mut self.tc_kernel_ns,
            [_, true, _, _] => &mut self.non_tc_kernel_ns,
            [_, _, true, _] => &mut self.memory_ns,
            [_, _, _, true] => &mut self.cpu_ns,
            _ => &mut self.other_ns,
        }
    }
}
