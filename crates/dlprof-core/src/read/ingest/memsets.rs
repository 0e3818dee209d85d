//! Table `CUPTI_ACTIVITY_KIND_MEMSET`: memory fills.

use super::TableSource;
use super::columns::columns;
use super::work::{self, RawWork, bytes, graph_origin};
use crate::base::Error;
use crate::read::facts::TransferFactsBuilder;

pub(super) const TABLE: &str = "CUPTI_ACTIVITY_KIND_MEMSET";

columns! {
    after *work::COLUMNS;
    BYTES "bytes";
    GRAPH_NODE_ID "graphNodeId";
}

/// The table as read.
pub(super) struct RawMemsets {
    pub(super) work: RawWork,
    pub(super) transfers: TransferFactsBuilder,
}

pub(super) fn read(source: &TableSource<'_>) -> Result<RawMemsets, Error> {
    let rows = source.rows(TABLE)?;
    let init = || RawMemsets {
        work: RawWork::with_capacity(source.memory, rows),
        transfers: TransferFactsBuilder::new(source.memory, rows),
    };
    source.fold(TABLE, &[work::COLUMNS, COLUMNS].concat(), init, |memsets, row| {
        if memsets.work.push(row) {
            let diagnostics = &mut memsets.work.diagnostics;
            memsets.transfers.bytes.push(bytes(row, BYTES, diagnostics));
            memsets.transfers.graph.push(graph_origin(row, GRAPH_NODE_ID, diagnostics));
        }
    })
}
