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

use super::table::{Kind, Table, Value};
use super::view::Columns;
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

/// Why a condition cannot be used.
#[derive(Debug, thiserror::Error, Clone, PartialEq, Eq)]
#[error("{message}")]
pub struct FilterError {
    /// What was found and what was expected.
    pub message: String,
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
            Some(token) => Err(error(format!("`and` or `or` expected, `{}` found", token.shown()))),
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
    Operator(&'static str),
    Open,
    Close,
}

impl Token {
    fn shown(&self) -> &str {
        match self {
            Self::Word(text) | Self::Quoted(text) => text,
            Self::Operator(text) => text,
            Self::Open => "(",
            Self::Close => ")",
        }
    }
}

fn error(message: String) -> FilterError {
    FilterError { message }
}

/// Longer operators first.
const OPERATORS: [&str; 9] = ["==", "!=", "<>", "<=", ">=", "=", "<", ">", "~"];

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
                let end = inside.find(first).ok_or_else(|| error(format!("text without an end: {rest}")))?;
                tokens.push(Token::Quoted(inside[..end].to_owned()));
                end + 2
            }
            _ => match OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
                Some(operator) => {
                    tokens.push(Token::Operator(operator));
                    operator.len()
                }
                None => {
                    let ends = |c: char| c.is_whitespace() || "()'\"=!<>~".contains(c);
                    let end = rest.find(ends).unwrap_or(rest.len());
                    if end == 0 {
                        return Err(error(format!("a column or a value expected at `{rest}`")));
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

    fn next(&mut self, expected: &str) -> Result<Token, FilterError> {
        let token = self.peek().cloned().ok_or_else(|| error(format!("{expected} expected at the end")))?;
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
            return Err(error(format!("conditions nested deeper than {DEEPEST}")));
        }
        let condition = if self.eat("not") {
            Condition::Not(Box::new(self.one()?))
        } else if self.peek() == Some(&Token::Open) {
            self.at += 1;
            let inside = self.any()?;
            match self.next("`)`")? {
                Token::Close => inside,
                token => return Err(error(format!("`)` expected, `{}` found", token.shown()))),
            }
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(condition)
    }

    fn comparison(&mut self) -> Result<Condition, FilterError> {
        let name = match self.next("a column")? {
            Token::Word(name) => name,
            token => return Err(error(format!("a column expected, `{}` found", token.shown()))),
        };
        let column = self.columns.position(&name)?;
        if self.eat("is") {
            let is_not = self.eat("not");
            if !self.eat("null") {
                return Err(error("`null` or `not null` expected behind `is`".into()));
            }
            let is_null = Condition::IsNull(column);
            return Ok(if is_not { Condition::Not(Box::new(is_null)) } else { is_null });
        }
        let operator = match self.next("an operator")? {
            Token::Operator(operator) => operator,
            token => {
                let found = token.shown();
                return Err(error(format!(
                    "one of = != < <= > >= ~ expected behind `{name}`, `{found}` found"
                )));
            }
        };
        let value = match self.next("a value")? {
            Token::Word(value) | Token::Quoted(value) => value,
            token => return Err(error(format!("a value expected, `{}` found", token.shown()))),
        };
        Ok(Condition::Compare(
            column,
            comparison(&name, self.columns.headers[column].kind, operator, &value)?,
        ))
    }
}

fn comparison(name: &str, kind: Kind, operator: &str, value: &str) -> Result<Comparison, FilterError> {
    use Ordering::{Equal, Greater, Less};
    if operator == "~" {
        if kind != Kind::Text {
            return Err(error(format!("`~` needs a column of texts, `{name}` has none")));
        }
        let pattern = Regex::new(value).map_err(|source| error(format!("`{value}`: {source}")))?;
        return Ok(Comparison::Matches(pattern));
    }
    let orders: &[Ordering] = match operator {
        "=" | "==" => &[Equal],
        "!=" | "<>" => &[Less, Greater],
        "<" => &[Less],
        "<=" => &[Less, Equal],
        ">" => &[Greater],
        _ => &[Greater, Equal],
    };
    match kind {
        Kind::Text => Ok(Comparison::Text(value.to_owned(), orders)),
        Kind::Flag => {
            let flag = match value.to_ascii_lowercase().as_str() {
                "yes" | "true" | "1" => true,
                "no" | "false" | "0" => false,
                _ => return Err(error(format!("`{name}` is yes or no, not `{value}`"))),
            };
            match operator {
                "=" | "==" => Ok(Comparison::Flag(flag)),
                "!=" | "<>" => Ok(Comparison::Flag(!flag)),
                _ => Err(error(format!("`{name}` is yes or no and has no order; use = or !="))),
            }
        }
        Kind::Int | Kind::Float => match (kind, value.parse::<i64>(), value.parse::<f64>()) {
            (Kind::Int, Ok(number), _) => Ok(Comparison::Int(number, orders)),
            (_, _, Ok(number)) if number.is_finite() => Ok(Comparison::Number(number, orders)),
            _ => Err(error(format!("`{name}` is a number, `{value}` is none"))),
        },
    }
}
