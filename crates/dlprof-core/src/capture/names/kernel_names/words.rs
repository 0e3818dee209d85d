//! The words of identifiers, and which words of the tables are among them.
//!
//! An identifier is split at everything that is no letter or digit, where the case changes, and between letters and digits. A word of a
//! table fits one word or several in a row, so that `allreduce` fits `all_reduce`, `AllReduce` and `allreduce`, but never a part of a
//! word. A word after `=` fits one word alone, whatever digits are around; one after `*` fits the end of a word.

use rustc_hash::FxHashMap;

/// Most words that the tables may have.
const MOST_WORDS: usize = 1024;

/// Which words of the tables are in a part of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found([u64; MOST_WORDS / 64]);

impl Default for Found {
    fn default() -> Self {
        Self([0; MOST_WORDS / 64])
    }
}

impl Found {
    pub(super) fn put(&mut self, word: u16) {
        if let Some(bits) = self.0.get_mut(usize::from(word) / 64) {
            *bits |= 1 << (word % 64);
        }
    }

    pub(super) fn has_any(&self, of: &Self) -> bool {
        self.0.iter().zip(&of.0).any(|(mine, other)| mine & other != 0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|bits| *bits == 0)
    }

    pub(super) fn with(mut self, other: &Self) -> Self {
        for (mine, other) in self.0.iter_mut().zip(&other.0) {
            *mine |= other;
        }
        self
    }
}

/// The words of all tables, by number.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    /// Words that may be several words in a row.
    rows: FxHashMap<String, u16>,
    /// Words that are one word.
    single: FxHashMap<String, u16>,
    /// Ends of words.
    ends: Vec<(String, u16)>,
    longest: usize,
    len: u16,
}

impl Vocabulary {
    /// The number of a word, which is added where it is new.
    pub(super) fn number(&mut self, word: &str) -> u16 {
        let next = self.len;
        let number = if let Some(end) = word.strip_prefix('*') {
            match self.ends.iter().find(|(known, _)| known == end) {
                Some(&(_, number)) => number,
                None => {
                    self.ends.push((end.to_owned(), next));
                    next
                }
            }
        } else {
            let (map, word) = match word.strip_prefix('=') {
                Some(word) => (&mut self.single, word),
                None => (&mut self.rows, word),
            };
            self.longest = self.longest.max(word.len());
            *map.entry(word.to_owned()).or_insert(next)
        };
        self.len += u16::from(number == next);
        number
    }

    /// The numbers of some words, separated by spaces.
    pub(super) fn numbers(&mut self, words: &str) -> Found {
        let mut found = Found::default();
        for word in words.split_ascii_whitespace() {
            found.put(self.number(word));
        }
        found
    }

    /// Number of words.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Adds the words of an identifier, or of several with anything between them that is no letter or digit.
    pub(super) fn find(&self, text: &str, found: &mut Found) {
        for identifier in text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_') {
            if identifier.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_') {
                self.find_in(identifier, found);
            }
        }
    }

    fn find_in(&self, identifier: &str, found: &mut Found) {
        let Split { plain, starts, .. } = &split(identifier);
        for (at, &(start, _)) in starts.iter().enumerate() {
            let mut is_single = true;
            for next in at + 1..=starts.len() {
                let end = starts.get(next).map_or(plain.len(), |&(start, _)| start);
                if end - start > self.longest {
                    break;
                }
                let words = &plain[start..end];
                if let Some(&word) = self.rows.get(words) {
                    found.put(word);
                }
                if is_single && let Some(&word) = self.single.get(words) {
                    found.put(word);
                }
                if next == at + 1 {
                    let ends = self.ends.iter().filter(|(end, _)| words.ends_with(end.as_str()));
                    ends.for_each(|&(_, word)| found.put(word));
                }
                is_single &= starts.get(next).is_some_and(|&(_, at_digit)| at_digit);
            }
        }
    }
}

/// An identifier in lower case without what separates words, and where words start; whether only digits and letters meet there.
struct Split {
    plain: String,
    starts: Vec<(usize, bool)>,
}

fn split(identifier: &str) -> Split {
    let bytes = identifier.as_bytes();
    let mut plain = String::with_capacity(bytes.len());
    let mut starts: Vec<(usize, bool)> = Vec::with_capacity(16);
    // The letter before, if no separator stands between.
    let mut before: Option<u8> = None;
    for (at, &byte) in bytes.iter().enumerate() {
        if !byte.is_ascii_alphanumeric() {
            before = None;
            continue;
        }
        let next_is_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let border = before.map_or(Some(false), |before| border(before, byte, next_is_lower));
        if let Some(at_digit) = border {
            starts.push((plain.len(), at_digit));
        }
        plain.push(char::from(byte.to_ascii_lowercase()));
        before = Some(byte);
    }
    Split { plain, starts }
}

/// Whether a word starts at a letter after another one: `Some(true)` where letters and digits meet.
fn border(before: u8, letter: u8, next_is_lower: bool) -> Option<bool> {
    if before.is_ascii_digit() != letter.is_ascii_digit() {
        return Some(true);
    }
    let is_new = letter.is_ascii_uppercase() && (before.is_ascii_lowercase() || next_is_lower);
    is_new.then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_words() {
        let mut vocabulary = Vocabulary::default();
        let numbers: Vec<(&str, u16)> =
            ["allreduce", "umma", "adam", "=tensorop", "*norm", "e4m3", "s1688", "rmsnorm", "kvcache"]
                .into_iter()
                .map(|word| (word, vocabulary.number(word)))
                .collect();
        assert_eq!(vocabulary.len(), numbers.len());
        for (name, words) in [
            ("two_shot_all_reduce", &["allreduce"][..]),
            ("oneShotAllReduceKernel", &["allreduce"]),
            ("oneshotAllreduceFusion", &["allreduce"]),
            ("field_summary", &[]),
            ("hadamard", &[]),
            ("FusedAdamMathFunctor", &["adam"]),
            ("cutlass_80_tensorop_s1688gemm", &["=tensorop", "s1688"]),
            ("SubTensorOpWithScalar1d", &[]),
            ("float_e4m3_t", &["e4m3"]),
            ("QkvE4m3OBfloat16", &["e4m3"]),
            ("hc_prenorm_gemm", &["*norm"]),
            ("FusedAddRMSNormKernel", &["*norm", "rmsnorm"]),
            ("AppendPagedKVCacheKernel", &["kvcache"]),
        ] {
            let mut found = Found::default();
            vocabulary.find(name, &mut found);
            for &(word, number) in &numbers {
                let mut one = Found::default();
                one.put(number);
                assert_eq!(found.has_any(&one), words.contains(&word), "{name}: {word}");
            }
        }
    }
}
