//! GPU time as a tree: by path of ops, by op type, by class of work. The leaves are kernels by short name, copies by direction,
//! and memsets: all GPU work of the aggregated iterations, as table `kernel_totals` adds it up.

use dlprof_core::{KernelSummary, Ns, Profile, TensorCores, Vendor, WorkName, limits, op_path_parts};
use serde::Serialize;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

/// What a tree is ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlameKey {
    /// Path of the op.
    Modules,
    /// Op type, then op.
    Types,
    /// Class of the work.
    Kernels,
}

impl FlameKey {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Modules, Self::Types, Self::Kernels];

    /// The word in addresses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Modules => "modules",
            Self::Types => "types",
            Self::Kernels => "kernels",
        }
    }
}

/// Classes of leaves, with their names for people.
pub(super) const FLAME_CLASSES: [(&str, &str); 5] = [
    ("tc", "kernels on Tensor Cores"),
    ("matrix", "other matrix kernels"),
    ("kernel", "other kernels"),
    ("comm", "communication"),
    ("copy", "copies and memsets"),
];

/// The class of nodes that have parts.
const PATH: &str = "path";

/// Most nodes of a tree, and a path more. What has less GPU time than the work in these nodes is added up.
const MOST_NODES: usize = limits::FLAME_NODES.most;

/// The name of the work that is added up.
const OTHER_WORK: &str = "other work, each with less GPU time";

/// A node: its time is that of its children together. Siblings have falling times.
#[derive(Debug, Clone, Serialize)]
pub struct FlameNode {
    /// Part of a path, op type, class or kernel name.
    pub name: String,
    /// Plain sum of the durations on the GPU over the aggregated iterations.
    pub time_ns: Ns,
    /// Kernels, copies and memsets.
    pub launches: u64,
    /// `path`, or of a leaf `tc`, `matrix`, `kernel`, `comm`, `copy`.
    pub class: &'static str,
    /// Its parts; empty for a leaf.
    pub children: Vec<Self>,
}

/// Work of an op with one name.
struct Leaf<'a> {
    op: &'a str,
    op_type: &'a str,
    name: Cow<'a, str>,
    class: &'static str,
    time_ns: Ns,
    launches: u64,
}

/// A node among all others, which stands after the one that it is a part of.
struct Node<'a> {
    name: Cow<'a, str>,
    class: &'static str,
    /// The node that it is a part of; the root has itself.
    parent: usize,
    time_ns: Ns,
    launches: u64,
}

/// A tree that grows. Its nodes are a list, so that its depth costs no stack.
struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    /// By parent, name and class: an op may have the name of a kernel.
    known: HashMap<(usize, Cow<'a, str>, &'static str), usize>,
}

/// The tree of the aggregated iterations.
#[must_use]
pub fn flame(profile: &Profile, key: FlameKey) -> FlameNode {
    tree(leaves(profile).collect(), key, profile.capture.recorder.vendor, MOST_NODES)
}

fn tree(mut leaves: Vec<Leaf<'_>>, key: FlameKey, vendor: Vendor, most_nodes: usize) -> FlameNode {
    let mut tree = Tree::new();
    leaves.sort_by_key(|leaf| Reverse(leaf.time_ns));
    for leaf in leaves {
        if tree.nodes.len() >= most_nodes {
            tree.add(&[], Leaf { name: Cow::from(OTHER_WORK), ..leaf });
            continue;
        }
        let path: Vec<&str> = match key {
            FlameKey::Modules => op_path_parts(leaf.op).collect(),
            FlameKey::Types if leaf.op_type.is_empty() => vec!["no type", leaf.op],
            FlameKey::Types => vec![leaf.op_type, leaf.op],
            FlameKey::Kernels => vec![class_name(leaf.class, vendor)],
        };
        tree.add(&path, leaf);
    }
    tree.finish()
}

/// All GPU work by op and name.
fn leaves(profile: &Profile) -> impl Iterator<Item = Leaf<'_>> {
    let kernels = profile.kernel_summaries.iter().map(|row| {
        let name = profile.capture.strings.get(row.name);
        (row.op, Cow::from(name), class(profile, row), row.gpu.sum, row.gpu.count)
    });
    let memory = profile.memory_by_op().into_iter().map(|row| {
        let name = match row.name {
            WorkName::Kernel(name) => Cow::from(profile.capture.strings.get(name)),
            WorkName::Copy(direction) => Cow::from(format!("copy {direction}")),
            WorkName::Memset => Cow::from("memset"),
        };
        (row.op, name, "copy", row.gpu_ns, row.launches)
    });
    kernels.chain(memory).map(|(op, name, class, time_ns, launches)| Leaf {
        op: profile.op_name(op),
        op_type: profile.label(op).op_type.as_str(),
        name,
        class,
        time_ns,
        launches,
    })
}

