//! Why a query cannot be answered.

use super::PROFILE;
use super::limits::Stopped;
use super::session::Refused;
use dlprof_core::{Definition, TABLES, near_names};

/// What SQLite says before the name of a table, column or function that it does not know.
const NO_TABLE: &str = "no such table: ";
const NO_COLUMN: &str = "no such column: ";
const NO_FUNCTION: &str = "no such function: ";

/// Why a query cannot be answered. Most errors are found before a capture is read.
#[derive(Debug, thiserror::Error, Clone, PartialEq, Eq)]
#[error("{message}")]
pub struct QueryError {
    /// What was found.
    pub message: String,
    /// What the user can do.
    pub hint: Option<String>,
    /// The limit that the query exceeded; `None` if there is another reason.
    pub stopped: Option<Stopped>,
}

impl QueryError {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: Some(hint.into()), stopped: None }
    }

    /// The text is not a `SELECT`.
    pub(super) fn only_select(found: &str) -> Self {
        Self::new(
            format!("a query must be one `SELECT`, with or without `WITH`, but this is {found}"),
            "queries read the tables of captures; they change nothing, and open no files",
        )
    }

    /// The query exceeded a limit.
    pub(super) fn stopped(stopped: Stopped, limits: super::Limits) -> Self {
        let message = match stopped {
            Stopped::Time => {
                format!("the query was stopped after {} s, its limit of time", limits.time.as_secs_f64())
            }
            Stopped::Memory => {
                format!(
                    "the query was stopped, because it needs more than {} MB of memory",
                    limits.memory_bytes >> 20
                )
            }
        };
        let hint = "narrow its rows with `where`, and join tables on equal columns";
        Self { stopped: Some(stopped), ..Self::new(message, hint) }
    }

    /// A statement that may not do what it asked for.
    pub(super) fn refused(refused: &Refused, sql: &str) -> Self {
        match refused {
            Refused::Function(name) => Self::new(
                format!("a query cannot call `{name}`"),
                "queries read the tables of captures; they open no files",
            ),
            Refused::Pragma(name) => Self::new(
                format!("a query cannot use `PRAGMA {name}`"),
                "`PRAGMA table_info(ops)` describes a table; settings cannot be changed",
            ),
            Refused::Other => Self::only_select(&first_word(sql)),
        }
    }

    /// What SQLite says about a query.
    pub(super) fn from_sqlite(error: &rusqlite::Error, sql: &str) -> Self {
        let text = match error {
            rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
            rusqlite::Error::SqliteFailure(_, Some(text)) => text.clone(),
            other => other.to_string(),
        };
        if let Some(name) = text.strip_prefix(NO_TABLE) {
            return Self::no_table(name);
        }
        if let Some(rest) = text.strip_prefix(NO_COLUMN) {
            return Self::no_column(rest, sql);
        }
        if let Some(name) = text.strip_prefix(NO_FUNCTION) {
            return Self::new(
                format!("there is no function `{name}`"),
                "functions are those of SQLite, and `median`, `percentile`, `stddev`, `sqrt`, `pow`, `ln`, `floor` and `ceil`",
            );
        }
        if text.ends_with(" may not be modified") {
            return Self::only_select(&first_word(sql));
        }
        if text.starts_with('`') {
            // Our own words, through SQLite.
            return Self { message: text, hint: None, stopped: None };
        }
        if text == "integer overflow" {
            return Self::new(
                "a sum of whole numbers exceeds 9223372036854775807",
                "`total(…)` and `sum(1.0 * …)` add fractions",
            );
        }
        if text == "string or blob too big" {
            return Self { message: "a text would have more than 64 MB".into(), hint: None, stopped: None };
        }
        let is_misspelt =
            ["syntax error", "incomplete input", "unrecognized token"].iter().any(|it| text.contains(it));
        let example = "for example \"select op_type, sum(gpu_time_ns) from ops group by op_type\"";
        let hint = is_misspelt.then(|| example.to_owned());
        Self { message: format!("cannot answer the query: {text}"), hint, stopped: None }
    }

    fn no_table(name: &str) -> Self {
        let known: Vec<&str> = TABLES.iter().map(|definition| definition.key).collect();
        let near = did_you_mean(name, &known);
        Self::new(format!("there is no table `{name}`"), format!("{near}tables are {}", known.join(", ")))
    }

    /// `rest` is the name, and perhaps SQLite's advice.
    fn no_column(rest: &str, sql: &str) -> Self {
        let (name, advice) =
            rest.split_once(" - ").map_or((rest, None), |(name, advice)| (name, Some(advice)));
        let name = name.trim_matches('"');
        let message = format!("there is no column `{name}`");
        if advice.is_some() {
            return Self::new(message, format!("a text has single quotes: '{name}'"));
        }
        let tables: Vec<&Definition> = TABLES.iter().filter(|table| mentions(sql, table.key)).collect();
        if tables.is_empty() {
            return Self { message, hint: None, stopped: None };
        }
        let keys = |table: &Definition| table.headers().iter().map(|header| header.key).collect::<Vec<_>>();
        let all: Vec<&str> = tables.iter().flat_map(|table| keys(table)).chain([PROFILE]).collect();
        let near = did_you_mean(name.rsplit('.').next().unwrap_or(name), &all);
        let lists = tables.iter().map(|table| format!("`{}` has {}", table.key, keys(table).join(", ")));
        Self::new(message, format!("{near}{}", lists.collect::<Vec<_>>().join("; ")))
    }
}

/// `did you mean …? `, or nothing.
fn did_you_mean(name: &str, known: &[&str]) -> String {
    let near: Vec<String> =
        near_names(name, known.iter().copied()).iter().map(|name| format!("`{name}`")).collect();
    if near.is_empty() { String::new() } else { format!("did you mean {}? ", near.join(" or ")) }
}

/// Whether a name is a word of a text.
fn mentions(sql: &str, name: &str) -> bool {
    let mut words = sql.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.any(|word| word.eq_ignore_ascii_case(name))
}

/// The first word of a statement, in capitals.
pub(super) fn first_word(sql: &str) -> String {
    match sql.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty()) {
        Some(word) => format!("`{}`", word.to_uppercase()),
        None => "an empty text".to_owned(),
    }
}
