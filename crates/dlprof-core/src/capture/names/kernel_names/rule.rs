//! A rule of the tables: words, and what they mean.

use super::words::{Found, Vocabulary};

/// A rule. Of a table, the first rule that fits decides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule<T> {
    /// What it means.
    pub(super) says: T,
    /// One of these words is in the function.
    words: &'static str,
    /// One of these too, in the function or its namespaces, unless this is empty.
    near: &'static str,
    /// None of these is in the function.
    unless: &'static str,
}

/// A rule of words that are separated by spaces.
pub(super) const fn rule<T: Copy>(says: T, words: &'static str) -> Rule<T> {
    Rule { says, words, near: "", unless: "" }
}

impl<T: Copy> Rule<T> {
    /// With one of these words beside.
    pub(super) const fn near(self, near: &'static str) -> Self {
        Self { near, ..self }
    }

    /// Without any of these words.
    pub(super) const fn unless(self, unless: &'static str) -> Self {
        Self { unless, ..self }
    }
}

/// A table of rules in the numbers of a vocabulary.
#[derive(Debug)]
pub(super) struct Table<T>(Vec<Numbered<T>>);

#[derive(Debug)]
struct Numbered<T> {
    says: T,
    words: Found,
    near: Found,
    unless: Found,
}

impl<T: Copy> Table<T> {
    pub(super) fn new(rules: &[Rule<T>], vocabulary: &mut Vocabulary) -> Self {
        let numbered = |rule: &Rule<T>| Numbered {
            says: rule.says,
            words: vocabulary.numbers(rule.words),
            near: vocabulary.numbers(rule.near),
            unless: vocabulary.numbers(rule.unless),
        };
        Self(rules.iter().map(numbered).collect())
    }

    /// What the first rule says that fits a function and what is around it.
    pub(super) fn first(&self, function: &Found, around: &Found) -> Option<T> {
        let near = |rule: &&Numbered<T>| {
            rule.near.is_empty() || function.has_any(&rule.near) || around.has_any(&rule.near)
        };
        let fits = |rule: &&Numbered<T>| {
            function.has_any(&rule.words) && near(rule) && !function.has_any(&rule.unless)
        };
        self.0.iter().find(fits).map(|rule| rule.says)
    }
}