impl<'a> Tree<'a> {
    fn new() -> Self {
        let name = Cow::from("all GPU work");
        let root = Node { name, class: PATH, parent: 0, time_ns: 0, launches: 0 };
        Self { nodes: vec![root], known: HashMap::new() }
    }

    fn add(&mut self, path: &[&'a str], leaf: Leaf<'a>) {
        let (time_ns, launches) = (leaf.time_ns, leaf.launches);
        let mut node = 0;
        self.count(node, time_ns, launches);
        let parts = path.iter().map(|&part| (Cow::from(part), PATH));
        for (name, class) in parts.chain([(leaf.name, leaf.class)]) {
            node = self.part(node, name, class);
            self.count(node, time_ns, launches);
        }
    }

    fn count(&mut self, node: usize, time_ns: Ns, launches: u64) {
        let node = &mut self.nodes[node];
        node.time_ns = node.time_ns.saturating_add(time_ns);
        node.launches += launches;
    }

    /// The part of a node with a name and class.
    fn part(&mut self, parent: usize, name: Cow<'a, str>, class: &'static str) -> usize {
        let nodes = &mut self.nodes;
        *self.known.entry((parent, name, class)).or_insert_with_key(|(_, name, _)| {
            nodes.push(Node { name: name.clone(), class, parent, time_ns: 0, launches: 0 });
            nodes.len() - 1
        })
    }

    /// The root. Parts stand after what they are a part of, so the last node is finished first.
    fn finish(self) -> FlameNode {
        let node = |node: &Node<'_>| FlameNode {
            name: node.name.clone().into_owned(),
            time_ns: node.time_ns,
            launches: node.launches,
            class: node.class,
            children: Vec::new(),
        };
        let mut finished: Vec<FlameNode> = self.nodes.iter().map(node).collect();
        for parent in self.nodes.iter().skip(1).map(|node| node.parent).rev() {
            let Some(mut last) = finished.pop() else { break };
            last.sort();
            finished[parent].children.push(last);
        }
        let mut root = finished.swap_remove(0);
        root.sort();
        root
    }
}

impl FlameNode {
    fn sort(&mut self) {
        let key = |node: &Self| (Reverse(node.time_ns), node.name.clone(), node.class);
        self.children.sort_by_cached_key(key);
    }
}

fn class(profile: &Profile, row: &KernelSummary) -> &'static str {
    let judged = profile.judge_kernel(row.example);
    match row.tensor_cores {
        _ if judged.is_communication() => "comm",
        TensorCores::Used => "tc",
        _ if judged.kind.is_matrix() => "matrix",
        _ => "kernel",
    }
}

fn class_name(class: &str, vendor: Vendor) -> &'static str {
    if class == "tc" && vendor != Vendor::Nvidia {
        return "kernels on matrix units";
    }
    FLAME_CLASSES.iter().find(|(known, _)| *known == class).map_or("other kernels", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_least_time_is_added_up() {
        let ops = ["a/b", "a/c", "d", "e", "f"];
        let leaf = |(at, &op): (usize, &&'static str)| Leaf {
            op,
            op_type: "",
            name: Cow::from("k"),
            class: "kernel",
            time_ns: [1, 50, 3, 40, 2][at],
            launches: 1,
        };
        let leaves = || -> Vec<Leaf<'_>> { ops.iter().enumerate().map(leaf).collect() };
        let names = |node: &FlameNode| -> Vec<String> {
            node.children.iter().map(|child| child.name.clone()).collect()
        };
        let whole = tree(leaves(), FlameKey::Modules, Vendor::Nvidia, usize::MAX);
        assert_eq!(names(&whole), ["a", "e", "d", "f"]);
        assert_eq!(whole.time_ns, 96);
        let part = tree(leaves(), FlameKey::Modules, Vendor::Nvidia, 6);
        assert_eq!(names(&part), ["a", "e", OTHER_WORK]);
        assert_eq!((part.time_ns, part.children[2].time_ns, part.children[2].launches), (96, 6, 3));
    }
}
