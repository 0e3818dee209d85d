//! What is wrong with what a settings file says about rules.

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
