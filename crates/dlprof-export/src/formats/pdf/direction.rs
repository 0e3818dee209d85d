//! Puts the characters of a line in the order in which they are printed from left to right, for all scripts.

use super::arabic;
use unicode_bidi::{Level, ParagraphBidiInfo};

/// Characters with a smaller number are never written from right to left.
const FIRST_RIGHT_TO_LEFT: char = '\u{590}';

/// The characters from left to right. Right-to-left words are reversed, brackets in them are mirrored, and Arabic
/// letters have the forms that join. The whole line reads from left to right, as all other cells of a table.
pub(super) fn left_to_right(text: &str) -> Vec<char> {
    if text.chars().all(|c| c < FIRST_RIGHT_TO_LEFT) {
        return text.chars().collect();
    }
    let (shown, levels): (Vec<char>, Vec<Level>) = in_order_of_reading(text).into_iter().unzip();
    ParagraphBidiInfo::reorder_visual(&levels).into_iter().map(|at| shown[at]).collect()
}

/// What is shown for each character or pair of characters, and its level. Odd levels are written from right to
/// left.
fn in_order_of_reading(text: &str) -> Vec<(char, Level)> {
    let info = ParagraphBidiInfo::new(text, Some(Level::ltr()));
    let levels = info.reordered_levels_per_char(0..text.len());
    let chars: Vec<char> = text.chars().collect();
    let mut shown = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let (before, after) = (&chars[..at], &chars[at + 1..]);
        let previous = arabic::neighbour(before.iter().rev().copied());
        let next = arabic::neighbour(after.iter().copied());
        let ligature = arabic::ligature(previous, chars[at], after.first().copied());
        let form = ligature.unwrap_or_else(|| arabic::form(previous, chars[at], next));
        let level = levels[at];
        shown.push((if level.is_rtl() { mirrored(form) } else { form }, level));
        at += if ligature.is_some() { 2 } else { 1 };
    }
    shown
}

fn mirrored(c: char) -> char {
    match c {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        '<' => '>',
        '>' => '<',
        '«' => '»',
        '»' => '«',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        left_to_right(text).into_iter().collect()
    }

    #[test]
    fn other_scripts_stay() {
        for text in ["", "aten::conv2d(3)", "Größe ≤ Δ", "カーネル 中"] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn words_from_right_to_left_are_turned() {
        assert_eq!(shown("step/\u{5E9}\u{5DC}\u{5D5}\u{5DD}/x"), "step/\u{5DD}\u{5D5}\u{5DC}\u{5E9}/x");
        assert_eq!(shown("a \u{5D0}(\u{5D1}) b"), "a (\u{5D1})\u{5D0} b");
        assert_eq!(shown("\u{5D0} 12 \u{5D1}"), "\u{5D1} 12 \u{5D0}");
    }

    #[test]
    fn marks_stand_before_their_letter() {
        // Marks have no width. Fonts draw marks of right-to-left scripts over the letter that follows on the page.
        assert_eq!(shown("\u{5D0}\u{5B7}\u{5D1}"), "\u{5D1}\u{5B7}\u{5D0}");
    }

    #[test]
    fn arabic_letters_join() {
        // Salam: seen at the start, lam with alef at the end, meem alone.
        assert_eq!(shown("\u{633}\u{644}\u{627}\u{645}"), "\u{FEE1}\u{FEFC}\u{FEB3}");
    }

    #[test]
    fn odd_characters_do_no_harm() {
        for text in ["\u{2029}\u{5D0}", "\u{5B7}", "\u{644}", "\u{200D}\u{644}\u{200C}", "\u{202E}a\u{5D0}"] {
            assert!(left_to_right(text).len() <= text.chars().count());
        }
    }
}
