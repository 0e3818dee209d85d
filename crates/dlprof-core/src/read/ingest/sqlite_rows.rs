//! Reads rows by SQLite itself. This is the reference for [`super::pages`], and it reads all tables that `pages`
//! cannot.
//!
//! With `rusqlite`'s row access, reading takes 1.5 times as long as SQLite's own stepping. So SQLite is called
//! directly.

#![expect(unsafe_code, reason = "SQLite's C interface; every call is explained")]

use super::allowance::Meter;
use super::cell::{Cell, MOST_COLUMNS};
use rusqlite::{Connection, ffi};
use std::ffi::{CStr, c_int};
use std::ops::ControlFlow;
use std::ptr;

/// A prepared statement, finalized when dropped. It must not outlive its connection.
struct Statement<'a> {
    raw: *mut ffi::sqlite3_stmt,
    connection: &'a Connection,
}

impl Drop for Statement<'_> {
    fn drop(&mut self) {
        // SAFETY: the statement was prepared on a connection that is still open, and is not used afterwards.
        unsafe { ffi::sqlite3_finalize(self.raw) };
    }
}

/// Runs a query of at most [`MOST_COLUMNS`] columns and passes on its rows, as long as the meter lets it.
pub(super) fn for_each(
    connection: &Connection,
    sql: &str,
    meter: &Meter,
    mut on_row: impl FnMut(&[Cell<'_>]) -> ControlFlow<()>,
) -> rusqlite::Result<()> {
    let statement = Statement::prepare(connection, sql)?;
    // SAFETY: the statement is valid.
    let columns = usize::try_from(unsafe { ffi::sqlite3_column_count(statement.raw) }).unwrap_or(0);
    let mut cells = [Cell::Null; MOST_COLUMNS];
    loop {
        // SAFETY: the statement is valid.
        match unsafe { ffi::sqlite3_step(statement.raw) } {
            ffi::SQLITE_ROW => {
                for (column, cell) in (0..).zip(&mut cells[..columns]) {
                    // SAFETY: the statement is on a row, and the column is below its number of columns. The cell
                    // is overwritten or dropped before the statement is stepped again.
                    *cell = unsafe { cell_at(statement.raw, column) };
                }
                let texts = cells[..columns].iter().map(Cell::text_bytes).sum();
                if meter.row(texts) || on_row(&cells[..columns]).is_break() {
                    return Ok(());
                }
            }
            ffi::SQLITE_DONE => return Ok(()),
            code => return Err(statement.error(code)),
        }
    }
}

impl<'a> Statement<'a> {
    fn prepare(connection: &'a Connection, sql: &str) -> rusqlite::Result<Self> {
        let mut statement = Self { raw: ptr::null_mut(), connection };
        let length = c_int::try_from(sql.len()).map_err(|_| rusqlite::Error::InvalidQuery)?;
        // SAFETY: the connection is open, and the text is as long as said; the tail is not asked for.
        let code = unsafe {
            ffi::sqlite3_prepare_v2(
                connection.handle(),
                sql.as_ptr().cast(),
                length,
                &raw mut statement.raw,
                ptr::null_mut(),
            )
        };
        if code == ffi::SQLITE_OK { Ok(statement) } else { Err(statement.error(code)) }
    }

    fn error(&self, code: c_int) -> rusqlite::Error {
        // SAFETY: the connection is open; SQLite's message is a C string that stays until its next call.
        let message = unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(self.connection.handle())) };
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some(message.to_string_lossy().into_owned()))
    }
}

/// The cell of a column.
///
/// # Safety
/// The statement must be on a row that has the column, and must not be stepped while the cell is used.
unsafe fn cell_at<'a>(statement: *mut ffi::sqlite3_stmt, column: c_int) -> Cell<'a> {
    // SAFETY: as promised by the caller; the pointers of texts and blobs hold for as many bytes as SQLite says, and
    // are not looked at where there are none.
    unsafe {
        let value = ffi::sqlite3_column_value(statement, column);
        let bytes = |start: *const u8| {
            let length = usize::try_from(ffi::sqlite3_value_bytes(value)).unwrap_or(0);
            if length == 0 || start.is_null() { &[][..] } else { std::slice::from_raw_parts(start, length) }
        };
        match ffi::sqlite3_value_type(value) {
            ffi::SQLITE_INTEGER => Cell::Int(ffi::sqlite3_value_int64(value)),
            ffi::SQLITE_FLOAT => Cell::Real(ffi::sqlite3_value_double(value)),
            ffi::SQLITE_TEXT => Cell::Text(bytes(ffi::sqlite3_value_text(value))),
            ffi::SQLITE_BLOB => Cell::Blob(bytes(ffi::sqlite3_value_blob(value).cast())),
            _ => Cell::Null,
        }
    }
}
