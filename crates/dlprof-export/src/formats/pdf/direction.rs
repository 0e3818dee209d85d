//! Puts the characters of a line in the order in which they are printed from left to right, for all scripts.

use unicode_bidi::{Level, ParagraphBidiInfo};

/// Characters with a smaller number are never written from right to left.
const FIRST_RIGHT_TO_LEFT: char = '\u{590}';

/// The characters from left to right. Right-to-left words are reversed, and brackets in them are mirrored. The whole line reads
/// from left to right, as all other cells of a table. Letters do not join: that takes a shaper, which knows the forms of a face.
pub(super) fn left_to_right(text: &str) -> Vec<char> {
    if text.chars().all(|c| c < FIRST_RIGHT_TO_LEFT) {
        return text.chars().collect();
    }
    let levels = ParagraphBidiInfo::new(text, Some(Level::ltr())).reordered_levels_per_char(0..text.len());
    let shown: Vec<char> =
        text.chars().zip(&levels).map(|(c, level)| if level.is_rtl() { mirrored(c) } else { c }).collect();
    ParagraphBidiInfo::reorder_visual(&levels).into_iter().map(|at| shown[at]).collect()
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
    fn arabic_letters_are_turned_and_stay_themselves() {
        let salam = "\u{633}\u{644}\u{627}\u{645}";
        assert_eq!(shown(salam), salam.chars().rev().collect::<String>());
    }

    #[test]
    fn odd_characters_do_no_harm() {
        for text in ["\u{2029}\u{5D0}", "\u{5B7}", "\u{644}", "\u{200D}\u{644}\u{200C}", "\u{202E}a\u{5D0}"] {
            assert!(left_to_right(text).len() <= text.chars().count());
        }
    }
}
