//! Texts, flags, answers and patterns that something is compared with.

use super::mistake::ExpressionProblem;
use crate::tables::table::Value;
use regex::{Regex, RegexBuilder};

/// Yes or no.
pub(super) fn flag(column: &str, value: String) -> Result<Value<'static>, ExpressionProblem> {
    read_flag(&value)
        .map(Value::Flag)
        .ok_or_else(|| ExpressionProblem::NotFlag { column: column.to_owned(), value })
}

/// Yes, no or unknown, as cells have them.
pub(super) fn answer(column: &str, value: String) -> Result<Value<'static>, ExpressionProblem> {
    match read_flag(&value) {
        Some(flag) => Ok(flag.to_string().into()),
        None if value.eq_ignore_ascii_case("unknown") => Ok("unknown".into()),
        None => Err(ExpressionProblem::NotAnswer { column: column.to_owned(), value }),
    }
}

fn read_flag(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "yes" | "true" | "1" => Some(true),
        "no" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// How a pattern is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pattern {
    /// A regular expression.
    Regular,
    /// `%` is any text, `_` any character.
    Like,
    /// The same, whatever the case.
    LikeAnyCase,
}

impl Pattern {
    /// How it is written.
    pub(super) fn operator(self) -> &'static str {
        match self {
            Self::Regular => "~",
            Self::Like | Self::LikeAnyCase => "like",
        }
    }

    pub(super) fn read(self, text: &str) -> Result<Regex, ExpressionProblem> {
        let read = match self {
            Self::Regular => Regex::new(text),
            Self::Like | Self::LikeAnyCase => RegexBuilder::new(&like(text))
                .case_insensitive(self == Self::LikeAnyCase)
                .dot_matches_new_line(true)
                .build(),
        };
        read.map_err(|error| ExpressionProblem::BadPattern {
            pattern: text.to_owned(),
            problem: error.into(),
        })
    }
}

/// The regular expression for a text in which `%` is any text and `_` any character.
pub(crate) fn like(pattern: &str) -> String {
    let mut expression = String::from("^");
    for character in pattern.chars() {
        match character {
            '%' => expression.push_str(".*"),
            '_' => expression.push('.'),
            other => expression.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    expression.push('$');
    expression
}
