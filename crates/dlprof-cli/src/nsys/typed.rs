//! Commands as text that a shell takes.

use std::ffi::OsStr;

/// A command as it is typed in a shell.
pub(crate) fn typed<'a>(words: impl IntoIterator<Item = &'a OsStr>) -> String {
    let quoted = |word: &OsStr| {
        let word = word.to_string_lossy().into_owned();
        // A word with a NUL byte cannot be an argument, so it can be shown in any way.
        shlex::try_quote(&word).map_or_else(|_| word.clone(), |word| word.into_owned())
    };
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}
