//! The operators of the language, in one list each.

use std::cmp::Ordering;

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    /// One of these orders holds.
    Order(&'static [Ordering]),
    /// A regular expression matches part of a text.
    Matches,
}

pub(super) const EQUAL: &[Ordering] = &[Ordering::Equal];
pub(super) const UNEQUAL: &[Ordering] = &[Ordering::Less, Ordering::Greater];
pub(super) const AT_LEAST: &[Ordering] = &[Ordering::Equal, Ordering::Greater];
pub(super) const AT_MOST: &[Ordering] = &[Ordering::Less, Ordering::Equal];

/// How comparisons are written; longer ones first.
pub(super) const COMPARISONS: [(&str, Comparison); 9] = [
    ("==", Comparison::Order(EQUAL)),
    ("!=", Comparison::Order(UNEQUAL)),
    ("<>", Comparison::Order(UNEQUAL)),
    ("<=", Comparison::Order(AT_MOST)),
    (">=", Comparison::Order(AT_LEAST)),
    ("=", Comparison::Order(EQUAL)),
    ("<", Comparison::Order(&[Ordering::Less])),
    (">", Comparison::Order(&[Ordering::Greater])),
    ("~", Comparison::Matches),
];

/// What is done with two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// Operations of sums.
pub(super) const SUMS: [(&str, Operation); 2] = [("+", Operation::Add), ("-", Operation::Subtract)];

/// Operations of products, which bind closer.
pub(super) const PRODUCTS: [(&str, Operation); 2] = [("*", Operation::Multiply), ("/", Operation::Divide)];

impl Operation {
    /// The result; `None` for a division by 0.
    pub(super) fn of(self, left: f64, right: f64) -> Option<f64> {
        let result = match self {
            Self::Add => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left * right,
            Self::Divide => left / right,
        };
        Some(result).filter(|result| result.is_finite())
    }
}

/// The words of the language. They end the name of a column, and are not names themselves.
pub(super) const WORDS: [&str; 9] = ["and", "or", "not", "is", "null", "in", "like", "ilike", "between"];

pub(super) fn is_word(text: &str) -> bool {
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}
