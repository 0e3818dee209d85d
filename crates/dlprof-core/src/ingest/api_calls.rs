//! Table `CUPTI_ACTIVITY_KIND_RUNTIME`: CUDA runtime and driver API calls.

use super::database::Database;
use super::keys::KeyColumn;
use super::names::{NameReader, Names};
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
    let mut diagnostics = Diagnostics::default();
    let mut reader = NameReader::new(names);
    let mut span = Vec::with_capacity(rows);
    let mut global_tid = KeyColumn::with_capacity(rows);
    let mut correlation = Vec::with_capacity(rows);
    let mut name = Vec::with_capacity(rows);
    database.read(TABLE, &["start", "end", "globalTid", "correlationId", "nameId"], |row| {
        let Some(times) = row.span(0, 1, &mut diagnostics) else { return };
        span.push(times);
        global_tid.push(row.int(2, &mut diagnostics));
        correlation.push(correlation_id(row, 3, &mut diagnostics));
        name.push(reader.cell(row, 4, &mut diagnostics).unwrap_or(StrId::NONE));
        progress.row();
    })?;
    Ok(RawApiCalls { span, global_tid, correlation, name, extra: reader.into_extra(), diagnostics })
}
