//! What all tables of functions on CPU threads have.

use super::TableSource;
use super::keys::KeyColumn;
use super::row::Row;
use super::string_ids::NameReader;
use crate::base::diagnostics::Diagnostics;
use crate::base::ids::StrId;
use crate::base::time::Span;
use crate::columns::{Buffer, StringPool};

/// Rows with a span, a thread and a name; thread ids are still the export's.
pub(super) struct RawHostRows {
    /// The table that they are from.
    pub(super) table: &'static str,
    pub(super) span: Buffer<Span>,
    pub(super) global_tid: KeyColumn<i64>,
    pub(super) name: Buffer<StrId>,
    pub(super) extra: StringPool,
    pub(super) diagnostics: Diagnostics,
}

/// The places of the columns among those that are read.
pub(super) struct HostColumns {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) global_tid: usize,
    pub(super) name: usize,
}

/// Reads such rows.
pub(super) struct HostReading<'a> {
    pub(super) rows: RawHostRows,
    pub(super) names: NameReader<'a>,
}

impl<'a> HostReading<'a> {
    pub(super) fn new(source: &TableSource<'a>, table: &'static str, rows: usize) -> Self {
        Self {
            rows: RawHostRows {
                table,
                span: source.memory.buffer(rows),
                global_tid: KeyColumn::with_capacity(source.memory, rows),
                name: source.memory.buffer(rows),
                extra: StringPool::default(),
                diagnostics: Diagnostics::default(),
            },
            names: NameReader::new(source.names),
        }
    }

    /// Adds a row, unless it has no start time.
    pub(super) fn push(&mut self, row: &Row<'_>, columns: &HostColumns) -> bool {
        let Self { rows, names } = self;
        let Some(span) = row.span(columns.start, columns.end, &mut rows.diagnostics) else { return false };
        rows.span.push(span);
        rows.global_tid.push(row.int(columns.global_tid, &mut rows.diagnostics));
        rows.name.push(names.cell(row, columns.name, &mut rows.diagnostics).unwrap_or(StrId::NONE));
        true
    }

    pub(super) fn finish(mut self) -> RawHostRows {
        self.rows.extra = self.names.into_extra();
        self.rows
    }
}
