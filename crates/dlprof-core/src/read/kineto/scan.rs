//! Values of JSON in a text, found without being understood. Texts that the profiler wrote are not always JSON: raw line feeds,
//! unknown escapes and `inf` are taken as they are.

use memchr::memchr2;

/// Why there is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoValue {
    /// The text ends before it does.
    Ends,
    /// There is something else.
    Malformed,
    /// It is a value, but not one that is judged here: a word with escapes, or lists that lie deeper in each other than is followed.
    Uncertain,
}

/// The position after white space.
#[inline]
pub(super) fn skip_space(text: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\t' | b'\r') = text.get(at) {
        at += 1;
    }
    at
}

/// The byte after white space, and its position.
#[inline]
pub(super) fn next(text: &[u8], at: usize) -> Result<(u8, usize), NoValue> {
    let at = skip_space(text, at);
    text.get(at).map(|&byte| (byte, at)).ok_or(NoValue::Ends)
}

/// The position after the text that begins with the quote at `at`.
#[inline]
pub(super) fn string_end(text: &[u8], at: usize) -> Result<usize, NoValue> {
    string_end_and_escapes(text, at).map(|(end, _)| end)
}

/// The same, and whether the text has escapes.
#[inline]
fn string_end_and_escapes(text: &[u8], at: usize) -> Result<(usize, bool), NoValue> {
    let (mut at, mut has_escapes) = (at + 1, false);
    // Most texts are shorter than twenty bytes, so a search with wider registers does not pay.
    while let Some(eight) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let eight = u64::from_le_bytes(*eight);
        let found = first_byte(eight, b'"') | first_byte(eight, b'\\');
        if found == 0 {
            at += 8;
            continue;
        }
        at += found.trailing_zeros() as usize / 8;
        if text[at] == b'"' {
            return Ok((at + 1, has_escapes));
        }
        (at, has_escapes) = (at + 2, true);
    }
    loop {
        match text.get(at).ok_or(NoValue::Ends)? {
            b'"' => return Ok((at + 1, has_escapes)),
            b'\\' => (at, has_escapes) = (at + 2, true),
            _ => at += 1,
        }
    }
}

/// The lowest bit that is set is in the first of eight bytes that has a value; 0 if none has it.
#[inline]
fn first_byte(eight: u64, value: u8) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let differing = eight ^ (ONES * u64::from(value));
    differing.wrapping_sub(ONES) & !differing & (ONES << 7)
}

/// The position after the value that begins at `at`.
#[inline]
pub(super) fn value_end(text: &[u8], at: usize) -> Result<usize, NoValue> {
    match text.get(at) {
        None => Err(NoValue::Ends),
        Some(b'"') => string_end(text, at),
        Some(b'{' | b'[') => nested_end(text, at),
        Some(_) => word_end(text, at),
    }
}

/// The position after a number or a word, such as `inf`.
#[inline]
fn word_end(text: &[u8], at: usize) -> Result<usize, NoValue> {
    let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let mut end = at;
    while let Some(&byte) = text.get(end) {
        if !is_of_word(byte) {
            return if end > at { Ok(end) } else { Err(NoValue::Malformed) };
        }
        end += 1;
    }
    Err(NoValue::Ends)
}

/// The position after the list or object that begins at `at`. Brackets are matched, whatever is between them; after a text there
/// must be a bracket, a comma or a colon, so that a stray quote is noticed at once.
fn nested_end(text: &[u8], mut at: usize) -> Result<usize, NoValue> {
    /// How deep values may lie in each other.
    const DEEPEST: u32 = 64;
    let (mut depth, mut is_list) = (0_u32, 0_u64);
    loop {
        match *text.get(at).ok_or(NoValue::Ends)? {
            b'"' => {
                at = string_end(text, at)?;
                match next(text, at)?.0 {
                    b',' | b':' | b'}' | b']' => {}
                    _ => return Err(NoValue::Malformed),
                }
            }
            open @ (b'{' | b'[') => {
                if depth == DEEPEST {
                    return Err(NoValue::Uncertain);
                }
                is_list = is_list << 1 | u64::from(open == b'[');
                depth += 1;
                at += 1;
            }
            close @ (b'}' | b']') => {
                if (close == b']') != (is_list & 1 == 1) {
                    return Err(NoValue::Malformed);
                }
                is_list >>= 1;
                depth -= 1;
                at += 1;
                if depth == 0 {
                    return Ok(at);
                }
            }
            _ => at = skip_plain(text, at + 1),
        }
    }
}

