//! How often kernels of each name and shape, and of each op, began in each piece, and their time.

use super::super::digest::{KernelKey, RankDigest, WorkSum};
use super::collectives::place;
use super::op_paths::OpPaths;
use super::source::{Source, Unit};
use crate::base::ids::{LaunchConfigId, StrId};
use crate::base::ordered::partition_near;
use crate::base::time::Ns;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Kernels of a rank that are told apart; those with most time. The others are one.
const MOST_KERNELS: usize = 512;
/// Ops of a rank that are told apart.
const MOST_OPS: usize = 1000;
/// What the others are called.
const OTHERS: &str = "(others)";

/// Sums of kernels that come by piece.
#[derive(Default)]
struct Sums {
    /// By piece and key.
    of: Vec<WorkSum>,
    /// Where those of the piece that came last begin.
    first: usize,
    /// By key: the place of its sum in that piece, if it has one.
    places: Vec<usize>,
}

impl Sums {
    fn add(&mut self, piece: u32, what: u32, count: u32, time_ns: Ns) {
        if self.of.last().is_some_and(|last| last.piece != piece) {
            self.close_piece();
        }
        let key = what as usize;
        if self.places.len() <= key {
            self.places.resize(key + 1, usize::MAX);
        }
        let known =
            self.of.get_mut(self.places[key]).filter(|known| known.what == what && known.piece == piece);
        match known {
            Some(sum) => {
                sum.count += count;
                sum.time_ns += time_ns;
            }
            None => {
                self.places[key] = self.of.len();
                self.of.push(WorkSum { piece, what, count, time_ns });
            }
        }
    }

    fn close_piece(&mut self) {
        self.of[self.first..].sort_unstable_by_key(|sum| sum.what);
        self.first = self.of.len();
    }

    fn into_list(mut self) -> Vec<WorkSum> {
        self.close_piece();
        self.of.shrink_to_fit();
        self.of
    }
}

impl Source<'_> {
    pub(super) fn add_work_sums(&self, unit: &Unit, digest: &mut RankDigest) {
        let activity = self.classified.activity();
        let mut keys: FxHashMap<(StrId, LaunchConfigId), u32> = FxHashMap::default();
        let mut kernels: Vec<KernelKey> = Vec::new();
        let mut known: FxHashMap<KernelKey, u32> = FxHashMap::default();
        let mut paths = OpPaths::new();
        let (mut kernel_sums, mut op_sums) = (Sums::default(), Sums::default());
        let mut hint = 0;
        let is_compute = |item: usize| activity.is_kernel(item) && !self.classified.is_communication(item);
        for item in unit.items.iter().copied().filter(|&item| is_compute(item)) {
            let span = self.span(item);
            hint = partition_near(&digest.cuts, hint, |&cut| cut <= span.start);
            let Some(piece) = hint.checked_sub(1).filter(|&piece| piece < digest.pieces.len()) else {
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
                sums.add(place(piece), what, 1, span.length());
            }
        }
        let rest = || KernelKey { name: OTHERS.into(), grid: [0; 3], block: [0; 3] };
        (digest.kernels, digest.kernel_sums) =
            told_apart(kernels, kernel_sums.into_list(), MOST_KERNELS, rest);
        (digest.ops, digest.op_sums) =
            told_apart(paths.into_list(), op_sums.into_list(), MOST_OPS, || OTHERS.into());
    }
}

/// The keys with most time, then one for all others if there are too many, and the sums of these.
fn told_apart<K>(
    keys: Vec<K>,
    sums: Vec<WorkSum>,
    most: usize,
    rest: impl Fn() -> K,
) -> (Vec<K>, Vec<WorkSum>) {
    let mut time = vec![0; keys.len()];
    sums.iter().for_each(|sum| time[sum.what as usize] += sum.time_ns);
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&at| (Reverse(time[at]), at));
    let mut moved = vec![place(most); keys.len()];
    order.iter().take(most).enumerate().for_each(|(to, &from)| moved[from] = place(to));
    let mut joined = Sums::default();
    for sum in sums {
        joined.add(sum.piece, moved[sum.what as usize], sum.count, sum.time_ns);
    }
    let too_many = keys.len() > most;
    let mut keys: Vec<Option<K>> = keys.into_iter().map(Some).collect();
    let mut kept: Vec<K> = order.into_iter().take(most).filter_map(|at| keys[at].take()).collect();
    kept.extend(too_many.then(rest));
    (kept, joined.into_list())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_small_is_one() {
        let mut sums = Sums::default();
        for (piece, what, count, ns) in
            [(0, 1, 1, 20), (0, 0, 1, 5), (0, 1, 1, 30), (1, 2, 2, 7), (1, 0, 1, 1)]
        {
            sums.add(piece, what, count, ns);
        }
        let (keys, sums) = told_apart(vec!["a", "b", "c"], sums.into_list(), 1, || "rest");
        assert_eq!(keys, ["b", "rest"]);
        let sums: Vec<_> = sums.iter().map(|sum| (sum.piece, sum.what, sum.count, sum.time_ns)).collect();
        assert_eq!(sums, [(0, 0, 2, 50), (0, 1, 1, 5), (1, 1, 3, 8)]);
    }
}
