//! What can be wrong with a policy.

use crate::base::PatternMistake;

/// Why a policy cannot be used. Places are keys of the file, such as `metrics.copy-time` or `ops[1].match`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The operating system does not let us read the file.
    #[error("{source}")]
    Unreadable {
        /// The cause, from the operating system.
        source: std::io::Error,
    },
    /// The text is not valid TOML.
    #[error("{}", source.to_string().trim_end())]
    Syntax {
        /// The message of the parser, with line and column.
        source: Box<toml::de::Error>,
    },
    /// A key that is not known at its place.
    #[error(
        "key `{key}`{} is unknown; {suggestion}",
        inside.as_ref().map(|place| format!(" in `{place}`")).unwrap_or_default()
    )]
    UnknownKey {
        /// The key.
        key: String,
        /// The table that holds it; `None` at the top level.
        inside: Option<String>,
        /// What may have been meant.
        suggestion: Suggestion,
    },
    /// A metric that does not exist.
    #[error("metric `{name}` is unknown; {suggestion}")]
    UnknownMetric {
        /// The name.
        name: String,
        /// What may have been meant.
        suggestion: Suggestion,
    },
    /// A value of the wrong type, or out of its range.
    #[error("`{place}` is {found}; expected {expected}")]
    Unexpected {
        /// Where the value is.
        place: String,
        /// The value as TOML.
        found: String,
        /// What is accepted there.
        expected: String,
    },
    /// A rule for names that does not say for which ones.
    #[error("`{place}` has no `match`; set a name, in which `*` means any text, or `re:…`")]
    NoMatch {
        /// The rule.
        place: String,
    },
    /// A rule whose `match` is not a valid regular expression.
    #[error("`{place}` is not a valid pattern: {source}")]
    BadPattern {
        /// Where the pattern is.
        place: String,
        /// What is wrong with it.
        source: PatternMistake,
    },
    /// A rule without a budget can never fail.
    #[error("`{place}` has no budget: set `budget-percent`, `budget-absolute` or both")]
    NoBudget {
        /// The rule.
        place: String,
    },
    /// There is nothing to check.
    #[error("it has no rules; add `[metrics.…]` or `[[ops]]`, or remove `default-metrics = false`")]
    NoRules,
}

/// What may have been meant by an unknown name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suggestion {
    /// The most similar known name.
    Nearest(String),
    /// All known names, if none is similar.
    Known(Vec<String>),
}

impl Suggestion {
    /// The suggestion for an unknown name.
    pub(super) fn new(name: &str, known: &[String]) -> Self {
        let name = name.replace('_', "-");
        let likeness = |other: &&String| strsim::jaro_winkler(&name, other);
        let best = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        match best.filter(|best| likeness(best) > 0.7) {
            Some(best) => Self::Nearest(best.clone()),
            None => Self::Known(known.to_vec()),
        }
    }
}

impl std::fmt::Display for Suggestion {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nearest(name) => write!(out, "did you mean `{name}`?"),
            Self::Known(names) => write!(out, "known names are {}", names.join(", ")),
        }
    }
}
