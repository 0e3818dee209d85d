//! Numbers in the texts of user ranges: instances of one thing, or different things?
//!
//! ```text
//! step 1   step 2   step 3   …        instances: one op `step` with many calls
//! layer.0  layer.1  layer.0  layer.1  different things: two ops
//! ```
//!
//! The rule, for texts that differ only in their numbers:
//!
//! 1. after a word of [`INSTANCES`], or one that ends in it (`denoising_step`), a number counts instances; after one of
//!    [`THINGS`] it names a thing;
//! 2. directly after a point (`encoder.5`) it names a thing;
//! 3. else it counts instances if there are at least three numbers and no thread uses one twice.
//!
//! A number is a run of digits that no letter follows (`conv2d` has none). The op of instances is named by the text
//! without its final number; numbers elsewhere become `#`: `Step 10 to 20` → `Step # to #`.

use crate::base::ids::{RangeTextId, StrId};
use crate::columns::PerText;
use crate::read::facts::{Facts, RangeText};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// Words in front of a number that counts instances.
const INSTANCES: &[&str] = &[
    "batch",
    "epoch",
    "frame",
    "iter",
    "iteration",
    "microbatch",
    "minibatch",
    "profilerstep",
    "request",
    "sample",
    "step",
    "token",
];

/// Words in front of a number that tells things apart.
const THINGS: &[&str] = &[
    "block", "conv", "decoder", "device", "encoder", "expert", "fc", "gpu", "head", "layer", "layers",
    "linear", "module", "rank", "stage", "stream", "worker",
];

/// Fewer numbers than this are not a series.
const FEWEST: usize = 3;

/// By text of a range: the name that its instances share. Texts that stay as they are have no entry.
pub(super) fn shared_names(facts: &Facts) -> FxHashMap<StrId, String> {
    let lists = facts.ranges.lists().map(|list| &list.text[..]);
    let text = |id| facts.strings.get(id);
    shared_names_of(facts.strings.len(), text, &facts.ranges.texts, |says| !says.is_operator, lists)
}

/// The same, for the texts of ranges that `is_counted` keeps, thread by thread. There are `strings` texts, by id.
pub(crate) fn shared_names_of<'a, 'b>(
    strings: usize,
    text: impl Fn(StrId) -> &'b str,
    texts: &[RangeText],
    is_counted: impl Fn(&RangeText) -> bool,
    threads: impl Iterator<Item = &'a [RangeTextId]>,
) -> FxHashMap<StrId, String> {
    let mut families: IndexMap<String, Family, FxBuildHasher> = IndexMap::default();
    let mut family_of = |says: &RangeText| {
        let pattern = pattern_of(text(says.text)).filter(|_| is_counted(says))?;
        let entry = families.entry(pattern);
        let family = entry.index();
        entry.or_default().texts.insert(says.text);
        Some(family)
    };
    let family_of: Vec<Option<usize>> = texts.iter().map(&mut family_of).collect();
    // By text: the last thread that used it.
    let mut used_by: PerText<Option<usize>> = PerText::new(strings, None);
    for (thread, ranges) in threads.enumerate() {
        for range in ranges {
            if let Some(family) = family_of[range.index()] {
                let used_by = &mut used_by[texts[range.index()].text];
                families[family].has_repeats |= used_by.replace(thread) == Some(thread);
            }
        }
    }
    let instances = families.iter().filter(|(pattern, family)| family.counts_instances(pattern));
    let named = |(pattern, family): (&String, &Family)| {
        let name = name_of(pattern);
        family.texts.iter().map(|&text| (text, name.clone())).collect::<Vec<_>>()
    };
    instances.flat_map(named).collect()
}

/// Texts that differ only in their numbers.
#[derive(Default)]
struct Family {
    texts: FxHashSet<StrId>,
    /// Whether a thread uses one of them twice.
    has_repeats: bool,
}

