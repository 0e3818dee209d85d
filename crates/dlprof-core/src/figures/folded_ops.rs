//! Ops that are copies of each other, as one: the layers of a network.
//!
//! ```text
//! /model/layers.0/attn   4 ms ┐
//! /model/layers.1/attn   4 ms ├─ /model/layers.*/attn   12 ms, 3 ops
//! /model/layers.2/attn   4 ms ┘
//! /model/head            2 ms ── /model/head             2 ms, 1 op
//! ```
//!
//! Ops fold if they have the same type, direction, data type and shapes, and names that differ only in numbers. Every op is a
//! member of exactly one row, so that the rows add up to the ops.

use crate::base::ids::OpId;
use crate::base::time::Ns;
use crate::capture::correlate::{Direction, Label};
use crate::capture::names::is_of_optimizer;
use crate::figures::profile::{OpStats, ProfileContents};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Ops that are copies of each other, summed over the aggregated iterations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedOps {
    /// Their name; `*` is where they have different numbers.
    pub name: String,
    /// Their op type; with `*` as in the name where the type is the end of the name.
    pub op_type: String,
    /// Forward or backward pass.
    pub direction: Direction,
    /// The ops, in order of op ID; at least one.
    pub members: Vec<FoldedOp>,
    /// Calls of all of them.
    pub calls: u64,
    /// Sum of their GPU times.
    pub gpu_time_ns: Ns,
    /// Of it, what joined their ranges by time.
    pub by_time_gpu_time_ns: Ns,
    /// Sum of their CPU times.
    pub cpu_time_ns: Ns,
}

/// An op among its copies, summed over the aggregated iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoldedOp {
    /// The op.
    pub op: OpId,
    /// Its GPU time.
    pub gpu_time_ns: Ns,
    /// Its CPU time.
    pub cpu_time_ns: Ns,
}

impl FoldedOps {
    /// The pass that they are of. What runs in something named after an optimizer is of neither, whatever the operators in it say.
    #[must_use]
    pub fn pass(&self) -> Direction {
        let is_forward = self.direction == Direction::Forward;
        if is_forward && is_of_optimizer(&self.name) { Direction::None } else { self.direction }
    }
}

impl ProfileContents {
    /// The ops of the aggregated iterations with copies folded, those with most GPU time first; without kernel records those
    /// with most CPU time.
    #[must_use]
    pub fn folded_ops(&self) -> Vec<FoldedOps> {
        let keys = self.op_stats.iter().map(|op| {
            let label = self.label(op.op);
            OpKey::new(self.op_name(op.op), label)
        });
        let mut folded: Vec<FoldedOps> =
            alike(keys).into_iter().map(|(name, members)| self.fold(name, &members)).collect();
        let has_kernels = self.has_kernel_records();
        let time = |ops: &FoldedOps| if has_kernels { ops.gpu_time_ns } else { ops.cpu_time_ns };
        folded.sort_by(|a, b| {
            let order = |ops: &FoldedOps| (Reverse(time(ops)), ops.members.first().map(|member| member.op));
            order(a).cmp(&order(b))
        });
        folded
    }

    /// The sums of ops that are alike, by their places in the list of ops.
    fn fold(&self, name: String, members: &[usize]) -> FoldedOps {
        let stats = || members.iter().map(|&at| &self.op_stats[at]);
        let member = |op: &OpStats| FoldedOp {
            op: op.op,
            gpu_time_ns: op.times.gpu.sum,
            cpu_time_ns: op.times.cpu.sum,
        };
        let types: Vec<&str> = stats().map(|op| self.label(op.op).op_type.as_str()).collect();
        FoldedOps {
            name,
            op_type: pattern(&types),
            direction: stats().next().map_or(Direction::None, |op| self.direction(op.op)),
            members: stats().map(member).collect(),
            calls: stats().map(|op| op.times.cpu.count).sum(),
            gpu_time_ns: stats().map(|op| op.times.gpu.sum).sum(),
            by_time_gpu_time_ns: stats().map(|op| self.by_time_gpu_time_ns(op.op)).sum(),
            cpu_time_ns: stats().map(|op| op.times.cpu.sum).sum(),
        }
    }
}

/// What ops that are copies of each other have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct OpKey<'a> {
    /// The name without its numbers.
    skeleton: String,
    /// The type; without its numbers where it is the end of the name.
    op_type: String,
    direction: Direction,
    data_type: &'a str,
    shapes: [&'a str; 3],
    /// The name itself; it does not count.
    name: Ignored<'a>,
}

/// A text that is equal to every other one.
#[derive(Debug, Clone, Copy)]
struct Ignored<'a>(&'a str);

impl PartialEq for Ignored<'_> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Ignored<'_> {}

impl PartialOrd for Ignored<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ignored<'_> {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl<'a> OpKey<'a> {
    fn new(name: &'a str, label: &'a Label) -> Self {
        let leaf = name.rsplit('/').next().unwrap_or(name);
        let op_type = label.op_type.as_str();
        let shapes = &label.shapes;
        Self {
            skeleton: skeleton(name),
            op_type: if op_type == leaf { skeleton(op_type) } else { op_type.to_owned() },
            direction: label.direction,
            data_type: &label.data_type,
            shapes: [&shapes.inputs, &shapes.parameters, &shapes.output],
            name: Ignored(name),
        }
    }
}

