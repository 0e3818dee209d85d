//! Words of commands.

use std::borrow::Cow;

/// A word as a POSIX shell reads it back.
#[must_use]
pub fn shell_word(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into();
    }
    // Inside double quotes these would mean something.
    let is_special = |c: char| "\"$`\\!".contains(c);
    if word.contains('\'') && !word.contains(is_special) {
        return format!("\"{word}\"").into();
    }
    format!("'{}'", word.replace('\'', r"'\''")).into()
}
