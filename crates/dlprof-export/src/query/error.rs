//! Why a query cannot be answered.

use dlprof_core::tables::TABLES;
use polars::prelude::PolarsError;

const MISSING_COLUMN: &str = "there is no column `";
const NO_COLUMN: &str = " has no column `";

/// Why a query cannot be answered. All errors are found before a capture is read, except for operations that the
/// values do not permit.
#[derive(Debug, thiserror::Error, Clone, PartialEq, Eq)]
#[error("{message}")]
pub struct QueryError {
    /// What was found.
    pub message: String,
    /// What the user can do.
    pub hint: Option<String>,
}

impl QueryError {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: Some(hint.into()) }
    }

    /// No table of this name.
    pub(super) fn no_table(name: &str) -> Self {
        let known: Vec<&str> = TABLES.iter().map(|definition| definition.key).collect();
        Self::new(format!("there is no table `{name}`"), format!("tables are {}", known.join(", ")))
    }

    /// The engine cannot run the query.
    pub(super) fn engine(reason: &str) -> Self {
        Self::new(format!("the query engine cannot do this: {reason}"), "write the query in another way")
    }

    /// If a column is missing, adds which columns there are.
    pub(super) fn with_columns(self, tables: &[(&str, Vec<&str>)]) -> Self {
        let missing = self.message.strip_prefix(MISSING_COLUMN).and_then(|rest| rest.strip_suffix('`'));
        if missing.is_none() && !self.message.contains(NO_COLUMN) {
            return self;
        }
        let has_missing = |(_, columns): &&(&str, Vec<&str>)| missing.is_some_and(|it| columns.contains(&it));
        if let (Some(missing), Some((table, _))) = (missing, tables.iter().find(has_missing)) {
            return Self::new(
                format!("column `{missing}` of `{table}` cannot be used at this place"),
                "`ON` compares columns of both tables; write conditions on one of them in `WHERE`; \
                 with `GROUP BY`, `ORDER BY` knows the selected columns alone",
            );
        }
        let list = |(table, columns): &(&str, Vec<&str>)| format!("`{table}` has {}", columns.join(", "));
        Self { hint: Some(tables.iter().map(list).collect::<Vec<_>>().join("; ")), ..self }
    }
}

impl From<PolarsError> for QueryError {
    fn from(error: PolarsError) -> Self {
        let message = match root(&error) {
            PolarsError::ColumnNotFound(text) | PolarsError::SchemaFieldNotFound(text) => {
                missing_column(text)
            }
            PolarsError::SQLInterface(text) if text.starts_with("no column named") => {
                let mut quoted = text.split('\'').skip(1).step_by(2);
                let (column, table) = (quoted.next().unwrap_or_default(), quoted.next().unwrap_or_default());
                format!("`{table}`{NO_COLUMN}{column}`")
            }
            PolarsError::Duplicate(text) => {
                // The rest is advice that makes sense only for users of the engine.
                format!("cannot answer the query: {}", text.split(". ").next().unwrap_or_default())
            }
            PolarsError::SQLInterface(text) | PolarsError::SQLSyntax(text) => {
                format!("cannot use the query: {text}")
            }
            other => format!("cannot answer the query: {other}"),
        };
        // Some messages have a drawing of the plan below their first paragraph.
        let message = message.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        Self { message: message.trim_end().to_owned(), hint: None }
    }
}

/// The missing name. The engine writes it in quotes before the list of columns; without quotes the whole text is
/// the name.
fn missing_column(text: &str) -> String {
    let name = text.split('"').nth(1).unwrap_or(text);
    format!("{MISSING_COLUMN}{name}`")
}

/// The error itself, without the engine's notes on what it was doing.
fn root(error: &PolarsError) -> &PolarsError {
    match error {
        PolarsError::Context { error, .. } | PolarsError::ExprContext { error, .. } => root(error),
        error => error,
    }
}
