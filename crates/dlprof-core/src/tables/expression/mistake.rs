//! Why a condition or a formula cannot be used, and where in its text.

use super::functions::Function;
use super::kind::ExpressionKind;
use crate::base::PatternMistake;
use crate::tables::column_names::UnknownColumn;

/// Why an expression cannot be used, and where.
#[derive(Debug, thiserror::Error, Clone, PartialEq)]
#[error("{problem}")]
pub struct ExpressionMistake {
    /// Bytes of the text before the place.
    pub at: usize,
    /// What is wrong there.
    pub problem: ExpressionProblem,
}

impl ExpressionMistake {
    pub(super) fn new(at: usize, problem: impl Into<ExpressionProblem>) -> Self {
        Self { at, problem: problem.into() }
    }

    /// The character of the text where it is, from 1.
    #[must_use]
    pub fn character(&self, text: &str) -> usize {
        text.get(..self.at).map_or(0, |before| before.chars().count()) + 1
    }

    /// What the user can do; `None` if there is nothing to say.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        self.problem.hint()
    }
}

/// The line of a text that has a character, counted from 1, and a line below with a sign that marks it.
#[must_use]
pub fn marked(text: &str, character: usize) -> String {
    let mut at = character;
    let mut lines = text.lines();
    let mut shown = lines.next().unwrap_or_default();
    for line in lines {
        let length = shown.chars().count() + 1;
        if at <= length {
            break;
        }
        at -= length;
        shown = line;
    }
    format!("    {shown}\n    {}^", " ".repeat(at.saturating_sub(1)))
}

/// What can be wrong with an expression.
#[derive(Debug, thiserror::Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum ExpressionProblem {
    /// The table has no such column.
    #[error(transparent)]
    UnknownColumn(#[from] UnknownColumn),
    /// A user's rule has no such value.
    #[error("there is no `{name}`; names are `{}`", known.join("`, `"))]
    UnknownName {
        /// What was written.
        name: String,
        /// The most similar name.
        near: Option<String>,
        /// All names.
        known: Vec<String>,
    },
    /// The text ends too early.
    #[error("{expected} expected at the end")]
    Incomplete {
        /// What had to come.
        expected: ExpectedExpression,
    },
    /// Something else had to come.
    #[error("{expected} expected, `{found}` found")]
    Unexpected {
        /// What had to come.
        expected: ExpectedExpression,
        /// What stands there.
        found: String,
    },
    /// Behind a column comes no operator.
    #[error("one of = != < <= > >= ~ in like between is expected after `{column}`, `{found}` found")]
    NoOperator {
        /// The column.
        column: String,
        /// What stands there.
        found: String,
    },
    /// A text has no closing quote.
    #[error("text without an end: {text}")]
    OpenText {
        /// The text and what follows.
        text: String,
    },
    /// Parentheses, `not` and signs inside each other, too many of them.
    #[error("nested deeper than {deepest} levels")]
    TooDeep {
        /// How deep they may be.
        deepest: usize,
    },
    /// Too many operations.
    #[error("more than {most} operations")]
    TooLong {
        /// How many there may be.
        most: usize,
    },
    /// A part comes to something else than is needed.
    #[error("{expected} expected, {found} found")]
    WrongKind {
        /// What is needed.
        expected: ExpressionKind,
        /// What the part comes to.
        found: String,
    },
    /// Values of two types are compared.
    #[error("{left} is compared with {right}")]
    Unlike {
        /// What stands on the left.
        left: String,
        /// What stands on the right.
        right: String,
    },
    /// A pattern for what has no texts.
    #[error("`{operator}` needs a column of texts, `{column}` has none")]
    NotText {
        /// The operator.
        operator: &'static str,
        /// What is compared.
        column: String,
    },
    /// A regular expression that cannot be read.
    #[error("`{pattern}`: {problem}")]
    BadPattern {
        /// The expression.
        pattern: String,
        /// What is wrong with it.
        problem: PatternMistake,
    },
    /// A column of flags compared with something else.
    #[error("`{column}` is yes or no, not `{value}`")]
    NotFlag {
        /// The column.
        column: String,
        /// What it was compared with.
        value: String,
    },
    /// A column of answers compared with something else.
    #[error("`{column}` is yes, no or unknown, not `{value}`")]
    NotAnswer {
        /// The column.
        column: String,
        /// What it was compared with.
        value: String,
    },
    /// A column of flags compared by size.
    #[error("`{column}` is yes or no and has no order; use = or !=")]
    NoOrder {
        /// The column.
        column: String,
    },
    /// Numbers compared with something else.
    #[error("`{column}` is numeric: write a number such as 1000000, not `{value}`")]
    NotNumber {
        /// What is compared.
        column: String,
        /// What it was compared with.
        value: String,
    },
    /// Digits that are not a number.
    #[error("`{text}` is not a number; expected one such as 1000000 or 0.5")]
    BadNumber {
        /// What was written.
        text: String,
    },
    /// A number with a unit that does not fit what it is compared with.
    #[error("`{value}` does not fit `{column}`: it takes {fits}")]
    UnitMisfit {
        /// What is compared.
        column: String,
        /// What it was compared with.
        value: String,
        /// What fits.
        fits: &'static str,
    },
    /// A range compared by size.
    #[error("the range `{range}` has no order; use = or !=")]
    RangeOrder {
        /// The range.
        range: String,
    },
    /// A function where values have names.
    #[error("`{name}(…)`: there are no functions here")]
    NoFunctions {
        /// The name of the function.
        name: String,
    },
    /// A name where only functions are meaningful.
    #[error("`{name}` is not a function")]
    NotFunction {
        /// The name.
        name: String,
    },
    /// A function that does not exist.
    #[error("there is no function `{name}`")]
    UnknownFunction {
        /// What was written.
        name: String,
    },
    /// A function of nothing.
    #[error("`{function}` needs a column")]
    NoColumn {
        /// The function.
        function: &'static str,
    },
    /// A function of numbers applied to something else.
    #[error("`{function}` needs a column of numbers, `{column}` has {has}")]
    NotNumbers {
        /// The function.
        function: &'static str,
        /// What it was applied to.
        column: String,
        /// What that has.
        has: &'static str,
    },
    /// A percentile that does not exist.
    #[error("`{text}` is not a percentile; expected a number from 0 to 100")]
    BadPercentile {
        /// What was written.
        text: String,
    },
}

