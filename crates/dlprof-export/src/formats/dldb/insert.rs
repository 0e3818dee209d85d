//! Rows of one table.

use rusqlite::{Connection, Params, Statement};

/// Adds rows to a table, which number themselves from 1.
pub(super) struct Insert<'c> {
    statement: Statement<'c>,
    rows: i64,
}

impl<'c> Insert<'c> {
    /// For the table and the columns given.
    pub(super) fn into(connection: &'c Connection, table: &str, columns: &[&str]) -> rusqlite::Result<Self> {
        let places = vec!["?"; columns.len()].join(", ");
        let sql = format!("INSERT INTO {table} ({}) VALUES ({places})", columns.join(", "));
        Ok(Self { statement: connection.prepare(&sql)?, rows: 0 })
    }

    /// Adds a row and returns its id.
    pub(super) fn add(&mut self, values: impl Params) -> rusqlite::Result<i64> {
        self.statement.execute(values)?;
        self.rows += 1;
        Ok(self.rows)
    }
}
