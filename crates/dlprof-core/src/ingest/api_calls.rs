//! Table `CUPTI_ACTIVITY_KIND_RUNTIME`: CUDA runtime and driver API calls.

use super::database::Database;
use super::keys::KeyColumn;
use super::names::{NameReader, Names};
use super::row::Row;
use super::{Progress, correlation_id};
use crate::diagnostics::Diagnostics;
use crate::error::Error;
use crate::ids::StrId;
use crate::strings::StringPool;
use crate::time::Span;
use crate::trace::CorrelationId;

pub(super) const TABLE: &str = "CUPTI_ACTIVITY_KIND_RUNTIME";

/// The table as read; thread ids are still the export's.
pub(super) struct RawApiCalls {
    pub(super) span: Vec<Span>,
    pub(super) global_tid: KeyColumn<i64>,
    pub(super) correlation: Vec<CorrelationId>,
    pub(super) name: Vec<StrId>,
    pub(super) extra: StringPool,
    pub(super) diagnostics: Diagnostics,
}

pub(super) fn read(
    database: &Database,
    names: &Names,
    progress: &Progress<'_>,
) -> Result<RawApiCalls, Error> {
    let rows = usize::try_from(database.row_estimate(TABLE)?).unwrap_or(0);
    let init = || Reading {
        calls: RawApiCalls {
            span: Vec::with_capacity(rows),
            global_tid: KeyColumn::with_capacity(rows),
            correlation: Vec::with_capacity(rows),
            name: Vec::with_capacity(rows),
            extra: StringPool::default(),
            diagnostics: Diagnostics::default(),
        },
        names: NameReader::new(names),
    };
    let columns = ["start", "end", "globalTid", "correlationId", "nameId"];
    let Reading { mut calls, names } = database.fold(TABLE, &columns, Some(progress), init, Reading::push)?;
    calls.extra = names.into_extra();
    Ok(calls)
}

struct Reading<'a> {
    calls: RawApiCalls,
    names: NameReader<'a>,
}

impl Reading<'_> {
    fn push(&mut self, row: &Row<'_>) {
        let calls = &mut self.calls;
        let Some(span) = row.span(0, 1, &mut calls.diagnostics) else { return };
        calls.span.push(span);
        calls.global_tid.push(row.int(2, &mut calls.diagnostics));
        calls.correlation.push(correlation_id(row, 3, &mut calls.diagnostics));
        calls.name.push(self.names.cell(row, 4, &mut calls.diagnostics).unwrap_or(StrId::NONE));
    }
}
