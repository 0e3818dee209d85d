//! A small language to choose rows of a table: `gpu_time_ns > 1000000 and op_type = conv2d`.
//!
//! ```text
//! condition  = all { "or" all }
//! all        = one { "and" one }
//! one        = "not" one | "(" condition ")" | column operator value | column "is" [ "not" ] "null"
//! operator   = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"            (~: a regular expression matches)
//! value      = number | yes | no | 'text' | "text" | word
//! ```
//!
//! Nothing but comparisons: no functions, no access to anything outside the row. A comparison with an empty cell is
//! false, `is null` excepted.

pub(super) mod error;

pub use error::{Expected, FilterError};

use super::column_names::Columns;
use super::table::{CellKind, Table, Value};
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
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, columns };
        let condition = parser.any()?;
        match parser.peek() {
            None => Ok(condition),
            Some(token) => Err(token.unexpected(Expected::Link)),
        }
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
}

impl Comparison {
    fn holds(&self, value: &Value<'_>) -> bool {
        match (self, value) {
            (Self::Int(wanted, orders), Value::Int(value)) => orders.contains(&value.cmp(wanted)),
            (Self::Number(wanted, orders), Value::Int(value)) => {
                orders.contains(&crate::ratios::to_f64(*value).total_cmp(wanted))
            }
            (Self::Number(wanted, orders), Value::Float(value)) => orders.contains(&value.total_cmp(wanted)),
            (Self::Text(wanted, orders), Value::Text(value)) => orders.contains(&value.as_ref().cmp(wanted)),
            (Self::Flag(wanted), Value::Flag(value)) => value == wanted,
            (Self::Matches(pattern), Value::Text(value)) => pattern.is_match(value),
            _ => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Quoted(String),
    /// An operator as it is written.
    Operator(&'static str, Operator),
    Open,
    Close,
}

impl Token {
    fn shown(&self) -> &str {
        match self {
            Self::Word(text) | Self::Quoted(text) => text,
            Self::Operator(text, _) => text,
            Self::Open => "(",
            Self::Close => ")",
        }
    }

    fn unexpected(&self, expected: Expected) -> FilterError {
        FilterError::Unexpected { expected, found: self.shown().to_owned() }
    }
}

/// How a column compares to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Matches,
}

/// How operators are written; longer ones first.
const OPERATORS: [(&str, Operator); 9] = [
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<>", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("=", Operator::Equal),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("~", Operator::Matches),
];

impl Operator {
    /// The orders of cell and value in which the comparison holds.
    fn orders(self) -> &'static [Ordering] {
        match self {
            Self::Equal | Self::Matches => &[Ordering::Equal],
            Self::NotEqual => &[Ordering::Less, Ordering::Greater],
            Self::Less => &[Ordering::Less],
            Self::LessOrEqual => &[Ordering::Less, Ordering::Equal],
            Self::Greater => &[Ordering::Greater],
            Self::GreaterOrEqual => &[Ordering::Greater, Ordering::Equal],
        }
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, FilterError> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '(' | ')' => {
                tokens.push(if first == '(' { Token::Open } else { Token::Close });
                1
            }
            '\'' | '"' => {
                let inside = &rest[1..];
                let end =
                    inside.find(first).ok_or_else(|| FilterError::OpenText { text: rest.to_owned() })?;
                tokens.push(Token::Quoted(inside[..end].to_owned()));
                end + 2
            }
            _ => match OPERATORS.iter().find(|(text, _)| rest.starts_with(text)) {
                Some((text, operator)) => {
                    tokens.push(Token::Operator(text, *operator));
                    text.len()
                }
                None => {
                    let ends = |c: char| c.is_whitespace() || "()'\"=!<>~".contains(c);
                    let end = rest.find(ends).unwrap_or(rest.len());
                    if end == 0 {
                        return Err(FilterError::NoWord { rest: rest.to_owned() });
                    }
                    tokens.push(Token::Word(rest[..end].to_owned()));
                    end
                }
            },
        };
        rest = rest[taken..].trim_start();
    }
    Ok(tokens)
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    columns: &'a Columns<'a>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self, expected: Expected) -> Result<Token, FilterError> {
        let token = self.peek().cloned().ok_or(FilterError::Incomplete { expected })?;
        self.at += 1;
        Ok(token)
    }

    /// Consumes a word of the language if it is next.
    fn eat(&mut self, word: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Word(next)) if next.eq_ignore_ascii_case(word));
        self.at += usize::from(is_next);
        is_next
    }

    fn any(&mut self) -> Result<Condition, FilterError> {
        let mut parts = vec![self.all()?];
        while self.eat("or") {
            parts.push(self.all()?);
        }
        Ok(Condition::Any(parts))
    }

    fn all(&mut self) -> Result<Condition, FilterError> {
        let mut parts = vec![self.one()?];
        while self.eat("and") {
            parts.push(self.one()?);
        }
        Ok(Condition::All(parts))
    }

    fn one(&mut self) -> Result<Condition, FilterError> {
        /// Deeper conditions nobody types; bounds the stack.
        const DEEPEST: usize = 64;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(FilterError::TooDeep { deepest: DEEPEST });
        }
        let condition = if self.eat("not") {
            Condition::Not(Box::new(self.one()?))
        } else if self.peek() == Some(&Token::Open) {
            self.at += 1;
            let inside = self.any()?;
            match self.next(Expected::Close)? {
                Token::Close => inside,
                token => return Err(token.unexpected(Expected::Close)),
            }
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(condition)
    }

    fn comparison(&mut self) -> Result<Condition, FilterError> {
        let name = match self.next(Expected::Column)? {
            Token::Word(name) => name,
            token => return Err(token.unexpected(Expected::Column)),
        };
        let column = self.columns.position(&name)?;
        if self.eat("is") {
            let is_not = self.eat("not");
            if !self.eat("null") {
                return Err(FilterError::NoNull);
            }
            let is_null = Condition::IsNull(column);
            return Ok(if is_not { Condition::Not(Box::new(is_null)) } else { is_null });
        }
        let operator = match self.next(Expected::Operator)? {
            Token::Operator(_, operator) => operator,
            token => {
                return Err(FilterError::NoOperator { column: name, found: token.shown().to_owned() });
            }
        };
        let value = match self.next(Expected::Value)? {
            Token::Word(value) | Token::Quoted(value) => value,
            token => return Err(token.unexpected(Expected::Value)),
        };
        Ok(Condition::Compare(
            column,
            comparison(&name, self.columns.headers[column].kind, operator, &value)?,
        ))
    }
}