impl ExpressionProblem {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::UnknownName { near, .. } => format!("did you mean `{}`?", near.as_ref()?),
            Self::WrongKind { expected: ExpressionKind::Condition, .. } => {
                "write a comparison, such as `value > 5`".into()
            }
            Self::Unlike { .. } => "compare numbers with numbers, and texts with 'texts'".into(),
            Self::NoFunctions { .. } => {
                "functions belong into `value`, or into the `query`; give the result a name and use the name"
                    .into()
            }
            Self::NotFunction { name } => {
                format!("say what of all rows is meant, such as `sum({name})`; {}", Function::LIST)
            }
            Self::UnknownFunction { .. } => Function::LIST.into(),
            _ => return None,
        })
    }
}

/// What has to come in an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedExpression {
    /// The key of a column.
    Column,
    /// A comparison.
    Operator,
    /// A number, a flag or a text.
    Value,
    /// The start of an expression of names.
    Name,
    /// The start of an expression of functions.
    Function,
    /// The start of a list.
    Open,
    /// The end of parentheses.
    Close,
    /// Another value of a list, or its end.
    CommaOrClose,
    /// The second argument of a function.
    Percentile,
    /// The word between the ends of a range.
    And,
    /// What can follow a column and `not`.
    Negated,
    /// What can follow `is`.
    Null,
    /// Another condition, or nothing.
    Link,
    /// Another number or condition, or nothing.
    OperatorOrLink,
}

impl std::fmt::Display for ExpectedExpression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Column => "a column",
            Self::Operator => "an operator",
            Self::Value => "a value",
            Self::Name => "a number, a name or a text",
            Self::Function => "a number or a function",
            Self::Open => "`(`",
            Self::Close => "`)`",
            Self::CommaOrClose => "`,` or `)`",
            Self::Percentile => "`,` and a number from 0 to 100",
            Self::And => "`and`",
            Self::Negated => "`in`, `like`, `ilike` or `between`",
            Self::Null => "`null` or `not null`",
            Self::Link => "`and` or `or`",
            Self::OperatorOrLink => "an operator, `and` or `or`",
        })
    }
}
