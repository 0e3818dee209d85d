//! What is wrong with a regular expression, in one line.

/// Why a regular expression cannot be used. The text of the library repeats the expression, however long it is, and has an
/// `error:` of its own; only what it says last is kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PatternMistake(String);

impl From<regex::Error> for PatternMistake {
    fn from(error: regex::Error) -> Self {
        let text = error.to_string();
        let last = text.lines().last().unwrap_or_default();
        Self(last.strip_prefix("error: ").unwrap_or(last).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::PatternMistake;
    use regex::Regex;

    fn said(pattern: &str) -> String {
        PatternMistake::from(Regex::new(pattern).expect_err("a mistake")).to_string()
    }

    #[test]
    fn one_line_says_what_is_wrong() {
        assert_eq!(said("step("), "unclosed group");
        assert_eq!(said(&"(".repeat(3000)).lines().count(), 1);
        assert!(said("(a{1000}){1000}").contains("size limit"));
    }
}
