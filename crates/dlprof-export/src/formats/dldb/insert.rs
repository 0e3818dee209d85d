//! Rows of one table.

use rusqlite::{Connection, Params, Statement, params_from_iter};

/// Adds rows to a table, which number themselves from 1.
pub(super) struct Insert<'c> {
    statement: Statement<'c>,
    rows: i64,
}

impl<'c> Insert<'c> {
    /// For the table and the columns given.
    pub(super) fn into(connection: &'c Connection, table: &str, columns: &[&str]) -> rusqlite::Result<Self> {
        Ok(Self { statement: prepare(connection, table, columns, 1)?, rows: 0 })
    }

    /// Adds a row and returns its id.
    pub(super) fn add(&mut self, values: impl Params) -> rusqlite::Result<i64> {
        self.statement.execute(values)?;
        self.rows += 1;
        Ok(self.rows)
    }
}

/// Rows of one statement.
const MANY: usize = 64;

/// Adds rows of integers to a table with many rows: several with one statement, which takes half the time.
pub(super) struct NumberInsert<'c> {
    one: Statement<'c>,
    many: Statement<'c>,
    /// Rows that are not written yet.
    pending: Vec<i64>,
    full: usize,
    rows: i64,
}

impl<'c> NumberInsert<'c> {
    /// For the table and the columns given.
    pub(super) fn into(connection: &'c Connection, table: &str, columns: &[&str]) -> rusqlite::Result<Self> {
        let full = columns.len() * MANY;
        Ok(Self {
            one: prepare(connection, table, columns, 1)?,
            many: prepare(connection, table, columns, MANY)?,
            pending: Vec::with_capacity(full),
            full,
            rows: 0,
        })
    }

    /// Adds a row and returns its id. The first is written at once, because SQLite lists tables in the order of their first rows.
    pub(super) fn add<const N: usize>(&mut self, values: [i64; N]) -> rusqlite::Result<i64> {
        self.rows += 1;
        if self.rows == 1 {
            self.one.execute(params_from_iter(values))?;
            return Ok(self.rows);
        }
        self.pending.extend(values);
        if self.pending.len() == self.full {
            self.many.execute(params_from_iter(&self.pending))?;
            self.pending.clear();
        }
        Ok(self.rows)
    }

    /// Writes the rows that are left.
    pub(super) fn finish(mut self) -> rusqlite::Result<()> {
        let columns = self.full / MANY;
        self.pending.chunks(columns).try_for_each(|row| self.one.execute(params_from_iter(row)).map(drop))
    }
}

fn prepare<'c>(
    connection: &'c Connection,
    table: &str,
    columns: &[&str],
    rows: usize,
) -> rusqlite::Result<Statement<'c>> {
    let row = format!("({})", vec!["?"; columns.len()].join(", "));
    let rows = vec![row; rows].join(", ");
    connection.prepare(&format!("INSERT INTO {table} ({}) VALUES {rows}", columns.join(", ")))
}