/// Places of the ops that are alike, with their common name. Every place is in one list.
fn alike<'a>(ops: impl Iterator<Item = OpKey<'a>>) -> Vec<(String, Vec<usize>)> {
    let mut groups: BTreeMap<OpKey<'a>, (Vec<&'a str>, Vec<usize>)> = BTreeMap::new();
    for (at, op) in ops.enumerate() {
        let name = op.name.0;
        let (names, places) = groups.entry(op).or_default();
        names.push(name);
        places.push(at);
    }
    groups.into_values().map(|(names, places)| (pattern(&names), places)).collect()
}

/// A name with every number that may count copies replaced by a character that names do not have.
fn skeleton(name: &str) -> String {
    pieces(name).into_iter().map(|piece| if piece.is_number { "\0" } else { piece.text }).collect()
}

/// A part of a name.
struct NamePiece<'a> {
    text: &'a str,
    /// Whether it is a number that may count copies.
    is_number: bool,
}

/// Numbers that may count copies, and the texts between them.
fn pieces(name: &str) -> Vec<NamePiece<'_>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    while from < name.len() {
        let rest = &name[from..];
        let is_digit = |c: char| c.is_ascii_digit();
        let starts_with_digit = rest.starts_with(is_digit);
        let length = rest.find(|c: char| is_digit(c) != starts_with_digit).unwrap_or(rest.len());
        let text = &rest[..length];
        let is_number = starts_with_digit && counts_copies(&name[..from], &rest[length..]);
        pieces.push(NamePiece { text, is_number });
        from += length;
    }
    pieces
}

/// Whether digits between two texts may count copies: not those of `conv2d`, `fp16` or `sm80`.
fn counts_copies(before: &str, behind: &str) -> bool {
    const PARTS_OF_WORDS: [&str; 9] = ["fp", "bf", "tf", "int", "float", "sm", "i", "u", "f"];
    let word_at = before
        .rfind(|c: char| !c.is_ascii_alphabetic())
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let word = before[word_at..].to_ascii_lowercase();
    !behind.starts_with(char::is_alphabetic) && !PARTS_OF_WORDS.contains(&word.as_str())
}

/// The common form of texts with one skeleton: `*` where their numbers differ.
fn pattern(texts: &[&str]) -> String {
    let Some((first, others)) = texts.split_first() else { return String::new() };
    let mut parts: Vec<&str> = pieces(first).into_iter().map(|piece| piece.text).collect();
    for other in others {
        for (part, piece) in parts.iter_mut().zip(pieces(other)) {
            if *part != piece.text {
                *part = "*";
            }
        }
    }
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fold(ops: &[(&str, &str)]) -> Vec<(String, Vec<usize>)> {
        alike(ops.iter().map(|&(name, op_type)| OpKey {
            skeleton: skeleton(name),
            op_type: op_type.to_owned(),
            direction: Direction::None,
            data_type: "",
            shapes: [""; 3],
            name: Ignored(name),
        }))
    }

    #[test]
    fn layers_fold_and_other_ops_do_not() {
        let folded = fold(&[
            ("/model/layers.0/attn", "attn"),
            ("/model/layers.1/attn", "attn"),
            ("/model/layers.11/attn", "attn"),
            ("/model/layers.1/mlp", "mlp"),
            ("/block2/layer1", "x"),
            ("/block2/layer2", "x"),
            ("/conv1d", "conv"),
            ("/conv2d", "conv"),
            ("/cast_fp16", "cast"),
            ("/cast_fp32", "cast"),
            ("/same", "a"),
            ("/same", "a"),
            ("/same", "b"),
        ]);
        let found: Vec<(&str, usize)> =
            folded.iter().map(|(name, members)| (name.as_str(), members.len())).collect();
        for expected in [
            ("/model/layers.*/attn", 3),
            ("/model/layers.1/mlp", 1),
            ("/block2/layer*", 2),
            ("/conv1d", 1),
            ("/conv2d", 1),
            ("/cast_fp16", 1),
            ("/cast_fp32", 1),
            ("/same", 2),
            ("/same", 1),
        ] {
            assert!(found.contains(&expected), "{expected:?} in {found:?}");
        }
        assert_eq!(found.len(), 9, "{found:?}");
    }

    proptest! {
        /// Every op is in exactly one row, whatever its name, so that sums are kept.
        #[test]
        fn every_op_is_a_member_once(
            names in prop::collection::vec(("[a-z0-9./*é]{0,12}", "[ab]"), 0..40),
            times in prop::collection::vec(0_i64..1_000_000, 40),
        ) {
            let pairs: Vec<(&str, &str)> =
                names.iter().map(|(name, op_type)| (name.as_str(), op_type.as_str())).collect();
            let folded = fold(&pairs);
            let mut members: Vec<usize> = folded.iter().flat_map(|(_, members)| members.clone()).collect();
            members.sort_unstable();
            prop_assert_eq!(members, (0..names.len()).collect::<Vec<_>>());
            let sum = |places: &[usize]| places.iter().map(|&at| times[at]).sum::<i64>();
            let rows: i64 = folded.iter().map(|(_, members)| sum(members)).sum();
            prop_assert_eq!(rows, times[..names.len()].iter().sum::<i64>());
            for (pattern, members) in &folded {
                for &at in members {
                    prop_assert_eq!(&pairs[at].1, &pairs[members[0]].1);
                    prop_assert_eq!(skeleton(pairs[at].0), skeleton(pairs[members[0]].0));
                }
                if members.len() == 1 {
                    prop_assert_eq!(pattern.as_str(), pairs[members[0]].0);
                }
            }
        }
    }
}
