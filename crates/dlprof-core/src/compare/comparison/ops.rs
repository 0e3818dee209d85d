//! Which op of the baseline is which op of the new runs.

use crate::compare::document::{Op, Run};
use std::collections::{BTreeMap, BTreeSet};

/// An op of either side, or of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpMatch {
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
    pub fn key(&self) -> &str {
        self.new.as_deref().or(self.base.as_deref()).unwrap_or_default()
    }

    /// Whether it has another name on each side.
    #[must_use]
    pub fn is_renamed(&self) -> bool {
        self.base.is_some() && self.new.is_some() && self.base != self.new
    }
}

/// A renamed op may have moved at most this far in the order of ops, as a share of all ops.
const FARTHEST: f64 = 0.15;

/// Matches ops by name, direction and ordinal. Two ops without a match are treated as one renamed op if their type,
/// direction and kernels (or, without kernels, operand shapes) are equal and they are near each other in the order
/// of ops. The nearest pairs are matched first. The result is sorted by the new key, or by the old one if there is
/// no other.
#[must_use]
pub fn match_ops(base: &[Run], new: &[Run]) -> Vec<OpMatch> {
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
    let is_left = |key: &&str| !pairs.iter().any(|(old, fresh)| old == key || fresh == key);
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
    by_key: BTreeMap<&'a str, &'a Op>,
    last_position: f64,
}

impl<'a> Ops<'a> {
    fn new(runs: &'a [Run]) -> Self {
        let ops = runs.iter().flat_map(|run| &run.ops);
        let by_key: BTreeMap<&str, &Op> = ops.map(|(key, op)| (key.as_str(), op)).collect();
        let last = by_key.values().map(|op| op.position).max().unwrap_or(0);
        Self { by_key, last_position: f64::from(last.max(1)) }
    }

    /// Place among all ops, from 0 to 1.
    fn place(&self, key: &str) -> f64 {
        f64::from(self.by_key[key].position) / self.last_position
    }
}

fn renames<'a>(
    base: &Ops<'a>,
    new: &Ops<'a>,
    vanished: &[&'a str],
    added: &[&'a str],
) -> Vec<(&'a str, &'a str)> {
    // Only similar ops are compared, because a capture may have many thousands of ops.
    let mut alike: BTreeMap<Looks<'_>, Vec<&'a str>> = BTreeMap::new();
    for &key in added {
        alike.entry(looks(new.by_key[key])).or_default().push(key);
    }
    let mut candidates: Vec<(f64, &str, &str)> = Vec::new();
    for &old in vanished {
        for &fresh in alike.get(&looks(base.by_key[old])).map_or(&[][..], Vec::as_slice) {
            let distance = (base.place(old) - new.place(fresh)).abs();
            if distance <= FARTHEST {
                candidates.push((distance, old, fresh));
            }
        }
    }
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

fn looks(op: &Op) -> Looks<'_> {
    let kernels: Vec<&str> = op.kernels.keys().map(String::as_str).collect();
    let shapes = if kernels.is_empty() { op.shapes.as_str() } else { "" };
    (&op.op_type, &op.direction, kernels, shapes)
}
