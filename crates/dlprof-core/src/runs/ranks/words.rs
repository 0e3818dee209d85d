//! Ranks in words.

use super::identity::RankSource;

/// How ranks are called: numbers that only the order of names gave are not presented as ranks of the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankWords {
    /// The word for one.
    pub one: &'static str,
    /// The word for several.
    pub many: &'static str,
    /// Whether their numbers are only an order, so that nobody knows which ranks they are.
    pub is_order: bool,
}

impl RankWords {
    /// What ranks are called whose numbers are from a source.
    #[must_use]
    pub fn of(source: RankSource) -> Self {
        match source {
            RankSource::Order => Self { one: "capture", many: "captures", is_order: true },
            _ => Self { one: "rank", many: "ranks", is_order: false },
        }
    }

    /// Ranks with the word for them: `rank 3`, `ranks 3, 4`, `ranks 8–15`.
    #[must_use]
    pub(super) fn these(&self, ranks: &[i64]) -> String {
        format!("{} {}", if ranks.len() == 1 { self.one } else { self.many }, spans(ranks))
    }
}

/// Ranks in a sentence: two are joined by `and`.
pub(super) fn named(words: RankWords, ranks: &[i64]) -> String {
    match ranks {
        [one, two] => format!("{} {one} and {two}", words.many),
        ranks => words.these(ranks),
    }
}

/// The verb for a number of things.
#[must_use]
pub fn have(count: usize) -> &'static str {
    if count == 1 { "has" } else { "have" }
}

/// Numbers in few words: `0, 3–7, 12`; a long list is cut.
#[must_use]
pub fn spans(numbers: &[i64]) -> String {
    /// The longest list that is written out.
    const LONGEST: usize = 40;
    const KEPT: usize = 38;
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|a, b| b - a == 1).map(|run| match run {
        [one] => one.to_string(),
        [one, two] => format!("{one}, {two}"),
        [first, .., last] => format!("{first}–{last}"),
        [] => String::new(),
    });
    let text = runs.collect::<Vec<_>>().join(", ");
    if text.chars().count() < LONGEST { text } else { text.chars().take(KEPT).chain(['…']).collect() }
}

/// The first letter in upper case.
#[must_use]
pub fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_spans() {
        assert_eq!(spans(&[7, 0, 3, 4, 5, 6, 12, 13]), "0, 3–7, 12, 13");
        assert_eq!(spans(&[]), "");
        let many: Vec<i64> = (0..60).map(|number| 2 * number).collect();
        assert_eq!(spans(&many).chars().count(), 39);
        assert_eq!(RankWords::of(RankSource::Mpi).these(&[4]), "rank 4");
        assert_eq!(RankWords::of(RankSource::Order).these(&[4, 5]), "captures 4, 5");
        assert_eq!(capitalized("rank 4"), "Rank 4");
    }
}
