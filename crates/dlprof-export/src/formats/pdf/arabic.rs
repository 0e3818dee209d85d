//! The forms of Arabic letters: a letter looks different at the start, in the middle and at the end of a word.

/// Each letter with its first form and the number of its forms: alone, at the end, at the start, in the middle.
/// A letter with two forms does not join the letter after it.
const LETTERS: [(char, u32, u8); 43] = [
    ('\u{621}', 0xFE80, 1),
    ('\u{622}', 0xFE81, 2),
    ('\u{623}', 0xFE83, 2),
    ('\u{624}', 0xFE85, 2),
    ('\u{625}', 0xFE87, 2),
    ('\u{626}', 0xFE89, 4),
    ('\u{627}', 0xFE8D, 2),
    ('\u{628}', 0xFE8F, 4),
    ('\u{629}', 0xFE93, 2),
    ('\u{62A}', 0xFE95, 4),
    ('\u{62B}', 0xFE99, 4),
    ('\u{62C}', 0xFE9D, 4),
    ('\u{62D}', 0xFEA1, 4),
    ('\u{62E}', 0xFEA5, 4),
    ('\u{62F}', 0xFEA9, 2),
    ('\u{630}', 0xFEAB, 2),
    ('\u{631}', 0xFEAD, 2),
    ('\u{632}', 0xFEAF, 2),
    ('\u{633}', 0xFEB1, 4),
    ('\u{634}', 0xFEB5, 4),
    ('\u{635}', 0xFEB9, 4),
    ('\u{636}', 0xFEBD, 4),
    ('\u{637}', 0xFEC1, 4),
    ('\u{638}', 0xFEC5, 4),
    ('\u{639}', 0xFEC9, 4),
    ('\u{63A}', 0xFECD, 4),
    ('\u{641}', 0xFED1, 4),
    ('\u{642}', 0xFED5, 4),
    ('\u{643}', 0xFED9, 4),
    ('\u{644}', 0xFEDD, 4),
    ('\u{645}', 0xFEE1, 4),
    ('\u{646}', 0xFEE5, 4),
    ('\u{647}', 0xFEE9, 4),
    ('\u{648}', 0xFEED, 2),
    ('\u{649}', 0xFEEF, 2),
    ('\u{64A}', 0xFEF1, 4),
    // Letters of Persian and Urdu.
    ('\u{67E}', 0xFB56, 4),
    ('\u{679}', 0xFB66, 4),
    ('\u{686}', 0xFB7A, 4),
    ('\u{698}', 0xFB8A, 2),
    ('\u{6A9}', 0xFB8E, 4),
    ('\u{6AF}', 0xFB92, 4),
    ('\u{6CC}', 0xFBFC, 4),
];

/// Lam and one of these letters after it become one sign, which has a form alone and a form at the end.
const LAM: char = '\u{644}';
const AFTER_LAM: [(char, u32); 4] =
    [('\u{622}', 0xFEF5), ('\u{623}', 0xFEF7), ('\u{625}', 0xFEF9), ('\u{627}', 0xFEFB)];

/// A character that lengthens the join between two letters.
const TATWEEL: char = '\u{640}';

fn forms(letter: char) -> Option<(u32, u8)> {
    LETTERS.iter().find(|(known, ..)| *known == letter).map(|&(_, first, count)| (first, count))
}

/// Marks above or below a letter; letters join across them.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{610}'..='\u{61A}' | '\u{64B}'..='\u{65F}' | '\u{670}' | '\u{6D6}'..='\u{6ED}')
}

fn joins_next(c: char) -> bool {
    c == TATWEEL || forms(c).is_some_and(|(_, count)| count == 4)
}

fn joins_previous(c: char) -> bool {
    c == TATWEEL || forms(c).is_some_and(|(_, count)| count >= 2)
}

/// The form of a letter between its neighbours in reading order, without marks. Other characters do not change.
pub(super) fn form(previous: Option<char>, letter: char, next: Option<char>) -> char {
    let Some((first, count)) = forms(letter) else { return letter };
    let is_joined_before = count >= 2 && previous.is_some_and(joins_next);
    let is_joined_after = count == 4 && next.is_some_and(joins_previous);
    let number = u32::from(is_joined_before) + 2 * u32::from(is_joined_after);
    char::from_u32(first + number).unwrap_or(letter)
}

/// The sign for lam and the letter after it, if there is such a sign.
pub(super) fn ligature(previous: Option<char>, letter: char, next: Option<char>) -> Option<char> {
    let (_, first) = AFTER_LAM.into_iter().find(|(after, _)| letter == LAM && Some(*after) == next)?;
    char::from_u32(first + u32::from(previous.is_some_and(joins_next)))
}

/// The first character of an iterator that is not a mark.
pub(super) fn neighbour(mut chars: impl Iterator<Item = char>) -> Option<char> {
    chars.find(|c| !is_mark(*c))
}

/// The letters of a form, in reading order; any other character is returned unchanged.
pub(super) fn spelled(form: char) -> Vec<char> {
    let code = u32::from(form);
    let pair = AFTER_LAM.iter().find(|(_, first)| (*first..first + 2).contains(&code));
    let letter = LETTERS.iter().find(|(_, first, count)| (*first..first + u32::from(*count)).contains(&code));
    match (pair, letter) {
        (Some((after, _)), _) => vec![LAM, *after],
        (None, Some((letter, ..))) => vec![*letter],
        (None, None) => vec![form],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_join_their_neighbours() {
        // Beh alone, at the start, in the middle and at the end.
        let beh = '\u{628}';
        assert_eq!(form(None, beh, None), '\u{FE8F}');
        assert_eq!(form(None, beh, Some(beh)), '\u{FE91}');
        assert_eq!(form(Some(beh), beh, Some(beh)), '\u{FE92}');
        assert_eq!(form(Some(beh), beh, None), '\u{FE90}');
        // Alef joins only the letter before it.
        assert_eq!(form(Some('\u{627}'), beh, None), '\u{FE8F}');
        assert_eq!(form(Some(beh), '\u{627}', Some(beh)), '\u{FE8E}');
        assert_eq!(form(Some(beh), 'x', Some(beh)), 'x');
    }

    #[test]
    fn forms_are_spelled_with_their_letters() {
        for (letter, first, count) in LETTERS {
            for number in 0..u32::from(count) {
                assert_eq!(spelled(char::from_u32(first + number).expect("a form")), [letter]);
            }
        }
        assert_eq!(spelled('\u{FEFC}'), [LAM, '\u{627}']);
        assert_eq!(spelled('x'), ['x']);
    }
}
