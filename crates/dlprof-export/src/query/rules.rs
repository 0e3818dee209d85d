//! Answers the queries of users' rules.

use super::limits::{Limits, Stopped};
use super::{Answer, Query, QueryError};
use dlprof_core::{Judged, QueryAnswer, QueryColumns, QueryEngine, QueryMistake, Table, Value};
use std::borrow::Cow;
use std::time::Duration;

/// What answers the queries of users' rules.
pub const RULE_ENGINE: QueryEngine = QueryEngine { check, answer };

fn check(sql: &str) -> Result<QueryColumns, QueryMistake> {
    let query = Query::new(sql, 1)?;
    let columns = query.columns.iter().map(|column| column.name.clone()).collect();
    Ok(QueryColumns { columns, tables: query.reads.iter().map(|(table, _)| table.key).collect() })
}

/// The most memory that a query of a rule may take.
const MEMORY_BYTES: usize = 1 << 30;

fn answer(judged: &Judged, sql: &str, time: Duration) -> Result<QueryAnswer, QueryMistake> {
    let memory_bytes = MEMORY_BYTES.min(judged.capture.memory.bytes());
    let mut query = Query::new(sql, 1)?.with_limits(Limits { time, memory_bytes });
    query.add("", judged)?;
    let is_empty = |table: &&dlprof_core::Definition| (table.build)(judged).rows() == 0;
    let empty_tables =
        query.reads.iter().map(|(table, _)| *table).filter(is_empty).map(|table| table.key).collect();
    let answer = query.run()?;
    let row = |row| (0..answer.columns()).map(|column| owned(&answer, row, column)).collect();
    Ok(QueryAnswer { rows: (0..answer.rows()).map(row).collect(), empty_tables })
}

fn owned(answer: &Answer, row: usize, column: usize) -> Value<'static> {
    match answer.value(row, column) {
        Value::Null => Value::Null,
        Value::Int(number) => Value::Int(number),
        Value::Float(number) => Value::Float(number),
        Value::Flag(flag) => Value::Flag(flag),
        Value::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
    }
}

impl From<QueryError> for QueryMistake {
    fn from(QueryError { message, hint, stopped }: QueryError) -> Self {
        match stopped {
            Some(Stopped::Time) => Self::no_time(),
            Some(Stopped::Memory) | None => Self { message, hint },
        }
    }
}
