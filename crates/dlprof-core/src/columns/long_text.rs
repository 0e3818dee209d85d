//! Texts that are too long to be repeated: the beginning, and a digest that tells them from others.
//!
//! ```text
//! text of an export    ≤ 16 KiB     as it is
//!                      ≤ 1 MiB      read whole, since markers are taken apart; then kept, shown and exported cut
//!                      longer       read cut
//! ```
//!
//! A row of many tables repeats the name of its kernel, so a text of ten megabytes would be written once a launch.

use std::borrow::Cow;

/// Bytes of a text that is kept, shown and exported; of a longer one the beginning and the digest are as long.
pub(crate) const LONGEST_TEXT: usize = 16 << 10;

/// Bytes of a text that is taken apart, such as a marker of DLProf.
pub(crate) const LONGEST_READ: usize = 1 << 20;

/// Bytes of `… ` and the digest.
const MARK: usize = "… 0123456789abcdef".len();

/// A text as it is kept, shown and exported.
#[must_use]
pub(crate) fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST_TEXT { text.into() } else { shortened(text, LONGEST_TEXT - MARK).into() }
}

/// As [`cut`], for a text that nobody else needs.
pub(crate) fn cut_owned(text: String) -> String {
    if text.len() <= LONGEST_TEXT { text } else { shortened(&text, LONGEST_TEXT - MARK) }
}

/// The bytes of a text as they are read.
pub(crate) fn as_read(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.len() <= LONGEST_READ {
        return bytes.into();
    }
    let is_boundary = |at: &usize| bytes[*at] & 0xc0 != 0x80;
    let longest = LONGEST_TEXT - MARK;
    let end = (longest - 3..=longest).rev().find(is_boundary).unwrap_or(longest);
    [&bytes[..end], mark(bytes).as_bytes()].concat().into()
}

/// The first `longest` bytes of a text, or up to three less, and its digest.
pub(crate) fn shortened(text: &str, longest: usize) -> String {
    format!("{}{}", &text[..text.floor_char_boundary(longest)], mark(text.as_bytes()))
}

fn mark(text: &[u8]) -> String {
    format!("… {:016x}", digest(text))
}

/// FNV-1a, so that a name is the same in every version and baseline.
fn digest(text: &[u8]) -> u64 {
    let mix = |digest: u64, &byte: &u8| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_a_letter_and_stay_different() {
        let longest = "é".repeat(LONGEST_TEXT / 2);
        assert_eq!(cut(&longest), longest);
        for more in 0..4 {
            let texts = ["a", "b"].map(|end| format!("{}{longest}{end}", "x".repeat(more)));
            let cuts = texts.each_ref().map(|text| cut(text));
            assert_ne!(cuts[0], cuts[1]);
            for (text, cut) in texts.iter().zip(&cuts) {
                assert!(cut.len() <= LONGEST_TEXT && cut.len() >= LONGEST_TEXT - 3);
                assert!(text.starts_with(cut.split('…').next().expect("a beginning")));
                assert_eq!(cut_owned(text.clone()), *cut);
            }
        }
    }

    #[test]
    fn what_is_read_cut_is_what_is_shown() {
        for more in 0..4 {
            let text = format!("{}{}", "x".repeat(more), "é".repeat(LONGEST_READ / 2));
            let read = as_read(text.as_bytes());
            match text.len() > LONGEST_READ {
                true => assert_eq!(&*read, cut(&text).as_bytes()),
                false => assert_eq!(&*read, text.as_bytes()),
            }
        }
        // Bytes that are not text at all.
        assert!(as_read(&vec![0x80; LONGEST_READ + 1]).len() <= LONGEST_TEXT);
    }
}
