//! Where events begin, found without reading from the start. It is a guess: what looks like an event may stand in a text.

use super::scan::{NoValue, key, next};
use memchr::{memchr_iter, memrchr_iter};

/// Where the next event begins.
pub(super) enum Found {
    At(usize),
    /// Nowhere yet; with more text, to be looked for from here on.
    From(usize),
}

/// The next place after a comma or the opening bracket where an object begins with one of the keys that profilers write first.
pub(super) fn next_event(text: &[u8], from: usize) -> Found {
    let mut from = from.min(text.len());
    for brace in memchr_iter(b'{', &text[from..]).map(|at| from + at) {
        let before = text[..brace].trim_ascii_end().last();
        if !matches!(before, Some(b',' | b'[')) {
            continue;
        }
        match next(text, brace + 1).and_then(|(_, at)| key(text, at)) {
            Ok((b"ph" | b"name", at)) if text.get(at) == Some(&b'"') => return Found::At(brace),
            Ok((b"ph" | b"name", at)) if at == text.len() => return Found::From(brace),
            Err(NoValue::Ends) if text.len() - brace < 256 => return Found::From(brace),
            Ok(_) | Err(_) => {}
        }
    }
    from = text.len().max(from);
    Found::From(from)
}

/// The last place where an object begins after another one, with a key that events have.
pub(super) fn last_event(text: &[u8]) -> Option<usize> {
    /// Objects that are looked at: an event is in vain if it has as many.
    const MOST_TRIED: usize = 256;
    memrchr_iter(b'{', text).take(MOST_TRIED).find(|&brace| {
        let before = text[..brace].trim_ascii_end();
        let is_behind_object =
            before.strip_suffix(b",").is_some_and(|before| before.trim_ascii_end().ends_with(b"}"));
        let name = is_behind_object.then(|| next(text, brace + 1).and_then(|(_, at)| key(text, at)));
        matches!(name, Some(Ok((b"ph" | b"name" | b"cat" | b"pid" | b"tid" | b"ts" | b"dur" | b"args", _))))
    })
}
