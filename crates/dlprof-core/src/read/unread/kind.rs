//! A kind of files that is known and not read.

use super::sample::Sample;
use crate::base::UnreadFile;
use crate::base::shell_word::shell_word;
use std::path::{Path, PathBuf};

/// The ends of names of files that SQLite writes beside a database.
pub(super) const SIDE_ENDINGS: [&str; 3] = ["-wal", "-journal", "-shm"];

/// A kind of files that is known and not read.
pub(super) struct Kind {
    /// What stands after "`FILE` is". `{}` is what the sign found out.
    pub(super) one: &'static str,
    /// What stands after "8 files are".
    pub(super) several: &'static str,
    /// What to do, with one command at most; empty if there is nothing to do. Places are those of [`filled`].
    pub(super) hint: &'static str,
    pub(super) sign: Sign,
}

/// What tells that a file is of a kind.
#[derive(Clone, Copy)]
pub(super) enum Sign {
    /// Its first bytes; its name, if the bytes are not enough. The returned text replaces `{}` in the sentence.
    Bytes(fn(&Sample<'_>) -> Option<String>),
    /// The same of reports of nsys, which `nsys export` makes readable.
    NsysReport(fn(&Sample<'_>) -> Option<String>),
    /// The tables of an SQLite database.
    Tables(fn(&[&str]) -> bool),
    /// A folder, and the names of what is in it.
    Folder(fn(&Path, &[String]) -> bool),
}

impl Kind {
    /// What a file of this kind is; `detail` is what the sign found out.
    pub(super) fn found(&self, path: &Path, detail: &str) -> UnreadFile {
        UnreadFile {
            found: self.one.replacen("{}", detail, 1),
            several: self.several,
            hint: (!self.hint.is_empty()).then(|| filled(self.hint, path)),
            is_nsys_report: matches!(self.sign, Sign::NsysReport(_)),
        }
    }
}

/// A hint with the names of a file in their places. Places are found in the declaration alone: a name may hold braces as well.
fn filled(hint: &str, path: &Path) -> String {
    let name = Path::new(path.file_name().unwrap_or(path.as_os_str()));
    let places: [(&str, &dyn Fn() -> PathBuf); 6] = [
        ("{file}", &|| path.into()),
        ("{name}", &|| name.into()),
        ("{export}", &|| path.with_extension("sqlite")),
        ("{report}", &|| path.with_extension("nsys-rep")),
        ("{database}", &|| database(path)),
        ("{unpacked}", &|| unpacked(path)),
    ];
    let (mut text, mut rest) = (String::new(), hint);
    while let Some(at) = rest.find('{') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let found = places.iter().find(|(place, _)| rest.starts_with(place));
        let (used, value) = found.map_or((1, "{".into()), |(place, value)| {
            (place.len(), shell_word(&value().to_string_lossy()).into_owned())
        });
        text.push_str(&value);
        rest = &rest[used..];
    }
    text + rest
}

/// The name of a file without the ending of what packed it.
fn unpacked(path: &Path) -> PathBuf {
    let is_packed = path.extension().is_some_and(|ending| {
        ["gz", "zst", "xz", "bz2", "lz4"].iter().any(|packed| ending.eq_ignore_ascii_case(packed))
    });
    if is_packed { path.with_extension("") } else { path.with_added_extension("unpacked") }
}

/// The database that a side file is of.
fn database(path: &Path) -> PathBuf {
    let text = path.to_string_lossy();
    let bare = SIDE_ENDINGS.iter().find_map(|ending| text.strip_suffix(ending));
    bare.map_or_else(|| path.into(), Into::into)
}

/// That a file is of a kind of which nothing more is said.
pub(super) fn if_so(is_one: bool) -> Option<String> {
    is_one.then(String::new)
}
