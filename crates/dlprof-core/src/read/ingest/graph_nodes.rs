//! Tables `CUDA_GRAPH_NODE_EVENTS` and, until nsys 2022.4, `CUDA_GRAPH_EVENTS`: when nodes of CUDA graphs were made.
//!
//! A row without an original is the call that was captured; the node of an executable graph has one. They are recorded even if
//! collection starts later.

use super::columns::columns;
use super::keys::KeyColumn;
use super::{TableSource, row::Row};
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::ids::WorkId;
use crate::base::time::Ns;
use crate::columns::{Buffer, Memory};
use crate::read::facts::global_ids::process_of;
use rustc_hash::FxHashMap;

pub(super) const TABLES: [&str; 2] = ["CUDA_GRAPH_NODE_EVENTS", "CUDA_GRAPH_EVENTS"];

columns! {
    START "start";
    GLOBAL_TID "globalTid";
    NODE_ID "graphNodeId";
    ORIGINAL_ID "originalGraphNodeId";
}

/// A node by the global id of its process and its number.
type NodeKey = (i64, i64);

/// The nodes of all graphs.
#[derive(Default)]
pub(super) struct Nodes {
    /// Of captured calls: when, and on which thread.
    captured: FxHashMap<NodeKey, (Ns, i64)>,
    /// Of other nodes: the number of the one that they are copies of.
    original: FxHashMap<NodeKey, i64>,
}

impl Nodes {
    pub(super) fn read(source: &TableSource<'_>) -> Result<Self, Error> {
        let mut nodes = Self::default();
        for table in TABLES {
            source.each(table, COLUMNS, |row| nodes.push(row))?;
        }
        Ok(nodes)
    }

    fn push(&mut self, row: &Row<'_>) {
        let number = |column| row.plain_int(column).flatten();
        let (Some(thread), Some(node)) = (number(GLOBAL_TID), number(NODE_ID)) else { return };
        let key = (process_of(thread), node);
        match (number(ORIGINAL_ID), number(START)) {
            (Some(original), _) => drop(self.original.insert(key, original)),
            (None, Some(start)) => drop(self.captured.insert(key, (start, thread))),
            (None, None) => {}
        }
    }

    /// When and on which thread the call was made that a node runs again.
    fn captured(&self, process: i64, mut node: i64) -> Option<(Ns, i64)> {
        /// Graphs are copied into graphs, but not deeper than this.
        const DEEPEST: usize = 8;
        node = *self.original.get(&(process, node))?;
        for _ in 0..DEEPEST {
            match self.original.get(&(process, node)) {
                Some(original) => node = *original,
                None => break,
            }
        }
        self.captured.get(&(process, node)).copied()
    }
}

/// Of kernels that graphs launched: the calls that were captured.
pub(super) struct RawGraphNodes {
    pub(super) work: Buffer<WorkId>,
    pub(super) captured: Buffer<Ns>,
    pub(super) global_tid: KeyColumn<i64>,
}

impl RawGraphNodes {
    pub(super) fn new(memory: &Memory) -> Self {
        Self {
            work: memory.buffer(0),
            captured: memory.buffer(0),
            global_tid: KeyColumn::with_capacity(memory, 0),
        }
    }

    /// Adds the row of a kernel with the columns of its process and of its node, if its call is known.
    pub(super) fn push(&mut self, work: WorkId, process: Option<i64>, node: Option<i64>, nodes: &Nodes) {
        let found = process.zip(node).and_then(|(process, node)| nodes.captured(process, node));
        if let Some((captured, thread)) = found {
            self.work.push(work);
            self.captured.push(captured);
            self.global_tid.push(Some(thread));
        }
    }
}

/// What a cell of the number of a node says; other cells are counted where they are read first.
pub(super) fn node_id(row: &Row<'_>, column: usize) -> Option<i64> {
    row.int(column, &mut Diagnostics::default()).filter(|&node| node != 0)
}

#[cfg(test)]
mod tests {
    use super::Nodes;

    /// Node 9 is a copy of 5, which is one of 1, the captured call; 7 is a copy of a node that nobody made.
    #[test]
    fn copies_of_nodes_lead_to_the_call() {
        let mut nodes = Nodes::default();
        nodes.captured.insert((100, 1), (-40, 104));
        nodes.original.extend([((100, 9), 5), ((100, 5), 1), ((100, 7), 3), ((100, 2), 2)]);
        assert_eq!(nodes.captured(100, 9), Some((-40, 104)));
        assert_eq!(nodes.captured(100, 5), Some((-40, 104)));
        assert_eq!(
            [(200, 9), (100, 7), (100, 2), (100, 1)].map(|(process, node)| nodes.captured(process, node)),
            [None; 4]
        );
    }
}
