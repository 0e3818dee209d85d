//! Thresholds and names that a user can change.

use super::{Exchange, kernel_name_says};
use crate::base::PatternMistake;
use crate::base::time::Ns;
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Deserializer, de};

/// Lengths in nanoseconds that divide short from long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Thresholds {
    /// Between API calls of a thread, a time up to this is the program on its way to the next call.
    #[serde(deserialize_with = "length")]
    pub issue_gap_ns: Ns,
    /// A gap between queued items up to this is what the GPU itself needs.
    #[serde(deserialize_with = "length")]
    pub turnaround_ns: Ns,
    /// A submitted item that starts later than this after its call waits for something else.
    #[serde(deserialize_with = "length")]
    pub submit_ns: Ns,
    /// A launch call longer than this did more than launch.
    #[serde(deserialize_with = "length")]
    pub slow_call_ns: Ns,
    /// A gap of at least this length is not the cost of launching.
    #[serde(deserialize_with = "length")]
    pub long_gap_ns: Ns,
    /// Waits this long or longer are not counted as lock contention.
    #[serde(deserialize_with = "length")]
    pub long_wait_ns: Ns,
    /// A thread without an API call this long before and after waits for another one.
    #[serde(deserialize_with = "length")]
    pub waiting_ns: Ns,
    /// A kernel below this is short.
    #[serde(deserialize_with = "length")]
    pub short_kernel_ns: Ns,
}

/// The usual length of a short kernel.
pub(crate) const SHORT_KERNEL_NS: Ns = 10_000;

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            issue_gap_ns: 1_000_000,
            turnaround_ns: 10_000,
            submit_ns: 100_000,
            slow_call_ns: 1_000_000,
            long_gap_ns: 1_000_000,
            long_wait_ns: 1_000_000,
            waiting_ns: 100_000,
            short_kernel_ns: SHORT_KERNEL_NS,
        }
    }
}

/// Reads a length, which is not below 0.
fn length<'de, D: Deserializer<'de>>(input: D) -> Result<Ns, D::Error> {
    let length = Ns::deserialize(input)?;
    if length < 0 { Err(de::Error::custom("a length in nanoseconds is not below 0")) } else { Ok(length) }
}

/// Thresholds, and names beyond those that the program knows.
#[derive(Debug, Clone, Default)]
pub struct ActivitySettings {
    /// Lengths that divide short from long.
    pub thresholds: Thresholds,
    /// Further kernels that exchange data between GPUs, by demangled or short name.
    pub communication: Vec<NamePattern>,
    /// Further ranges that load data, by text.
    pub data_loading: Vec<NamePattern>,
}

impl ActivitySettings {
    /// Whether a kernel exchanges data between GPUs, by its demangled and its short name.
    #[must_use]
    pub(crate) fn exchange_of(&self, long_name: &str, short_name: &str) -> Exchange {
        self.told_exchange(kernel_name_says(long_name).exchange, long_name, short_name)
    }

    /// What a name says of exchange, or what the user says of such names.
    pub(crate) fn told_exchange(&self, says: Exchange, long_name: &str, short_name: &str) -> Exchange {
        let fits = |pattern: &NamePattern| pattern.is_match(long_name) || pattern.is_match(short_name);
        let is_told = !says.is_yes() && self.communication.iter().any(fits);
        if is_told { Exchange::Some } else { says }
    }

    /// All of it in words that differ where it differs.
    pub(crate) fn in_words(&self) -> String {
        let words = |patterns: &[NamePattern]| {
            patterns.iter().map(|pattern| pattern.as_str().to_owned()).collect::<Vec<_>>()
        };
        let (communication, data_loading) = (words(&self.communication), words(&self.data_loading));
        format!("{:?} communication {communication:?} data loading {data_loading:?}", self.thresholds)
    }
}

/// A name that a user gave: a part of a name in any case or, after `re:`, a regular expression.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct NamePattern {
    text: String,
    expression: Regex,
}

impl NamePattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// If what stands after `re:` is not a regular expression.
    pub fn new(text: &str) -> Result<Self, PatternMistake> {
        let expression = match text.strip_prefix("re:") {
            Some(expression) => Regex::new(expression)?,
            None => RegexBuilder::new(&regex::escape(text)).case_insensitive(true).build()?,
        };
        Ok(Self { text: text.to_owned(), expression })
    }

    /// The pattern as the user wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether a name fits.
    #[must_use]
    pub(crate) fn is_match(&self, name: &str) -> bool {
        self.expression.is_match(name)
    }
}

impl TryFrom<String> for NamePattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "" | "re:" => Err("an empty pattern fits every name".into()),
            text => Self::new(text).map_err(|error| error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NamePattern;

    #[test]
    fn a_pattern_is_a_part_in_any_case_or_an_expression() {
        let part = NamePattern::new("my_AllReduce(").expect("any text is a part");
        assert!(part.is_match("void MY_ALLREDUCE(int)") && !part.is_match("my_allreduce"));
        let expression = NamePattern::new("re:^fetch").expect("an expression");
        assert!(expression.is_match("fetch 3") && !expression.is_match("prefetch"));
        assert!(NamePattern::new("re:(").is_err());
    }
}