fn comparison(
    name: &str,
    kind: CellKind,
    operator: Operator,
    value: &str,
) -> Result<Comparison, FilterError> {
    let column = || name.to_owned();
    if operator == Operator::Matches {
        if kind != CellKind::Text {
            return Err(FilterError::NotText { column: column() });
        }
        let bad = |problem| FilterError::BadPattern { pattern: value.to_owned(), problem };
        return Ok(Comparison::Matches(Regex::new(value).map_err(bad)?));
    }
    let orders = operator.orders();
    match kind {
        CellKind::Text => Ok(Comparison::Text(value.to_owned(), orders)),
        CellKind::Flag => {
            let flag = match value.to_ascii_lowercase().as_str() {
                "yes" | "true" | "1" => true,
                "no" | "false" | "0" => false,
                _ => return Err(FilterError::NotFlag { column: column(), value: value.to_owned() }),
            };
            match operator {
                Operator::Equal => Ok(Comparison::Flag(flag)),
                Operator::NotEqual => Ok(Comparison::Flag(!flag)),
                _ => Err(FilterError::NoOrder { column: column() }),
            }
        }
        CellKind::Int | CellKind::Float => match (kind, value.parse::<i64>(), value.parse::<f64>()) {
            (CellKind::Int, Ok(number), _) => Ok(Comparison::Int(number, orders)),
            (_, _, Ok(number)) if number.is_finite() => Ok(Comparison::Number(number, orders)),
            _ => Err(FilterError::NotNumber { column: column(), value: value.to_owned() }),
        },
    }
}
