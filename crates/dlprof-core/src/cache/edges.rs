//! The op calls of a few iterations with their work, read from a kept capture and numbered anew.

use super::columns::damaged;
use super::reader::Reader;
use crate::aggregate::{Blocks, Counts, Rows};
use crate::correlate::{CallTimes, TensorCores};
use crate::groups::Grouped;
use crate::ids::{ApiCallId, OpCallId, OpId, StrId, WorkId};
use crate::iterate::{Cursor, Iterations};
use crate::strings::StringPool;
use crate::time::Span;
use crate::trace::{ApiCalls, GpuWork};
use arrow::error::ArrowError;
use std::ops::Range;

/// The op calls of some iterations, and what belongs to them.
pub(super) struct Edge {
    /// By iteration, from the first of them.
    pub(super) calls: Grouped<OpCallId>,
    work: GpuWork,
    api_calls: ApiCalls,
    work_api: Vec<ApiCallId>,
    tensor_cores: Vec<TensorCores>,
    times: Vec<CallTimes>,
    work_by_call: Grouped<WorkId>,
    op_of_call: Vec<OpId>,
}

impl Edge {
    /// What is summed up; `texts` are the kept ones.
    pub(super) fn rows<'a>(&'a self, texts: &'a StringPool) -> Rows<'a> {
        Rows {
            texts,
            work: &self.work,
            api_calls: &self.api_calls,
            work_api: &self.work_api,
            tensor_cores: &self.tensor_cores,
            times: &self.times,
            work_by_call: &self.work_by_call,
            op_of_call: &self.op_of_call,
        }
    }
}

/// What edges are read from.
pub(super) struct Files<'a> {
    /// The kept capture.
    pub(super) capture: &'a Reader,
    /// What is kept of the key node.
    pub(super) sums: &'a Reader,
    /// How much the capture holds.
    pub(super) counts: Counts,
    /// By kept text: its id in the capture, ascending.
    pub(super) texts: Vec<StrId>,
}

/// Reads some iterations of one block.
pub(super) fn read(
    files: &Files<'_>,
    blocks: &Blocks,
    iterations: &Iterations,
    edge: Range<u32>,
) -> Result<Edge, ArrowError> {
    let Files { capture, sums, .. } = files;
    let (calls, by_iteration) = calls_of(capture, blocks, iterations, edge)?;
    let ends = calls.iter().flat_map(|&call| [call, call + 1]);
    let ends: Vec<u32> = capture.take_at("call.work.offsets", ends)?;
    let places = ends.chunks_exact(2).flat_map(|ends| ends[0] as usize..ends[1] as usize);
    let items: Vec<WorkId> = capture.take_at("call.work", places)?;
    let of_call = ends.chunks_exact(2).map(|ends| ends[1].saturating_sub(ends[0]));
    let of_call = [0].into_iter().chain(of_call.scan(0, |end: &mut u32, count| {
        *end = end.saturating_add(count);
        Some(*end)
    }));
    // New numbers keep the order of the old ones, so kernels still come before copies, and these before memsets.
    let work = sorted(items.iter().copied());
    let items = items.into_iter().map(|id| place(&work, id).map(WorkId::new)).collect::<Result<_, _>>()?;
    let work_by_call = Grouped::from_parts(of_call.collect(), items);
    let api: Vec<ApiCallId> = capture.take_at("work.api", work.iter().map(|id| id.index()))?;
    let apis = sorted(api.iter().filter_map(|api| api.some()));
    let numbered = |api: ApiCallId| match api.some() {
        Some(api) => place(&apis, api).map(ApiCallId::new),
        None => Ok(ApiCallId::NONE),
    };
    let kernels = || work.iter().map(|id| id.index()).take_while(|&id| id < files.counts.kernels);
    Ok(Edge {
        calls: by_iteration,
        work: read_work(files, &work, kernels().count())?,
        api_calls: ApiCalls {
            span: capture.take_at("api.span", apis.iter().map(|api| api.index()))?,
            name: files.kept_texts("api.name", apis.iter().map(|api| api.index()))?,
            ..ApiCalls::default()
        },
        work_api: api.into_iter().map(numbered).collect::<Result<_, _>>()?,
        tensor_cores: capture.take_at("kernel.tensor_cores", kernels())?,
        times: capture.take_at("call.times", calls.iter().copied())?,
        work_by_call: work_by_call.ok_or_else(|| damaged("groups do not fit"))?,
        op_of_call: sums.take_at("call.op", calls.iter().copied())?,
    })
}

/// The calls of an edge, and the same by iteration, numbered anew.
fn calls_of(
    capture: &Reader,
    blocks: &Blocks,
    iterations: &Iterations,
    edge: Range<u32>,
) -> Result<(Vec<usize>, Grouped<OpCallId>), ArrowError> {
    let calls = blocks.runs_of(&edge).iter().flat_map(|run| run.first as usize..run.end as usize);
    let spans: Vec<Span> = capture.take_at("call.span", calls.clone())?;
    let mut cursor = Cursor::new(iterations.inner_boundaries());
    let iteration = spans.iter().map(|span| cursor.at_or_before(span.start));
    let edge = edge.start as usize..edge.end as usize;
    let (calls, iteration): (Vec<usize>, Vec<usize>) =
        calls.zip(iteration).filter(|(_, iteration)| edge.contains(iteration)).unzip();
    let by_iteration = Grouped::new(edge.len(), (0..calls.len()).map(OpCallId::new), |call| {
        Some(iteration[call.index()] - edge.start)
    });
    Ok((calls, by_iteration))
}

/// What sums need of some GPU work, given how many of it are kernels.
fn read_work(files: &Files<'_>, work: &[WorkId], kernels: usize) -> Result<GpuWork, ArrowError> {
    let positions = work.iter().map(|id| id.index());
    let of_kernels = || positions.clone().take(kernels);
    let first_copy = files.counts.kernels;
    let copies = || {
        let copies = positions.clone().skip(kernels).map(move |id| id - first_copy);
        copies.take_while(|&copy| copy < files.counts.copies)
    };
    Ok(GpuWork {
        span: files.capture.take_at("work.span", positions.clone())?,
        kernels,
        copies: copies().count(),
        short_name: files.kept_texts("kernel.short_name", of_kernels())?,
        long_name: files.kept_texts("kernel.long_name", of_kernels())?,
        copy_kind: files.capture.take_at("copy.kind", copies())?,
        ..GpuWork::default()
    })
}

impl Files<'_> {
    /// Texts of a column of the capture, by their kept ids.
    fn kept_texts(
        &self,
        column: &str,
        positions: impl Iterator<Item = usize>,
    ) -> Result<Vec<StrId>, ArrowError> {
        let texts: Vec<StrId> = self.capture.take_at(column, positions)?;
        let kept = |text: StrId| match text.some() {
            Some(text) => place(&self.texts, text).map(StrId::new),
            None => Ok(StrId::NONE),
        };
        texts.into_iter().map(kept).collect()
    }
}

/// Ids in ascending order, each once.
fn sorted<T: Ord>(ids: impl Iterator<Item = T>) -> Vec<T> {
    let mut ids: Vec<T> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Where an id stands in a sorted list.
fn place<T: Ord>(ids: &[T], id: T) -> Result<usize, ArrowError> {
    ids.binary_search(&id).map_err(|_| damaged("an id is missing"))
}
