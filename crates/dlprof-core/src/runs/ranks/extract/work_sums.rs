//! How often kernels of each name and shape, and of each op, began in each piece, and their time.

use super::super::digest::{KernelKey, RankDigest, WorkSum};
use super::collectives::place;
use super::op_paths::OpPaths;
use super::source::{Source, Unit};
use crate::base::ids::{LaunchConfigId, StrId};
use crate::base::time::Ns;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Kernels of a rank that are told apart; those with most time. The others are one.
const MOST_KERNELS: usize = 512;
/// Ops of a rank that are told apart.
const MOST_OPS: usize = 1000;
/// What the others are called.
const OTHERS: &str = "(others)";

/// By piece and key: count and time.
type Sums = BTreeMap<(u32, u32), (u32, Ns)>;

impl Source<'_> {
    pub(super) fn add_work_sums(&self, unit: &Unit, digest: &mut RankDigest) {
        let activity = self.classified.activity();
        let mut keys: FxHashMap<(StrId, LaunchConfigId), u32> = FxHashMap::default();
        let mut kernels: Vec<KernelKey> = Vec::new();
        let mut known: FxHashMap<KernelKey, u32> = FxHashMap::default();
        let mut paths = OpPaths::new();
        let (mut kernel_sums, mut op_sums) = (Sums::new(), Sums::new());
        let is_compute = |item: usize| activity.is_kernel(item) && !self.classified.is_communication(item);
        for item in unit.items.iter().copied().filter(|&item| is_compute(item)) {
            let span = self.span(item);
            let piece = digest.cuts.partition_point(|&cut| cut <= span.start);
            let Some(piece) = piece.checked_sub(1).filter(|&piece| piece < digest.pieces.len()) else {
                continue;
            };
            let (name, config) = (activity.kernels.short_name[..][item], activity.kernels.config[..][item]);
            let kernel = *keys.entry((name, config)).or_insert_with(|| {
                let shape = &self.capture.launch_configs[config.index()];
                let key = KernelKey {
                    name: self.capture.strings.get(name).to_owned(),
                    grid: shape.grid,
                    block: shape.block,
                };
                *known.entry(key.clone()).or_insert_with(|| {
                    kernels.push(key);
                    place(kernels.len() - 1)
                })
            });
            let call = self.classified.call_of(item);
            let op = call.map_or(0, |call| paths.at(self.capture, call.thread, call.span.start));
            for (sums, what) in [(&mut kernel_sums, kernel), (&mut op_sums, place(op))] {
                let sum = sums.entry((place(piece), what)).or_default();
                sum.0 += 1;
                sum.1 += span.length();
            }
        }
        let rest = || KernelKey { name: OTHERS.into(), grid: [0; 3], block: [0; 3] };
        (digest.kernels, digest.kernel_sums) = told_apart(kernels, &kernel_sums, MOST_KERNELS, rest);
        (digest.ops, digest.op_sums) = told_apart(paths.into_list(), &op_sums, MOST_OPS, || OTHERS.into());
    }
}

/// The keys with most time, then one for all others if there are too many, and the sums of these.
fn told_apart<K>(keys: Vec<K>, sums: &Sums, most: usize, rest: impl Fn() -> K) -> (Vec<K>, Vec<WorkSum>) {
    let mut time = vec![0; keys.len()];
    sums.iter().for_each(|(&(_, key), &(_, ns))| time[key as usize] += ns);
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&at| (Reverse(time[at]), at));
    let mut moved = vec![place(most); keys.len()];
    order.iter().take(most).enumerate().for_each(|(to, &from)| moved[from] = place(to));
    let mut joined = Sums::new();
    for (&(piece, key), &(count, ns)) in sums {
        let sum = joined.entry((piece, moved[key as usize])).or_default();
        sum.0 += count;
        sum.1 += ns;
    }
    let too_many = keys.len() > most;
    let mut keys: Vec<Option<K>> = keys.into_iter().map(Some).collect();
    let mut kept: Vec<K> = order.into_iter().take(most).filter_map(|at| keys[at].take()).collect();
    kept.extend(too_many.then(rest));
    let sum = |((piece, what), (count, time_ns))| WorkSum { piece, what, count, time_ns };
    (kept, joined.into_iter().map(sum).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_small_is_one() {
        let sums = Sums::from([((0, 0), (1, 5)), ((0, 1), (1, 50)), ((1, 2), (2, 7)), ((1, 0), (1, 1))]);
        let (keys, sums) = told_apart(vec!["a", "b", "c"], &sums, 1, || "rest");
        assert_eq!(keys, ["b", "rest"]);
        let sums: Vec<_> = sums.iter().map(|sum| (sum.piece, sum.what, sum.count, sum.time_ns)).collect();
        assert_eq!(sums, [(0, 0, 1, 50), (0, 1, 1, 5), (1, 1, 3, 8)]);
    }
}
