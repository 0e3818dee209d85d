//! What names in an expression are.

use super::cursor::{Cursor, starts};
use super::mistake::{ExpectedExpression, ExpressionProblem};
use super::operator::is_word;
use crate::tables::column_names::Columns;
use crate::tables::near::nearest;
use crate::tables::table::{CellKind, Unit};

/// What names in an expression are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Vocabulary<'a> {
    /// Columns of a row, by key or title.
    Columns(&'a Columns<'a>),
    /// Values of a user's rule.
    Names(&'a [Name]),
    /// Nothing: an expression is made of functions of the rows of a table.
    Functions(&'a Columns<'a>),
}

/// A value that has a name.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    pub(crate) name: String,
    /// The type of its values, if that is known.
    pub(crate) cells: Option<CellKind>,
    pub(crate) unit: Unit,
}

impl Vocabulary<'_> {
    /// What an expression can begin with.
    pub(super) fn first(self) -> ExpectedExpression {
        match self {
            Self::Columns(_) => ExpectedExpression::Column,
            Self::Names(_) => ExpectedExpression::Name,
            Self::Functions(_) => ExpectedExpression::Function,
        }
    }

    pub(super) fn has(self, name: &str) -> bool {
        match self {
            Self::Columns(columns) => columns.find(name).is_some(),
            Self::Names(names) => names.iter().any(|known| known.name == name),
            Self::Functions(_) => false,
        }
    }
}

/// The column whose key or title a text begins with, and its length there. Of several the longest: titles have many words.
pub(super) fn column_at(text: &str, columns: &Columns<'_>) -> Option<(usize, usize)> {
    starts(text).find_map(|start| Some((columns.find(start)?, start.len())))
}

/// What a text begins with that was meant as the name of a column: all words up to one of the language.
pub(super) fn meant_as_column(text: &str) -> String {
    let mut cursor = Cursor::new(text);
    let mut words = Vec::new();
    while !cursor.word().is_empty() && !is_word(cursor.word()) {
        words.push(cursor.word());
        cursor.skip(cursor.word().len());
    }
    words.join(" ")
}

/// The problem that no value has a name.
pub(super) fn unknown_name(name: &str, names: &[Name]) -> ExpressionProblem {
    let known = || names.iter().map(|known| known.name.as_str());
    ExpressionProblem::UnknownName {
        name: name.to_owned(),
        near: nearest(name, known()).map(str::to_owned),
        known: known().map(str::to_owned).collect(),
    }
}
