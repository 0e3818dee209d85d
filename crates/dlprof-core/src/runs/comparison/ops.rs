//! Which op of the baseline is which op of the new runs.

use crate::runs::document::{BaselineOp, BaselineRun};
use std::collections::{BTreeMap, BTreeSet};

/// An op of either side, or of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpMatch {
    /// Its key in the baseline; `None` for a new op.
    pub base: Option<String>,
    /// Its key in the new runs; `None` if it exists only in the baseline.
    pub new: Option<String>,
    /// Whether its operand shapes changed.
    pub shapes_changed: bool,
}

impl OpMatch {
    /// The key that reports show: the new one, if there is one.
    #[must_use]
    pub(crate) fn key(&self) -> &str {
        self.new.as_deref().or(self.base.as_deref()).unwrap_or_default()
    }

    /// Whether it has another name on each side.
    #[must_use]
    pub(crate) fn is_renamed(&self) -> bool {
        self.base.is_some() && self.new.is_some() && self.base != self.new
    }
}

/// A renamed op may have moved at most this far in the order of ops, as a share of all ops.
const FARTHEST: f64 = 0.15;

/// How many ops that look alike before and after the old place are considered, so that thousands that look alike cost no square.
const NEAREST: usize = 64;

/// Matches ops by name, direction and ordinal. Two ops without a match are treated as one renamed op if their type,
/// direction and kernels (or, without kernels, operand shapes) are equal and they are near each other in the order
/// of ops. The nearest pairs are matched first. The result is sorted by the new key, or by the old one if there is
/// no other.
#[must_use]
pub(crate) fn match_ops(base: &[BaselineRun], new: &[BaselineRun]) -> Vec<OpMatch> {
    let (base, new) = (Ops::new(base), Ops::new(new));
    let mut matches: Vec<OpMatch> = Vec::new();
    let keys: BTreeSet<&&str> = base.by_key.keys().chain(new.by_key.keys()).collect();
    let (mut vanished, mut added) = (Vec::new(), Vec::new());
    for &&key in &keys {
        match (base.by_key.get(key), new.by_key.get(key)) {
            (Some(old), Some(fresh)) => matches.push(OpMatch {
                base: Some(key.to_owned()),
                new: Some(key.to_owned()),
                shapes_changed: old.shapes != fresh.shapes,
            }),
            (Some(_), None) => vanished.push(key),
            _ => added.push(key),
        }
    }
    let pairs = renames(&base, &new, &vanished, &added);
    for &(old, fresh) in &pairs {
        matches.push(OpMatch {
            base: Some(old.to_owned()),
            new: Some(fresh.to_owned()),
            shapes_changed: base.by_key[old].shapes != new.by_key[fresh].shapes,
        });
    }
    let matched: BTreeSet<&str> = pairs.iter().flat_map(|&(old, fresh)| [old, fresh]).collect();
    let is_left = |key: &&str| !matched.contains(key);
    let single = |base: Option<&str>, new: Option<&str>| OpMatch {
        base: base.map(str::to_owned),
        new: new.map(str::to_owned),
        shapes_changed: false,
    };
    matches.extend(vanished.iter().filter(|key| is_left(key)).map(|key| single(Some(key), None)));
    matches.extend(added.iter().filter(|key| is_left(key)).map(|key| single(None, Some(key))));
    matches.sort_by(|a, b| a.key().cmp(b.key()));
    matches
}

/// The ops of all runs of a side. If several runs have an op, the last run describes it.
struct Ops<'a> {
    by_key: BTreeMap<&'a str, &'a BaselineOp>,
    last_position: f64,
}

impl<'a> Ops<'a> {
    fn new(runs: &'a [BaselineRun]) -> Self {
        let ops = runs.iter().flat_map(|run| &run.ops);
        let by_key: BTreeMap<&str, &BaselineOp> = ops.map(|(key, op)| (key.as_str(), op)).collect();
        let last = by_key.values().map(|op| op.position).max().unwrap_or(0);
        Self { by_key, last_position: f64::from(last.max(1)) }
    }

    /// Place among all ops, from 0 to 1.
    fn place(&self, key: &str) -> f64 {
        f64::from(self.by_key[key].position) / self.last_position
    }
}

/// A distance, an op of the baseline and one of the new runs.
type Candidate<'a> = (f64, &'a str, &'a str);

/// Ops that look alike and are near each other.
fn candidates<'a>(
    base: &Ops<'a>,
    new: &Ops<'a>,
    vanished: &[&'a str],
    added: &[&'a str],
) -> Vec<Candidate<'a>> {
    // Only similar ops are compared, because a capture may have many thousands of ops.
    let mut alike: BTreeMap<Looks<'_>, Vec<&'a str>> = BTreeMap::new();
    for &key in added {
        alike.entry(looks(new.by_key[key])).or_default().push(key);
    }
    for keys in alike.values_mut() {
        keys.sort_by_key(|key| new.by_key[key].position);
    }
    let mut candidates = Vec::new();
    for &old in vanished {
        let keys = alike.get(&looks(base.by_key[old])).map_or(&[][..], Vec::as_slice);
        let place = base.place(old);
        let next = keys.partition_point(|key| new.place(key) < place);
        for &fresh in &keys[next.saturating_sub(NEAREST)..keys.len().min(next + NEAREST)] {
            let distance = (place - new.place(fresh)).abs();
            if distance <= FARTHEST {
                candidates.push((distance, old, fresh));
            }
        }
    }
    candidates
}

