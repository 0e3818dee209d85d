//! What all tables of a database are read from.

use super::super::database::Database;
use crate::base::Error;
use crate::columns::Memory;
use crate::read::progress::Progress;

/// A database, and what reading it needs.
pub(super) struct Source<'a> {
    pub(super) database: &'a Database,
    pub(super) memory: &'a Memory,
    pub(super) progress: &'a Progress<'a>,
}

/// The error that something in a table cannot be right.
pub(super) fn damaged(database: &Database, table: &str, found: String) -> Error {
    Error::DamagedDlprofDatabase { path: database.path().into(), table: table.into(), found }
}
