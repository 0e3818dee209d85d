//! What a profile of one range is made from, read from what is kept: no more than the range needs.

use super::capture;
use super::columns::{Stored, damaged};
use super::edges::{self, Files};
use super::parts::{read_groups, read_json, read_texts};
use super::reader::Reader;
use super::sums::Rest;
use crate::aggregate::{
    Blocks, Covered, GroupSums, Groups, KernelNameSums, KernelSums, KernelTotals, OpSums,
    ProcessIterationStats, RangeSums, ResourceSplit, Resources, Summing, Timeline, iterations_by_process,
};
use crate::correlate::Correlation;
use crate::error::Error;
use crate::groups::Grouped;
use crate::ids::StrId;
use crate::iterate::{IterationOptions, Iterations, KeyNode, Op, Ops};
use crate::time::Ns;
use crate::trace::Trace;
use arrow::error::ArrowError;
use rayon::prelude::*;
use std::ops::Range;

/// What a profile of one range is made from.
#[derive(Debug)]
pub(crate) struct KeptRange {
    /// Without API calls, GPU work and op calls.
    pub(crate) trace: Trace,
    /// Without API calls, GPU work and op calls.
    pub(crate) correlation: Correlation,
    pub(crate) timeline: Timeline,
    pub(crate) sums: RangeSums,
}

/// Reads a range.
///
/// # Errors
/// If a file is damaged; inside, if the range does not exist.
pub(super) fn read(
    capture: &Reader,
    columns: &Reader,
    options: &IterationOptions,
) -> Result<Result<KeptRange, Error>, ArrowError> {
    let rest: Rest<'_> = read_json("rest", columns)?;
    let key_node = read_key_node(rest.key_node.into_owned(), columns)?;
    let total = key_node.as_ref().map_or(0, |key_node| key_node.starts.len()) + 1;
    let states = sized(columns.take("iteration.state")?, total)?;
    let candidates = rest.candidates.into_owned();
    let iterations = match Iterations::kept(rest.end, key_node, candidates, states, options) {
        Ok(iterations) => iterations,
        Err(error) => return Ok(Err(error)),
    };
    let ops = Ops { ops: rest.ops.into_owned(), of_call: Vec::new() };
    let (counts, texts) = (rest.counts, columns.take("text.id")?);
    let (sums, of_iterations) = rayon::join(
        || read_sums(&Files { capture, sums: columns, counts, texts }, &iterations, &ops, rest.block_length),
        || read_iterations(columns, &iterations, rest.gpus),
    );
    let (trace, correlation, sums) = sums?;
    let (split, kernels, process_iterations, covered) = of_iterations?;
    let timeline = Timeline { iterations, ops, split, kernels, process_iterations, covered, counts };
    Ok(Ok(KeptRange { trace, correlation, timeline, sums }))
}

/// A column that must have some length.
fn sized<T>(column: Vec<T>, length: usize) -> Result<Vec<T>, ArrowError> {
    if column.len() == length { Ok(column) } else { Err(damaged("a column has another length")) }
}

fn read_key_node(key_node: Option<KeyNode>, columns: &Reader) -> Result<Option<KeyNode>, ArrowError> {
    let Some(mut key_node) = key_node else { return Ok(None) };
    key_node.starts = columns.take("key_node.starts")?;
    let starts: Grouped<Ns> = read_groups("process.starts", columns)?;
    if starts.len() != key_node.by_process.len() {
        return Err(damaged("executions are missing"));
    }
    for (at, process) in key_node.by_process.iter_mut().enumerate() {
        process.starts = starts.get(at).to_vec();
    }
    Ok(Some(key_node))
}

type OfIterations = (ResourceSplit, Vec<KernelSums>, Vec<ProcessIterationStats>, Covered);

/// What is known of each iteration.
fn read_iterations(
    columns: &Reader,
    iterations: &Iterations,
    gpus: usize,
) -> Result<OfIterations, ArrowError> {
    let total = iterations.total() as usize;
    let by_device: Grouped<Resources> = read_groups("device.resources", columns)?;
    let by_device = (0..by_device.len()).map(|device| sized(by_device.get(device).to_vec(), total));
    let split = ResourceSplit {
        by_device: by_device.collect::<Result<_, _>>()?,
        by_iteration: sized(columns.take("iteration.resources")?, total)?,
        gpus,
    };
    let mut process_iterations = iterations_by_process(iterations);
    let kernels = sized(columns.take("process_iteration.kernels")?, process_iterations.len())?;
    for (row, kernels) in process_iterations.iter_mut().zip(kernels) {
        row.kernels = kernels;
    }
    let covered = Covered {
        latest_end: sized(columns.take("boundary.latest_end")?, total + 1)?,
        earliest_start: sized(columns.take("boundary.earliest_start")?, total + 1)?,
    };
    Ok((split, sized(columns.take("iteration.kernels")?, total)?, process_iterations, covered))
}

