//! Reads the words, numbers, texts and signs of an expression.

use super::mistake::{ExpectedExpression, ExpressionMistake, ExpressionProblem};

/// A place in a text.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    /// What is not read yet; begins with no space.
    pub(super) rest: &'a str,
}

impl<'a> Cursor<'a> {
    /// The start of a text.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, rest: text.trim_start() }
    }

    /// Bytes before the place.
    pub(super) fn at(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// What was read since a place, without the spaces and quotes around it.
    pub(super) fn since(&self, start: usize) -> &'a str {
        let read = self.text.get(start..self.at()).unwrap_or_default();
        read.trim().trim_matches(['\'', '"'])
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default().trim_start();
    }

    /// Reads a sign if it is next.
    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let is_next = self.rest.starts_with(sign);
        if is_next {
            self.skip(sign.len());
        }
        is_next
    }

    /// Whether a number is next; reads the `+` before it.
    pub(super) fn eat_number_sign(&mut self) -> bool {
        let unsigned = self.rest.strip_prefix('+').unwrap_or(self.rest);
        let is_number =
            unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') && !unsigned.starts_with("..");
        if is_number {
            self.skip(self.rest.len() - unsigned.len());
        }
        is_number
    }

    /// Reads one of some signs if it is next.
    pub(super) fn eat_one<T: Copy>(&mut self, signs: &[(&str, T)]) -> Option<T> {
        let &(sign, meaning) = signs.iter().find(|(sign, _)| self.rest.starts_with(sign))?;
        self.skip(sign.len());
        Some(meaning)
    }

    /// Reads a word of the language if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let is_next = self.name().is_some_and(|name| name.eq_ignore_ascii_case(word));
        if is_next {
            self.skip(word.len());
        }
        is_next
    }

    /// Reads a sign, or says what was expected instead.
    pub(super) fn expect(
        &mut self,
        sign: &str,
        expected: ExpectedExpression,
    ) -> Result<(), ExpressionMistake> {
        if self.eat(sign) { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// The name that is next: letters, digits and `_`.
    pub(super) fn name(&self) -> Option<&'a str> {
        let is_first = self.rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        self.rest.get(..end).filter(|_| is_first)
    }

    /// The word that is next: everything up to a space, a quote, a parenthesis, a comma or a comparison; may be empty.
    pub(super) fn word(&self) -> &'a str {
        let end = self.rest.find(|c: char| c.is_whitespace() || is_sign(c)).unwrap_or(self.rest.len());
        self.rest.get(..end).unwrap_or_default()
    }

    /// The mistake that something else is next.
    pub(super) fn expected(&self, expected: ExpectedExpression) -> ExpressionMistake {
        ExpressionMistake::new(
            self.at(),
            match (self.word(), self.rest.chars().next()) {
                (_, None) => ExpressionProblem::Incomplete { expected },
                ("", Some(first)) => ExpressionProblem::Unexpected { expected, found: first.into() },
                (word, _) => ExpressionProblem::Unexpected { expected, found: word.into() },
            },
        )
    }

    /// The digits that are next, as far as they are a number: `1_000`, `.5`, `1.5e-3`, and `1` of `1..5`.
    pub(super) fn digits(&self) -> &'a str {
        let bytes = self.rest.as_bytes();
        let is = |at: usize, wanted: fn(&u8) -> bool| bytes.get(at).is_some_and(wanted);
        let run = |mut at: usize| {
            while is(at, |byte| byte.is_ascii_digit() || *byte == b'_') {
                at += 1;
            }
            at
        };
        let is_point = |byte: &u8| *byte == b'.';
        let mut end = run(0);
        if is(end, is_point) && !is(end + 1, is_point) {
            end = run(end + 1);
        }
        if end > 0 && is(end, |byte| matches!(byte, b'e' | b'E')) {
            let exponent = end + 1 + usize::from(is(end + 1, |byte| matches!(byte, b'+' | b'-')));
            if is(exponent, u8::is_ascii_digit) {
                end = run(exponent);
            }
        }
        self.rest.get(..end).unwrap_or_default()
    }

    /// Reads a text in quotes if it is next. Two quotes are one in the text.
    pub(super) fn quoted(&mut self) -> Result<Option<String>, ExpressionMistake> {
        let Some(quote) = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            return Ok(None);
        };
        let (mut text, mut taken) = (String::new(), 1);
        loop {
            let inside = self.rest.get(taken..).unwrap_or_default();
            let open = || {
                ExpressionMistake::new(self.at(), ExpressionProblem::OpenText { text: self.rest.to_owned() })
            };
            let end = inside.find(quote).ok_or_else(open)?;
            text.push_str(inside.get(..end).unwrap_or_default());
            taken += end + 1;
            if !self.rest.get(taken..).is_some_and(|rest| rest.starts_with(quote)) {
                self.skip(taken);
                return Ok(Some(text));
            }
            text.push(quote);
            taken += 1;
        }
    }

    /// Reads a text: in quotes, or a word.
    pub(super) fn text(&mut self) -> Result<String, ExpressionMistake> {
        if let Some(text) = self.quoted()? {
            return Ok(text);
        }
        match self.word() {
            "" => Err(self.expected(ExpectedExpression::Value)),
            word => {
                self.skip(word.len());
                Ok(word.to_owned())
            }
        }
    }
}

/// Whether a character ends a word.
fn is_sign(c: char) -> bool {
    "(),'\"=!<>~".contains(c)
}

/// The signs of operations, which names may hold too: `gpu-time`, `FLOP/s`.
const OPERATIONS: [char; 4] = ['+', '-', '*', '/'];

/// The starts of a text that end with a word or before an operation, the longest first: `gpu time/calls`, `gpu time`, `gpu`.
pub(super) fn starts(text: &str) -> impl Iterator<Item = &str> {
    /// A name with more parts nobody has.
    const MOST: usize = 16;
    let text = text.split(is_sign).next().unwrap_or_default().trim_end();
    let is_end = |&(at, c): &(usize, char)| {
        let follows_word = text.get(..at).is_some_and(|start| !start.ends_with(char::is_whitespace));
        at > 0 && follows_word && (c.is_whitespace() || OPERATIONS.contains(&c))
    };
    let ends = text.char_indices().filter(is_end).map(|(at, _)| at);
    let mut ends: Vec<usize> = ends.chain([text.len()]).take(MOST).collect();
    ends.reverse();
    let starts = ends.into_iter().filter_map(|end| text.get(..end));
    starts.filter(|start| !start.is_empty() && !start.ends_with(OPERATIONS))
}
