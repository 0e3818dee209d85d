//! Reads the words and signs of a formula.

use super::formula::FormulaError;

/// A place in a text.
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

    /// Position of the next character, from 1.
    pub(super) fn at(&self) -> usize {
        let read = self.text.len() - self.rest.len();
        self.text.get(..read).map_or(0, |read| read.chars().count()) + 1
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

    /// Reads a word of the language if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let is_next = self.name().is_some_and(|name| name.eq_ignore_ascii_case(word));
        if is_next {
            self.skip(word.len());
        }
        is_next
    }

    /// The name that is next.
    pub(super) fn name(&self) -> Option<&'a str> {
        let is_first = self.rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        self.rest.get(..end).filter(|_| is_first)
    }

    /// What is next, for errors; `None` at the end.
    pub(super) fn next_word(&self) -> Option<String> {
        let first = self.rest.chars().next()?;
        Some(self.name().map_or_else(|| first.to_string(), str::to_owned))
    }

    pub(super) fn expected(&self, what: &str) -> FormulaError {
        match self.next_word() {
            Some(found) => FormulaError::new(self.at(), format!("{what} expected, `{found}` found")),
            None => FormulaError::new(self.at(), format!("{what} expected at the end")),
        }
    }

    pub(super) fn number(&mut self) -> Result<f64, FormulaError> {
        let is_part = |at: usize, c: char| {
            let before = self.rest.get(..at).and_then(|read| read.chars().last());
            c.is_ascii_alphanumeric()
                || matches!(c, '.' | '_')
                || (matches!(c, '+' | '-') && matches!(before, Some('e' | 'E')))
        };
        let end =
            self.rest.char_indices().find(|&(at, c)| !is_part(at, c)).map_or(self.rest.len(), |(at, _)| at);
        let digits = self.rest.get(..end).unwrap_or_default();
        let number: Option<f64> =
            digits.replace('_', "").parse().ok().filter(|number: &f64| number.is_finite());
        let number = number.ok_or_else(|| {
            FormulaError::new(
                self.at(),
                format!("`{digits}` is no number; expected one such as 1000000 or 0.5"),
            )
        })?;
        self.skip(end);
        Ok(number)
    }

    /// Reads a text in quotes if it is next.
    pub(super) fn quoted(&mut self) -> Result<Option<String>, FormulaError> {
        let Some(quote) = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            return Ok(None);
        };
        let inside = self.rest.get(1..).unwrap_or_default();
        let end = inside.find(quote).ok_or_else(|| FormulaError::new(self.at(), "a text without an end"))?;
        let text = inside.get(..end).unwrap_or_default().to_owned();
        self.skip(end + 2);
        Ok(Some(text))
    }
}
