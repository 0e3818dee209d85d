//! What answers the queries of users' rules. This crate knows no SQL; the program gives it an engine where it has one.

use super::super::judged::Judged;
use crate::base::limits::OWN_RULE_SECONDS;
use crate::tables::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What answers SQL queries about the tables of a profile.
#[derive(Debug, Clone, Copy)]
pub struct QueryEngine {
    /// Checks a query without a profile, and says what its answer has.
    pub check: fn(sql: &str) -> Result<QueryColumns, QueryMistake>,
    /// Answers a query within a time.
    pub answer: fn(judged: &Judged, sql: &str, time: Duration) -> Result<QueryAnswer, QueryMistake>,
}

/// What is left of the time for the queries of own rules. Clones share it, so that all queries of a run take no more together.
#[derive(Debug, Clone)]
pub struct QueryTime {
    left: Arc<Mutex<Duration>>,
}

impl Default for QueryTime {
    fn default() -> Self {
        Self::of(Duration::from_secs(OWN_RULE_SECONDS.most as u64))
    }
}

impl QueryTime {
    /// The time.
    pub(crate) fn of(time: Duration) -> Self {
        Self { left: Arc::new(Mutex::new(time)) }
    }

    /// How much is left.
    pub(super) fn left(&self) -> Duration {
        *self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets an engine answer a query in what is left, and takes the time that it needed.
    pub(super) fn answer(
        &self,
        engine: QueryEngine,
        judged: &Judged,
        sql: &str,
    ) -> Result<QueryAnswer, QueryMistake> {
        let left = self.left();
        if left.is_zero() {
            return Err(QueryMistake::no_time());
        }
        let begun = Instant::now();
        let answer = (engine.answer)(judged, sql, left);
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        *left = left.saturating_sub(begun.elapsed());
        answer
    }
}

impl QueryMistake {
    /// The queries of own rules took all the time that they have.
    #[must_use]
    pub fn no_time() -> Self {
        let most = OWN_RULE_SECONDS.most;
        Self {
            message: format!(
                "the query was stopped: the queries of own rules took more than the {most} s that they have together"
            ),
            hint: Some(
                "narrow their rows with `where`, join tables on equal columns, or leave rules out".into(),
            ),
        }
    }
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
