//! The beginning of a text of JSON, of which the end is not seen.

use super::sample::Sample;

/// Whether bytes can be the start of an object or a list in JSON.
pub(super) fn is_json(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    // With a zero behind it, a bracket is one of UTF-16 or UTF-32.
    matches!(start, [b'{' | b'[', rest @ ..] if rest.first() != Some(&0))
}

/// Whether bytes are the start of JSON also where a message of protobuf may begin with the same bytes: an empty line and a bracket.
/// Behind the bracket of JSON stands a text or another bracket.
pub(super) fn is_certainly_json(start: &[u8]) -> bool {
    let behind = start.trim_ascii_start().get(1..).unwrap_or_default().trim_ascii_start();
    is_json(start) && behind.first().is_none_or(|byte| b"\"{}[]".contains(byte))
}

/// The text of JSON without white space, so that it is the same however it is written; none if it is no JSON.
pub(super) fn compact(sample: &Sample<'_>) -> Option<String> {
    sample.is_json().then(|| {
        String::from_utf8_lossy(sample.bytes())
            .chars()
            .filter(|letter| !letter.is_ascii_whitespace())
            .collect()
    })
}

/// The first key of an object and what stands behind its colon.
pub(super) fn first_key<'a>(sample: &'a Sample<'_>) -> Option<(&'a str, &'a str)> {
    let inside = sample.text()?.trim_start().strip_prefix('{')?;
    let (key, rest) = inside.trim_start().strip_prefix('"')?.split_once('"')?;
    Some((key, rest.trim_start().strip_prefix(':')?.trim_start()))
}

/// Whether the first key of an object is this one.
pub(super) fn begins_with_key(sample: &Sample<'_>, key: &str) -> bool {
    first_key(sample).is_some_and(|(first, _)| first == key)
}