/// The position of the next byte that may be a bracket or a quote.
#[inline]
fn skip_plain(text: &[u8], mut at: usize) -> usize {
    const LOWER: u64 = u64::from_le_bytes([0x20; 8]);
    while let Some(eight) = text.get(at..).and_then(<[u8]>::first_chunk) {
        // With this bit both kinds of brackets are one byte.
        let eight = u64::from_le_bytes(*eight) | LOWER;
        let found = first_byte(eight, b'{') | first_byte(eight, b'}') | first_byte(eight, b'"');
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at
}

/// A key and the position of its value, given the position of the key's quote. Keys are compared as they stand in the text, so one
/// with escapes is not certain.
#[inline]
pub(super) fn key(text: &[u8], at: usize) -> Result<(&[u8], usize), NoValue> {
    if text[at] != b'"' {
        return Err(NoValue::Malformed);
    }
    let (end, has_escapes) = string_end_and_escapes(text, at)?;
    let (colon, behind) = next(text, end)?;
    if colon != b':' {
        return Err(NoValue::Malformed);
    }
    if has_escapes {
        return Err(NoValue::Uncertain);
    }
    Ok((&text[at + 1..end - 1], skip_space(text, behind + 1)))
}

/// Follows a value of any length through pieces of a text, without keeping it.
#[derive(Debug, Default)]
pub(super) struct Skipper {
    depth: u64,
    is_in_string: bool,
    is_escaped: bool,
    has_begun: bool,
}

impl Skipper {
    /// The position after the value, if it ends in this piece.
    pub(super) fn end_in(&mut self, piece: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = piece.get(at) {
            if self.is_escaped {
                self.is_escaped = false;
            } else if self.is_in_string {
                at += memchr2(b'"', b'\\', &piece[at..])?;
                self.is_escaped = piece[at] == b'\\';
                self.is_in_string = self.is_escaped;
            } else {
                match byte {
                    b'"' => self.is_in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' if self.depth == 0 => return Some(at),
                    b'}' | b']' => self.depth -= 1,
                    b',' if self.depth == 0 && self.has_begun => return Some(at),
                    _ => {}
                }
            }
            self.has_begun = true;
            at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_they_end() {
        let cases: [(&str, Result<usize, NoValue>); 14] = [
            ("12.5,", Ok(4)),
            ("-inf}", Ok(4)),
            ("12", Err(NoValue::Ends)),
            (",", Err(NoValue::Malformed)),
            (r#""a\"b","#, Ok(6)),
            (r#""a\"#, Err(NoValue::Ends)),
            ("\"a\nb\",", Ok(5)),
            ("[[1], {\"a\": \"]\"}],", Ok(17)),
            ("[1, 2", Err(NoValue::Ends)),
            ("[1}", Err(NoValue::Malformed)),
            (r#"{"a": "x"y"},"#, Err(NoValue::Malformed)),
            ("{},", Ok(2)),
            ("", Err(NoValue::Ends)),
            (r#""a text that is longer than those that are looked at byte by byte \" ","#, Ok(70)),
        ];
        for (text, expected) in cases {
            assert_eq!(value_end(text.as_bytes(), 0), expected, "{text}");
        }
        let deep = |levels: usize| ["[".repeat(levels), "]".repeat(levels)].concat();
        assert_eq!(value_end(deep(64).as_bytes(), 0), Ok(128));
        assert_eq!(value_end(deep(65).as_bytes(), 0), Err(NoValue::Uncertain));
        assert_eq!(key(br#""a": 1"#, 0), Ok((&b"a"[..], 5)));
        assert_eq!(key(br#""\u0061": 1"#, 0), Err(NoValue::Uncertain));
        assert_eq!(key(br#""\u0061", 1"#, 0), Err(NoValue::Malformed));
    }

    #[test]
    fn values_are_skipped_piece_by_piece() {
        let text = br#"{"a\\": ["x]\"", {}], "b": 1}, "next": 2}"#;
        for size in 1..text.len() {
            let (mut skipper, mut before) = (Skipper::default(), 0);
            let end = text.chunks(size).find_map(|piece| {
                let end = skipper.end_in(piece).map(|end| before + end);
                before += piece.len();
                end
            });
            assert_eq!(end, Some(29), "in pieces of {size}");
        }
        assert_eq!(Skipper::default().end_in(b"null}"), Some(4));
    }
}
