//! The beginning of a text of JSON, of which the end is not seen.

use super::sample::Sample;

/// The text of JSON without white space, so that it is the same however it is written; none if it is no JSON.
pub(super) fn compact(sample: &Sample<'_>) -> Option<String> {
    sample.is_json().then(|| {
        String::from_utf8_lossy(sample.bytes())
            .chars()
            .filter(|letter| !letter.is_ascii_whitespace())
            .collect()
    })
}

/// The first key of an object and what stands after its colon.
pub(super) fn first_key<'a>(sample: &'a Sample<'_>) -> Option<(&'a str, &'a str)> {
    let inside = sample.text()?.trim_start().strip_prefix('{')?;
    let (key, rest) = inside.trim_start().strip_prefix('"')?.split_once('"')?;
    Some((key, rest.trim_start().strip_prefix(':')?.trim_start()))
}

/// Whether the first key of an object is this one.
pub(super) fn begins_with_key(sample: &Sample<'_>, key: &str) -> bool {
    first_key(sample).is_some_and(|(first, _)| first == key)
}
