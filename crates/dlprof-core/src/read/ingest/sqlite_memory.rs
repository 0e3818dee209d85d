//! What SQLite holds in memory, which `rusqlite` has no functions for.

#![expect(unsafe_code, reason = "SQLite's C interface; every call is explained")]

use rusqlite::{Connection, ffi};

/// What SQLite holds in this process, for all connections.
pub(super) fn held_bytes() -> i64 {
    // SAFETY: the function takes nothing, and may be called on any thread at any time.
    unsafe { ffi::sqlite3_memory_used() }
}

/// What the schema of a connection takes.
pub(super) fn schema_bytes(connection: &Connection) -> u64 {
    let (mut now, mut most) = (0, 0);
    // SAFETY: the connection is open, and SQLite writes two numbers to where there is room for them.
    unsafe {
        ffi::sqlite3_db_status(
            connection.handle(),
            ffi::SQLITE_DBSTATUS_SCHEMA_USED,
            &raw mut now,
            &raw mut most,
            0,
        );
    }
    u64::try_from(now).unwrap_or(0)
}
