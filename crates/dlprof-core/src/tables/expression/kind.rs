//! What expressions come to.

/// What a part comes to, as far as the text says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpressionKind {
    /// A whole number or a fraction.
    Number,
    /// A text.
    Text,
    /// Yes or no.
    Condition,
    /// A column of a query: that depends on the row.
    Unknown,
}

impl std::fmt::Display for ExpressionKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Condition => "a condition",
            Self::Unknown => "a value",
        })
    }
}
