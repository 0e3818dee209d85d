//! Blocks: equal numbers of iterations, and where the op calls of each stand among all calls.
//!
//! ```text
//! calls        thread A: 0 0 0 1 1 2 2 2 3 …   thread B: 0 0 1 1 1 2 3 3 …      (iteration of each call)
//! block 0      ├─ run ─┤                       ├─ run ─┤                        iterations 0 and 1
//! block 1                ├─ run ──┤                    ├ run ┤                  iterations 2 and 3
//! ```

use crate::base::groups::Grouped;
use crate::base::ids::OpCallId;
use crate::columns::{FactColumn, Memory, table};
use std::ops::Range;

table! {
    /// Runs of op calls of a block with ids next to each other, block by block; calls of other blocks may lie between them.
    "block_runs" BlockRuns built by BlockRunsBuilder, by () {
        /// The block.
        block: u32, "";
        /// Id of the first call.
        first: u32, "";
        /// Id after the last call.
        end: u32, "";
    }
}

/// Op calls of a block with ids next to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    first: u32,
    end: u32,
}

/// The iterations of a capture in blocks.
#[derive(Debug, Clone)]
pub(crate) struct Blocks {
    /// Iterations of the capture.
    total: u32,
    /// Iterations of a block; the last one may have fewer.
    length: u32,
    /// Where the calls of each block are.
    runs: BlockRuns,
    /// By block: the end of its runs.
    run_ends: Vec<usize>,
}

/// A range of iterations by blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The blocks that lie wholly inside.
    pub(crate) whole: Range<u32>,
    /// The iterations before and after them, each range inside one block.
    pub(crate) edges: Vec<Range<u32>>,
}

/// More blocks than this are not made.
const MOST: u32 = 1024;

/// This many rows of sums are little, some 20 MB.
const LITTLE: usize = 100_000;

/// Calls farther apart than this are two runs, because they need not be read together.
const GAP: u32 = 4096;

impl Blocks {
    /// Divides iterations, given the iteration of each call.
    pub(crate) fn new(total: u32, ops: usize, of_call: &[u32]) -> Self {
        let length = total.div_ceil(wanted(of_call.len(), ops)).max(1);
        let blocks = total.div_ceil(length) as usize;
        let mut open: Vec<Option<Run>> = vec![None; blocks];
        let mut runs: Vec<(u32, Run)> = Vec::new();
        // Neighbours are mostly in one block.
        let (mut block, mut inside) = (0, 0..0);
        for (call, iteration) in (0..).zip(of_call) {
            if !inside.contains(iteration) {
                block = iteration / length;
                inside = block * length..(block + 1) * length;
            }
            match &mut open[block as usize] {
                Some(run) if call - run.end <= GAP => run.end = call + 1,
                other => {
                    runs.extend(other.replace(Run { first: call, end: call + 1 }).map(|run| (block, run)))
                }
            }
        }
        runs.extend((0..).zip(open).filter_map(|(block, run)| Some((block, run?))));
        runs.sort_by_key(|(block, run)| (*block, run.first));
        let column =
            |value: fn(&(u32, Run)) -> u32| -> FactColumn<(), u32> { runs.iter().map(value).collect() };
        let runs = BlockRuns {
            block: column(|(block, _)| *block),
            first: column(|(_, run)| run.first),
            end: column(|(_, run)| run.end),
        };
        Self::from_runs(total, length, runs).expect("every run has a block")
    }

    /// Blocks of known runs; none if they do not fit.
    pub(crate) fn from_runs(total: u32, length: u32, runs: BlockRuns) -> Option<Self> {
        if length == 0 || !runs.block.is_sorted() || runs.first.iter().zip(&runs.end).any(|(a, b)| a > b) {
            return None;
        }
        let blocks = total.div_ceil(length);
        let run_ends =
            (0..blocks).map(|block| runs.block.partition_point(|&of| of <= block)).collect::<Vec<_>>();
        let fits = run_ends.last().copied().unwrap_or(0) == runs.block.len();
        fits.then_some(Self { total, length, runs, run_ends })
    }

    /// Whether their sums take much less than the op calls, or at least little. They do not where ops hardly repeat.
    pub(crate) fn are_worth_keeping(&self, ops: usize, calls: usize) -> bool {
        self.run_ends.len() * ops <= (calls / 8).max(LITTLE)
    }

    /// Iterations of a block.
    pub(crate) fn length(&self) -> u32 {
        self.length
    }

