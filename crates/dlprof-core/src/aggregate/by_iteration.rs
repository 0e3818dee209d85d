//! Iterations: kernels and resource usage of each.

use super::Input;
use super::by_op::KernelSums;
use super::resources::{ResourceSplit, Resources};
use crate::ids::{OpCallId, ProcessId};
use crate::iterate::{Cursor, Iterations, ProcessExecutions};
use crate::ratios::{count_to_f64, to_f64};
use crate::time::{Ns, Span};
use std::sync::{Mutex, PoisonError};

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

/// Counts the kernels of the iterations of every process, block by block, on several threads.
pub(super) struct KernelsByProcess<'a> {
    input: Input<'a>,
    /// By process: its first row, and where its iterations begin; none for those that do not run the key node.
    executions: Vec<Option<(usize, &'a [Ns])>>,
    rows: Mutex<Vec<ProcessIterationStats>>,
}

impl<'a> KernelsByProcess<'a> {
    pub(super) fn new(input: Input<'a>) -> Self {
        let rows = iterations_by_process(input.iterations);
        let mut executions = vec![None; input.trace.processes.len()];
        let mut first = 0;
        for process in input.iterations.key_node.iter().flat_map(|key_node| &key_node.by_process) {
            if !rows.is_empty() {
                executions[process.process.index()] = Some((first, &process.starts[..]));
            }
            first += process.starts.len() + 1;
        }
        Self { input, executions, rows: Mutex::new(rows) }
    }

    /// Begins with a block.
    pub(super) fn block(&self) -> KernelsOfBlock<'_> {
        let executions = self.executions.iter();
        let rows_of = executions.map(|executions| {
            executions.map(|(first, starts)| RowsOfProcess {
                first,
                iteration: Cursor::new(starts),
                at: first,
                sum: KernelSums::default(),
            })
        });
        KernelsOfBlock { input: self.input, rows_of: rows_of.collect(), sums: Vec::new() }
    }

    /// Adds what was counted in a block.
    pub(super) fn add(&self, block: KernelsOfBlock<'_>) {
        let last = block.rows_of.into_iter().flatten().map(|rows| (rows.at, rows.sum));
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        for (row, sum) in block.sums.into_iter().chain(last) {
            rows[row].kernels.add(&sum);
        }
    }

    /// The rows, in order of process and iteration.
    pub(super) fn finish(self) -> Vec<ProcessIterationStats> {
        self.rows.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Kernels of the calls of a block by process and iteration.
pub(super) struct KernelsOfBlock<'a> {
    input: Input<'a>,
    rows_of: Vec<Option<RowsOfProcess<'a>>>,
    /// Rows left behind, and what is to be added to them.
    sums: Vec<(usize, KernelSums)>,
}

struct RowsOfProcess<'a> {
    first: usize,
    iteration: Cursor<'a>,
    /// The row at hand: calls next to each other are mostly of one.
    at: usize,
    sum: KernelSums,
}

impl KernelsOfBlock<'_> {
    /// Adds the kernels of a call.
    pub(super) fn push(&mut self, call: OpCallId, kernels: &KernelSums) {
        let calls = &self.input.correlation.calls;
        let Some(thread) = calls.thread[call.index()].some().filter(|_| kernels.launches > 0) else { return };
        let process = self.input.trace.threads[thread.index()].process;
        let Some(rows) = &mut self.rows_of[process.index()] else { return };
        let row = rows.first + rows.iteration.at_or_before(calls.span[call.index()].start);
        if row != rows.at {
            self.sums.push((rows.at, std::mem::take(&mut rows.sum)));
            rows.at = row;
        }
        rows.sum.add(kernels);
    }
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
