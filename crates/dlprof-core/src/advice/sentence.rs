//! Sentences of findings: a text with figures. The program that shows it writes times in the unit that the user
//! chose.

use crate::base::{TimeUnit, time_in_words};
use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

/// A figure of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    /// A time in nanoseconds.
    Time(f64),
    /// A share in percent, and with how many decimals it is shown.
    Percent(f64, usize),
    /// A whole number: a count, or the number of an item.
    Count(u64),
    /// Words: a name, a list of ids.
    Text(String),
    /// Another sentence. Inside a sentence it begins with a small letter, unless its first word is an abbreviation; after the end of
    /// one with a capital letter.
    Clause(Box<Sentence>),
}

/// A sentence with figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Sentence {
    /// The text; every `{}` is the place of a figure.
    template: Cow<'static, str>,
    /// The figures in the order of their places.
    figures: Vec<Figure>,
}

impl Sentence {
    /// The sentence of a template, in which every `{}` is the place of a figure.
    #[must_use]
    pub fn new(template: &'static str, figures: Vec<Figure>) -> Self {
        debug_assert_eq!(
            template.matches("{}").count(),
            figures.len(),
            "a figure for every place: {template}"
        );
        Self { template: template.into(), figures }
    }

    /// A sentence without figures that begins with a capital letter.
    pub(super) fn beginning(words: &str) -> Self {
        Self { template: as_sentence(words.to_owned()).into(), figures: Vec::new() }
    }

    /// A sentence of figures one after the other.
    #[must_use]
    pub(super) fn of_figures(figures: Vec<Figure>) -> Self {
        Self { template: "{}".repeat(figures.len()).into(), figures }
    }

    /// As [`Self::new`], of a template in parts.
    pub(super) fn joined(parts: &[&'static str], figures: Vec<Figure>) -> Self {
        Self { template: parts.concat().into(), figures }
    }

    /// The sentence with what `words` makes of its words, and of those of the sentences in it. Names stay.
    pub(super) fn in_words(&self, words: &impl Fn(&str) -> String) -> Self {
        let figure = |figure: &Figure| match figure {
            Figure::Clause(clause) => Figure::Clause(Box::new(clause.in_words(words))),
            figure => figure.clone(),
        };
        Self { template: words(&self.template).into(), figures: self.figures.iter().map(figure).collect() }
    }

    /// The figures in the order of the sentence.
    #[must_use]
    pub fn figures(&self) -> &[Figure] {
        &self.figures
    }

    /// The text, with times in nanoseconds written as `time` says.
    #[must_use]
    pub fn text(&self, time: impl Fn(f64) -> String) -> String {
        self.write(&time)
    }

    fn write(&self, time: &dyn Fn(f64) -> String) -> String {
        let mut figures = self.figures.iter();
        let mut text = String::new();
        for (number, words) in self.template.split("{}").enumerate() {
            if number > 0
                && let Some(figure) = figures.next()
            {
                match figure {
                    Figure::Time(ns) => text.push_str(&time(*ns)),
                    Figure::Percent(share, decimals) => text.push_str(&format!("{share:.decimals$}%")),
                    Figure::Count(count) => text.push_str(&count.to_string()),
                    Figure::Text(words) => text.push_str(words),
                    Figure::Clause(clause) if text.is_empty() => text.push_str(&clause.write(time)),
                    Figure::Clause(clause) if text.ends_with(". ") => {
                        text.push_str(&as_sentence(clause.write(time)));
                    }
                    Figure::Clause(clause) => text.push_str(&as_clause(clause.write(time))),
                }
            }
            push_sentences(&mut text, words);
        }
        text
    }
}

/// Adds words of a template: what stands after a semicolon is a sentence of its own, but in parentheses.
fn push_sentences(text: &mut String, words: &str) {
    let mut depth = text.matches('(').count().saturating_sub(text.matches(')').count());
    let mut parts = words.split("; ").peekable();
    while let Some(part) = parts.next() {
        match text.ends_with(". ") {
            true => text.push_str(&as_sentence(part.to_owned())),
            false => text.push_str(part),
        }
        depth = (depth + part.matches('(').count()).saturating_sub(part.matches(')').count());
        if parts.peek().is_some() {
            text.push_str(if depth == 0 { ". " } else { "; " });
        }
    }
}

/// With a capital first letter.
fn as_sentence(clause: String) -> String {
    let mut letters = clause.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// With a small first letter, unless the first word is an abbreviation.
fn as_clause(sentence: String) -> String {
    let mut letters = sentence.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            first.to_lowercase().chain([second]).chain(letters).collect()
        }
        _ => sentence,
    }
}

impl From<&'static str> for Sentence {
    fn from(words: &'static str) -> Self {
        Self::new(words, Vec::new())
    }
}

/// A text without figures.
impl From<String> for Sentence {
    fn from(words: String) -> Self {
        Self::of_figures(vec![Figure::Text(words)])
    }
}

/// The text with each time in the unit that fits it.
impl Display for Sentence {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text(|ns| time_in_words(ns, TimeUnit::Auto)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_take_their_places() {
        let figures = vec![Figure::Count(3), Figure::Time(1_500_000.0), Figure::Percent(12.34, 1)];
        let sentence = Sentence::new("{} iterations of {}, {} idle", figures);
        assert_eq!(sentence.to_string(), "3 iterations of 1.500 ms, 12.3% idle");
        assert_eq!(sentence.text(|ns| format!("{ns} ns")), "3 iterations of 1500000 ns, 12.3% idle");
        assert_eq!(Sentence::from("none").to_string(), "none");
        let clause = Figure::Clause(Box::new("GPUs wait; why is not known (a; b)".into()));
        let said = Sentence::new("{}; but not for long (all; or most)", vec![clause]).to_string();
        assert_eq!(said, "GPUs wait. Why is not known (a; b). But not for long (all; or most)");
    }
}