    /// Where the calls of each block are.
    pub(crate) fn runs(&self) -> &BlockRuns {
        &self.runs
    }

    /// All blocks.
    pub(crate) fn all(&self) -> Range<u32> {
        0..self.total.div_ceil(self.length)
    }

    /// The block of an iteration.
    pub(crate) fn block_of(&self, iteration: u32) -> u32 {
        iteration / self.length
    }

    /// The iterations of a block.
    pub(crate) fn iterations(&self, block: u32) -> Range<u32> {
        let start = block * self.length;
        start..(start + self.length).min(self.total)
    }

    /// A range of iterations in order, cut where blocks end.
    pub(crate) fn parts(&self, range: Range<u32>) -> impl Iterator<Item = Range<u32>> {
        let blocks = range.start / self.length..range.end.div_ceil(self.length);
        blocks.map(move |block| {
            let iterations = self.iterations(block);
            iterations.start.max(range.start)..iterations.end.min(range.end)
        })
    }

    /// The calls of some iterations of one block, by iteration.
    pub(crate) fn calls(&self, iterations: Range<u32>, of_call: &[u32]) -> Grouped<OpCallId> {
        let block = (iterations.start / self.length) as usize;
        let start = block.checked_sub(1).map_or(0, |before| self.run_ends[before]);
        let rows = start..self.run_ends[block];
        let runs = self.runs.first[..][rows.clone()].iter().zip(&self.runs.end[..][rows]);
        let calls = runs.flat_map(|(&first, &end)| first..end).map(|call| OpCallId::new(call as usize));
        Grouped::new(&Memory::unlimited(), iterations.len(), calls, |call| {
            let iteration = of_call[call.index()];
            iterations.contains(&iteration).then(|| (iteration - iterations.start) as usize)
        })
    }

    /// A range of iterations by blocks.
    pub(crate) fn cut(&self, range: Range<u32>) -> Cut {
        let first = range.start.div_ceil(self.length);
        // The last block may be shorter than the others.
        let end = if range.end == self.total { self.all().end } else { range.end / self.length };
        if first >= end {
            let middle = (first * self.length).clamp(range.start, range.end);
            let edges = [range.start..middle, middle..range.end];
            return Cut {
                whole: first..first,
                edges: edges.into_iter().filter(|edge| !edge.is_empty()).collect(),
            };
        }
        let edges = [range.start..first * self.length, (end * self.length).min(range.end)..range.end];
        Cut { whole: first..end, edges: edges.into_iter().filter(|edge| !edge.is_empty()).collect() }
    }
}

/// As many blocks as make the two parts of the work about equal: merging the sums of whole blocks, and summing up the
/// calls at the edges of a range. A row of sums takes about a third of the time of a call with its work.
fn wanted(calls: usize, ops: usize) -> u32 {
    let square = 3 * calls / ops.max(1);
    u32::try_from(square.isqrt()).unwrap_or(MOST).clamp(1, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_iteration_of_a_range_is_in_one_part(
            total in 1u32..60, length in 1u32..20, from in 0u32..60, to in 0u32..60,
        ) {
            let (from, to) = (from % total, to % total);
            let range = from.min(to)..from.max(to) + 1;
            let blocks = Blocks::from_runs(total, length, BlockRuns::default()).expect("they fit");
            let cut = blocks.cut(range.clone());
            let whole = cut.whole.clone().flat_map(|block| blocks.iterations(block));
            let mut parts: Vec<u32> = cut.edges.iter().cloned().flatten().chain(whole).collect();
            parts.sort_unstable();
            prop_assert_eq!(parts, range.collect::<Vec<_>>());
            for edge in &cut.edges {
                prop_assert_eq!(edge.start / length, (edge.end - 1) / length);
                prop_assert!(edge.len() < length as usize);
            }
        }

        #[test]
        fn every_call_is_in_the_runs_of_its_block(of_call in prop::collection::vec(0u32..9, 0..200)) {
            let blocks = Blocks::new(9, 3, &of_call);
            let mut found: Vec<(u32, usize)> = Vec::new();
            for block in blocks.all() {
                let iterations = blocks.iterations(block);
                let calls = blocks.calls(iterations.clone(), &of_call);
                for (at, iteration) in iterations.enumerate() {
                    found.extend(calls.get(at).iter().map(|call| (iteration, call.index())));
                }
            }
            let mut expected: Vec<(u32, usize)> = of_call.iter().copied().zip(0..).collect();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
