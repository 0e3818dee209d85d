//! Iterations of every process that runs the key node, and their kernels.

use super::Launching;
use super::kernel_sums::KernelSums;
use crate::base::ids::{OpCallId, ProcessId, WorkId};
use crate::base::ordered::Cursor;
use crate::base::time::{Ns, Span};
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
    /// True for time between runs of iterations, or after the last one.
    pub is_outside: bool,
    /// Kernels that the process launched in it; in DLProf's modes those of its op calls that start in it.
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
    launching: Launching<'a>,
    /// By process: its first row, and where its iterations begin; none for those that do not run the key node.
    executions: Vec<Option<(usize, &'a [Ns])>>,
    rows: Mutex<Vec<ProcessIterationStats>>,
}

impl<'a> KernelsByProcess<'a> {
    pub(super) fn new(launching: Launching<'a>, iterations: &'a Iterations) -> Self {
        let rows = iterations_by_process(iterations);
        let mut executions = vec![None; launching.capture.processes.len()];
        let mut first = 0;
        for process in iterations.key_node.iter().flat_map(|key_node| &key_node.by_process) {
            if !rows.is_empty() {
                executions[process.process.index()] = Some((first, &process.starts[..]));
            }
            first += process.starts.len() + 1;
        }
        Self { launching, executions, rows: Mutex::new(rows) }
    }

    /// Begins with a block.
    pub(super) fn block(&self) -> KernelsOfBlock<'_> {
        let executions = self.executions.iter();
        let rows_of = executions.map(|executions| {
            executions.map(|(first, starts)| RowsOfProcess {
                first,
                starts,
                iteration: Cursor::new(starts),
                at: first,
                sum: KernelSums::default(),
            })
        });
        KernelsOfBlock { launching: self.launching, rows_of: rows_of.collect(), sums: Vec::new() }
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
    launching: Launching<'a>,
    rows_of: Vec<Option<RowsOfProcess<'a>>>,
    /// Rows left behind, and what is to be added to them.
    sums: Vec<(usize, KernelSums)>,
}

struct RowsOfProcess<'a> {
    first: usize,
    starts: &'a [Ns],
    iteration: Cursor<'a>,
    /// The row at hand: calls next to each other are mostly of one.
    at: usize,
    sum: KernelSums,
}

impl KernelsOfBlock<'_> {
    /// Adds work of a call, with the sum of its kernels.
    pub(super) fn push(&mut self, call: OpCallId, work: &[WorkId], kernels: &KernelSums) {
        let Launching { capture, follows_op_calls, .. } = self.launching;
        let calls = &capture.op_calls;
        let Some(thread) = calls.thread[call].some().filter(|_| kernels.launches > 0) else { return };
        let process = capture.threads[thread.index()].process;
        let Some(rows) = &mut self.rows_of[process.index()] else { return };
        let span = calls.span[call];
        let own = rows.iteration.at_or_before(span.start);
        let ends_in_it = rows.starts.get(own).is_none_or(|&next| span.end < next);
        if follows_op_calls || ends_in_it {
            rows.add(own, kernels, &mut self.sums);
            return;
        }
        for &id in work {
            let start =
                capture.launches.api[id].some().map_or(span.start, |api| capture.api_calls.span[api].start);
            let at = rows.starts.partition_point(|&boundary| boundary <= start);
            rows.add(at, &capture.kernels_of(&[id]), &mut self.sums);
        }
    }
}

impl RowsOfProcess<'_> {
    /// Adds kernels to an iteration; the sum of the row before goes to `left`.
    fn add(&mut self, iteration: usize, kernels: &KernelSums, left: &mut Vec<(usize, KernelSums)>) {
        let row = self.first + iteration;
        if row != self.at {
            left.push((self.at, std::mem::take(&mut self.sum)));
            self.at = row;
        }
        self.sum.add(kernels);
    }
}
