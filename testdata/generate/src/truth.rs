//! What is true of a capture, by DLProf's definitions: op identity, iterations, sums, resources.

mod iterations;
mod ops;
mod resources;

use crate::catalog::KERNELS;
use crate::options::{Options, Style};
use crate::trace::{KernelSums, Ns, Trace};
use iterations::{IterationTruth, Iterations, iteration_truths};
use ops::{IterationOpTruth, OpTruth, iteration_op_truths, op_keys, op_truths};
use resources::{ResourceTruth, resource_truths};
use serde::Serialize;
use std::collections::BTreeMap;

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
            iterations: iteration_truths(options.style, trace, &iterations),
            ops,
            iteration_ops: detail.then(|| iteration_op_truths(options.style, trace, &keys, &iterations)),
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
