//! Mistakes in settings files, in plain words. The parser knows where a mistake is; its words are those of programmers.

use std::ops::Range;

/// What is wrong with a settings file, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// Line, column, what was found and what is expected.
    pub(crate) message: String,
    /// What the user can do; `None` if there is nothing to say.
    pub(crate) hint: Option<String>,
}

/// Explains an error of the parser about a text.
pub(crate) fn explain(error: &toml::de::Error, text: &str) -> Mistake {
    let (message, hint) = in_words(error.message());
    let place = error.span().map_or_else(String::new, |span| format!("{}: ", place(text, &span)));
    Mistake { message: format!("{place}{message}"), hint }
}

/// Line and column of a span of bytes.
pub(super) fn place(text: &str, span: &Range<usize>) -> String {
    let before = text.get(..span.start).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[line_start..].chars().count() + 1;
    format!("line {}, column {column}", before.matches('\n').count() + 1)
}

fn in_words(message: &str) -> (String, Option<String>) {
    let unknown = |prefix: &str| message.strip_prefix(prefix).and_then(|rest| rest.split_once('`'));
    if let Some((key, rest)) = unknown("unknown field `") {
        return (format!("there is no key `{key}`"), suggestion(key, &names(rest), "the keys here are"));
    }
    if let Some((value, rest)) = unknown("unknown variant `") {
        return (
            format!("`{value}` is not a value of this key"),
            suggestion(value, &names(rest), "the values are"),
        );
    }
    for prefix in ["invalid type: ", "invalid value: "] {
        if let Some((found, expected)) =
            message.strip_prefix(prefix).and_then(|rest| rest.split_once(", expected "))
        {
            return (format!("found {}; expected {}", kind(found), wanted(expected)), None);
        }
    }
    (message.trim_end().to_owned(), None)
}

/// The names in backticks.
pub(crate) fn names(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn suggestion(word: &str, known: &[&str], all: &str) -> Option<String> {
    let likeness = |name: &&&str| strsim::jaro_winkler(name, word);
    let nearest = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    Some(match likeness(&nearest) > 0.8 {
        true => format!("did you mean `{nearest}`?"),
        false => format!("{all} {}", known.join(", ")),
    })
}

/// What was found.
fn kind(found: &str) -> String {
    let words = [
        ("string ", "the text "),
        ("integer ", "the number "),
        ("floating point ", "the number "),
        ("boolean ", ""),
        ("sequence", "a list"),
        ("map", "a table"),
    ];
    let known =
        words.iter().find_map(|(word, plain)| found.strip_prefix(word).map(|rest| format!("{plain}{rest}")));
    known.unwrap_or_else(|| found.to_owned())
}

/// What is expected.
fn wanted(expected: &str) -> String {
    match expected {
        "u32" | "u64" | "usize" => "a whole number that is not below 0".into(),
        "i64" | "i32" => "a whole number".into(),
        "f64" | "f32" => "a number".into(),
        "a string" | "path string" | "string" => "a text in quotes".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list in brackets".into(),
        "a map" => "a table".into(),
        other if other.starts_with("struct ") => "a table".into(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::values::OptionValues;
    use super::{Mistake, explain};

    fn mistake(text: &str) -> (String, String) {
        let error = toml::from_str::<OptionValues>(text).expect_err("a mistake");
        let Mistake { message, hint } = explain(&error, text);
        (message, hint.unwrap_or_default())
    }

    #[test]
    fn mistakes_are_told_in_plain_words() {
        for (text, message, hint) in [
            (
                "iter-strat = 1",
                "line 1, column 1: there is no key `iter-strat`",
                "did you mean `iter-start`?",
            ),
            (
                "\n[kernels]\nx = 1",
                "line 3, column 1: there is no key `x`",
                "the keys here are communication, ",
            ),
            (
                "mode = 'torch'",
                "line 1, column 8: `torch` is not a value of this key",
                "did you mean `pytorch`?",
            ),
            (
                "mode = '?'",
                "line 1, column 8: `?` is not a value of this key",
                "the values are auto, pytorch, ",
            ),
            ("threads = 'all'", "found the text \"all\"; expected a whole number that is not below 0", ""),
            ("threads = -1", "found the number `-1`; expected a whole number that is not below 0", ""),
            ("no-cache = 1", "found the number `1`; expected true or false", ""),
            ("key-node = 7", "found the number `7`; expected a text in quotes", ""),
            ("kernels = 7", "found the number `7`; expected a table", ""),
            ("[kernels]\ncommunication = 'x'", "found the text \"x\"; expected a list in brackets", ""),
        ] {
            let (found, advice) = mistake(text);
            assert!(found.contains(message), "{text}: {found}");
            assert!(advice.starts_with(hint), "{text}: {advice}");
            assert!(!found.contains("invalid") && !found.contains("field"), "{found}");
        }
    }
}
