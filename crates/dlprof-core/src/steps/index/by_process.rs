//! Iterations of every process that runs the key node, and their kernels.

use super::kernel_sums::KernelSums;
use crate::base::ids::{OpCallId, ProcessId};
use crate::base::ordered::Cursor;
use crate::base::time::{Ns, Span};
use crate::capture::CaptureContents;
use crate::steps::iterate::{Iterations, ProcessExecutions};
use std::sync::{Mutex, PoisonError};

/// An iteration as one process sees it: from its own execution of the key node to its next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessIterationStats {
    /// The process.
    pub process: ProcessId,
    /// Number of the iteration in the process.
    pub iteration: u32,
    /// Start and end.
    pub span: Span,
    /// True for time between runs of iterations, or behind the last one.
    pub is_outside: bool,
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
        let begin = iterations.boundaries[0];
        let boundary = |start: &Ns| (*start).clamp(begin, end);
        let starts = [begin].into_iter().chain(process.starts.iter().map(boundary));
        let ends = process.starts.iter().map(boundary).chain([end]);
        let spans: Vec<Span> = starts.zip(ends).map(|(start, end)| Span::new(start, end)).collect();
        let row = |(iteration, span)| ProcessIterationStats {
            process: process.process,
            iteration,
            span,
            is_outside: process.outside.binary_search(&iteration).is_ok(),
            kernels: KernelSums::default(),
        };
        (0..).zip(spans).map(row).collect::<Vec<_>>()
    };
    executions.iter().flat_map(rows_of).collect()
}

/// Counts the kernels of the iterations of every process, block by block, on several threads.
pub(super) struct KernelsByProcess<'a> {
    capture: &'a CaptureContents,
    /// By process: its first row, and where its iterations begin; none for those that do not run the key node.
    executions: Vec<Option<(usize, &'a [Ns])>>,
    rows: Mutex<Vec<ProcessIterationStats>>,
}

impl<'a> KernelsByProcess<'a> {
    pub(super) fn new(capture: &'a CaptureContents, iterations: &'a Iterations) -> Self {
        let rows = iterations_by_process(iterations);
        let mut executions = vec![None; capture.processes.len()];
        let mut first = 0;
        for process in iterations.key_node.iter().flat_map(|key_node| &key_node.by_process) {
            if !rows.is_empty() {
                executions[process.process.index()] = Some((first, &process.starts[..]));
            }
            first += process.starts.len() + 1;
        }
        Self { capture, executions, rows: Mutex::new(rows) }
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
        KernelsOfBlock { capture: self.capture, rows_of: rows_of.collect(), sums: Vec::new() }
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
    capture: &'a CaptureContents,
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
        let calls = &self.capture.op_calls;
        let Some(thread) = calls.thread[call].some().filter(|_| kernels.launches > 0) else { return };
        let process = self.capture.threads[thread.index()].process;
        let Some(rows) = &mut self.rows_of[process.index()] else { return };
        let row = rows.first + rows.iteration.at_or_before(calls.span[call].start);
        if row != rows.at {
            self.sums.push((rows.at, std::mem::take(&mut rows.sum)));
            rows.at = row;
        }
        rows.sum.add(kernels);
    }
}
