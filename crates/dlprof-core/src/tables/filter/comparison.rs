//! What a column is compared with, by the type of its cells.

use super::Comparison;
use super::error::FilterError;
use super::quantity;
use super::tokens::Operator;
use crate::tables::table::{CellKind, Header};
use regex::{Regex, RegexBuilder};

/// Whether capital letters differ from small ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Matters,
    Ignored,
}

/// A comparison of a column with a value.
pub(super) fn comparison(
    name: &str,
    header: &Header<'_>,
    operator: Operator,
    value: &str,
) -> Result<Comparison, FilterError> {
    let column = || name.to_owned();
    if operator == Operator::Matches {
        if header.kind != CellKind::Text {
            return Err(FilterError::NotText { operator: "~", column: column() });
        }
        let bad = |error: regex::Error| FilterError::BadPattern {
            pattern: value.to_owned(),
            problem: error.into(),
        };
        return Ok(Comparison::Matches(Regex::new(value).map_err(bad)?));
    }
    let has_order = !matches!(operator, Operator::Equal | Operator::NotEqual);
    match header.kind {
        CellKind::Text => Ok(Comparison::Text(value.to_owned(), operator.orders())),
        CellKind::Flag | CellKind::Answer if has_order => Err(FilterError::NoOrder { column: column() }),
        CellKind::Flag => {
            let flag = flag(value);
            let flag =
                flag.ok_or_else(|| FilterError::NotFlag { column: column(), value: value.to_owned() })?;
            Ok(Comparison::Flag(flag == (operator == Operator::Equal)))
        }
        CellKind::Answer => {
            let answer = match flag(value) {
                Some(flag) => flag.to_string(),
                None if value.eq_ignore_ascii_case("unknown") => "unknown".into(),
                None => return Err(FilterError::NotAnswer { column: column(), value: value.to_owned() }),
            };
            Ok(Comparison::Text(answer, operator.orders()))
        }
        CellKind::Int | CellKind::Float => {
            Ok(quantity::number(name, header, value)?.comparison(operator.orders()))
        }
    }
}

fn flag(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "yes" | "true" | "1" => Some(true),
        "no" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// A comparison with a pattern in which `%` is any text and `_` any character.
pub(super) fn like(
    name: &str,
    header: &Header<'_>,
    pattern: &str,
    case: Case,
) -> Result<Comparison, FilterError> {
    if header.kind != CellKind::Text {
        return Err(FilterError::NotText { operator: "like", column: name.to_owned() });
    }
    let mut expression = String::from("^");
    for character in pattern.chars() {
        match character {
            '%' => expression.push_str(".*"),
            '_' => expression.push('.'),
            other => expression.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    expression.push('$');
    let built = RegexBuilder::new(&expression)
        .case_insensitive(case == Case::Ignored)
        .dot_matches_new_line(true)
        .build();
    let bad =
        |error: regex::Error| FilterError::BadPattern { pattern: pattern.to_owned(), problem: error.into() };
    Ok(Comparison::Matches(built.map_err(bad)?))
}
