//! Why a condition or a column cannot be used.

use crate::base::PatternMistake;
use crate::tables::near::suggestion;

/// Why a condition or a column cannot be used.
#[derive(Debug, thiserror::Error, Clone, PartialEq)]
pub enum FilterError {
    /// The table has no such column.
    #[error("table `{table}` has no column `{column}`{}", suggested(near, known))]
    UnknownColumn {
        /// Key of the table.
        table: String,
        /// What was asked for.
        column: String,
        /// Keys of columns with similar names, the most similar one first.
        near: Vec<String>,
        /// Keys of its columns.
        known: Vec<String>,
    },
    /// The condition ends too early.
    #[error("{expected} expected at the end")]
    Incomplete {
        /// What had to come.
        expected: Expected,
    },
    /// Something else had to come.
    #[error("{expected} expected, `{found}` found")]
    Unexpected {
        /// What had to come.
        expected: Expected,
        /// What stands there.
        found: String,
    },
    /// Behind a column comes no operator.
    #[error("one of = != < <= > >= ~ in like between is expected behind `{column}`, `{found}` found")]
    NoOperator {
        /// The column.
        column: String,
        /// What stands there.
        found: String,
    },
    /// Behind `is` comes neither `null` nor `not null`.
    #[error("`null` or `not null` expected behind `is`")]
    NoNull,
    /// A quoted text has no closing quote.
    #[error("text without an end: {text}")]
    OpenText {
        /// The text and what follows.
        text: String,
    },
    /// A character that begins nothing.
    #[error("a column or a value expected at `{rest}`")]
    NoWord {
        /// The character and what follows.
        rest: String,
    },
    /// Conditions inside conditions, too many of them.
    #[error("conditions nested deeper than {deepest}")]
    TooDeep {
        /// How deep they may be.
        deepest: usize,
    },
    /// A pattern for a column without texts.
    #[error("`{operator}` needs a column of texts, `{column}` has none")]
    NotText {
        /// The operator.
        operator: &'static str,
        /// The column.
        column: String,
    },
    /// A regular expression that cannot be read.
    #[error("`{pattern}`: {problem}")]
    BadPattern {
        /// The expression.
        pattern: String,
        /// What is wrong with it.
        problem: PatternMistake,
    },
    /// A column of flags compared with something else.
    #[error("`{column}` is yes or no, not `{value}`")]
    NotFlag {
        /// The column.
        column: String,
        /// What it was compared with.
        value: String,
    },
    /// A column of answers compared with something else.
    #[error("`{column}` is yes, no or unknown, not `{value}`")]
    NotAnswer {
        /// The column.
        column: String,
        /// What it was compared with.
        value: String,
    },
    /// A column of flags compared by size.
    #[error("`{column}` is yes or no and has no order; use = or !=")]
    NoOrder {
        /// The column.
        column: String,
    },
    /// A column of numbers compared with something else.
    #[error("`{column}` is numeric: write a number such as 1000000, not `{value}`")]
    NotNumber {
        /// The column.
        column: String,
        /// What it was compared with.
        value: String,
    },
    /// A number with a unit that the column does not have.
    #[error("`{value}` does not fit `{column}`: it takes {fits}")]
    UnitMisfit {
        /// The column.
        column: String,
        /// What it was compared with.
        value: String,
        /// What fits.
        fits: &'static str,
    },
    /// A range compared by size.
    #[error("the range `{range}` has no order; use = or !=")]
    RangeOrder {
        /// The range.
        range: String,
    },
}

/// What a message says about the columns of a table: similar ones, or all.
fn suggested(near: &[String], known: &[String]) -> String {
    match near {
        [] => format!("; its columns are {}", known.join(", ")),
        near => suggestion(near),
    }
}

/// What has to come in a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// The key of a column.
    Column,
    /// A comparison.
    Operator,
    /// A number, a flag or a text.
    Value,
    /// The start of a list.
    Open,
    /// The end of parentheses.
    Close,
    /// Another value of a list, or its end.
    CommaOrClose,
    /// The word between the ends of a range.
    And,
    /// What can follow a column and `not`.
    Negated,
    /// Another condition, or nothing.
    Link,
}

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Column => "a column",
            Self::Operator => "an operator",
            Self::Value => "a value",
            Self::Open => "`(`",
            Self::Close => "`)`",
            Self::CommaOrClose => "`,` or `)`",
            Self::And => "`and`",
            Self::Negated => "`in`, `like`, `ilike` or `between`",
            Self::Link => "`and` or `or`",
        })
    }
}
