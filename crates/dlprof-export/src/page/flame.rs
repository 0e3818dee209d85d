//! GPU time as a tree: by path of ops, by op type, by class of kernels. The leaves are kernels by short name.

use dlprof_core::activity::is_communication_kernel;
use dlprof_core::profile::{KernelSummary, Profile};
use dlprof_core::time::Ns;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a tree is ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlameKey {
    /// Path of the op.
    Modules,
    /// Op type, then op.
    Types,
    /// Class of the kernel.
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

/// A node: its time is that of its children together. Siblings have falling times.
#[derive(Debug, Clone, Serialize)]
pub struct FlameNode {
    /// Part of a path, op type, class or kernel name.
    pub name: String,
    /// Sum of the durations of the kernels on the GPU over the aggregated iterations.
    pub time_ns: Ns,
    /// Launches of these kernels.
    pub launches: u64,
    /// `path`, or of a kernel `tc`, `kernel`, `comm`, `copy`.
    pub class: &'static str,
    /// Its parts; empty for a kernel.
    pub children: Vec<Self>,
}

#[derive(Default)]
struct Node<'a> {
    time_ns: Ns,
    launches: u64,
    class: &'static str,
    children: BTreeMap<&'a str, Self>,
}

/// The tree of the aggregated iterations.
#[must_use]
pub fn flame(profile: &Profile, key: FlameKey) -> FlameNode {
    let mut root = Node { class: "path", ..Node::default() };
    for row in &profile.kernel_summaries {
        let name = profile.capture.strings.get(row.name);
        let (op, op_type) = (profile.op_name(row.op), profile.label(row.op).op_type.as_str());
        let class = class(row, name);
        let path: Vec<&str> = match key {
            FlameKey::Modules => op.split('/').filter(|part| !part.is_empty()).collect(),
            FlameKey::Types => vec![if op_type.is_empty() { "no type" } else { op_type }, op],
            FlameKey::Kernels => vec![class_name(class)],
        };
        add(&mut root, &path, (name, class), row);
    }
    finished("all GPU work", root)
}

fn add<'a>(
    root: &mut Node<'a>,
    path: &[&'a str],
    (name, class): (&'a str, &'static str),
    row: &KernelSummary,
) {
    let mut node = root;
    node.count(row);
    for part in path {
        node = node.children.entry(part).or_insert_with(|| Node { class: "path", ..Node::default() });
        node.count(row);
    }
    let leaf = node.children.entry(name).or_insert_with(|| Node { class, ..Node::default() });
    leaf.count(row);
}

impl Node<'_> {
    fn count(&mut self, row: &KernelSummary) {
        self.time_ns = self.time_ns.saturating_add(row.gpu.sum);
        self.launches += row.gpu.count;
    }
}

fn class(row: &KernelSummary, name: &str) -> &'static str {
    match row.tensor_cores.as_str() {
        _ if is_communication_kernel(name) => "comm",
        "yes" => "tc",
        _ => "kernel",
    }
}

fn class_name(class: &str) -> &'static str {
    match class {
        "comm" => "communication",
        "tc" => "kernels on Tensor Cores",
        _ => "other kernels",
    }
}

fn finished(name: &str, node: Node<'_>) -> FlameNode {
    let mut children: Vec<FlameNode> =
        node.children.into_iter().map(|(name, child)| finished(name, child)).collect();
    children.sort_by(|a, b| b.time_ns.cmp(&a.time_ns).then_with(|| a.name.cmp(&b.name)));
    FlameNode {
        name: name.to_owned(),
        time_ns: node.time_ns,
        launches: node.launches,
        class: node.class,
        children,
    }
}
