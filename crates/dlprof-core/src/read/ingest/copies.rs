//! Table `CUPTI_ACTIVITY_KIND_MEMCPY`: copies.

use super::columns::columns;
use super::row::Row;
use super::work::{self, RawWork, bytes, graph_origin};
use super::{TableSource, memsets};
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::read::facts::{CopyFactsBuilder, TransferFactsBuilder};

pub(super) const TABLE: &str = "CUPTI_ACTIVITY_KIND_MEMCPY";

columns! {
    after *work::COLUMNS;
    BYTES "bytes";
    GRAPH_NODE_ID "graphNodeId";
    COPY_KIND "copyKind";
    SOURCE_KIND "srcKind";
    TARGET_KIND "dstKind";
}

/// A memory kind that the export does not say.
const UNKNOWN_MEMORY: u8 = u8::MAX;

/// The table as read.
pub(super) struct RawCopies {
    pub(super) work: RawWork,
    pub(super) columns: CopyFactsBuilder,
    pub(super) transfers: TransferFactsBuilder,
}

pub(super) fn read(source: &TableSource<'_>) -> Result<RawCopies, Error> {
    let rows = source.rows(TABLE)?;
    // Memsets follow.
    let transfers = rows + source.rows(memsets::TABLE)?;
    let init = || RawCopies {
        work: RawWork::with_capacity(source.memory, rows),
        columns: CopyFactsBuilder::new(source.memory, rows),
        transfers: TransferFactsBuilder::new(source.memory, transfers),
    };
    source.fold(TABLE, &[work::COLUMNS, COLUMNS].concat(), init, RawCopies::push)
}

impl RawCopies {
    fn push(&mut self, row: &Row<'_>) {
        if !self.work.push(row) {
            return;
        }
        let diagnostics = &mut self.work.diagnostics;
        self.transfers.bytes.push(bytes(row, BYTES, diagnostics));
        self.transfers.graph.push(graph_origin(row, GRAPH_NODE_ID, diagnostics));
        self.columns.kind.push(code(row, COPY_KIND, diagnostics).unwrap_or(0));
        for (column, kinds) in
            [(SOURCE_KIND, &mut self.columns.source_memory), (TARGET_KIND, &mut self.columns.target_memory)]
        {
            kinds.push(code(row, column, diagnostics).unwrap_or(UNKNOWN_MEMORY));
        }
    }
}

/// One of CUPTI's codes, which are small; others are "none".
fn code(row: &Row<'_>, column: usize, diagnostics: &mut Diagnostics) -> Option<u8> {
    row.int(column, diagnostics).and_then(|code| u8::try_from(code).ok())
}
