//! The ops: what makes calls the same op, and their sums.

use super::iterations::{Iterations, kernels_by_iteration};
use crate::options::{Options, Style};
use crate::trace::{Direction, KernelSums, Ns, OpCall, Times, Trace};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// What makes calls the same op.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct OpKey {
    /// Index into the trace's operations.
    operation: usize,
    /// Pass.
    direction: Direction,
    /// Number within the iteration, process and thread; 1 is the first.
    ordinal: u32,
}

/// An op.
#[derive(Serialize)]
pub(super) struct OpTruth<'a> {
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
pub(super) struct IterationOpTruth<'a> {
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

/// The op of every call.
pub(super) fn op_keys(options: &Options, trace: &Trace, iterations: &Iterations) -> Vec<OpKey> {
    let mut keys: Vec<OpKey> = trace
        .calls
        .iter()
        .map(|call| OpKey { operation: call.operation, direction: call.direction, ordinal: 1 })
        .collect();
    // User ranges, and loose work outside them, differ only by name.
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

/// The ops, by name, direction and ordinal.
pub(super) fn op_truths<'a>(trace: &'a Trace, keys: &[OpKey]) -> Vec<OpTruth<'a>> {
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
pub(super) fn iteration_op_truths<'a>(
    style: Style,
    trace: &'a Trace,
    keys: &[OpKey],
    iterations: &Iterations,
) -> Vec<IterationOpTruth<'a>> {
    let mut sums: BTreeMap<(usize, &'a str, &'static str, u32), OpSums> = BTreeMap::new();
    for (call, key) in trace.calls.iter().zip(keys) {
        let name = trace.operations.values()[key.operation].name.as_str();
        let place = |iteration| (iteration, name, key.direction.name(), key.ordinal);
        sums.entry(place(iterations.at(call.span.start))).or_default().calls += 1;
        for (iteration, kernels) in kernels_by_iteration(style, call, iterations) {
            sums.entry(place(iteration)).or_default().kernels.add(&kernels);
        }
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
