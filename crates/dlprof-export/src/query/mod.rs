//! SQL over the tables of one or several captures.
//!
//! A query is one `SELECT` (or `WITH … SELECT`) over [`dlprof_core::tables`]; it reads nothing else and changes
//! nothing. It is checked against the declared columns before any capture is read, and only the tables and
//! columns that it names are built. The answer is a [`Table`](dlprof_core::tables::Table), so every format writes it.
//!
//! ```
//! use dlprof_core::{Capture, IterationOptions, ReadOptions};
//! use dlprof_export::formats::{Format, write_table};
//! use dlprof_export::query::Query;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut query = Query::new("select op_type, sum(gpu_time_ns) from ops group by op_type", 1)?;
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
//! let capture = Capture::read(path.as_ref(), ReadOptions::default())?;
//! query.add("sample", &capture.profile(&IterationOptions::default())?)?;
//! let mut csv = Vec::new();
//! write_table(&query.run()?, Format::Csv, &mut csv)?;
//! assert!(csv.starts_with(b"op_type,sum(gpu_time_ns)\n"));
//! # Ok(())
//! # }
//! ```

mod answer;
mod engine;
mod error;
mod frame;
mod order;
mod statement;

pub use answer::Answer;
pub use error::QueryError;

use dlprof_core::Rows;
use dlprof_core::aggregate::Profile;
use dlprof_core::tables::Definition;
use polars::prelude::{DataFrame, LazyFrame, PolarsResult};
use polars::sql::SQLContext;
use statement::Statement;

/// The column that names the capture of a row.
pub const PROFILE: &str = "profile";

/// A checked query, and what was read for it so far.
pub struct Query {
    statement: Statement,
    has_profile: bool,
    sources: Vec<Source>,
}

/// A table that the query names, with the rows of all captures added so far.
struct Source {
    definition: &'static Definition,
    rows: DataFrame,
}

impl Source {
    fn columns(&self) -> impl Iterator<Item = &str> {
        self.rows.get_column_names().into_iter().map(|name| name.as_str())
    }
}

impl Query {
    /// Reads and checks a query that will run over so many captures. With several, every table begins with the column
    /// [`PROFILE`]; with one, only if the query names that column.
    ///
    /// # Errors
    /// If it is not one `SELECT`, names a table or column that is not there, would read anything but tables, or gives
    /// columns that no format can write.
    pub fn new(sql: &str, captures: usize) -> Result<Self, QueryError> {
        let statement = statement::parse(sql)?;
        let has_profile = captures > 1 || statement.mentions(PROFILE);
        let whole = |&definition: &&'static Definition| {
            let rows = frame::empty(definition, has_profile, |_| true);
            Source { definition, rows }
        };
        let whole: Vec<Source> = statement.tables.iter().map(whole).collect();
        let schema = engine::guarded(|| plan(&statement.sql, &whole)?.collect_schema());
        let schema = schema.map_err(|error| error.with_columns(&whole_columns(&whole)))?;
        answer::check(&schema)?;
        let sources = statement.tables.iter().map(|&definition| {
            let rows = frame::empty(definition, has_profile, |column| statement.reads(column));
            Source { definition, rows }
        });
        let sources = sources.collect();
        Ok(Self { statement, has_profile, sources })
    }

    /// What the profiles must hold.
    #[must_use]
    pub fn rows(&self) -> Rows {
        let needed = self.sources.iter().map(|source| source.definition.rows).max();
        needed.unwrap_or(Rows::NotNeeded)
    }

    /// Adds the rows of a capture, which is no longer needed then.
    ///
    /// # Errors
    /// If a table has more rows than the engine can count (2³² − 1 over all captures).
    pub fn add(&mut self, name: &str, profile: &Profile<'_>) -> Result<(), QueryError> {
        for source in &mut self.sources {
            let table = (source.definition.build)(profile);
            let name = self.has_profile.then_some(name);
            engine::guarded(|| frame::append(&mut source.rows, table.as_ref(), name))?;
        }
        Ok(())
    }

    /// Answers it. Rows come in the order that the query asks for; where it leaves the order open, in the order in
    /// which the tables have them. The answer does not depend on the number of processors.
    ///
    /// # Errors
    /// If the data do not permit an operation, such as a text that is cast to a number and is none.
    pub fn run(mut self) -> Result<Answer, QueryError> {
        for source in &mut self.sources {
            // Sums of fractions go chunk by chunk, and the number of captures must not show in them.
            source.rows.rechunk_mut();
        }
        let rows = engine::guarded(|| plan(&self.statement.sql, &self.sources)?.collect())?;
        Answer::new(&rows)
    }
}

/// What the engine is to do, with every order of rows that SQL leaves open settled.
fn plan(sql: &str, sources: &[Source]) -> PolarsResult<LazyFrame> {
    use polars::prelude::IntoLazy;
    let mut context = SQLContext::new();
    for source in sources {
        context.register(source.definition.key, source.rows.clone().lazy());
    }
    Ok(order::settle(context.execute(sql)?))
}

/// Tables and their columns, for an error.
fn whole_columns(sources: &[Source]) -> Vec<(&'static str, Vec<&str>)> {
    let columns = |source| Source::columns(source).collect();
    sources.iter().map(|source| (source.definition.key, columns(source))).collect()
}
