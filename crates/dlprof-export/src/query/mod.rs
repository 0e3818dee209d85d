//! SQL over the tables of one or several captures.
//!
//! A query is one `SELECT` (or `WITH … SELECT`) over [`dlprof_core::tables`]; it reads nothing else and changes
//! nothing. It is checked against the declared columns before any capture is read, and only the tables and
//! columns that it names are built. The answer is a [`Table`](dlprof_core::tables::Table), so every format writes it.
//!
//! ```
//! use dlprof_core::{Capture, KeyNodeChoice, RangeChoice, ReadOptions};
//! use dlprof_export::formats::{Format, write_table};
//! use dlprof_export::query::Query;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut query = Query::new("select op_type, sum(gpu_time_ns) from ops group by op_type", 1)?;
//! let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
//! let capture = Capture::read(path.as_ref(), &ReadOptions::default())?;
//! let index = capture.index(&KeyNodeChoice::Find)?;
//! query.add("sample", &index.profile(&RangeChoice::default())?)?;
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
mod rules;
mod statement;

pub use answer::Answer;
pub use error::QueryError;
pub use rules::RULE_ENGINE;

use dlprof_core::profile::Profile;
use dlprof_core::tables::Definition;
use polars::prelude::{DataFrame, LazyFrame, PolarsResult};
use polars::sql::SQLContext;
use statement::Statement;

/// The column that names the capture of a row.
pub const PROFILE: &str = "profile";

/// A checked query, and the rows that were read for it so far.
pub struct Query {
    statement: Statement,
    has_profile: bool,
    sources: Vec<QueriedFile>,
    /// Names of the columns of the answer.
    columns: Vec<String>,
}

/// A table that the query names, with the rows of all captures added so far.
struct QueriedFile {
    definition: &'static Definition,
    rows: DataFrame,
}

impl QueriedFile {
    fn columns(&self) -> impl Iterator<Item = &str> {
        self.rows.get_column_names().into_iter().map(|name| name.as_str())
    }
}

impl Query {
    /// Reads and checks a query that will run over this number of captures. With several captures, every table
    /// begins with the column [`PROFILE`]; with one capture, only if the query names this column.
    ///
    /// # Errors
    /// If it is not one `SELECT`, names an unknown table or column, reads anything other than tables, or gives
    /// columns that no format can write.
    pub fn new(sql: &str, captures: usize) -> Result<Self, QueryError> {
        let statement = statement::parse(sql)?;
        let has_profile = captures > 1 || statement.mentions(PROFILE);
        let whole = |&definition: &&'static Definition| {
            let rows = frame::empty(definition, has_profile, |_| true);
            QueriedFile { definition, rows }
        };
        let whole: Vec<QueriedFile> = statement.tables.iter().map(whole).collect();
        let schema = engine::guarded(|| plan(&statement.sql, &whole)?.collect_schema());
        let schema = schema.map_err(|error| error.with_columns(&whole_columns(&whole)))?;
        answer::check(&schema)?;
        let columns = schema.iter_names().map(|name| name.as_str().to_owned()).collect();
        let sources = statement.tables.iter().map(|&definition| {
            let rows = frame::empty(definition, has_profile, |column| statement.reads(column));
            QueriedFile { definition, rows }
        });
        let sources = sources.collect();
        Ok(Self { statement, has_profile, sources, columns })
    }

    /// Adds the rows of a capture. The capture is not needed afterwards.
    ///
    /// # Errors
    /// If a table has more rows than the engine can count (2³² − 1 over all captures).
    pub fn add(&mut self, name: &str, profile: &Profile) -> Result<(), QueryError> {
        for source in &mut self.sources {
            let table = (source.definition.build)(profile);
            let name = self.has_profile.then_some(name);
            engine::guarded(|| frame::append(&mut source.rows, table.as_ref(), name))?;
        }
        Ok(())
    }

    /// Answers the query. Rows are in the order that the query sets; if it sets none, in the order of the tables.
    /// The answer does not depend on the number of processors.
    ///
    /// # Errors
    /// If the values do not permit an operation, such as a cast to a number of a text that is not a number.
    pub fn run(mut self) -> Result<Answer, QueryError> {
        for source in &mut self.sources {
            // Fractions are summed chunk by chunk, and the result must not depend on the number of captures.
            source.rows.rechunk_mut();
        }
        let rows = engine::guarded(|| plan(&self.statement.sql, &self.sources)?.collect())?;
        Answer::new(&rows)
    }
}

/// The plan of the engine, with a fixed order of rows wherever SQL sets none.
fn plan(sql: &str, sources: &[QueriedFile]) -> PolarsResult<LazyFrame> {
    use polars::prelude::IntoLazy;
    let mut context = SQLContext::new();
    for source in sources {
        context.register(source.definition.key, source.rows.clone().lazy());
    }
    Ok(order::settle(context.execute(sql)?))
}

/// Tables and their columns, for an error message.
fn whole_columns(sources: &[QueriedFile]) -> Vec<(&'static str, Vec<&str>)> {
    let columns = |source| QueriedFile::columns(source).collect();
    sources.iter().map(|source| (source.definition.key, columns(source))).collect()
}
