//! SQL over the tables of one or several captures.
//!
//! A query is one `SELECT` (or `WITH … SELECT`) of SQLite over [`TABLES`](dlprof_core::TABLES); it reads nothing else and changes
//! nothing. It is checked against the declared columns before any capture is read, and only the tables and
//! columns that it names are built. The answer is a [`Table`](dlprof_core::Table), so every format writes it.
//!
//! ```text
//! text ─Query::new─► checked ─add─► captures ─run─► Answer
//!          │                                   │
//!          └── session: SQLite with our tables (virtual_table, cursor) and without anything else ──┘
//! ```
//!
//! ```
//! use dlprof_core::{RuleSettings, judge};
//! use dlprof_core::{Capture, KeyNodeChoice, RangeChoice, ReadOptions};
//! use dlprof_export::{Format, Query, write_table};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut query = Query::new("select op_type, sum(gpu_time_ns) from ops group by op_type", 1)?;
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
//! let capture = Capture::read(path.as_ref(), &ReadOptions::default())?;
//! let index = capture.index(&KeyNodeChoice::Find)?;
//! let profile = index.profile(&RangeChoice::default())?;
//! query.add("sample", &judge(&profile, &RuleSettings::default()))?;
//! let mut csv = Vec::new();
//! write_table(&query.run()?, Format::Csv, &mut csv)?;
//! assert!(csv.starts_with(b"op_type,sum(gpu_time_ns)\n"));
//! # Ok(())
//! # }
//! ```

mod answer;
mod cells;
mod cursor;
mod declared;
mod error;
mod functions;
mod limits;
mod lookup;
mod rules;
mod session;
mod source;
mod virtual_table;

pub use answer::Answer;
pub use error::QueryError;
pub use functions::name_hash;
pub use limits::{Limits, Stopped};
pub use rules::RULE_ENGINE;

use answer::AnswerColumn;
use cells::Cells;
use dlprof_core::{Definition, Judged};
use limits::Watch;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch, Statement};
use session::Session;
use source::{Captures, CopiedTable, NamedCapture, Rows};
use std::sync::Arc;

/// The column that names the capture of a row.
pub(crate) const PROFILE: &str = "profile";

/// A checked query, and the captures that it will read.
#[derive(Debug)]
pub struct Query {
    sql: String,
    columns: Vec<AnswerColumn>,
    /// Tables that it reads, each with its columns by position.
    reads: Vec<(&'static Definition, Vec<usize>)>,
    captures: Captures,
    limits: Limits,
}

impl Query {
    /// Reads and checks a query that will run over this number of captures. Every table begins with the column `PROFILE`,
    /// which `select *` leaves out if there is one capture.
    ///
    /// # Errors
    /// If it is not one `SELECT`, names an unknown table or column, or reads anything other than tables.
    pub fn new(sql: &str, captures: usize) -> Result<Self, QueryError> {
        let captures = Captures { has_profile: captures > 1, list: Vec::new() };
        let none = Arc::new(Captures { has_profile: captures.has_profile, list: Vec::new() });
        let limits = Limits::default();
        let (columns, reads) = with_statement(sql, &none, limits, |session, statement, _| {
            Ok((answer::columns(statement), session.reads()))
        })?;
        Ok(Self { sql: sql.to_owned(), columns, reads, captures, limits })
    }

    /// The query with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Adds a capture. If there are several, the columns that the query reads are copied, and the capture is not needed
    /// afterwards.
    ///
    /// # Errors
    /// If the copies need more memory than the query may take.
    pub fn add(&mut self, name: &str, judged: &Judged) -> Result<(), QueryError> {
        let rows = if self.captures.has_profile {
            let copy = |(table, columns): &(&'static Definition, Vec<usize>)| {
                CopiedTable::new(judged, table, columns)
            };
            let copied = self.reads.iter().map(copy).collect::<Result<_, _>>();
            Rows::Copied(copied.map_err(|_| QueryError::stopped(Stopped::Memory, self.limits))?)
        } else {
            Rows::Live(judged.clone())
        };
        self.captures.list.push(NamedCapture { name: name.to_owned(), rows });
        if self.captures.copied_bytes() > self.limits.memory_bytes {
            return Err(QueryError::stopped(Stopped::Memory, self.limits));
        }
        Ok(())
    }

    /// Answers the query. The same query gives the same rows in the same order, for any number of processors.
    ///
    /// # Errors
    /// If the values do not permit an operation, such as a sum of whole numbers that is too large, or if a limit is exceeded.
    pub fn run(self) -> Result<Answer, QueryError> {
        let Self { sql, columns, captures, limits, .. } = self;
        let copied = captures.copied_bytes();
        with_statement(&sql, &Arc::new(captures), limits, |_, statement, watch| {
            let mut cells = Cells::new(columns.len());
            let mut count = 0;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                for column in 0..columns.len() {
                    cells.push_sql(column, row.get_ref(column)?);
                }
                count += 1;
                if watch.stops(copied + cells.bytes()) {
                    let interrupt = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_INTERRUPT);
                    return Err(rusqlite::Error::SqliteFailure(interrupt, None));
                }
            }
            Ok(Answer::new(columns, cells, count))
        })
    }
}

/// Prepares a query in a session of its own, and does something with it.
fn with_statement<T>(
    sql: &str,
    captures: &Arc<Captures>,
    limits: Limits,
    work: impl FnOnce(&Session, &mut Statement<'_>, &Watch) -> rusqlite::Result<T>,
) -> Result<T, QueryError> {
    let watch = Watch::new(limits);
    let unusable = |error: &rusqlite::Error| QueryError::from_sqlite(error, sql);
    let session = Session::open(captures, &watch).map_err(|error| unusable(&error))?;
    let wrong = |error: &rusqlite::Error| match (watch.stopped(), session.refused()) {
        (Some(stopped), _) => QueryError::stopped(stopped, limits),
        (None, Some(refused)) => QueryError::refused(&refused, sql),
        (None, None) => unusable(error),
    };
    let mut statements = Batch::new(&session.db, sql);
    let statement = statements.next().map_err(|error| wrong(&error))?;
    let Some(mut statement) = statement else { return Err(QueryError::only_select("an empty text")) };
    if !matches!(statements.next(), Ok(None)) {
        return Err(QueryError::only_select("several statements"));
    }
    if !statement.readonly() || statement.column_count() == 0 {
        return Err(QueryError::only_select(&error::first_word(sql)));
    }
    if statement.parameter_count() > 0 {
        return Err(QueryError::new(
            "the query has parameters such as `?` or `:name`",
            "write the values into the query",
        ));
    }
    work(&session, &mut statement, &watch).map_err(|error| wrong(&error))
}
