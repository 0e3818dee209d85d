//! The compute kernels of each rank in its steady steps: by name and shape, by name, and by op.

use super::digest::{KernelKey, RankDigest, WorkSum};
use super::steps::RankSteps;
use super::windows::RankWindows;
use crate::base::time::Ns;
use indexmap::{IndexMap, IndexSet};
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;
use std::collections::BTreeMap;

/// How many kernels, and their time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct WorkTotal {
    pub(super) count: u64,
    pub(super) time_ns: Ns,
}

impl WorkTotal {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.time_ns += other.time_ns;
    }
}

/// By what they are, by its place in a list of all ranks: kernels of a rank.
pub(super) type Totals = BTreeMap<usize, WorkTotal>;

/// Kernels of all ranks.
#[derive(Debug, Default)]
pub(super) struct WorkOfRanks {
    /// Ops in the order in which they are met.
    pub(super) ops: Vec<String>,
    /// By rank: kernels by name and shape.
    pub(super) kernels: Vec<Totals>,
    /// By rank: kernels by name.
    pub(super) names: Vec<Totals>,
    /// By rank: kernels by op.
    pub(super) by_op: Vec<Totals>,
}

type Known<'a, T> = IndexSet<&'a T, FxBuildHasher>;

pub(super) fn of_ranks(digests: &[RankDigest], windows: &[RankWindows], steps: &[RankSteps]) -> WorkOfRanks {
    let (mut kernels, mut names, mut ops): (Known<'_, KernelKey>, Known<'_, str>, Known<'_, str>) =
        Default::default();
    let mut work = WorkOfRanks::default();
    let of_rank = |((digest, windows), steps): ((&RankDigest, &RankWindows), &RankSteps)| {
        // Whether a piece lies in a steady window.
        let mut is_steady = vec![false; digest.pieces.len()];
        for number in steps.of.keys() {
            is_steady[digest.pieces_of(windows.of[number])].fill(true);
        }
        (met(&digest.kernel_sums, &is_steady), met(&digest.op_sums, &is_steady))
    };
    let met: Vec<(Met, Met)> = digests.par_iter().zip(windows).zip(steps).map(of_rank).collect();
    for (digest, (of_kernels, of_ops)) in digests.iter().zip(met) {
        let of_kernels = totals(of_kernels, |at| kernels.insert_full(&digest.kernels[at]).0);
        let mut of_names = Totals::new();
        for (&key, &total) in &of_kernels {
            let name = names.insert_full(kernels[key].name.as_str()).0;
            of_names.entry(name).or_default().add(total);
        }
        work.by_op.push(totals(of_ops, |at| ops.insert_full(digest.ops[at].as_str()).0));
        work.kernels.push(of_kernels);
        work.names.push(of_names);
    }
    work.ops = ops.into_iter().map(str::to_owned).collect();
    work
}

/// By what kernels of a rank are, by its place in the list of that rank, in the order in which they are met: their totals.
type Met = IndexMap<u32, WorkTotal, FxBuildHasher>;

fn met(sums: &[WorkSum], is_steady: &[bool]) -> Met {
    let mut met = Met::default();
    for sum in sums.iter().filter(|sum| is_steady[sum.piece as usize]) {
        let total = WorkTotal { count: sum.count.into(), time_ns: sum.time_ns };
        met.entry(sum.what).or_default().add(total);
    }
    met
}

/// The same by places in a list of all ranks.
fn totals(met: Met, mut place: impl FnMut(usize) -> usize) -> Totals {
    let mut totals = Totals::new();
    met.into_iter().for_each(|(what, total)| totals.entry(place(what as usize)).or_default().add(total));
    totals
}
