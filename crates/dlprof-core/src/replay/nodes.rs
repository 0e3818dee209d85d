//! Which node is what: the start of the window, start and end of each call, start and end of each piece of work.

use super::graph::Node;
use super::window::Window;
use crate::base::time::Ns;

/// What a node is, by place in the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    Origin,
    CallStart(usize),
    CallEnd(usize),
    WorkStart(usize),
    WorkEnd(usize),
}

/// Numbers of nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nodes {
    calls: usize,
}

impl Nodes {
    pub(super) fn of(window: &Window) -> Self {
        Self { calls: window.calls.len() }
    }

    /// By node: when it was.
    pub(super) fn observed(window: &Window) -> Vec<Ns> {
        let calls = window.calls.iter().map(|call| call.span);
        let spans = calls.chain(window.work.iter().map(|work| work.span));
        std::iter::once(window.start)
            .chain(spans.flat_map(|span| [span.start, span.end.max(span.start)]))
            .collect()
    }

    pub(super) fn call_start(call: usize) -> Node {
        Node::try_from(1 + 2 * call).unwrap_or(Node::MAX)
    }

    pub(super) fn call_end(call: usize) -> Node {
        Self::call_start(call) + 1
    }

    pub(super) fn work_start(self, work: usize) -> Node {
        Self::call_start(self.calls + work)
    }

    pub(super) fn work_end(self, work: usize) -> Node {
        self.work_start(work) + 1
    }

    pub(super) fn item(self, node: Node) -> Item {
        let Some(at) = (node as usize).checked_sub(1) else { return Item::Origin };
        match ((at / 2).checked_sub(self.calls), at % 2) {
            (None, 0) => Item::CallStart(at / 2),
            (None, _) => Item::CallEnd(at / 2),
            (Some(work), 0) => Item::WorkStart(work),
            (Some(work), _) => Item::WorkEnd(work),
        }
    }
}
