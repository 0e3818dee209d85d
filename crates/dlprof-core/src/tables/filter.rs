//! A small language to choose rows of a table: `gpu_time_ns > 1ms and op_type in (conv2d, matmul)`.
//!
//! ```text
//! condition  = all { "or" all }
//! all        = one { "and" one }
//! one        = "not" one | "(" condition ")" | column test
//! column     = key or title of a column: gpu_time_ns, GPU Time, "GPU Time"
//! test       = operator value | operator low ".." high
//!            | [ "not" ] "in" "(" value { "," value } ")"
//!            | [ "not" ] "between" value "and" value
//!            | [ "not" ] "like" text | [ "not" ] "ilike" text        (% : any text, _ : any character)
//!            | "is" [ "not" ] "null"
//! operator   = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"            (~: a regular expression matches)
//! value      = number [ unit ] | yes | no | unknown | 'text' | "text" | word
//! ```
//!
//! Nothing but comparisons: no functions, no access to anything outside the row. A comparison with an empty cell is
//! false, also `!=`, `not in` and the like; `is null` finds empty cells, and `not` before a condition inverts it.

mod comparison;
pub(super) mod error;
mod parser;
mod quantity;
mod tokens;

pub use error::{Expected, FilterError};

use super::column_names::Columns;
use super::table::{Table, Value};
use regex::Regex;
use std::cmp::Ordering;

/// A condition on the rows of a table.
#[derive(Debug, Clone)]
pub enum Condition {
    /// At least one holds.
    Any(Vec<Condition>),
    /// Every one holds.
    All(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// A column compares to a value.
    Compare(usize, Comparison),
    /// A cell is empty.
    IsNull(usize),
}

/// How a cell must compare.
#[derive(Debug, Clone)]
pub enum Comparison {
    /// A number stands in one of these orders to a number.
    Number(f64, &'static [Ordering]),
    /// A whole number stands in one of these orders to a whole number.
    Int(i64, &'static [Ordering]),
    /// A text stands in one of these orders to a text, byte by byte.
    Text(String, &'static [Ordering]),
    /// A flag is, or is not, set.
    Flag(bool),
    /// A regular expression matches part of the text.
    Matches(Regex),
}

impl Condition {
    /// Reads a condition on the columns of a table.
    ///
    /// # Errors
    /// If it is malformed, names a column that the table lacks, or compares a column with a value of another type.
    pub fn parse(text: &str, columns: &Columns<'_>) -> Result<Self, FilterError> {
        parser::parse(text, columns)
    }

    /// Whether it holds for a row.
    #[must_use]
    pub fn holds(&self, table: &dyn Table, row: usize) -> bool {
        match self {
            Self::Any(conditions) => conditions.iter().any(|condition| condition.holds(table, row)),
            Self::All(conditions) => conditions.iter().all(|condition| condition.holds(table, row)),
            Self::Not(condition) => !condition.holds(table, row),
            Self::IsNull(column) => table.value(row, *column) == Value::Null,
            Self::Compare(column, comparison) => comparison.holds(&table.value(row, *column)),
        }
    }

    /// That a cell has a value, for which a condition does not hold.
    fn not_of(column: usize, condition: Self) -> Self {
        Self::Not(Box::new(Self::Any(vec![Self::IsNull(column), condition])))
    }
}

impl Comparison {
    fn holds(&self, value: &Value<'_>) -> bool {
        match (self, value) {
            (Self::Int(wanted, orders), Value::Int(value)) => orders.contains(&value.cmp(wanted)),
            (Self::Number(wanted, orders), Value::Int(value)) => {
                orders.contains(&crate::base::ratios::to_f64(*value).total_cmp(wanted))
            }
            (Self::Number(wanted, orders), Value::Float(value)) => orders.contains(&value.total_cmp(wanted)),
            (Self::Text(wanted, orders), Value::Text(value)) => orders.contains(&value.as_ref().cmp(wanted)),
            (Self::Flag(wanted), Value::Flag(value)) => value == wanted,
            (Self::Matches(pattern), Value::Text(value)) => pattern.is_match(value),
            _ => false,
        }
    }
}
