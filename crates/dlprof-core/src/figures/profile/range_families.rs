//! Ranges of the host as families: those whose texts differ in numbers or one letter alone.
//!
//! ```text
//! load_wq  load_wk  load_w1 ──► load_w*  3 texts          IO 190  IO 191 ──► IO #  2 texts
//! ```

use crate::base::ids::StrId;
use crate::base::time::Ns;
use crate::capture::names::range_in_words;
use crate::columns::Texts;
use std::collections::BTreeMap;

/// A range of the host in which GPUs idled: a row of table `idle_ranges`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RangeTime {
    /// Its text.
    pub text: StrId,
    /// The idle time that is owed to it.
    pub time_ns: Ns,
}

/// Ranges of the host whose texts differ in numbers or one letter alone, and the idle time that is owed to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeFamily {
    /// The text in which every number is `#`, or what differs at the end is `*`; of a single text the text itself. Of a marker of
    /// DLProf the op.
    pub name: String,
    /// Number of their texts.
    pub texts: u64,
    /// The idle time of all of them.
    pub time_ns: Ns,
}

impl RangeFamily {
    /// Puts ranges together whose texts differ in numbers alone, or, if three or more do, in the last letter of a short word
    /// alone; those with most time first.
    pub(crate) fn of(strings: &Texts, ranges: &[RangeTime]) -> Vec<Self> {
        let mut families: BTreeMap<String, Self> = BTreeMap::new();
        for range in ranges {
            let text = range_in_words(strings.get(range.text));
            let folded = without_numbers(text);
            let first = || Self { name: text.to_owned(), texts: 0, time_ns: 0 };
            let family = families.entry(folded.clone()).or_insert_with(first);
            family.texts += 1;
            family.time_ns += range.time_ns;
            if family.texts > 1 {
                family.name = folded;
            }
        }
        let mut by_stem: BTreeMap<String, Vec<Self>> = BTreeMap::new();
        for (folded, family) in families {
            let key = stem(&folded).map_or_else(|| format!("{folded}\n"), str::to_owned);
            by_stem.entry(key).or_default().push(family);
        }
        let fold = |(stem, families): (String, Vec<Self>)| match families.len() {
            FEWEST_OF_STEM.. => {
                let time_ns = families.iter().map(|family| family.time_ns).sum();
                let texts = families.iter().map(|family| family.texts).sum();
                vec![Self { name: format!("{stem}*"), texts, time_ns }]
            }
            _ => families,
        };
        let mut families: Vec<Self> = by_stem.into_iter().flat_map(fold).collect();
        families.sort_by(|a, b| b.time_ns.cmp(&a.time_ns).then_with(|| a.name.cmp(&b.name)));
        families
    }
}

/// How many texts that share a stem are one family.
const FEWEST_OF_STEM: usize = 3;

/// A text without the last letter of a last word of one or two letters, which tells its instances apart, as in `load_wq` and
/// `load_wk`; `None` of other texts.
fn stem(text: &str) -> Option<&str> {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '#';
    let before = text.trim_end_matches(is_letter);
    let word = &text[before.len()..];
    let (last, _) = word.char_indices().next_back()?;
    (!before.is_empty() && word.chars().count() <= 2).then(|| &text[..before.len() + last])
}

/// A text with `#` for every number; digits in front of a letter are part of a word, as in `conv2d`.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let digits = from.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(from.len());
        let (number, behind) = from.split_at(digits);
        folded.push_str(before);
        folded.push_str(if behind.starts_with(char::is_alphabetic) { number } else { "#" });
        rest = behind;
    }
    folded + rest
}

#[cfg(test)]
mod tests {
    use super::{RangeFamily, RangeTime, without_numbers};
    use crate::columns::{StringPool, Texts};

    #[test]
    fn texts_that_differ_in_the_last_letter_of_a_short_word_are_one_family() {
        let mut strings = StringPool::default();
        let families = |strings: &mut StringPool, texts: &[&str]| {
            let time = |text: &&str| RangeTime { text: strings.intern(text), time_ns: 10 };
            let ranges: Vec<RangeTime> = texts.iter().map(time).collect();
            let families = RangeFamily::of(&Texts::from(&*strings), &ranges);
            families.into_iter().map(|family| (family.name, family.time_ns)).collect::<Vec<_>>()
        };
        let family = |name: &str, time_ns| (name.to_owned(), time_ns);
        let loads = ["load_wq", "load_w1", "load_w2", "load_wk", "get_wq", "get_wk", "io 1", "io 2", "log"];
        let expected = [
            family("load_w*", 40),
            family("io #", 20),
            family("get_wk", 10),
            family("get_wq", 10),
            family("log", 10),
        ];
        assert_eq!(families(&mut strings, &loads), expected);
        let numbers = ["w 1", "w 2", "w 3"];
        assert_eq!(families(&mut strings, &numbers), [family("w #", 30)]);
        let words = ["op_add", "op_adc", "op_adb"];
        assert_eq!(families(&mut strings, &words).len(), 3);
    }

    #[test]
    fn texts_that_differ_in_numbers_alone_are_one_family() {
        let pairs = [
            ("IO 190", "IO #"),
            ("h2d_w2", "h2d_w#"),
            ("Step 10 to 20", "Step # to #"),
            ("log", "log"),
            ("7", "#"),
        ];
        for (text, family) in pairs {
            assert_eq!(without_numbers(text), family);
        }
    }
}
