//! Tables of CUDA API calls and of calls of the operating system's libraries.

use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::read::facts::{ApiCallRecords, ApiCallRecordsBuilder, OsCallRecords, OsCallRecordsBuilder};
use crate::read::ingest::{TableSource, api_calls, correlation_id, os_calls};

pub(super) fn read_api_calls(source: &TableSource<'_>) -> Result<ApiCallRecords, Error> {
    let rows = source.rows(api_calls::TABLE)?;
    let init = || ApiCallRecordsBuilder::new(source.memory, rows);
    let columns = ["start", "correlationId", "returnValue"];
    let records = source.fold(api_calls::TABLE, &columns, init, |records, row| {
        let ignored = &mut Diagnostics::default();
        if row.start(0, ignored).is_some() {
            records.correlation.push(correlation_id(row, 1, ignored));
            records.result.push(row.int(2, ignored).unwrap_or(0));
        }
    })?;
    Ok(records.finish())
}

pub(super) fn read_os_calls(source: &TableSource<'_>) -> Result<OsCallRecords, Error> {
    let rows = source.rows(os_calls::TABLE)?;
    let init = || OsCallRecordsBuilder::new(source.memory, rows);
    let records = source.fold(os_calls::TABLE, &["start", "eventClass"], init, |records, row| {
        let ignored = &mut Diagnostics::default();
        if row.start(0, ignored).is_some() {
            records.class.push(row.int(1, ignored).unwrap_or(0));
        }
    })?;
    Ok(records.finish())
}
