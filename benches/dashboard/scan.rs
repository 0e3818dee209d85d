//! The baseline: stepping through every row of the large tables with SQLite and doing nothing with it.
//!
//! Raw `sqlite3_step`, one thread, read-only, no mutex, immutable; `sqlite3_column_int64` on each column that the
//! tool uses, `sqlite3_column_text` and its length on texts.

#![allow(unsafe_code, reason = "the C interface is what is measured")]

use rusqlite::ffi;
use std::error::Error;
use std::ffi::CString;
use std::path::Path;
use std::ptr;

/// Table, columns, and whether the last one is a text.
pub(crate) type Tables = [(&'static str, &'static str, bool)];

/// The tables of `others::rocpd`.
pub(crate) const ROCPD: [(&str, &str, bool); 3] = [
    ("rocpd_event_b1", "id, category_id, stack_id, parent_stack_id, extdata", true),
    ("rocpd_region_b1", "start, end, event_id, pid, tid, name_id", false),
    (
        "rocpd_kernel_dispatch_b1",
        "start, end, event_id, pid, tid, agent_id, queue_id, stream_id, kernel_id, grid_size_x, grid_size_y, grid_size_z, \
         workgroup_size_x, workgroup_size_y, workgroup_size_z, group_segment_size",
        false,
    ),
];

/// The tables of nsys.
pub(crate) const NSYS: [(&str, &str, bool); 6] = [
    (
        "CUPTI_ACTIVITY_KIND_KERNEL",
        "start, end, deviceId, globalPid, correlationId, shortName, demangledName, gridX, gridY, gridZ, blockX, \
         blockY, blockZ",
        false,
    ),
    ("CUPTI_ACTIVITY_KIND_RUNTIME", "start, end, globalTid, correlationId, nameId", false),
    ("CUPTI_ACTIVITY_KIND_MEMCPY", "start, end, deviceId, globalPid, correlationId, copyKind", false),
    ("CUPTI_ACTIVITY_KIND_MEMSET", "start, end, deviceId, globalPid, correlationId, bytes", false),
    ("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "globalPid, correlationId", false),
    ("NVTX_EVENTS", "start, end, eventType, textId, globalTid, domainId, text", true),
];

/// Steps through all tables and returns the number of rows.
pub(crate) fn step_through(file: &Path, tables: &Tables) -> Result<u64, Box<dyn Error>> {
    let uri = CString::new(format!("file:{}?mode=ro&immutable=1", file.display()))?;
    let flags = ffi::SQLITE_OPEN_READONLY | ffi::SQLITE_OPEN_URI | ffi::SQLITE_OPEN_NOMUTEX;
    let mut database = ptr::null_mut();
    // SAFETY: the name is a C string and the handle is closed below.
    let opened = unsafe { ffi::sqlite3_open_v2(uri.as_ptr(), &raw mut database, flags, ptr::null()) };
    if opened != ffi::SQLITE_OK {
        return Err(format!("SQLite error {opened}").into());
    }
    let mut rows = 0;
    for &(table, columns, has_text) in tables {
        let sql = CString::new(format!("SELECT {columns} FROM {table}"))?;
        rows += step_table(database, &sql, columns.split(',').count(), has_text)?;
    }
    // SAFETY: all statements are finalized.
    unsafe { ffi::sqlite3_close(database) };
    Ok(rows)
}

fn step_table(
    database: *mut ffi::sqlite3,
    sql: &CString,
    columns: usize,
    has_text: bool,
) -> Result<u64, Box<dyn Error>> {
    let mut statement = ptr::null_mut();
    // SAFETY: the handle is open, the text is a C string, and the statement is finalized below.
    let prepared =
        unsafe { ffi::sqlite3_prepare_v2(database, sql.as_ptr(), -1, &raw mut statement, ptr::null_mut()) };
    if prepared != ffi::SQLITE_OK {
        return Err(format!("SQLite error {prepared} in {sql:?}").into());
    }
    let columns = i32::try_from(columns)?;
    let integers = columns - i32::from(has_text);
    let (mut rows, mut sum) = (0, 0i64);
    // SAFETY: the statement is valid until it is finalized; columns are below its number of columns.
    unsafe {
        while ffi::sqlite3_step(statement) == ffi::SQLITE_ROW {
            for column in 0..integers {
                sum = sum.wrapping_add(ffi::sqlite3_column_int64(statement, column));
            }
            if has_text {
                std::hint::black_box(ffi::sqlite3_column_text(statement, integers));
                sum = sum.wrapping_add(ffi::sqlite3_column_bytes(statement, integers).into());
            }
            rows += 1;
        }
        ffi::sqlite3_finalize(statement);
    }
    std::hint::black_box(sum);
    Ok(rows)
}
