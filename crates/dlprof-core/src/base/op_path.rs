//! Names of ops as paths, and how deep and how long they may be.
//!
//! ```text
//! op name   /step/model/layer.0/conv     parts    step, model, layer.0, conv
//!                                        groups   /  /step/  /step/model/  /step/model/layer.0/
//! ```
//!
//! A program that pushes ranges and never pops them makes a path of each that is longer than the one before. So paths end
//! somewhere: what would lie deeper belongs to the last part.

use crate::columns::long_text::shortened;
use std::borrow::Cow;

/// Ranges around each other, and slashes of a name, that count.
pub(crate) const DEEPEST: usize = 256;

/// Bytes of a path to which ranges inside still add their texts.
pub(crate) const LONGEST_PATH: usize = 16 << 10;

/// Bytes of a range's text that become part of a path as they are.
pub(crate) const LONGEST_PART: usize = 1 << 10;

/// The groups that an op lies in, outermost first: the beginnings of its name that end with a slash.
pub(crate) fn prefixes(op_name: &str) -> impl Iterator<Item = &str> {
    op_name.match_indices('/').take(DEEPEST).map(|(at, _)| &op_name[..=at])
}

/// The parts of an op's name. The last one holds the slashes that do not count.
pub fn parts(op_name: &str) -> impl Iterator<Item = &str> {
    op_name.splitn(DEEPEST + 1, '/').filter(|part| !part.is_empty())
}

/// Whether a name has more slashes than count.
pub(crate) fn is_deeper(op_name: &str) -> bool {
    op_name.match_indices('/').nth(DEEPEST).is_some()
}

/// A range's text as part of a path: of a very long one the beginning, and a digest that tells it from others.
pub(crate) fn part_of(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST_PART {
        return text.into();
    }
    shortened(text, LONGEST_PART).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_end_where_slashes_stop_counting() {
        let deep = format!("{}x/y", "a/".repeat(DEEPEST));
        assert_eq!(prefixes(&deep).count(), DEEPEST);
        assert_eq!(parts(&deep).count(), DEEPEST + 1);
        assert_eq!(parts(&deep).last(), Some("x/y"));
        assert!(is_deeper(&deep));
        let ordinary = "/step//conv";
        assert_eq!(prefixes(ordinary).collect::<Vec<_>>(), ["/", "/step/", "/step//"]);
        assert_eq!(parts(ordinary).collect::<Vec<_>>(), ["step", "conv"]);
        assert!(!is_deeper(ordinary) && !is_deeper(&"a/".repeat(DEEPEST)));
    }

    #[test]
    fn long_texts_are_cut_and_stay_different() {
        let longest = "é".repeat(LONGEST_PART / 2);
        assert_eq!(part_of(&longest), longest.as_str());
        let texts = ["a", "b"].map(|end| format!("x{longest}{end}"));
        let cut = texts.each_ref().map(|text| part_of(text));
        assert_ne!(cut[0], cut[1]);
        assert!(cut.iter().all(|part| part.len() <= LONGEST_PART + "… 0123456789abcdef".len()));
    }
}
