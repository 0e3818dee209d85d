//! GPU time as a tree: by path of ops, by op type, by class of work. The leaves are kernels by short name, copies by direction, and
//! memsets: all GPU work of the aggregated iterations, as table `kernel_totals` adds it up.

use dlprof_core::activity::is_communication_kernel;
use dlprof_core::correlate::TensorCores;
use dlprof_core::op_path;
use dlprof_core::profile::{KernelSummary, Profile, WorkName};
use dlprof_core::time::Ns;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

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

/// The class of nodes that have parts.
const PATH: &str = "path";

/// A node: its time is that of its children together. Siblings have falling times.
#[derive(Debug, Clone, Serialize)]
pub struct FlameNode {
    /// Part of a path, op type, class or kernel name.
    pub name: String,
    /// Plain sum of the durations on the GPU over the aggregated iterations.
    pub time_ns: Ns,
    /// Kernels, copies and memsets.
    pub launches: u64,
    /// `path`, or of a leaf `tc`, `kernel`, `comm`, `copy`.
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

#[derive(Default)]
struct Node<'a> {
    time_ns: Ns,
    launches: u64,
    /// By name and class: an op may have the name of a kernel.
    children: BTreeMap<(Cow<'a, str>, &'static str), Self>,
}

/// The tree of the aggregated iterations.
#[must_use]
pub fn flame(profile: &Profile, key: FlameKey) -> FlameNode {
    let mut root = Node::default();
    for leaf in leaves(profile) {
        let path: Vec<&str> = match key {
            FlameKey::Modules => op_path::parts(leaf.op).collect(),
            FlameKey::Types if leaf.op_type.is_empty() => vec!["no type", leaf.op],
            FlameKey::Types => vec![leaf.op_type, leaf.op],
            FlameKey::Kernels => vec![class_name(leaf.class)],
        };
        add(&mut root, &path, leaf);
    }
    finished("all GPU work", PATH, root)
}

/// All GPU work by op and name.
fn leaves(profile: &Profile) -> impl Iterator<Item = Leaf<'_>> {
    let kernels = profile.kernel_summaries.iter().map(|row| {
        let name = profile.capture.strings.get(row.name);
        (row.op, Cow::from(name), class(row, name), row.gpu.sum, row.gpu.count)
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

fn add<'a>(root: &mut Node<'a>, path: &[&'a str], leaf: Leaf<'a>) {
    let mut node = root;
    node.count(&leaf);
    for &part in path {
        node = node.children.entry((Cow::from(part), PATH)).or_default();
        node.count(&leaf);
    }
    node.children.entry((leaf.name.clone(), leaf.class)).or_default().count(&leaf);
}

impl Node<'_> {
    fn count(&mut self, leaf: &Leaf<'_>) {
        self.time_ns = self.time_ns.saturating_add(leaf.time_ns);
        self.launches += leaf.launches;
    }
}

fn class(row: &KernelSummary, name: &str) -> &'static str {
    match row.tensor_cores {
        _ if is_communication_kernel(name) => "comm",
        TensorCores::Used => "tc",
        _ => "kernel",
    }
}

fn class_name(class: &str) -> &'static str {
    match class {
        "comm" => "communication",
        "tc" => "kernels on Tensor Cores",
        "copy" => "copies and memsets",
        _ => "other kernels",
    }
}

fn finished(name: &str, class: &'static str, node: Node<'_>) -> FlameNode {
    let children = node.children.into_iter();
    let mut children: Vec<FlameNode> =
        children.map(|((name, class), child)| finished(&name, class, child)).collect();
    children.sort_by(|a, b| b.time_ns.cmp(&a.time_ns).then_with(|| a.name.cmp(&b.name)));
    FlameNode { name: name.to_owned(), time_ns: node.time_ns, launches: node.launches, class, children }
}
