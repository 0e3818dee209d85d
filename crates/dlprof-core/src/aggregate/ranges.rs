//! Sums of ranges of iterations: of whole blocks, and of the iterations at the edges.

use super::Input;
use super::blocks::Blocks;
use super::by_iteration::KernelsByProcess;
use super::by_op::KernelSums;
use super::groups::Groups;
use super::summing::{Rows, Summing};
use super::sums::RangeSums;
use rayon::prelude::*;
use std::ops::Range;

/// What sums are made of: the op calls of all iterations, block by block. Blocks are shared out among threads, which does
/// not show, because sums add up in any order.
pub(super) struct Source<'a> {
    rows: Rows<'a>,
    groups: &'a Groups<'a>,
    blocks: &'a Blocks,
    /// By op call: its iteration.
    iteration_of: &'a [u32],
    /// Number of ops.
    ops: usize,
}

impl<'a> Source<'a> {
    pub(super) fn new(input: &Input<'a>, groups: &'a Groups<'a>, blocks: &'a Blocks) -> Self {
        let rows = input.rows();
        Self { rows, groups, blocks, iteration_of: &input.iterations.of_call, ops: input.ops.ops.len() }
    }

    fn summing(&self) -> Summing<'a> {
        Summing::new(self.rows, self.groups, self.ops)
    }

    /// The sums of every block, and the kernels of every iteration.
    pub(super) fn sum_blocks(
        &self,
        kernels: &mut [KernelSums],
        by_process: &KernelsByProcess<'_>,
    ) -> Vec<RangeSums> {
        let blocks = kernels.par_chunks_mut(self.blocks.length() as usize).zip(self.blocks.all());
        let sum = |summing: &mut Summing<'a>, (kernels, block): (&mut [KernelSums], u32)| {
            let mut of_block = by_process.block();
            let calls = self.blocks.calls(self.blocks.iterations(block), self.iteration_of);
            let sums = summing.sum(&calls, kernels, |call, kernels| of_block.push(call, kernels));
            by_process.add(of_block);
            sums
        };
        blocks.map_init(|| self.summing(), sum).collect()
    }

    /// The sums of a range, and the kernels of every iteration, inside and outside.
    pub(super) fn sum_range(
        &self,
        range: &Range<u32>,
        kernels: &mut [KernelSums],
        by_process: &KernelsByProcess<'_>,
    ) -> RangeSums {
        let blocks = kernels.par_chunks_mut(self.blocks.length() as usize).zip(self.blocks.all());
        let sum = |summing: &mut Summing<'a>, (kernels, block): (&mut [KernelSums], u32)| {
            let iterations = self.blocks.iterations(block);
            let start = range.start.clamp(iterations.start, iterations.end);
            let end = range.end.clamp(start, iterations.end);
            let (before, rest) = kernels.split_at_mut((start - iterations.start) as usize);
            let (inside, behind) = rest.split_at_mut((end - start) as usize);
            let calls = |iterations| self.blocks.calls(iterations, self.iteration_of);
            let mut of_block = by_process.block();
            let mut show = |call, kernels: &KernelSums| of_block.push(call, kernels);
            let mut sums = RangeSums::default();
            if !before.is_empty() {
                summing.sum_kernels(&calls(iterations.start..start), before, &mut show);
            }
            if !inside.is_empty() {
                sums = summing.sum(&calls(start..end), inside, &mut show);
            }
            if !behind.is_empty() {
                summing.sum_kernels(&calls(end..iterations.end), behind, &mut show);
            }
            by_process.add(of_block);
            sums
        };
        let merge = |sums: RangeSums, other: RangeSums| sums.with(other, self.rows.texts);
        blocks.map_init(|| self.summing(), sum).reduce(RangeSums::default, merge)
    }

    /// The sums of a range, given those of all blocks.
    pub(super) fn merge_blocks(&self, range: Range<u32>, of_blocks: &[RangeSums]) -> RangeSums {
        let cut = self.blocks.cut(range);
        let mut sums = RangeSums::default();
        for of_block in &of_blocks[cut.whole.start as usize..cut.whole.end as usize] {
            sums.merge(of_block, self.rows.texts);
        }
        for edge in cut.edges {
            let mut kernels = vec![KernelSums::default(); edge.len()];
            let calls = self.blocks.calls(edge, self.iteration_of);
            sums.merge(&self.summing().sum(&calls, &mut kernels, |_, _| {}), self.rows.texts);
        }
        sums
    }
}