impl Family {
    fn counts_instances(&self, pattern: &str) -> bool {
        let before = &pattern[..pattern.find('#').unwrap_or(pattern.len())];
        let word = last_word(before);
        // `denoising_step` is a step, `decoder_layer` a layer.
        let is_in = |list: &[&str]| [&word[..], last_part(&word)].iter().any(|word| list.contains(word));
        if is_in(INSTANCES) {
            return true;
        }
        if is_in(THINGS) || before.ends_with('.') {
            return false;
        }
        self.texts.len() >= FEWEST && !self.has_repeats
    }
}

/// The name that a text would have if its numbers counted instances.
pub(super) fn name_of_instances(text: &str) -> Option<String> {
    let pattern = pattern_of(text)?;
    last_word(&pattern);
    Some(name_of(&pattern))
}

/// The text with `#` for each number; `None` without numbers.
fn pattern_of(text: &str) -> Option<String> {
    /// Longer texts are payloads, not names.
    const LONGEST: usize = 256;
    if text.len() > LONGEST || text.starts_with('{') || !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut pattern = String::with_capacity(text.len());
    let mut has_number = false;
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = rest[at..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - at);
        let (before, behind) = (&rest[..at], &rest[at + digits..]);
        pattern.push_str(before);
        if behind.starts_with(|c: char| c.is_alphabetic()) {
            pattern.push_str(&rest[at..at + digits]);
        } else {
            pattern.push('#');
            has_number = true;
        }
        rest = behind;
    }
    pattern.push_str(rest);
    has_number.then_some(pattern)
}

/// The word that ends a text, in lower case, without what separates it from a number.
fn last_word(text: &str) -> String {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let start = text
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    text[start..].to_lowercase()
}

/// What stands after the last `_` of a word.
fn last_part(word: &str) -> &str {
    word.rsplit('_').next().unwrap_or(word)
}

/// The name of instances: without the number at the end.
fn name_of(pattern: &str) -> String {
    match pattern.strip_suffix('#') {
        Some(start) if !start.trim_end_matches('#').contains('#') => {
            let name = start.trim_end_matches(|c: char| c.is_whitespace() || "_-:.#=([".contains(c));
            if name.is_empty() { pattern.to_owned() } else { name.to_owned() }
        }
        _ => pattern.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_names() {
        let cases = [
            ("step 17", "step #", "step"),
            ("iter_00012", "iter_#", "iter"),
            ("iteration17", "iteration#", "iteration"),
            ("Step 90 to 100", "Step # to #", "Step # to #"),
            ("ProfilerStep#4", "ProfilerStep##", "ProfilerStep"),
            ("layer.5", "layer.#", "layer"),
        ];
        for (text, pattern, name) in cases {
            let found = pattern_of(text).expect("a number");
            assert_eq!(found, pattern);
            assert_eq!(name_of(&found), name, "{text}");
        }
        assert_eq!(pattern_of("conv2d"), None);
        assert_eq!(pattern_of("forward"), None);
    }

    #[test]
    fn the_end_of_a_word_tells_what_a_number_counts() {
        let counts = |text: &str| Family::default().counts_instances(&pattern_of(text).expect("a number"));
        for text in ["denoising_step_3_t960", "train_step 5", "global_step=7", "micro_batch_2", "iter 9"] {
            assert!(counts(text), "{text}");
        }
        for text in ["decoder_layer_3", "transformer_block 7", "footstep 3", "layer.4"] {
            assert!(!counts(text), "{text}");
        }
        let folded = |text: &str| name_of(&pattern_of(text).expect("a number"));
        assert_eq!(folded("denoising_step_3_t960"), folded("denoising_step_12_t40"));
    }

    #[test]
    fn words_before_numbers() {
        let cases = [
            ("train_step ", "train_step"),
            ("my Batch ", "batch"),
            ("net.layer.", "layer"),
            ("ü", "ü"),
            ("", ""),
        ];
        for (text, word) in cases {
            assert_eq!(last_word(text), word);
        }
    }
}
