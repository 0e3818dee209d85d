//! Texts of JSON without quotes and escapes.

use std::borrow::Cow;

/// The text of a token. An escape that JSON does not know stands as it is, as in paths of Windows; replacement characters stand
/// where the bytes are not UTF-8. A token without quotes, such as a list, is its own text.
pub(super) fn unescaped(token: &[u8]) -> Cow<'_, str> {
    match token.strip_prefix(b"\"").and_then(|token| token.strip_suffix(b"\"")) {
        Some(inside) => unescaped_inside(inside),
        None => String::from_utf8_lossy(token),
    }
}

/// The text of what stands between quotes.
pub(super) fn unescaped_inside(inside: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(inside);
    if text.contains('\\') { without_escapes(&text).into() } else { text }
}

fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let (letter, used) = match behind.as_bytes().first() {
            Some(b'n') => (Some('\n'), 1),
            Some(b't') => (Some('\t'), 1),
            Some(b'r') => (Some('\r'), 1),
            Some(b'b') => (Some('\u{8}'), 1),
            Some(b'f') => (Some('\u{c}'), 1),
            Some(byte @ (b'"' | b'\\' | b'/')) => (Some(char::from(*byte)), 1),
            Some(b'u') => escaped_unit(behind),
            _ => (None, 0),
        };
        plain.push(letter.unwrap_or('\\'));
        rest = &behind[used..];
    }
    plain.push_str(rest);
    plain
}

/// The letter of `uXXXX`, or of two of them that are one letter together, and how many bytes it takes.
fn escaped_unit(text: &str) -> (Option<char>, usize) {
    let unit = |text: &str| {
        let digits = text.strip_prefix('u')?.get(..4)?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        u16::from_str_radix(digits, 16).ok().filter(|_| is_hex)
    };
    let Some(first) = unit(text) else { return (None, 0) };
    if let Some(second) = text.get(5..).and_then(|rest| rest.strip_prefix('\\')).and_then(unit)
        && let Some(Ok(letter)) = char::decode_utf16([first, second]).next()
        && u32::from(letter) > 0xffff
    {
        return (Some(letter), 11);
    }
    (Some(char::from_u32(first.into()).unwrap_or(char::REPLACEMENT_CHARACTER)), 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_letters_if_they_are_known() {
        let cases = [
            (r#""a\"b\\c\/d""#, "a\"b\\c/d"),
            (r#""\n\t\r\b\f""#, "\n\t\r\u{8}\u{c}"),
            (r#""torch\cuda\__init__.py""#, r"torch\cuda\__init__.py"),
            (r#""\u00e9\ud83d\ude00\ud83d!\u12""#, "é😀\u{fffd}!\\u12"),
            (r#""\u+123""#, r"\u+123"),
            ("plain", "plain"),
            (r#"["", "\"a\""]"#, r#"["", "\"a\""]"#),
        ];
        for (token, expected) in cases {
            assert_eq!(unescaped(token.as_bytes()), expected, "{token}");
        }
        assert_eq!(unescaped(b"\"a\xff\xfeb\""), "a\u{fffd}\u{fffd}b");
        assert_eq!(unescaped(b"\""), "\"");
    }
}