fn renames<'a>(
    base: &Ops<'a>,
    new: &Ops<'a>,
    vanished: &[&'a str],
    added: &[&'a str],
) -> Vec<(&'a str, &'a str)> {
    let mut candidates = candidates(base, new, vanished, added);
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let mut taken = BTreeSet::new();
    let mut pairs = Vec::new();
    for (_, old, fresh) in candidates {
        if !taken.contains(&(0, old)) && !taken.contains(&(1, fresh)) {
            taken.extend([(0, old), (1, fresh)]);
            pairs.push((old, fresh));
        }
    }
    pairs
}

/// What a new name does not change: type, direction and kernels, or operand shapes if there are no kernels.
type Looks<'a> = (&'a str, &'a str, Vec<&'a str>, &'a str);

fn looks(op: &BaselineOp) -> Looks<'_> {
    let kernels: Vec<&str> = op.kernels.keys().map(String::as_str).collect();
    let shapes = if kernels.is_empty() { op.shapes.as_str() } else { "" };
    (&op.op_type, &op.direction, kernels, shapes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thousands of ops that look alike are renamed, each to the one at its place; every pair of them would be millions.
    #[test]
    fn many_ops_that_look_alike_are_renamed_in_order() {
        const OPS: u32 = 3_000;
        let ops = |name: &str| -> Vec<(String, BaselineOp)> {
            let op = |position| BaselineOp { op_type: "conv2d".into(), position, ..BaselineOp::default() };
            (0..OPS).map(|position| (format!("{name}{position:05}"), op(position))).collect()
        };
        let [old, fresh] = ["old", "new"].map(ops);
        let [base, new] = [&old, &fresh].map(|side| Ops {
            by_key: side.iter().map(|(key, op)| (key.as_str(), op)).collect(),
            last_position: f64::from(OPS - 1),
        });
        let [vanished, added] = [&base, &new].map(|side| side.by_key.keys().copied().collect::<Vec<_>>());
        assert!(candidates(&base, &new, &vanished, &added).len() <= OPS as usize * 2 * NEAREST);
        let pairs = renames(&base, &new, &vanished, &added);
        assert_eq!(pairs.len(), OPS as usize);
        assert!(pairs.iter().all(|(old, fresh)| old[3..] == fresh[3..]));
    }

    /// A run with ops: name, shapes, kernel and place.
    fn run(ops: &[(&str, &str, &str, u32)]) -> BaselineRun {
        let mut run = BaselineRun::of_metrics("drawn", BTreeMap::new());
        run.ops = (ops.iter())
            .map(|&(key, shapes, kernel, position)| {
                let kernels = BTreeMap::from([(kernel.to_owned(), 1.0)]);
                (
                    key.to_owned(),
                    BaselineOp { shapes: shapes.into(), kernels, position, ..BaselineOp::default() },
                )
            })
            .collect();
        run
    }

    /// Matches as `old>new`, with `*` where shapes changed.
    fn matched(base: &[(&str, &str, &str, u32)], new: &[(&str, &str, &str, u32)]) -> Vec<String> {
        let said = |found: &OpMatch| {
            let [old, fresh] = [&found.base, &found.new].map(|key| key.as_deref().unwrap_or("-"));
            format!("{old}>{fresh}{}", if found.shapes_changed { "*" } else { "" })
        };
        match_ops(&[run(base)], &[run(new)]).iter().map(said).collect()
    }

    #[test]
    fn equal_keys_match_and_changed_shapes_are_noted() {
        let base = [("conv", "8x3", "gemm", 0), ("relu", "8", "relu", 1), ("gone", "", "copy", 2)];
        let new = [("conv", "16x3", "gemm", 0), ("relu", "8", "relu", 1), ("fresh", "", "softmax", 2)];
        assert_eq!(matched(&base, &new), ["conv>conv*", "->fresh", "gone>-", "relu>relu"]);
    }

    #[test]
    fn an_op_with_the_same_kernels_near_its_place_is_renamed() {
        let rest = [("a", "", "k", 0), ("z", "", "k", 20)];
        let with = |op| [rest[0], op, rest[1]];
        let renamed = matched(&with(("old", "8", "gemm", 10)), &with(("new", "9", "gemm", 11)));
        assert_eq!(renamed, ["a>a", "old>new*", "z>z"]);
        let moved = matched(&with(("old", "8", "gemm", 10)), &with(("new", "8", "gemm", 19)));
        assert_eq!(moved, ["a>a", "->new", "old>-", "z>z"], "too far");
        let other = matched(&with(("old", "8", "gemm", 10)), &with(("new", "8", "fft", 10)));
        assert_eq!(other, ["a>a", "->new", "old>-", "z>z"], "other kernels");
    }

    #[test]
    fn the_nearest_of_several_is_the_renamed_one() {
        let base = [("a", "", "k", 0), ("old", "", "gemm", 50), ("z", "", "k", 100)];
        let new = [("a", "", "k", 0), ("far", "", "gemm", 60), ("near", "", "gemm", 49), ("z", "", "k", 100)];
        assert_eq!(matched(&base, &new), ["a>a", "->far", "old>near", "z>z"]);
    }
}
