//! The words, texts and signs of a condition.

use super::error::{Expected, FilterError};
use std::cmp::Ordering;

/// A part of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Quoted(String),
    /// An operator as it is written.
    Operator(&'static str, Operator),
    Open,
    Close,
    Comma,
}

impl Token {
    pub(super) fn shown(&self) -> &str {
        match self {
            Self::Word(text) | Self::Quoted(text) => text,
            Self::Operator(text, _) => text,
            Self::Open => "(",
            Self::Close => ")",
            Self::Comma => ",",
        }
    }

    pub(super) fn unexpected(&self, expected: Expected) -> FilterError {
        FilterError::Unexpected { expected, found: self.shown().to_owned() }
    }

    /// Whether it is a word of the language.
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(text) if text.eq_ignore_ascii_case(word))
    }
}

/// How a column compares to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
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
    pub(super) fn orders(self) -> &'static [Ordering] {
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

/// The parts of a condition.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, FilterError> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, taken) = token(first, rest)?;
        tokens.push(token);
        rest = rest[taken..].trim_start();
    }
    Ok(tokens)
}

/// The part at the start of a text, and its length.
fn token(first: char, rest: &str) -> Result<(Token, usize), FilterError> {
    match first {
        '(' => return Ok((Token::Open, 1)),
        ')' => return Ok((Token::Close, 1)),
        ',' => return Ok((Token::Comma, 1)),
        '\'' | '"' => {
            let (text, taken) =
                quoted(first, &rest[1..]).ok_or_else(|| FilterError::OpenText { text: rest.to_owned() })?;
            return Ok((Token::Quoted(text), taken + 1));
        }
        _ => {}
    }
    if let Some((text, operator)) = OPERATORS.iter().find(|(text, _)| rest.starts_with(text)) {
        return Ok((Token::Operator(text, *operator), text.len()));
    }
    let ends = |c: char| c.is_whitespace() || "(),'\"=!<>~".contains(c);
    match rest.find(ends).unwrap_or(rest.len()) {
        0 => Err(FilterError::NoWord { rest: rest.to_owned() }),
        end => Ok((Token::Word(rest[..end].to_owned()), end)),
    }
}

/// The text up to the closing quote, and the length with that quote. Two quotes are one in the text.
fn quoted(quote: char, rest: &str) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut taken = 0;
    loop {
        let end = taken + rest[taken..].find(quote)?;
        text.push_str(&rest[taken..end]);
        taken = end + 1;
        if !rest[taken..].starts_with(quote) {
            return Some((text, taken));
        }
        text.push(quote);
        taken += 1;
    }
}
