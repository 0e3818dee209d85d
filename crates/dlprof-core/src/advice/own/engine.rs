//! What answers the queries of users' rules. This crate knows no SQL; the program gives it an engine where it has one.

use super::super::judged::Judged;
use crate::tables::Value;

/// What answers SQL queries about the tables of a profile.
#[derive(Debug, Clone, Copy)]
pub struct QueryEngine {
    /// Checks a query without a profile, and says what its answer has.
    pub check: fn(sql: &str) -> Result<QueryColumns, QueryMistake>,
    /// Answers a query.
    pub answer: fn(judged: &Judged, sql: &str) -> Result<QueryAnswer, QueryMistake>,
}

/// What is known of a query before it is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryColumns {
    /// Names of the columns of the answer.
    pub columns: Vec<String>,
    /// Keys of the tables that it reads, in the order in which it reads them: those of the answer's columns first.
    pub tables: Vec<&'static str>,
}

/// The answer to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryAnswer {
    /// The cells of each row, in the order of the columns.
    pub rows: Vec<Vec<Value<'static>>>,
    /// Keys of the tables that it reads and that have no row.
    pub empty_tables: Vec<&'static str>,
}

/// Why a query cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryMistake {
    /// What was found, and what is expected.
    pub message: String,
    /// What the user can do; `None` if there is nothing to say.
    pub hint: Option<String>,
}
