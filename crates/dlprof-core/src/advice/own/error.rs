//! What is wrong with what a settings file says about rules.

use crate::tables::expression::{ExpressionMistake, marked};
use std::path::PathBuf;

/// What is wrong with what a settings file says about rules, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct RuleError {
    /// The settings file.
    pub path: PathBuf,
    /// Line of the file, from 1.
    pub line: usize,
    /// Character of the line, from 1.
    pub column: usize,
    /// What was found, and what is expected.
    pub message: String,
    /// What the user can do; `None` if there is nothing to say.
    pub hint: Option<String>,
}

/// A place in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Place {
    pub(crate) fn error(&self, message: impl Into<String>, hint: Option<String>) -> RuleError {
        let Self { path, line, column } = self.clone();
        RuleError { path, line, column, message: message.into(), hint }
    }
}

/// A value of a settings file with its place.
#[derive(Debug, Clone)]
pub(crate) struct Written<T> {
    pub(crate) value: T,
    pub(crate) place: Place,
}

/// What is wrong at a character of a text of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misplaced {
    /// The character, from 1.
    pub(super) character: usize,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl From<(ExpressionMistake, &str)> for Misplaced {
    /// A mistake in an expression, and its text.
    fn from((mistake, text): (ExpressionMistake, &str)) -> Self {
        Self { character: mistake.character(text), message: mistake.to_string(), hint: mistake.hint() }
    }
}

impl Misplaced {
    pub(super) fn new(character: usize, message: impl Into<String>) -> Self {
        Self { character, message: message.into(), hint: None }
    }

    /// The error: the key's place in the file, and below it the line of the text with the character marked.
    pub(super) fn in_rule(self, id: &str, key: &str, text: &str, place: &Place) -> RuleError {
        let Self { character, message, hint } = self;
        let marked = marked(text, character);
        let message = format!("`{key}` of rule `{id}`, character {character}: {message}\n{marked}");
        place.error(message, hint)
    }
}
