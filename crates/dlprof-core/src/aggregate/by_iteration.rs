//! Iterations: kernels and resource usage of each.

use super::Input;
use super::by_op::{self, KernelSums};
use super::resources::{ResourceSplit, Resources};
use crate::ids::ProcessId;
use crate::iterate::{Cursor, Iterations, ProcessExecutions};
use crate::ratios::{count_to_f64, to_f64};
use crate::time::{Ns, Span};

/// One iteration, aggregated or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IterationStats {
    /// Its number.
    pub iteration: u32,
    /// Whether it is in the aggregated range.
    pub is_aggregated: bool,
    /// Start and end.
    pub span: Span,
    /// Kernels of the op calls that start in it.
    pub kernels: KernelSums,
    /// Its time by class, summed over GPUs.
    pub resources: Resources,
}

/// All iterations in order.
pub(super) fn iterations(
    iterations: &Iterations,
    split: &ResourceSplit,
    kernels: &[KernelSums],
) -> Vec<IterationStats> {
    (0..iterations.total())
        .zip(kernels)
        .map(|(iteration, &kernels)| IterationStats {
            iteration,
            is_aggregated: iterations.is_aggregated(iteration),
            span: iterations.span(iteration),
            kernels,
            resources: split.by_iteration[iteration as usize],
        })
        .collect()
}

/// An iteration as one process sees it: from its own execution of the key node to its next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessIterationStats {
    /// The process.
    pub process: ProcessId,
    /// Number of the iteration in the process.
    pub iteration: u32,
    /// Start and end.
    pub span: Span,
    /// Kernels of the process' op calls that start in it.
    pub kernels: KernelSums,
}

/// Iterations of every process that runs the key node, in order of process and iteration; empty unless there are
/// several. Their kernels are not counted.
pub(crate) fn iterations_by_process(iterations: &Iterations) -> Vec<ProcessIterationStats> {
    let executions = iterations.key_node.as_ref().map_or(&[][..], |key_node| &key_node.by_process);
    if executions.len() < 2 {
        return Vec::new();
    }
    let end = iterations.boundaries[iterations.boundaries.len() - 1];
    let rows_of = |process: &ProcessExecutions| {
        let boundary = |start: &Ns| (*start).clamp(0, end);
        let starts = [0].into_iter().chain(process.starts.iter().map(boundary));
        let ends = process.starts.iter().map(boundary).chain([end]);
        let spans: Vec<Span> = starts.zip(ends).map(|(start, end)| Span::new(start, end)).collect();
        let process = process.process;
        let row = move |(iteration, span)| ProcessIterationStats {
            process,
            iteration,
            span,
            kernels: KernelSums::default(),
        };
        (0..).zip(spans).map(row)
    };
    executions.iter().flat_map(rows_of).collect()
}

/// The same, with their kernels.
pub(super) fn process_iterations(input: &Input<'_>) -> Vec<ProcessIterationStats> {
    let mut rows = iterations_by_process(input.iterations);
    if rows.is_empty() {
        return rows;
    }
    let mut first_row: Vec<Option<(usize, Cursor<'_>)>> =
        input.trace.processes.iter().map(|_| None).collect();
    let mut first = 0;
    for process in input.iterations.key_node.iter().flat_map(|key_node| &key_node.by_process) {
        first_row[process.process.index()] = Some((first, Cursor::new(&process.starts)));
        first += process.starts.len() + 1;
    }
    let calls = &input.correlation.calls;
    for call in calls.ids() {
        let Some(thread) = calls.thread[call.index()].some() else { continue };
        let process = input.trace.threads[thread.index()].process;
        if let Some((first, executions)) = &mut first_row[process.index()] {
            let iteration = executions.at_or_before(calls.span[call.index()].start);
            by_op::push_kernels(input, call, &mut rows[*first + iteration].kernels);
        }
    }
    rows
}

/// The standard deviation of a sample (n − 1); 0 for fewer than two.
#[must_use]
pub fn standard_deviation(sample: &[Ns]) -> f64 {
    let count = count_to_f64(sample.len() as u64);
    if sample.len() < 2 {
        return 0.0;
    }
    let mean = sample.iter().map(|&value| to_f64(value)).sum::<f64>() / count;
    let squares: f64 = sample.iter().map(|&value| (to_f64(value) - mean).powi(2)).sum();
    (squares / (count - 1.0)).sqrt()
}