/// The sums of the range, and the capture without its rows.
fn read_sums(
    files: &Files<'_>,
    iterations: &Iterations,
    ops: &Ops,
    block_length: u32,
) -> Result<(Trace, Correlation, RangeSums), ArrowError> {
    let (trace, correlation) = capture::read_without_rows(files.capture, read_texts("text", files.sums)?)?;
    let runs = read_groups("block.runs", files.sums)?;
    let blocks = Blocks::from_parts(iterations.total(), block_length, runs);
    let blocks = blocks.ok_or_else(|| damaged("blocks do not fit"))?;
    let cut = blocks.cut(iterations.range());
    let op_name = |op: &Op| {
        let label = correlation.labels.get(op.label.index()).ok_or_else(|| damaged("a label is missing"))?;
        Ok(correlation.names.get(label.name))
    };
    let op_names: Vec<&str> = ops.ops.iter().map(op_name).collect::<Result<_, ArrowError>>()?;
    let groups = Groups::new(op_names.into_iter());
    let sum_edge = |edge: &Range<u32>| {
        let edge = edges::read(files, &blocks, iterations, edge.clone())?;
        let mut kernels = vec![KernelSums::default(); edge.calls.len()];
        let mut summing = Summing::new(edge.rows(&trace.strings), &groups, ops.ops.len());
        Ok(summing.sum(&edge.calls, &mut kernels, |_, _| {}))
    };
    let (whole, edges) = rayon::join(
        || read_blocks(files.sums, &trace, cut.whole.clone()),
        || cut.edges.par_iter().map(sum_edge).collect::<Result<Vec<_>, ArrowError>>(),
    );
    let mut sums = whole?;
    for edge in edges? {
        sums.merge(&edge, &trace.strings);
    }
    Ok((trace, correlation, sums))
}

/// The sums of some blocks.
fn read_blocks(columns: &Reader, trace: &Trace, blocks: Range<u32>) -> Result<RangeSums, ArrowError> {
    let blocks = blocks.start as usize..blocks.end as usize;
    let ops = Lists::<OpSums>::read("block.ops", columns, blocks.clone())?;
    let groups = Lists::<GroupSums>::read("block.groups", columns, blocks.clone())?;
    let kernels = Lists::<KernelNameSums>::read("block.kernels", columns, blocks.clone())?;
    let memory_apis = Lists::<StrId>::read("block.memory_apis", columns, blocks.clone())?;
    let unnamed_memory: Vec<u32> = columns.take_at("block.unnamed_memory", blocks.clone())?;
    let totals: Vec<KernelTotals> = columns.take_at("block.totals", blocks.clone())?;
    let mut sums = RangeSums::default();
    for (at, (unnamed_memory, totals)) in unnamed_memory.into_iter().zip(totals).enumerate() {
        let of_block = RangeSums {
            ops: ops.get(at)?,
            groups: groups.get(at)?,
            kernels: kernels.get(at)?,
            totals,
            memory_apis: memory_apis.get(at)?,
            unnamed_memory,
        };
        sums.merge(&of_block, &trace.strings);
    }
    Ok(sums)
}

/// Lists of some blocks.
struct Lists<T> {
    offsets: Vec<u32>,
    items: Vec<T>,
}

impl<T: Stored> Lists<T> {
    fn read(name: &str, columns: &Reader, blocks: Range<usize>) -> Result<Self, ArrowError> {
        if blocks.is_empty() {
            return Ok(Self { offsets: Vec::new(), items: Vec::new() });
        }
        let offsets: Vec<u32> = columns.take_at(&format!("{name}.offsets"), blocks.start..blocks.end + 1)?;
        let (start, end) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
        Ok(Self { items: columns.take_at(name, start..end)?, offsets })
    }

    /// The list of a block, counted from the first one read.
    fn get(&self, at: usize) -> Result<Vec<T>, ArrowError> {
        let place = |at: usize| Some(self.offsets.get(at)?.checked_sub(*self.offsets.first()?)? as usize);
        let list = || self.items.get(place(at)?..place(at + 1)?);
        Ok(list().ok_or_else(|| damaged("a list is missing"))?.to_vec())
    }
}
