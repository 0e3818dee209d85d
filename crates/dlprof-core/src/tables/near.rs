//! Names that are similar to a word, for messages about a name that does not exist.

use strsim::jaro_winkler;

/// A name in the form in which names are compared: without case, spaces, `-`, `_`, and a unit in parentheses at the end.
pub(crate) fn folded(name: &str) -> String {
    let name = name.trim();
    let without_unit = match name.strip_suffix(')').and_then(|start| start.rsplit_once(" (")) {
        Some((start, _)) => start,
        None => name,
    };
    let is_kept = |c: &char| !matches!(c, '-' | '_') && !c.is_whitespace();
    without_unit.chars().filter(is_kept).flat_map(char::to_lowercase).collect()
}

/// At most three of the names that are most similar to a word, the most similar one first.
pub fn near<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let word = folded(word);
    let mut likely: Vec<(f64, &str)> = Vec::new();
    for name in names {
        let likeness = likeness(&word, &folded(name));
        if likeness > LEAST && !likely.iter().any(|(_, other)| *other == name) {
            likely.push((likeness, name));
        }
    }
    likely.sort_by(|a, b| b.0.total_cmp(&a.0));
    likely.into_iter().take(3).map(|(_, name)| name).collect()
}

/// The name that is most similar to a word.
pub(crate) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    near(word, names).into_iter().next()
}

/// Less similar names are not mentioned.
const LEAST: f64 = 0.8;

/// How similar two names are, from 0 to 1. A name that contains the word is similar to it.
fn likeness(word: &str, name: &str) -> f64 {
    let similar = jaro_winkler(word, name);
    if word.chars().count() >= 3 && name.contains(word) { similar.max(0.9) } else { similar }
}

/// What a message says about similar names: `; did you mean ...?`, or nothing.
pub(super) fn suggestion(near: &[String]) -> String {
    let quoted: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((last, [])) => format!("; did you mean {last}?"),
        Some((last, others)) => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_separators_and_unit() {
        for name in ["gpu_time_ns", "GPU-Time NS", "gputimens", "GPU Time ns (ms)"] {
            assert_eq!(folded(name), "gputimens", "{name}");
        }
    }

    #[test]
    fn similar_names_come_best_first() {
        let names = ["ops", "op_types", "top_ops", "kernels", "steps"];
        assert_eq!(near("opps", names), ["ops", "top_ops"]);
        assert_eq!(near("kernel", names), ["kernels"]);
        assert_eq!(near("op-type", names)[0], "op_types");
        assert!(near("zzz", names).is_empty());
    }
}
