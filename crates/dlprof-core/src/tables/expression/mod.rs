//! The language of conditions and formulas: `gpu_time_ns > 1ms and op_type in (conv2d, matmul)`, `sum(duration_ns) / count()`.
//!
//! ```text
//! expression = all { "or" all }
//! all        = one { "and" one }
//! one        = "not" one | sum [ test ]
//! test       = operator value | ( "=" | "!=" ) range
//!            | [ "not" ] "in" "(" ( value | range ) { "," ( value | range ) } ")"
//!            | [ "not" ] "between" value "and" value
//!            | [ "not" ] "like" text | [ "not" ] "ilike" text        (% : any text, _ : any character)
//!            | "is" [ "not" ] "null"
//! operator   = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"            (~: a regular expression matches)
//! value      = sum | yes | no | unknown | text
//! range      = sum ".." [ sum ] | ".." sum
//! sum        = product { ( "+" | "-" ) product }
//! product    = factor { ( "*" | "/" ) factor }
//! factor     = "-" factor | number [ unit ] | text | name | function "(" … ")" | "(" expression ")"
//! text       = 'text' | "text" | word                                (a word: only for a column of texts)
//! ```
//!
//! What names are is the vocabulary's: columns of a table where rows are chosen, by key or title (`GPU Time`); values of a
//! user's rule; nothing but functions where a formula is about all rows. A value is read as what it is compared with: a word
//! for a column of texts, yes or no for a column of flags, a number with a unit for what has one.
//!
//! No access to anything outside the row. An empty cell makes every comparison false, also `!=`, `not in` and the like, and
//! every number that is made of it empty; `is null` finds empty cells, and `not` before a condition inverts it.

mod comparing;
mod cursor;
mod evaluate;
mod functions;
mod kind;
mod mistake;
mod naming;
mod operator;
mod parser;
mod quantity;
mod right_side;
mod vocabulary;

pub(crate) use evaluate::{Expression, Scope};
pub use kind::ExpressionKind;
pub use mistake::{ExpectedExpression, ExpressionMistake, ExpressionProblem, marked};
pub(crate) use right_side::like;
pub(crate) use vocabulary::{Name, Vocabulary};

use super::column_names::Columns;
use super::table::Table;

/// A condition on the rows of a table.
#[derive(Debug, Clone)]
pub struct Condition(Expression);

impl Condition {
    /// Reads a condition on the columns of a table.
    ///
    /// # Errors
    /// If it is malformed, names a column that the table lacks, or compares a column with a value of another type.
    pub fn parse(text: &str, columns: &Columns<'_>) -> Result<Self, ExpressionMistake> {
        Expression::parse(text, Vocabulary::Columns(columns), ExpressionKind::Condition).map(Self)
    }

    /// Whether it holds for a row.
    #[must_use]
    pub fn holds(&self, table: &dyn Table, row: usize) -> bool {
        // The types of columns are known, so reading has refused what would be a mistake here.
        self.0.holds(&Scope::Row(table, row)).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests;
