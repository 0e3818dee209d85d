//! Reads a condition from its parts.

use super::comparison;
use super::error::{Expected, FilterError};
use super::quantity::{self, NumberRange};
use super::tokens::{Operator, Token, tokens};
use super::{Columns, Comparison, Condition};
use crate::tables::table::{CellKind, Header};

/// Reads a condition on the columns of a table.
pub(super) fn parse(text: &str, columns: &Columns<'_>) -> Result<Condition, FilterError> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, columns };
    let condition = parser.any()?;
    match parser.peek() {
        None => Ok(condition),
        Some(token) => Err(token.unexpected(Expected::Link)),
    }
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    columns: &'a Columns<'a>,
}

/// A column, as it was written.
struct Subject<'a> {
    position: usize,
    name: String,
    header: Header<'a>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self, expected: Expected) -> Result<&'a Token, FilterError> {
        let token = self.peek().ok_or(FilterError::Incomplete { expected })?;
        self.at += 1;
        Ok(token)
    }

    /// Consumes a word of the language if it is next.
    fn eat(&mut self, word: &str) -> bool {
        let is_next = self.peek().is_some_and(|token| token.is(word));
        self.at += usize::from(is_next);
        is_next
    }

    /// Consumes a sign, or says what was expected instead.
    fn expect(&mut self, sign: &Token, expected: Expected) -> Result<(), FilterError> {
        match self.next(expected)? {
            token if token == sign => Ok(()),
            token => Err(token.unexpected(expected)),
        }
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
            self.expect(&Token::Close, Expected::Close)?;
            inside
        } else {
            self.test()?
        };
        self.depth -= 1;
        Ok(condition)
    }

    /// A column and what it is compared with.
    fn test(&mut self) -> Result<Condition, FilterError> {
        let subject = self.subject()?;
        if self.eat("is") {
            let is_not = self.eat("not");
            if !self.eat("null") {
                return Err(FilterError::NoNull);
            }
            let is_null = Condition::IsNull(subject.position);
            return Ok(if is_not { Condition::Not(Box::new(is_null)) } else { is_null });
        }
        let is_not = self.eat("not");
        let condition = if self.eat("in") {
            self.list(&subject)?
        } else if self.eat("between") {
            self.between(&subject)?
        } else if self.eat("like") {
            self.like(&subject, comparison::Case::Matters)?
        } else if self.eat("ilike") {
            self.like(&subject, comparison::Case::Ignored)?
        } else if is_not {
            return Err(match self.peek() {
                Some(token) => token.unexpected(Expected::Negated),
                None => FilterError::Incomplete { expected: Expected::Negated },
            });
        } else {
            return self.comparison(&subject);
        };
        Ok(if is_not { Condition::not_of(subject.position, condition) } else { condition })
    }

    /// The longest run of words that is the name of a column, because titles may have several words.
    fn subject(&mut self) -> Result<Subject<'a>, FilterError> {
        let name = match self.next(Expected::Column)? {
            Token::Word(name) | Token::Quoted(name) => name.clone(),
            token => return Err(token.unexpected(Expected::Column)),
        };
        let mut names = vec![name];
        if matches!(self.tokens[self.at - 1], Token::Word(_)) {
            for token in &self.tokens[self.at..] {
                let Token::Word(word) = token else { break };
                names.push(format!("{} {word}", names[names.len() - 1]));
            }
        }
        let found =
            names.iter().enumerate().rev().find_map(|(more, name)| {
                self.columns.find(name).map(|position| (more, name.clone(), position))
            });
        let Some((more, name, position)) = found else {
            // Of several words, those before a word of the language were meant as the name.
            let is_link = |token: &Token| LINKS.iter().any(|word| token.is(word));
            let words = self.tokens[self.at..].iter().take_while(|token| !is_link(token)).count();
            let meant = &names[words.min(names.len() - 1)];
            return Err(self.columns.unknown(meant));
        };
        self.at += more;
        Ok(Subject { position, name, header: self.columns.headers[position] })
    }

    fn comparison(&mut self, subject: &Subject<'_>) -> Result<Condition, FilterError> {
        let operator = match self.next(Expected::Operator)? {
            Token::Operator(_, operator) => *operator,
            token => {
                let found = token.shown().to_owned();
                return Err(FilterError::NoOperator { column: subject.name.clone(), found });
            }
        };
        let value = self.value(subject)?;
        match range(subject, &value)? {
            None => self.compare(subject, operator, &value),
            Some(range) if operator == Operator::Equal => Ok(within(subject, &range)),
            Some(range) if operator == Operator::NotEqual => {
                Ok(Condition::not_of(subject.position, within(subject, &range)))
            }
            Some(_) => Err(FilterError::RangeOrder { range: value }),
        }
    }

    fn compare(
        &self,
        subject: &Subject<'_>,
        operator: Operator,
        value: &str,
    ) -> Result<Condition, FilterError> {
        let comparison = comparison::comparison(&subject.name, &subject.header, operator, value)?;
        Ok(Condition::Compare(subject.position, comparison))
    }

    /// A value; of a column of numbers, with the unit behind it and the rest of a range.
    fn value(&mut self, subject: &Subject<'_>) -> Result<String, FilterError> {
        let mut value = match self.next(Expected::Value)? {
            Token::Word(value) | Token::Quoted(value) => value.clone(),
            token => return Err(token.unexpected(Expected::Value)),
        };
        if !matches!(subject.header.kind, CellKind::Int | CellKind::Float) {
            return Ok(value);
        }
        while let Some(Token::Word(word)) = self.peek() {
            if LINKS.iter().any(|link| word.eq_ignore_ascii_case(link)) {
                break;
            }
            let goes_on = quantity::is_unit(word) || word.starts_with("..") || value.ends_with("..");
            if !goes_on {
                break;
            }
            value = format!("{value} {word}");
            self.at += 1;
        }
        Ok(value)
    }

    fn list(&mut self, subject: &Subject<'_>) -> Result<Condition, FilterError> {
        self.expect(&Token::Open, Expected::Open)?;
        let mut parts = Vec::new();
        loop {
            let value = self.value(subject)?;
            parts.push(match range(subject, &value)? {
                Some(range) => within(subject, &range),
                None => self.compare(subject, Operator::Equal, &value)?,
            });
            match self.next(Expected::Close)? {
                Token::Comma => {}
                Token::Close => return Ok(Condition::Any(parts)),
                token => return Err(token.unexpected(Expected::CommaOrClose)),
            }
        }
    }

    fn between(&mut self, subject: &Subject<'_>) -> Result<Condition, FilterError> {
        let low = self.value(subject)?;
        if !self.eat("and") {
            return Err(match self.peek() {
                Some(token) => token.unexpected(Expected::And),
                None => FilterError::Incomplete { expected: Expected::And },
            });
        }
        let high = self.value(subject)?;
        Ok(Condition::All(vec![
            self.compare(subject, Operator::GreaterOrEqual, &low)?,
            self.compare(subject, Operator::LessOrEqual, &high)?,
        ]))
    }

    fn like(&mut self, subject: &Subject<'_>, case: comparison::Case) -> Result<Condition, FilterError> {
        let pattern = self.value(subject)?;
        let matches = comparison::like(&subject.name, &subject.header, &pattern, case)?;
        Ok(Condition::Compare(subject.position, matches))
    }
}

/// Words of the language that end the name of a column or a value.
const LINKS: [&str; 8] = ["and", "or", "not", "is", "in", "like", "ilike", "between"];

/// A range of numbers, if the column has numbers and the value is one.
fn range(subject: &Subject<'_>, value: &str) -> Result<Option<NumberRange>, FilterError> {
    match subject.header.kind {
        CellKind::Int | CellKind::Float => quantity::range(&subject.name, &subject.header, value),
        CellKind::Flag | CellKind::Answer | CellKind::Text => Ok(None),
    }
}

/// That a column lies in a range, its ends included.
fn within(subject: &Subject<'_>, range: &NumberRange) -> Condition {
    let bound = |operator: Operator, number: &Option<quantity::Number>| {
        let comparison: Option<Comparison> = number.map(|number| number.comparison(operator.orders()));
        comparison.map(|comparison| Condition::Compare(subject.position, comparison))
    };
    let low = bound(Operator::GreaterOrEqual, &range.low);
    let high = bound(Operator::LessOrEqual, &range.high);
    Condition::All(low.into_iter().chain(high).collect())
}
